//! What keeps a database from being written, in the few words that decide what an operator has to do, and what the last write of this process
//! found.

use crate::error::StoreError;
use std::sync::Arc;
use tokio::sync::watch;

/// Why the database cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Trouble {
    /// The disk is full.
    Full,
    /// Another program holds the lock longer than a write waits for it.
    Locked,
    /// The process may not write to the file or its folder.
    NoAccess,
    /// The disk does not take what is written: a broken one, or a limit on the size of files.
    Failing,
    /// The file is no sound database.
    Damaged,
    /// The server does not answer.
    Unreachable,
}

impl Trouble {
    /// What this error says of the database; none when it says nothing about it.
    pub fn of(error: &StoreError) -> Option<Trouble> {
        match error {
            StoreError::Database(cause) => Trouble::of_driver(cause),
            _ => None,
        }
    }

    /// The same of what the driver says.
    pub(crate) fn of_driver(error: &sqlx::Error) -> Option<Trouble> {
        of_engine(error)
    }
}

fn of_engine(error: &sqlx::Error) -> Option<Trouble> {
    let error = match error {
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::PoolTimedOut => {
            return Some(Trouble::Unreachable);
        }
        sqlx::Error::Database(error) => error,
        _ => return None,
    };
    let code = error.code()?;
    if error.try_downcast_ref::<sqlx::sqlite::SqliteError>().is_some() {
        code.parse().ok().and_then(of_sqlite)
    } else {
        of_postgres(&code)
    }
}

/// By the primary result code, which is the lowest byte (<https://www.sqlite.org/rescode.html>).
fn of_sqlite(code: i64) -> Option<Trouble> {
    match code & 0xff {
        13 => Some(Trouble::Full),
        5 | 6 => Some(Trouble::Locked),
        3 | 8 | 14 | 23 => Some(Trouble::NoAccess),
        10 => Some(Trouble::Failing),
        11 | 26 => Some(Trouble::Damaged),
        _ => None,
    }
}

/// By SQLSTATE (PostgreSQL manual, appendix "Error Codes").
fn of_postgres(code: &str) -> Option<Trouble> {
    match code {
        "53100" => Some(Trouble::Full),
        "55P03" => Some(Trouble::Locked),
        "25006" | "42501" => Some(Trouble::NoAccess),
        "58030" => Some(Trouble::Failing),
        "XX001" | "XX002" => Some(Trouble::Damaged),
        _ if code.starts_with("08") || code.starts_with("57P") => Some(Trouble::Unreachable),
        _ => None,
    }
}

/// What the writes of this process find. Cheap to clone; all clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Health(Arc<watch::Sender<Option<Trouble>>>);

impl Health {
    pub(crate) fn new() -> Health {
        Health(Arc::new(watch::Sender::new(None)))
    }

    /// A write was committed.
    pub(crate) fn well(&self) {
        self.set(None);
    }

    /// A write could not be. What says nothing of the database leaves what is known.
    pub(crate) fn failed(&self, error: &StoreError) {
        if let Some(trouble) = Trouble::of(error) {
            self.set(Some(trouble));
        }
    }

    pub(crate) fn set(&self, trouble: Option<Trouble>) {
        self.0.send_if_modified(|known| std::mem::replace(known, trouble) != trouble);
    }

    pub(crate) fn now(&self) -> Option<Trouble> {
        *self.0.borrow()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_both_engines_are_told_apart() {
        // SQLITE_FULL, SQLITE_BUSY_SNAPSHOT, SQLITE_READONLY_DIRECTORY, SQLITE_IOERR_WRITE, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT.
        let sqlite = [
            (13, Some(Trouble::Full)),
            (517, Some(Trouble::Locked)),
            (1544, Some(Trouble::NoAccess)),
            (778, Some(Trouble::Failing)),
            (11, Some(Trouble::Damaged)),
            (26, Some(Trouble::Damaged)),
            (19, None),
        ];
        for (code, trouble) in sqlite {
            assert_eq!(of_sqlite(code), trouble, "{code}");
        }
        let postgres = [
            ("53100", Some(Trouble::Full)),
            ("57P01", Some(Trouble::Unreachable)),
            ("08006", Some(Trouble::Unreachable)),
            ("25006", Some(Trouble::NoAccess)),
            ("XX001", Some(Trouble::Damaged)),
            ("23505", None),
        ];
        for (code, trouble) in postgres {
            assert_eq!(of_postgres(code), trouble, "{code}");
        }
    }

    #[test]
    fn what_says_nothing_of_the_database_changes_nothing() {
        let health = Health::new();
        health.set(Some(Trouble::Full));
        for error in [StoreError::Busy, StoreError::TimedOut, StoreError::Panicked] {
            health.failed(&error);
            assert_eq!(health.now(), Some(Trouble::Full));
        }
        health.well();
        assert_eq!(health.now(), None);
    }
}
