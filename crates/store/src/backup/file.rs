//! SQLite files as copies: made, looked through, and asked whether somebody works on them.

use super::{BackupError, COUNTS, Contents, STEPS, TABLES, within};
use crate::dialect::Engine;
use crate::migrate;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use std::path::Path;
use std::time::Duration;

/// How long a copy waits for a lock of somebody else.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Problems that are told of a damaged file; the first one says enough.
const PROBLEMS_TOLD: &str = "PRAGMA integrity_check(5)";

/// Copies the live database `from` into the new file `to`: one moment of it, also while others write, and nothing of what was deleted.
///
/// # Errors
/// When SQLite refuses, for example because `to` exists or the disk is full. A part of `to` may be left then.
pub async fn copy(from: &Path, to: &Path) -> Result<(), BackupError> {
    within(async {
        let options = SqliteConnectOptions::new().filename(from).busy_timeout(BUSY_TIMEOUT);
        let mut connection = options.connect().await?;
        let copied = sqlx::query("VACUUM INTO ?")
            .bind(to.to_string_lossy().into_owned())
            .execute(&mut connection)
            .await;
        connection.close().await?;
        copied.map(drop).map_err(BackupError::from)
    })
    .await
}

/// Looks a copy through: every page, every reference, the steps it was made by. Writes nothing beside it.
///
/// # Errors
/// What is wrong with it.
pub async fn check(file: &Path) -> Result<Contents, BackupError> {
    within(look_through(file)).await
}

async fn look_through(file: &Path) -> Result<Contents, BackupError> {
    // Immutable: nobody else writes a copy, and so no file for locks appears beside it.
    let options = SqliteConnectOptions::new().filename(file).read_only(true).immutable(true);
    let mut connection = options.connect().await?;
    let found = contents(&mut connection).await;
    connection.close().await?;
    found
}

async fn contents(connection: &mut SqliteConnection) -> Result<Contents, BackupError> {
    let told: Vec<String> = sqlx::query_scalar(PROBLEMS_TOLD).fetch_all(&mut *connection).await?;
    if told != ["ok"] {
        return Err(BackupError::Damaged(told.into_iter().next().unwrap_or_default()));
    }
    let loose: Vec<(String,)> =
        sqlx::query_as("SELECT \"table\" FROM pragma_foreign_key_check").fetch_all(&mut *connection).await?;
    if let Some((table,)) = loose.first() {
        return Err(BackupError::ForeignKeys { rows: loose.len(), table: table.clone() });
    }
    for table in TABLES {
        let there: i64 =
            sqlx::query_scalar("SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = ?")
                .bind(table)
                .fetch_one(&mut *connection)
                .await?;
        if there == 0 {
            return Err(BackupError::Foreign(table));
        }
    }
    let steps: Vec<(i64, i64)> = sqlx::query_as(STEPS).fetch_all(&mut *connection).await?;
    if let Some(version) = migrate::unknown(Engine::Sqlite, &steps) {
        return Err(BackupError::Newer { version });
    }
    let version = steps.last().map_or(0, |(version, _)| *version);
    let (jobs, users, sessions, leads) = sqlx::query_as(COUNTS).fetch_one(&mut *connection).await?;
    Ok(Contents { jobs, users, sessions, leads, version })
}

/// Every column of every table, as `table.column`.
///
/// # Errors
/// When the file is no database.
pub async fn columns(file: &Path) -> Result<Vec<String>, BackupError> {
    let options = SqliteConnectOptions::new().filename(file).read_only(true).immutable(true);
    let mut connection = options.connect().await?;
    let found = sqlx::query_scalar(
        "SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' \
         ORDER BY t.name, c.cid",
    )
    .fetch_all(&mut connection)
    .await;
    connection.close().await?;
    Ok(found?)
}

/// Whether a process has this database open: each connection to a database in WAL mode keeps a lock on it, and an exclusive one is
/// only given to who is alone.
///
/// # Errors
/// When the file is no database.
pub async fn in_use(file: &Path) -> Result<bool, BackupError> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .busy_timeout(Duration::ZERO)
        .pragma("locking_mode", "EXCLUSIVE")
        .journal_mode(SqliteJournalMode::Wal);
    let mut connection = match options.connect().await {
        Ok(connection) => connection,
        Err(error) if is_busy(&error) => return Ok(true),
        Err(error) => return Err(error.into()),
    };
    let alone = sqlx::raw_sql("BEGIN EXCLUSIVE; ROLLBACK").execute(&mut connection).await;
    let closed = connection.close().await;
    match alone {
        Ok(_) => closed.map(|()| false).map_err(BackupError::from),
        Err(error) if is_busy(&error) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

fn is_busy(error: &sqlx::Error) -> bool {
    const SQLITE_BUSY: i64 = 5;
    let code = error.as_database_error().and_then(|error| error.code());
    code.and_then(|code| code.parse::<i64>().ok()).is_some_and(|code| code & 0xff == SQLITE_BUSY)
}
