//! `stickers admin-password`: the hash of a password for `ADMIN_PASSWORD_HASH` or a line of `ADMIN_USERS_FILE`.

use crate::failure::Failure;
use crate::system::SystemRng;
use app::panel::password::{self, PASSWORD_MAX, PASSWORD_MIN};
use clap::Args;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use serde_json::json;
use std::io::{self, BufRead, IsTerminal, Read, Write};

/// Hash a password for the admin panel.
#[derive(Args, Debug)]
#[command(
    after_help = "Reads one line from standard input, without showing it on a terminal, and prints its Argon2id hash.\n\nExample:\n  stickers admin-password\n  ADMIN_LOGIN=dilnoza\n  ADMIN_PASSWORD_HASH='$argon2id$v=19$m=19456,t=2,p=1$...'   (single quotes: it has $ in it)"
)]
pub struct AdminPasswordArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &AdminPasswordArgs) -> Result<(), Failure> {
    let password = read()?;
    let letters = password.chars().count();
    if letters < PASSWORD_MIN || password.len() > PASSWORD_MAX {
        return Err(Failure::input(format!(
            "the password has {letters} characters: allowed is {PASSWORD_MIN} characters to {PASSWORD_MAX} bytes"
        )));
    }
    let hash = password::hash(&password, &SystemRng)
        .map_err(|error| Failure::Failed(format!("the password cannot be hashed: {error}")))?;
    let line = if args.json { format!("{}\n", json!({ "hash": hash })) } else { format!("{hash}\n") };
    io::stdout().write_all(line.as_bytes()).map_err(|error| Failure::of("cannot write", &error))
}

/// The first line, without its end. On a terminal it is asked for and not shown.
fn read() -> Result<String, Failure> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return line(&mut stdin.lock());
    }
    eprint!("Password: ");
    let _ = io::stderr().flush();
    let _hidden =
        Hidden::begin().map_err(|error| Failure::of("the terminal cannot hide what is typed", &error))?;
    line(&mut stdin.lock())
}

fn line(from: &mut impl BufRead) -> Result<String, Failure> {
    let mut line = String::new();
    // A password of this length is refused anyway; more need not be held.
    let bound = u64::try_from(PASSWORD_MAX * 4).unwrap_or(u64::MAX);
    from.take(bound)
        .read_line(&mut line)
        .map_err(|error| Failure::of("the password cannot be read", &error))?;
    let typed = line.strip_suffix('\n').unwrap_or(&line);
    Ok(typed.strip_suffix('\r').unwrap_or(typed).to_owned())
}

/// A terminal that shows nothing, until it is dropped.
struct Hidden(Termios);

impl Hidden {
    fn begin() -> rustix::io::Result<Hidden> {
        let before = tcgetattr(io::stdin())?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &quiet)?;
        Ok(Hidden(before))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // A terminal that is gone shows nothing either.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
        eprintln!();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_without_its_end_and_with_its_blanks() {
        for (input, password) in [
            (" correct horse \n", " correct horse "),
            ("correct horse\r\nmore", "correct horse"),
            ("correct horse", "correct horse"),
            ("", ""),
        ] {
            assert_eq!(line(&mut input.as_bytes()).expect("reads"), password);
        }
    }
}
