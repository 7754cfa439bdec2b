//! Where statements run: inside a write ([`Tx`]) or on a reading connection ([`Reader`]), and what a write reports.

use crate::dialect::{Engine, POSTGRES_INTAKE_LOCK};
use crate::error::StoreError;
use crate::query::Query;
use crate::trouble::{Health, Trouble};
use domain::guest::TelegramId;
use futures::future::BoxFuture;
use sqlx::pool::PoolConnection;
use sqlx::{Database, PgPool, Postgres, Sqlite, SqlitePool, Transaction};

/// Whether a write found the record as it expected.
#[must_use = "a write that found another status changed nothing, and the caller has to say what that means"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The record was as expected and is changed.
    Changed,
    /// Somebody was faster, or there is no such record: nothing changed.
    Stale,
}

impl Change {
    /// Whether something changed.
    pub fn happened(self) -> bool {
        self == Change::Changed
    }

    /// For statements that address one record by its key.
    pub(crate) fn of_rows(rows: u64) -> Change {
        if rows == 0 { Change::Stale } else { Change::Changed }
    }
}

/// A connection that can be read from: a [`Reader`], or a [`Tx`] that also sees its own writes.
pub trait Read: sealed::Sealed + Send {
    /// The connection for one statement.
    #[doc(hidden)]
    fn conn(&mut self) -> BoxFuture<'_, Result<Conn<'_>, StoreError>>;

    /// Told of a statement that failed.
    #[doc(hidden)]
    fn failed(&mut self, error: &StoreError);
}

mod sealed {
    /// Only this crate knows how to hand out connections.
    pub trait Sealed {}
    impl Sealed for super::Tx {}
    impl Sealed for super::Reader {}
}

/// A connection of one of the two engines.
#[doc(hidden)]
pub enum Conn<'a> {
    /// To SQLite.
    Sqlite(Held<'a, Sqlite>),
    /// To PostgreSQL.
    Postgres(Held<'a, Postgres>),
}

/// A connection taken from a pool for one statement, or the one of a running write.
#[doc(hidden)]
pub enum Held<'a, DB: Database> {
    /// Goes back to the pool when dropped.
    Pooled(PoolConnection<DB>),
    /// Of the running write.
    Within(&'a mut DB::Connection),
}

impl<DB: Database> Held<'_, DB> {
    pub(crate) fn connection(&mut self) -> &mut DB::Connection {
        match self {
            Held::Pooled(connection) => connection,
            Held::Within(connection) => connection,
        }
    }

    /// A reading connection that was opened while rights were missing never gets them: it is closed, and the next read opens one anew.
    pub(crate) fn let_go_after<T>(&mut self, read: &Result<T, sqlx::Error>) {
        let without_rights =
            matches!(read, Err(error) if Trouble::of_driver(error) == Some(Trouble::NoAccess));
        if let (true, Held::Pooled(connection)) = (without_rights, self) {
            connection.close_on_drop();
        }
    }
}

/// Short reads, each on a read-only connection of its own. Cheap to make and to clone.
#[derive(Clone, Debug)]
pub struct Reader(pub(crate) Pool);

/// The reading connections.
#[derive(Clone, Debug)]
pub(crate) enum Pool {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

impl Read for Reader {
    fn conn(&mut self) -> BoxFuture<'_, Result<Conn<'_>, StoreError>> {
        Box::pin(async {
            Ok(match &self.0 {
                Pool::Sqlite(pool) => Conn::Sqlite(Held::Pooled(pool.acquire().await?)),
                Pool::Postgres(pool) => Conn::Postgres(Held::Pooled(pool.acquire().await?)),
            })
        })
    }

    fn failed(&mut self, _error: &StoreError) {
        // Each read is for itself.
    }
}

/// One write transaction. Given to the closure of [`crate::Store::write`]; whatever it does is stored as a whole or not at all.
#[derive(Debug)]
pub struct Tx {
    pub(crate) open: Open,
    /// The first statement that failed: nothing of this write can be stored any more.
    failure: Option<StoreError>,
    health: Health,
}

/// The transaction of the engine.
#[derive(Debug)]
pub(crate) enum Open {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

impl Read for Tx {
    fn conn(&mut self) -> BoxFuture<'_, Result<Conn<'_>, StoreError>> {
        let conn = match &mut self.open {
            Open::Sqlite(transaction) => Conn::Sqlite(Held::Within(&mut **transaction)),
            Open::Postgres(transaction) => Conn::Postgres(Held::Within(&mut **transaction)),
        };
        Box::pin(std::future::ready(Ok(conn)))
    }

    fn failed(&mut self, error: &StoreError) {
        self.health.failed(error);
        self.failure.get_or_insert_with(|| error.clone());
    }
}

impl Tx {
    pub(crate) fn new(open: Open, health: Health) -> Self {
        Self { open, failure: None, health }
    }

    /// The statement that failed since this was last asked.
    pub(crate) fn take_failure(&mut self) -> Option<StoreError> {
        self.failure.take()
    }

    /// The engine under this write.
    pub fn engine(&self) -> Engine {
        match self.open {
            Open::Sqlite(_) => Engine::Sqlite,
            Open::Postgres(_) => Engine::Postgres,
        }
    }

    /// Makes other writes about this guest wait until this one ends, so that "count, then insert" holds on PostgreSQL too.
    /// Call it first in a write that counts against `PACK_LIMIT` or touches several tables of one guest: everyone locks the
    /// guest before sessions and jobs, so no two writes wait for each other. Stale when the guest is unknown.
    pub async fn lock_guest(&mut self, guest: TelegramId) -> Result<Change, StoreError> {
        let row = Query::new(
            "SELECT telegram_user_id AS value FROM users WHERE telegram_user_id = $1 /* for update */",
        )
        .bind(guest)
        .number(self)
        .await?;
        Ok(if row.is_some() { Change::Changed } else { Change::Stale })
    }

    /// Makes other intakes of leads wait until this one ends, so that "look, count, then insert" holds on PostgreSQL too: whether a
    /// request is new depends on two tables and three keys, which no unique index spans. Call it first in such a write. On SQLite
    /// every write waits for every other one anyway.
    pub async fn lock_intake(&mut self) -> Result<(), StoreError> {
        match self.engine() {
            Engine::Sqlite => Ok(()),
            Engine::Postgres => Query::new(POSTGRES_INTAKE_LOCK).run(self).await.map(drop),
        }
    }

    pub(crate) async fn commit(self) -> Result<(), sqlx::Error> {
        match self.open {
            Open::Sqlite(transaction) => transaction.commit().await,
            Open::Postgres(transaction) => transaction.commit().await,
        }
    }

    pub(crate) async fn rollback(self) -> Result<(), sqlx::Error> {
        match self.open {
            Open::Sqlite(transaction) => transaction.rollback().await,
            Open::Postgres(transaction) => transaction.rollback().await,
        }
    }

    /// Runs several statements without values: DDL, and what a test does to its connection.
    #[doc(hidden)]
    pub async fn script(&mut self, text: &'static str) -> Result<(), StoreError> {
        match &mut self.open {
            Open::Sqlite(transaction) => {
                sqlx::raw_sql(text).execute(&mut **transaction).await?;
            }
            Open::Postgres(transaction) => {
                sqlx::raw_sql(text).execute(&mut **transaction).await?;
            }
        }
        Ok(())
    }
}
