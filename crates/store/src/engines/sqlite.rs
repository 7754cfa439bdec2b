//! SQLite: one writing connection a process, behind one task that commits up to 64 waiting writes together.
//!
//! Each write runs in a savepoint, so a failing one takes only itself back; those that may be one statement are first run together, in one
//! savepoint (`opening.rs`). Answers are given after the commit.

use crate::changes::Signal;
use crate::dialect::{SQLITE_BEGIN, SQLITE_DATA_VERSION};
use crate::error::{OpenError, StoreError};
use crate::opening::{run_together, together};
use crate::options::{StoreOptions, check_sqlite_version, create_private};
use crate::trouble::{Health, Trouble};
use crate::tx::{Open, Tx};
use crate::work::{Keep, Work};
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use std::iter::repeat;
use std::path::Path;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{MissedTickBehavior, interval};

/// Writes that share one commit at most.
const GROUP_MAX: usize = 64;
/// How long a connection waits for the lock of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Size to which the WAL file is cut when it is written back.
const WAL_KEEP_BYTES: &str = "67108864";
/// Prepared statements kept for one connection; there are fewer texts than this.
const STATEMENTS: usize = 256;
/// Tries of a truncating checkpoint, each of which waits for readers up to [`BUSY_TIMEOUT`].
const TRUNCATE_TRIES: u32 = 5;

/// What the writing task is asked for.
pub(crate) enum Message {
    Write(Box<dyn Work>),
    /// Copy everything from the WAL file into the database and empty it.
    Truncate(oneshot::Sender<Result<(), StoreError>>),
    /// Finish what was asked before, then end.
    Close(oneshot::Sender<()>),
}

/// The connections of one file.
pub(crate) struct Opened {
    pub(crate) writer: SqlitePool,
    pub(crate) readers: SqlitePool,
    /// The change counter at opening: whatever is committed later is news.
    pub(crate) seen: i64,
}

/// Opens the file, with one connection that writes and `readers` that cannot.
pub(crate) async fn open(file: &Path, options: &StoreOptions) -> Result<Opened, OpenError> {
    create_private(file)?;
    let connect = SqliteConnectOptions::new()
        .filename(file)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .synchronous(SqliteSynchronous::Full)
        .pragma("secure_delete", "ON")
        .pragma("journal_size_limit", WAL_KEEP_BYTES)
        .pragma("mmap_size", "0")
        .statement_cache_capacity(STATEMENTS);
    let writer = pool(1, options).connect_with(connect.clone().journal_mode(SqliteJournalMode::Wal)).await?;
    let version: String = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&writer).await?;
    check_sqlite_version(&version)?;
    let readers = pool(options.readers.max(1), options).connect_with(connect.read_only(true)).await?;
    let seen = sqlx::query_scalar(SQLITE_DATA_VERSION).fetch_one(&writer).await?;
    Ok(Opened { writer, readers, seen })
}

fn pool(connections: u32, options: &StoreOptions) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(options.write_limit)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
}

/// The task behind the write queue.
pub(crate) struct Writer {
    pub(crate) pool: SqlitePool,
    pub(crate) queue: mpsc::Receiver<Message>,
    /// The change counter when it was last looked at.
    pub(crate) seen: i64,
    pub(crate) signal: Signal,
    pub(crate) options: StoreOptions,
    pub(crate) health: Health,
}

