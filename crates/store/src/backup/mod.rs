//! Copies of the whole database: a consistent one of a live database, its checks, and what has to change in a database that was brought back
//! from a copy. A SQLite file is copied by SQLite, a database on a server by PostgreSQL's own tools; settling is the same on both.

mod archive;
mod file;
mod server;
mod settle;
mod source;

pub use file::{check, columns, copy, in_use};
pub use server::Server;
pub use settle::{Settled, guests, lead_requests, settle};
pub use source::Source;

use std::time::Duration;

/// The longest that copying or checking one database may take.
const FILE_LIMIT: Duration = Duration::from_secs(1800);

/// Tables that every database of this program has.
const TABLES: [&str; 5] = ["schema_migrations", "users", "sessions", "jobs", "leads"];

/// Rows that a copy is known by.
const COUNTS: &str = "SELECT (SELECT COUNT(*) FROM jobs), (SELECT COUNT(*) FROM users), \
     (SELECT COUNT(*) FROM sessions), (SELECT COUNT(*) FROM leads)";

/// Steps that were applied.
const STEPS: &str = "SELECT version, checksum FROM schema_migrations ORDER BY version";

/// Why a copy could not be made, or is none.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// SQLite refused.
    #[error("SQLite failed")]
    Sqlite(#[from] sqlx::Error),
    /// The server refused or does not answer.
    #[error("the database server failed")]
    Server(#[source] sqlx::Error),
    /// The role may not make the database into which a copy comes back.
    #[error("the role of DATABASE_URL may not create databases: let it, by ALTER ROLE … CREATEDB")]
    MayNotCreate(#[source] sqlx::Error),
    /// A tool of PostgreSQL is not there.
    #[error(
        "{tool} cannot be started: install the client of PostgreSQL, of the server's version or newer (Debian: apt-get install postgresql-client)"
    )]
    NoTool {
        /// Its name.
        tool: &'static str,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A tool of PostgreSQL failed.
    #[error("{tool} failed: {says}")]
    Tool {
        /// Its name.
        tool: &'static str,
        /// Its first words about it.
        says: String,
    },
    /// Somebody works on the database of a server.
    #[error("the database is in use")]
    InUse,
    /// The disk refused.
    #[error("the file of the copy cannot be written or read")]
    Disk(#[source] std::io::Error),
    /// `PRAGMA integrity_check` found damage.
    #[error("integrity_check: {0}")]
    Damaged(String),
    /// Rows that refer to rows which are not there.
    #[error("foreign_key_check: {rows} rows refer to nothing, the first one is in {table}")]
    ForeignKeys {
        /// How many.
        rows: usize,
        /// Table of the first one.
        table: String,
    },
    /// The copy does not hold what the database held at that moment.
    #[error("the copy holds other numbers of rows than the database: {expected:?} became {found:?}")]
    Differs {
        /// In the database.
        expected: Contents,
        /// In the copy.
        found: Contents,
    },
    /// It is a database, and not one of this program.
    #[error("this is no database of the sticker kiosk: it has no table {0}")]
    Foreign(&'static str),
    /// It was written by a newer program, or its migrations were changed.
    #[error(
        "migration {version} of the copy is unknown to this program: use the program that made it, or a newer one"
    )]
    Newer {
        /// Number of the step.
        version: i64,
    },
    /// It took longer than any database of this product needs.
    #[error("it took over {} s", FILE_LIMIT.as_secs())]
    TooSlow,
}

/// What a sound copy holds, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Rows of `jobs`.
    pub jobs: i64,
    /// Rows of `users`.
    pub users: i64,
    /// Rows of `sessions`.
    pub sessions: i64,
    /// Rows of `leads`.
    pub leads: i64,
    /// Number of the newest migration.
    pub version: i64,
}

/// Ends what takes too long.
async fn within<T>(work: impl Future<Output = Result<T, BackupError>>) -> Result<T, BackupError> {
    tokio::time::timeout(FILE_LIMIT, work).await.map_err(|_| BackupError::TooSlow)?
}
