//! Migrations: forward only, one idea a file, in two folders because the engines name their types differently.
//!
//! A file is never changed once it was released: the checksum of what was applied is kept and compared.

use crate::dialect::{Engine, POSTGRES_COLUMNS, POSTGRES_HAS_TABLE, POSTGRES_MIGRATION_LOCK};
use crate::error::StoreError;
use crate::query::{Query, Word};
use crate::tx::Tx;

/// One step, as text for both engines.
#[derive(Debug)]
struct Migration {
    version: i64,
    name: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
}

macro_rules! migrations {
    ($($version:literal $name:literal;)*) => {
        &[$(Migration {
            version: $version,
            name: $name,
            sqlite: include_str!(concat!("../migrations/sqlite/", $name, ".sql")),
            postgres: include_str!(concat!("../migrations/postgres/", $name, ".sql")),
        }),*]
    };
}

/// Every step, in order.
const MIGRATIONS: &[Migration] = migrations! {
    1 "0001_guests_sessions_jobs";
    2 "0002_outbox_and_updates";
    3 "0003_leads";
    4 "0004_operations";
    5 "0005_readable_views";
    6 "0006_what_changed";
    7 "0007_leads_to_ping";
    8 "0008_lists_of_the_panel";
    9 "0009_lists_ask_for_their_index";
    10 "0010_long_done";
};

impl Migration {
    fn text(&self, engine: Engine) -> &'static str {
        match engine {
            Engine::Sqlite => self.sqlite,
            Engine::Postgres => self.postgres,
        }
    }
}

/// A row of the table of applied steps.
#[derive(sqlx::FromRow)]
struct Applied {
    version: i64,
    checksum: i64,
}

/// Applies the steps that are missing; their names.
pub(crate) async fn apply(tx: &mut Tx) -> Result<Vec<&'static str>, StoreError> {
    apply_up_to(tx, i64::MAX).await
}

/// Applies the missing steps whose number is not above `version`.
pub(crate) async fn apply_up_to(tx: &mut Tx, version: i64) -> Result<Vec<&'static str>, StoreError> {
    let applied = applied(tx).await?;
    let mut names = Vec::new();
    for migration in MIGRATIONS[applied..].iter().filter(|migration| migration.version <= version) {
        apply_one(tx, migration).await?;
        names.push(migration.name);
    }
    Ok(names)
}

/// Applies one step and remembers it.
async fn apply_one(tx: &mut Tx, migration: &Migration) -> Result<(), StoreError> {
    let text = migration.text(tx.engine());
    tx.script(text).await?;
    Query::new("INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)")
        .bind(migration.version)
        .bind(migration.name)
        .bind(checksum(text))
        .run(tx)
        .await?;
    Ok(())
}

/// The steps that are missing.
pub(crate) async fn pending(tx: &mut Tx) -> Result<Vec<&'static str>, StoreError> {
    let applied = applied(tx).await?;
    Ok(MIGRATIONS[applied..].iter().map(|migration| migration.name).collect())
}

/// How many steps were applied, after comparing them with those of this program. A newer database is refused.
pub(crate) async fn applied(tx: &mut Tx) -> Result<usize, StoreError> {
    if tx.engine() == Engine::Postgres {
        tx.script(POSTGRES_MIGRATION_LOCK).await?;
    }
    tx.script(
        "CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, checksum BIGINT NOT NULL)",
    )
    .await?;
    let rows: Vec<Applied> =
        Query::new("SELECT version, checksum FROM schema_migrations ORDER BY version").all(tx).await?;
    for (place, row) in rows.iter().enumerate() {
        let known = MIGRATIONS.get(place).is_some_and(|ours| {
            ours.version == row.version && checksum(ours.text(tx.engine())) == row.checksum
        });
        if !known {
            return Err(StoreError::Migrations { version: row.version });
        }
    }
    Ok(rows.len())
}

/// What a migration would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rehearsal {
    /// Columns that there were not before, `table.column`.
    pub columns: Vec<String>,
    /// Rows before it.
    pub before: Rows,
    /// Rows after it.
    pub after: Rows,
}

/// Rows that no migration may lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Of `jobs`.
    pub jobs: i64,
    /// Of `users`.
    pub users: i64,
    /// Of `sessions`.
    pub sessions: i64,
    /// Of `leads`.
    pub leads: i64,
}

/// The end of a write that must not be stored.
#[derive(Debug)]
pub(crate) enum TakenBack {
    /// As intended.
    Rehearsed(Rehearsal),
    /// The migration failed.
    Failed(StoreError),
}

impl From<StoreError> for TakenBack {
    fn from(error: StoreError) -> Self {
        TakenBack::Failed(error)
    }
}

/// Applies the missing steps and compares; whoever called takes all of it back.
pub(crate) async fn rehearse(tx: &mut Tx) -> TakenBack {
    let work = async {
        let (before, had) = (rows(tx).await?, columns(tx).await?);
        apply(tx).await?;
        let (after, has) = (rows(tx).await?, columns(tx).await?);
        let columns = has.into_iter().filter(|column| !had.contains(column)).collect();
        Ok::<_, StoreError>(Rehearsal { columns, before, after })
    };
    work.await.map_or_else(TakenBack::Failed, TakenBack::Rehearsed)
}

/// Rows of tables that may not be there yet count as none.
async fn rows(tx: &mut Tx) -> Result<Rows, StoreError> {
    Ok(Rows {
        jobs: count(tx, "jobs", "SELECT COUNT(*) AS value FROM jobs").await?,
        users: count(tx, "users", "SELECT COUNT(*) AS value FROM users").await?,
        sessions: count(tx, "sessions", "SELECT COUNT(*) AS value FROM sessions").await?,
        leads: count(tx, "leads", "SELECT COUNT(*) AS value FROM leads").await?,
    })
}

async fn count(tx: &mut Tx, table: &'static str, text: &'static str) -> Result<i64, StoreError> {
    let there = Query::new(POSTGRES_HAS_TABLE).bind(table).number(tx).await?;
    if there == Some(0) {
        return Ok(0);
    }
    Ok(Query::new(text).number(tx).await?.unwrap_or(0))
}

/// Every column of every table, as `table.column`.
async fn columns(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    let rows = Query::new(POSTGRES_COLUMNS).all::<Word>(tx).await?;
    Ok(rows.into_iter().filter_map(|row| row.value).collect())
}

/// The first of these steps (number, checksum) of a database that this program does not know.
pub(crate) fn unknown(engine: Engine, steps: &[(i64, i64)]) -> Option<i64> {
    let known = |place: usize, (version, sum): (i64, i64)| {
        MIGRATIONS
            .get(place)
            .is_some_and(|ours| ours.version == version && checksum(ours.text(engine)) == sum)
    };
    steps.iter().enumerate().find(|(place, step)| !known(*place, **step)).map(|(_, (version, _))| *version)
}

/// FNV-1a over the text. It guards against mistakes, not against people who can write to the database anyway.
fn checksum(text: &str) -> i64 {
    fnv(text).cast_signed()
}

/// FNV-1a.
pub(crate) fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