impl Writer {
    /// Runs until it is told to close, or nobody can ask any more.
    pub(crate) async fn run(mut self) {
        let mut poll = interval(self.options.poll_every);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut checkpoint = interval(self.options.checkpoint_every);
        checkpoint.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                message = self.queue.recv() => match message {
                    Some(Message::Write(work)) => {
                        if let Some(closing) = self.commit_group(work).await {
                            let _ = closing.send(());
                            return;
                        }
                    }
                    Some(Message::Truncate(reply)) => {
                        let _ = reply.send(self.truncate().await);
                    }
                    Some(Message::Close(reply)) => {
                        let _ = reply.send(());
                        return;
                    }
                    None => return,
                },
                _ = poll.tick() => self.look_for_others().await,
                _ = checkpoint.tick() => self.checkpoint().await,
            }
        }
    }

    /// Commits `first` and what waits behind it; gives back a request to close that was met on the way.
    async fn commit_group(&mut self, first: Box<dyn Work>) -> Option<oneshot::Sender<()>> {
        let mut tx = match self.pool.begin_with(SQLITE_BEGIN).await {
            Ok(transaction) => Tx::new(Open::Sqlite(transaction), self.health.clone()),
            Err(error) => {
                let error = begin_error(error);
                match error {
                    StoreError::Busy => self.health.set(Some(Trouble::Locked)),
                    _ => self.health.failed(&error),
                }
                self.leave_what_has_no_rights().await;
                // Counted before anyone is told: a caller who asks again at once is to be tried, not told the same.
                let waiting = self.queue.len();
                first.answer(Some(error.clone()));
                return self.refuse(waiting, &error);
            }
        };
        let (mut group, mut waiting) = (Vec::new(), vec![first]);
        let mut after = self.take_waiting(&mut waiting, GROUP_MAX);
        let mut lost = None;
        let mut wrote = false;
        while lost.is_none() && !waiting.is_empty() {
            match run_all(&mut tx, &mut waiting, self.options.write_limit).await {
                Ok(keep) => wrote |= keep == Keep::Commit,
                Err(error) => lost = Some(error),
            }
            group.append(&mut waiting);
            if lost.is_none() && after.is_none() {
                // What came meanwhile shares the commit.
                after = self.take_waiting(&mut waiting, GROUP_MAX - group.len());
            }
        }
        let failure = match lost {
            Some(error) => {
                // Dropping would roll back too, but only on the connection's next use.
                if tx.rollback().await.is_err() {
                    self.replace_connection().await;
                }
                Some(error)
            }
            None => match tx.commit().await {
                Ok(()) => None,
                Err(error) => {
                    self.replace_connection().await;
                    Some(StoreError::from(error))
                }
            },
        };
        match &failure {
            Some(error) => self.health.failed(error),
            None if wrote => {
                self.health.well();
                self.signal.announce();
            }
            None => {}
        }
        self.leave_what_has_no_rights().await;
        for work in group {
            work.answer(failure.clone());
        }
        match after {
            Some(Message::Truncate(reply)) => {
                let _ = reply.send(self.truncate().await);
                None
            }
            Some(Message::Close(reply)) => Some(reply),
            Some(Message::Write(_)) | None => None,
        }
    }

    /// After an error such as a full disk the engine may have rolled back by itself, and the driver, which counts transactions, would refuse
    /// every one after that: a new connection begins anew.
    async fn replace_connection(&mut self) {
        match self.pool.acquire().await {
            Ok(connection) => {
                // What it was about is lost in any case.
                let _ = connection.close().await;
            }
            Err(error) => tracing::warn!(%error, "the writing connection could not be replaced"),
        }
        // The change counter is the connection's own: whoever waits has to look.
        self.signal.announce();
    }

    /// A connection that was opened while the file could not be written stays one that reads, whatever becomes of the rights: the next write opens
    /// one anew.
    async fn leave_what_has_no_rights(&mut self) {
        if self.health.now() == Some(Trouble::NoAccess) {
            self.replace_connection().await;
        }
    }

    /// Takes up to `places` writes that wait; gives back what is no write and ends the group.
    fn take_waiting(&mut self, waiting: &mut Vec<Box<dyn Work>>, places: usize) -> Option<Message> {
        while waiting.len() < places {
            match self.queue.try_recv() {
                Ok(Message::Write(work)) => waiting.push(work),
                Ok(other) => return Some(other),
                Err(_) => break,
            }
        }
        None
    }

    /// Answers the next `waiting` writes: each of them would wait as long for the same lock, one after the other.
    fn refuse(&mut self, waiting: usize, error: &StoreError) -> Option<oneshot::Sender<()>> {
        for _ in 0..waiting {
            match self.queue.try_recv() {
                Ok(Message::Write(work)) => work.answer(Some(error.clone())),
                Ok(Message::Truncate(reply)) => {
                    let _ = reply.send(Err(error.clone()));
                }
                Ok(Message::Close(reply)) => return Some(reply),
                Err(_) => break,
            }
        }
        None
    }

    /// Notices commits of other connections, whose number the engine keeps. Own commits do not change it.
    async fn look_for_others(&mut self) {
        let looked = sqlx::query_scalar::<_, i64>(SQLITE_DATA_VERSION).fetch_one(&self.pool).await;
        match looked {
            Ok(version) => {
                if std::mem::replace(&mut self.seen, version) != version {
                    self.signal.announce();
                }
            }
            Err(error) => tracing::debug!(%error, "the change counter could not be read"),
        }
    }

    /// Writes the WAL file back as far as readers allow, without waiting for anyone.
    async fn checkpoint(&self) {
        if let Err(error) = sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").fetch_all(&self.pool).await {
            tracing::warn!(%error, "the WAL file could not be written back");
        }
    }

    /// Writes the WAL file back and empties it, so that nothing deleted is left in it. A reader in between makes the engine
    /// answer "busy" in the first column; then it is tried again.
    async fn truncate(&self) -> Result<(), StoreError> {
        for _ in 0..TRUNCATE_TRIES {
            let (busy, _, _): (i64, i64, i64) =
                sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&self.pool).await?;
            if busy == 0 {
                return Ok(());
            }
        }
        Err(StoreError::Busy)
    }
}

