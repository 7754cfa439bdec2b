//! How a command ends when it does not end well: one clear line on standard error and a status.

use crate::journal::{Priority, complain};
use std::fmt::Display;
use std::process::ExitCode;

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// The command line or the environment is wrong: status 2. One line each.
    Input(Vec<String>),
    /// It was asked rightly and failed: status 1.
    Failed(String),
    /// It reported already what is wrong, line by line: status 1 without another line.
    Reported,
}

impl Failure {
    /// Bad input with one line.
    pub fn input(line: impl Display) -> Failure {
        Failure::Input(vec![line.to_string()])
    }

    /// A failure: what was tried, and the error with all its causes.
    pub fn of(what: &str, error: &(dyn std::error::Error + 'static)) -> Failure {
        Failure::Failed(format!("{what}: {}", chain(error)))
    }

    /// What it says, on one line, for a report that goes on.
    pub fn words(&self) -> String {
        match self {
            Failure::Input(lines) => one_line(&lines.join("; ")),
            Failure::Failed(line) => one_line(line),
            Failure::Reported => String::new(),
        }
    }

    /// Says it on standard error, which may go to the systemd journal, and gives the exit status.
    pub fn end(self, to_journal: bool) -> ExitCode {
        let say =
            |line: &str| complain(to_journal, Priority::Error, &format!("stickers: {}", one_line(line)));
        match self {
            Failure::Input(lines) => {
                lines.iter().for_each(|line| say(line));
                ExitCode::from(2)
            }
            Failure::Failed(line) => {
                say(&line);
                ExitCode::from(1)
            }
            Failure::Reported => ExitCode::from(1),
        }
    }
}

/// An error with all its causes.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        // Libraries often repeat their cause in their own text; twice helps nobody.
        if !line.contains(&text) {
            line.push_str(": ");
            line.push_str(&text);
        }
        cause = inner.source();
    }
    line
}

/// The text on one line, whatever a library put into its message.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
