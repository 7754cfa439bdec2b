//! The open database: handing out writes, readers and the wake-up.

use crate::backup::Source;
use crate::changes::{Changes, Signal};
use crate::dialect::{Engine, POSTGRES_CLOCK, POSTGRES_VACUUM};
use crate::engines::postgres::{self, Signals};
use crate::engines::sqlite::{self, Message, Writer};
use crate::error::{OpenError, StoreError};
use crate::migrate::{self, Rehearsal};
use crate::opening::Opening;
use crate::options::{StoreOptions, Target};
use crate::query::Query;
use crate::trouble::{Health, Trouble};
use crate::tx::{Pool, Reader, Tx};
use crate::work::{Request, Work};
use domain::Timestamp;
use futures::future::BoxFuture;
use sqlx::{PgPool, SqlitePool};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::AbortHandle;

/// The longest that migrations may take.
const MIGRATION_LIMIT: Duration = Duration::from_secs(600);

/// An open database. Cheap to clone; all clones share the connections.
#[derive(Clone, Debug)]
pub struct Store(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    engine: Connected,
    source: Source,
    signal: Signal,
    health: Health,
    options: StoreOptions,
    /// Tasks that end with the store.
    tasks: Vec<AbortHandle>,
}

#[derive(Debug)]
enum Connected {
    Sqlite { file: PathBuf, queue: mpsc::Sender<Message>, writer: SqlitePool, readers: SqlitePool },
    Postgres { pool: PgPool, places: Arc<Semaphore>, signals: Signals },
}

impl Drop for Inner {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Store {
    /// Opens the database, makes its folder and file when they are missing, and starts the tasks behind it. Applies no
    /// migration: see [`Store::migrate`].
    pub async fn open(options: StoreOptions) -> Result<Store, OpenError> {
        let inner = match options.target()? {
            Target::File(file) => open_sqlite(file, options.clone()).await?,
            Target::Server(url) => open_postgres(url, options.clone()).await?,
        };
        Ok(Store(Arc::new(inner)))
    }

    /// The engine.
    pub fn engine(&self) -> Engine {
        match self.0.engine {
            Connected::Sqlite { .. } => Engine::Sqlite,
            Connected::Postgres { .. } => Engine::Postgres,
        }
    }

    /// Applies the migrations that are missing, all or none, and says their names. Two processes that start at once wait for
    /// each other.
    pub async fn migrate(&self) -> Result<Vec<&'static str>, StoreError> {
        self.write_within(MIGRATION_LIMIT, |tx| Box::pin(migrate::apply(tx))).await
    }

