//! The built binary from outside: what it prints, where, and with which status it ends.

mod database;
mod drawing;
mod erasures;
mod journal;
mod ops;
mod s3;
mod server;
mod words;

use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// The binary in an empty folder and with an empty environment.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stickers"));
        command.args(args).current_dir(self.path()).env_clear();
        command
    }

    fn run(&self, args: &[&str], env: &[(&str, &str)]) -> Output {
        self.command(args).envs(env.iter().copied()).output().expect("the binary runs")
    }
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Status 2, nothing on standard output, one line on standard error with every part.
fn is_bad_input(output: &Output, parts: &[&str]) {
    let line = err(output);
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert_eq!((out(output).as_str(), line.lines().count()), ("", 1), "{line}");
    parts.iter().for_each(|part| assert!(line.contains(part), "{part}: {line}"));
}

fn beside(file: &Path, part: &str) -> Vec<std::path::PathBuf> {
    let folder = std::fs::read_dir(file.parent().expect("a folder")).expect("a folder");
    let paths = folder.map(|entry| entry.expect("a file").path());
    paths.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().contains(part))).collect()
}
