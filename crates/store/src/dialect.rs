//! The one place where the two engines may differ: how a write begins, the lock tails, the wake-up, the database's clock,
//! cleaning up after an erasure. Everything else is one text (architecture.md, rule 3); DDL is in `migrations/`.

use std::borrow::Cow;

/// Which engine a connection speaks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// SQLite, the default.
    Sqlite,
    /// PostgreSQL, when grown.
    Postgres,
}

/// Begins a write on SQLite. A deferred transaction that reads first and then writes would fail with code 517.
pub(crate) const SQLITE_BEGIN: &str = "BEGIN IMMEDIATE";

/// Ends whatever a cancelled `begin()` left open on a connection of the pool (sqlx 4385); no transaction is no error.
pub(crate) const POSTGRES_ROLLBACK: &str = "ROLLBACK";

/// Channel of the wake-up on PostgreSQL.
pub(crate) const POSTGRES_CHANNEL: &str = "stickers_changed";
/// Tells other processes that something was committed; `$1` is the sender, who does not listen to itself.
pub(crate) const POSTGRES_NOTIFY: &str = "SELECT pg_notify('stickers_changed', $1)";
/// Draws the name under which a process notifies.
pub(crate) const POSTGRES_SENDER: &str = "SELECT CAST(gen_random_uuid() AS TEXT)";
/// Changes whenever another connection commits; the wake-up on SQLite.
pub(crate) const SQLITE_DATA_VERSION: &str = "PRAGMA data_version";

/// Milliseconds on the database's clock, by which machines compare leases.
pub(crate) const POSTGRES_CLOCK: &str =
    "SELECT CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT) AS value";

/// Serialises two processes that migrate at once; the number is ours and has no meaning.
pub(crate) const POSTGRES_MIGRATION_LOCK: &str = "SELECT pg_advisory_xact_lock(5711430221)";

/// Every column of every table of this database.
pub(crate) const POSTGRES_COLUMNS: &str = "SELECT CAST(c.table_name || '.' || c.column_name AS TEXT) AS value \
     FROM information_schema.columns c JOIN information_schema.tables t \
     ON t.table_schema = c.table_schema AND t.table_name = c.table_name \
     WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' ORDER BY c.table_name, c.ordinal_position";

/// 1 when this database has the table `$1`, 0 when it has not.
pub(crate) const POSTGRES_HAS_TABLE: &str = "SELECT CAST(COUNT(*) AS BIGINT) AS value FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = $1";

/// Lets one intake of a lead at a time decide, until its transaction ends; the number is ours and has no meaning.
pub(crate) const POSTGRES_INTAKE_LOCK: &str = "SELECT pg_advisory_xact_lock(5711430222)";

/// Rewrites the pages from which an erasure took rows.
pub(crate) const POSTGRES_VACUUM: &str = "VACUUM users, sessions, jobs, outbox, updates, leads, lead_repeats";

/// Raises the numbers of leads and jobs by 1,000 after a restore (product.md, "Operations"); a table that never had a row has no number yet.
pub(crate) const SQLITE_RAISE: [&str; 2] = [
    "UPDATE sqlite_sequence SET seq = seq + 1000 WHERE name IN ('leads', 'jobs')",
    "INSERT INTO sqlite_sequence (name, seq) SELECT name, 1000 FROM sqlite_schema WHERE type = 'table' \
     AND name IN ('leads', 'jobs') AND name NOT IN (SELECT name FROM sqlite_sequence)",
];
/// Raises the numbers of leads: the drawn one is the first that is left out.
pub(crate) const POSTGRES_RAISE_LEADS: &str = "SELECT setval(pg_get_serial_sequence('leads', 'id'), nextval(pg_get_serial_sequence('leads', 'id')) + 999)";
/// Raises the numbers of jobs.
pub(crate) const POSTGRES_RAISE_JOBS: &str = "SELECT setval(pg_get_serial_sequence('jobs', 'job_id'), nextval(pg_get_serial_sequence('jobs', 'job_id')) + 999)";

/// Stands in a text where PostgreSQL locks the rows it selects; SQLite has one writer and reads it as a comment.
const FOR_UPDATE: &str = "/* for update */";
/// Stands in a text where PostgreSQL skips rows that another worker is taking.
const SKIP_LOCKED: &str = "/* skip locked */";

/// A bound limit. SQLite looks at its value when it plans, and so plans anew whenever a value is bound, several times the work of a short
/// statement; behind a sign it does not look.
const BOUND_LIMIT: &str = "LIMIT $";
const BOUND_LIMIT_ON_SQLITE: &str = "LIMIT +$";

/// The text as `engine` takes it.
pub(crate) fn text_for(engine: Engine, text: &str) -> Cow<'_, str> {
    match engine {
        Engine::Postgres if text.contains("/* ") => {
            Cow::Owned(text.replace(FOR_UPDATE, "FOR UPDATE").replace(SKIP_LOCKED, "FOR UPDATE SKIP LOCKED"))
        }
        Engine::Sqlite if text.contains(BOUND_LIMIT) => {
            Cow::Owned(text.replace(BOUND_LIMIT, BOUND_LIMIT_ON_SQLITE))
        }
        Engine::Postgres | Engine::Sqlite => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_tails_appear_on_postgresql_only() {
        let text = "SELECT 1 /* for update */ /* skip locked */";
        assert_eq!(text_for(Engine::Sqlite, text), text);
        assert_eq!(text_for(Engine::Postgres, text), "SELECT 1 FOR UPDATE FOR UPDATE SKIP LOCKED");
    }

    #[test]
    fn a_bound_limit_has_a_sign_on_sqlite_only_and_a_constant_one_has_none() {
        let text = "SELECT 1 LIMIT $2 UNION SELECT 2 LIMIT 1";
        assert_eq!(text_for(Engine::Sqlite, text), "SELECT 1 LIMIT +$2 UNION SELECT 2 LIMIT 1");
        assert_eq!(text_for(Engine::Postgres, text), text);
    }
}