    /// Applies the migrations up to and including `version`: how a test makes the database of an older program.
    #[doc(hidden)]
    pub async fn migrate_up_to(&self, version: i64) -> Result<Vec<&'static str>, StoreError> {
        self.write(move |tx| Box::pin(migrate::apply_up_to(tx, version))).await
    }

    /// The migrations that [`Store::migrate`] would apply.
    pub async fn pending_migrations(&self) -> Result<Vec<&'static str>, StoreError> {
        self.write(|tx| Box::pin(migrate::pending(tx))).await
    }

    /// How many migrations were applied; 0 is a new database.
    pub async fn applied_migrations(&self) -> Result<usize, StoreError> {
        self.write(|tx| Box::pin(migrate::applied(tx))).await
    }

    /// The database as something to copy.
    pub fn source(&self) -> &Source {
        &self.0.source
    }

    /// Applies the migrations that are missing on PostgreSQL, compares, and takes everything back: a rehearsal that touches nothing, because
    /// there a migration is one transaction. The columns that are new.
    ///
    /// # Errors
    /// When the migration fails.
    pub async fn rehearse_migrations(&self) -> Result<Rehearsal, StoreError> {
        let rehearsed: Result<(), migrate::TakenBack> = self
            .write_within(MIGRATION_LIMIT, |tx| Box::pin(async { Err(migrate::rehearse(tx).await) }))
            .await;
        match rehearsed {
            Err(migrate::TakenBack::Rehearsed(rehearsal)) => Ok(rehearsal),
            Err(migrate::TakenBack::Failed(error)) => Err(error),
            Ok(()) => Err(StoreError::Closed),
        }
    }

    /// The file of a SQLite database.
    pub fn file(&self) -> Option<&Path> {
        match &self.0.engine {
            Connected::Sqlite { file, .. } => Some(file),
            Connected::Postgres { .. } => None,
        }
    }

    /// Runs `work` as one transaction: all of it is stored when it returns `Ok`, nothing when it returns an error, panics,
    /// takes longer than the limit, or goes on after a statement that failed: that statement's error comes back then. Once it is under way it goes on when the caller hangs up. `work` must not wait for
    /// anything but the database: on SQLite all writes of the process wait with it.
    pub async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.write_within(self.0.options.write_limit, work).await
    }

    /// As [`Store::write`], for a write that nearly always is one statement. `opening` does all of it and gives a number, of which `done`
    /// makes the answer; or it changes nothing, and then `otherwise` decides. On SQLite openings that wait together are run together, and
    /// when one of them fails none was: so `otherwise` must be right also where `opening` never ran, that is try the same itself.
    pub async fn write_opening<T, E, F>(
        &self,
        opening: Opening,
        done: fn(i64) -> T,
        otherwise: F,
    ) -> Result<T, E>
    where
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (work, answer) = Request::with_opening(opening, done, otherwise, self.0.options.write_limit);
        self.hand_over(work).await.map_err(E::from)?;
        answer.await.unwrap_or_else(|_| Err(E::from(StoreError::Closed)))
    }

    async fn write_within<T, E, F>(&self, limit: Duration, work: F) -> Result<T, E>
    where
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (work, answer) = Request::boxed(work, limit);
        self.hand_over(work).await.map_err(E::from)?;
        // Without an answer the task behind the write is gone, which only happens when the store is closed.
        answer.await.unwrap_or_else(|_| Err(E::from(StoreError::Closed)))
    }

    /// Gives a write to the task that runs it, with or without its caller.
    async fn hand_over(&self, work: Box<dyn Work>) -> Result<(), StoreError> {
        match &self.0.engine {
            Connected::Sqlite { queue, .. } => {
                use mpsc::error::SendTimeoutError;
                match queue.send_timeout(Message::Write(work), self.0.options.queue_wait).await {
                    Ok(()) => Ok(()),
                    Err(SendTimeoutError::Timeout(_)) => Err(StoreError::Busy),
                    Err(SendTimeoutError::Closed(_)) => Err(StoreError::Closed),
                }
            }
            Connected::Postgres { pool, places, signals } => {
                let place = Arc::clone(places).acquire_owned();
                let place = match tokio::time::timeout(self.0.options.queue_wait, place).await {
                    Ok(Ok(place)) => place,
                    Ok(Err(_)) => return Err(StoreError::Closed),
                    Err(_) => return Err(StoreError::Busy),
                };
                let (pool, signals, health) = (pool.clone(), signals.clone(), self.0.health.clone());
                tokio::spawn(async move {
                    postgres::write(pool, work, signals, health).await;
                    drop(place);
                });
                Ok(())
            }
        }
    }

    /// Connections for short reads.
    pub fn reader(&self) -> Reader {
        Reader(match &self.0.engine {
            Connected::Sqlite { readers, .. } => Pool::Sqlite(readers.clone()),
            Connected::Postgres { pool, .. } => Pool::Postgres(pool.clone()),
        })
    }

    /// What keeps this process from writing, as its last write found it; none when that one was committed.
    pub fn trouble(&self) -> Option<Trouble> {
        self.0.health.now()
    }

    /// A wake-up that returns after commits from now on.
    pub fn changes(&self) -> Changes {
        self.0.signal.subscribe()
    }

    /// The clock by which leases are compared: the database's on PostgreSQL, where several machines share it, and `own` on
    /// SQLite, where there is only one.
    pub async fn lease_clock(&self, own: Timestamp) -> Result<Timestamp, StoreError> {
        match self.engine() {
            Engine::Sqlite => Ok(own),
            Engine::Postgres => {
                let now = Query::new(POSTGRES_CLOCK).number(&mut self.reader()).await?;
                Ok(now.map_or(own, Timestamp::from_millis))
            }
        }
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        Query::new("SELECT CAST(1 AS BIGINT) AS value").number(&mut self.reader()).await.map(drop)
    }

    /// Whether nothing is asked of the database at this moment: how a test whose clock stands still during work knows that the work is done.
    /// Always false on PostgreSQL, whose listener keeps a connection.
    #[doc(hidden)]
    pub fn is_idle(&self) -> bool {
        match &self.0.engine {
            Connected::Sqlite { queue, writer, readers, .. } => {
                let idle = |pool: &SqlitePool| pool.num_idle() == pool.size() as usize;
                queue.capacity() == queue.max_capacity() && idle(writer) && idle(readers)
            }
            Connected::Postgres { .. } => false,
        }
    }

    /// Bytes that wait in the WAL file to be written back; 0 on PostgreSQL, which looks after its own.
    pub fn wal_bytes(&self) -> u64 {
        match &self.0.engine {
            Connected::Sqlite { file, .. } => {
                let mut wal = file.clone().into_os_string();
                wal.push("-wal");
                std::fs::metadata(wal).map_or(0, |found| found.len())
            }
            Connected::Postgres { .. } => 0,
        }
    }

    /// Takes what an erasure deleted out of the files too: the WAL file is written back and emptied (SQLite), the tables
    /// are vacuumed (PostgreSQL). [`StoreError::Busy`] when readers kept it from ending; call it again then, an erasure is
    /// finished only when this is.
    pub async fn checkpoint_truncate(&self) -> Result<(), StoreError> {
        match &self.0.engine {
            Connected::Sqlite { queue, .. } => {
                let (reply, answer) = oneshot::channel();
                queue.send(Message::Truncate(reply)).await.map_err(|_| StoreError::Closed)?;
                answer.await.unwrap_or(Err(StoreError::Closed))
            }
            Connected::Postgres { pool, .. } => {
                sqlx::raw_sql(POSTGRES_VACUUM).execute(pool).await?;
                Ok(())
            }
        }
    }

    /// Whether every page of a SQLite database is in order: the words of the engine, `ok` when it is. None on PostgreSQL, which looks after
    /// its own pages.
    pub async fn integrity_check(&self) -> Result<Option<String>, StoreError> {
        match &self.0.engine {
            Connected::Sqlite { readers, .. } => {
                let told: Vec<String> =
                    sqlx::query_scalar("PRAGMA integrity_check(5)").fetch_all(readers).await?;
                Ok(Some(told.join("; ")))
            }
            Connected::Postgres { .. } => Ok(None),
        }
    }

    /// Finishes the writes that were accepted, then closes every connection. Later calls get [`StoreError::Closed`].
    pub async fn close(&self) {
        match &self.0.engine {
            Connected::Sqlite { queue, writer, readers, .. } => {
                let (reply, closed) = oneshot::channel();
                if queue.send(Message::Close(reply)).await.is_ok() {
                    // An error means that the task has ended already.
                    let _ = closed.await;
                }
                readers.close().await;
                // Last: the connection that closes last writes the WAL file back, and readers cannot.
                writer.close().await;
            }
            Connected::Postgres { pool, places, .. } => {
                let all = u32::try_from(self.0.options.write_queue).unwrap_or(u32::MAX);
                // Waits for the writes under way; an error means that it was closed before.
                drop(places.acquire_many(all).await);
                places.close();
                for task in &self.0.tasks {
                    task.abort();
                }
                pool.close().await;
            }
        }
    }
}

