//! What can go wrong below a query, told so that a caller can act on it.

use std::fmt;
use std::sync::Arc;

/// Failure of a read or a write. The cause is in `source()` and not repeated in the text.
#[derive(Clone, thiserror::Error)]
pub enum StoreError {
    /// The write queue is full or no connection became free in time. Nothing was written; try again later.
    #[error("the database is busy")]
    Busy,
    /// A write took longer than [`crate::StoreOptions::write_limit`] and was rolled back. When it happened while committing on
    /// PostgreSQL, whether it was stored is unknown.
    #[error("the write took too long")]
    TimedOut,
    /// The closure of a write panicked; only that write was rolled back.
    #[error("the write panicked")]
    Panicked,
    /// [`crate::Store::close`] was called.
    #[error("the store is closed")]
    Closed,
    /// The engine refused or went away.
    #[error("the database failed")]
    Database(#[source] Arc<sqlx::Error>),
    /// A stored value means nothing to this program.
    #[error("{table}.{column} of {key} holds {value:?}")]
    BadRow {
        /// Table.
        table: &'static str,
        /// Column.
        column: &'static str,
        /// Key of the row.
        key: String,
        /// The word that was found; only status words and codes come here, never anything personal.
        value: String,
    },
    /// The recorded migrations are not the ones of this program.
    #[error("migration {version} is unknown to this program or was changed after it was applied")]
    Migrations {
        /// Its number.
        version: i64,
    },
}

impl fmt::Debug for StoreError {
    /// As `Display`, with the cause: PostgreSQL puts the whole row of a refused write into what `Debug` of its error prints,
    /// names included, and errors are logged.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Database(cause) => write!(f, "{self}: {cause}"),
            _ => write!(f, "{self}"),
        }
    }
}

impl StoreError {
    /// Whether a unique key was already taken.
    pub fn is_unique_violation(&self) -> bool {
        match self {
            StoreError::Database(cause) => {
                cause.as_database_error().is_some_and(|error| error.is_unique_violation())
            }
            _ => false,
        }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::PoolTimedOut => StoreError::Busy,
            sqlx::Error::PoolClosed => StoreError::Closed,
            other => StoreError::Database(Arc::new(other)),
        }
    }
}

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The URL is of no engine that we know, or names no file.
    #[error("DATABASE_URL must begin with sqlite:// and name a file, or begin with postgres://")]
    Url,
    /// The URL begins as one of PostgreSQL and goes on as none.
    #[error("DATABASE_URL is no address of a PostgreSQL database")]
    Address(#[source] sqlx::Error),
    /// SQLite is too old to be written by two processes.
    #[error(
        "SQLite {found} is too old: below {needed} a WAL file that two processes write can be damaged; \
         use a build with SQLite {needed} or newer"
    )]
    SqliteTooOld {
        /// The version that is linked.
        found: String,
        /// The oldest that is safe.
        needed: &'static str,
    },
    /// The folder or the file of the database could not be made.
    #[error("cannot create {path}")]
    Create {
        /// What could not be made.
        path: String,
        /// Why.
        #[source]
        cause: std::io::Error,
    },
    /// The engine did not answer as it should.
    #[error("cannot open the database")]
    Database(#[source] sqlx::Error),
}

impl From<sqlx::Error> for OpenError {
    fn from(error: sqlx::Error) -> Self {
        OpenError::Database(error)
    }
}