/// Runs writes: those with an opening by it alone where that does, the others each in a savepoint. Whether any of them stored something.
/// An error means that the whole transaction is lost.
async fn run_all(tx: &mut Tx, works: &mut [Box<dyn Work>], limit: Duration) -> Result<Keep, StoreError> {
    let (mut openings, mut opening) = (Vec::new(), Vec::new());
    let mut alone = Vec::new();
    for work in works {
        match work.take_opening() {
            Some(first) => {
                openings.push(first);
                opening.push(work);
            }
            None => alone.push(work),
        }
    }
    let mut wrote = Keep::Rollback;
    while !openings.is_empty() {
        let these = opening.drain(..together(openings.len()));
        let numbers = run_together(tx, &mut openings, limit).await?.unwrap_or_default();
        for (work, number) in these.zip(numbers.into_iter().chain(repeat(None))) {
            match number {
                Some(number) => {
                    work.opened(number);
                    wrote = Keep::Commit;
                }
                None => alone.push(work),
            }
        }
    }
    for work in alone {
        if run_in_savepoint(tx, work.as_mut()).await? == Keep::Commit {
            wrote = Keep::Commit;
        }
    }
    Ok(wrote)
}

/// Runs one write in a savepoint of its own. An error means that the whole transaction is lost.
async fn run_in_savepoint(tx: &mut Tx, work: &mut dyn Work) -> Result<Keep, StoreError> {
    savepoint(tx, "SAVEPOINT one_write").await?;
    let keep = work.run(tx).await;
    if keep == Keep::Rollback {
        savepoint(tx, "ROLLBACK TO one_write").await?;
    }
    savepoint(tx, "RELEASE one_write").await?;
    Ok(keep)
}

async fn savepoint(tx: &mut Tx, text: &'static str) -> Result<(), StoreError> {
    if let Open::Sqlite(transaction) = &mut tx.open {
        sqlx::query(text).execute(&mut **transaction).await?;
    }
    Ok(())
}

/// Another process that holds the lock longer than the busy time-out is "busy" to our callers.
fn begin_error(error: sqlx::Error) -> StoreError {
    const SQLITE_BUSY: i64 = 5;
    let code =
        error.as_database_error().and_then(|error| error.code()).and_then(|code| code.parse::<i64>().ok());
    // The lowest byte is the code, the rest says more about it.
    if code.is_some_and(|code| code & 0xff == SQLITE_BUSY) {
        StoreError::Busy
    } else {
        StoreError::from(error)
    }
}
