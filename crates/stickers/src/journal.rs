//! What goes to the systemd journal says how bad it is: each line of standard error begins with the priority of sd-daemon(3), which the journal
//! takes off again, so that `journalctl -p warning` finds it. Nothing changes where standard error is anything else.

use std::io::{self, Write};
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// The variable by which systemd names the stream to the journal: device and inode.
pub const VARIABLE: &str = "JOURNAL_STREAM";

/// How bad a line is, in the words of syslog(3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// Somebody must act.
    Error,
    /// It was survived.
    Warning,
    /// It happened.
    Info,
    /// For whoever looks for a cause.
    Debug,
}

impl Priority {
    /// What stands before a line.
    pub fn prefix(self) -> &'static str {
        match self {
            Priority::Error => "<3>",
            Priority::Warning => "<4>",
            Priority::Info => "<6>",
            Priority::Debug => "<7>",
        }
    }

    fn of(level: Level) -> Priority {
        match level {
            Level::ERROR => Priority::Error,
            Level::WARN => Priority::Warning,
            Level::INFO => Priority::Info,
            Level::DEBUG | Level::TRACE => Priority::Debug,
        }
    }
}

/// Whether standard error is the stream that [`VARIABLE`] names. A process that was started by a service with another standard error inherits
/// the variable, hence the comparison.
pub fn is_stderr(named: Option<&str>) -> bool {
    let found = rustix::fs::fstat(io::stderr()).ok();
    found.is_some_and(|found| named == Some(format!("{}:{}", found.st_dev, found.st_ino).as_str()))
}

/// Says a line on standard error, outside the log.
pub fn complain(to_journal: bool, priority: Priority, line: &str) {
    eprintln!("{}{line}", if to_journal { priority.prefix() } else { "" });
}

/// Writes to standard error, as the journal wants it.
pub struct ToJournal;

impl<'a> MakeWriter<'a> for ToJournal {
    type Writer = Lines<io::Stderr>;

    fn make_writer(&'a self) -> Self::Writer {
        Lines { out: io::stderr(), priority: Priority::Info }
    }

    fn make_writer_for(&'a self, about: &Metadata<'_>) -> Self::Writer {
        Lines { out: io::stderr(), priority: Priority::of(*about.level()) }
    }
}

/// Puts a priority before each line. A log event comes in one piece and leaves in one, so that lines of several threads stay whole.
pub struct Lines<W> {
    out: W,
    priority: Priority,
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let mut whole = Vec::with_capacity(event.len() + 8);
        for line in event.split_inclusive(|byte| *byte == b'\n') {
            whole.extend_from_slice(self.priority.prefix().as_bytes());
            whole.extend_from_slice(line);
        }
        self.out.write_all(&whole)?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_an_event_begins_with_its_priority() {
        for (level, event, written) in [
            (Level::ERROR, "one\n", "<3>one\n"),
            (Level::WARN, "one\ntwo\n", "<4>one\n<4>two\n"),
            (Level::INFO, "<0>typed by somebody\n\nlast", "<6><0>typed by somebody\n<6>\n<6>last"),
            (Level::DEBUG, "one\n", "<7>one\n"),
            (Level::TRACE, "", ""),
        ] {
            let mut lines = Lines { out: Vec::new(), priority: Priority::of(level) };
            lines.write_all(event.as_bytes()).expect("writes");
            assert_eq!(String::from_utf8_lossy(&lines.out), written);
        }
    }

    #[test]
    fn a_stream_that_is_not_standard_error_is_not_the_journal() {
        for named in [None, Some(""), Some("1:2"), Some("8:x")] {
            assert!(!is_stderr(named), "{named:?}");
        }
    }
}