async fn open_sqlite(file: PathBuf, options: StoreOptions) -> Result<Inner, OpenError> {
    let opened = sqlite::open(&file, &options).await?;
    let (signal, health) = (Signal::new(), Health::new());
    let (queue, waiting) = mpsc::channel(options.write_queue.max(1));
    let writer = Writer {
        pool: opened.writer.clone(),
        queue: waiting,
        seen: opened.seen,
        signal: signal.clone(),
        options: options.clone(),
        health: health.clone(),
    };
    // Ends by itself once the queue has no sender: writes that were accepted are not aborted.
    tokio::spawn(writer.run());
    let engine = Connected::Sqlite { file, queue, writer: opened.writer, readers: opened.readers };
    let source = Source::of(&options.url)?;
    Ok(Inner { engine, source, signal, health, options, tasks: Vec::new() })
}

async fn open_postgres(url: &str, options: StoreOptions) -> Result<Inner, OpenError> {
    let pool = postgres::open(url, &options).await?;
    let signal = Signal::new();
    let own = Signal::new();
    let sender = postgres::sender_name(&pool).await?;
    let listener = postgres::listener(&pool).await?;
    let listening = postgres::listen_to_others(pool.clone(), listener, signal.clone(), sender.clone());
    let telling = postgres::tell_others(pool.clone(), own.subscribe(), sender);
    let tasks = vec![tokio::spawn(listening).abort_handle(), tokio::spawn(telling).abort_handle()];
    let places = Arc::new(Semaphore::new(options.write_queue.max(1)));
    let signals = Signals { all: signal.clone(), own };
    let engine = Connected::Postgres { pool, places, signals };
    let source = Source::of(&options.url)?;
    Ok(Inner { engine, source, signal, health: Health::new(), options, tasks })
}
