//! The floor: 64 producers hand rows to one task with one connection, which gathers up to 64 of them into a transaction and answers
//! after the commit. No HTTP, no rules; the same table, the same settings of the engine.

use super::figures::Round;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use store::{Store, StoreOptions};
use tokio::sync::{mpsc, oneshot};

/// What is done for each row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Each {
    /// A savepoint around the insert, so that one row that fails does not take the others with it: what the product promises.
    Savepoint,
    /// The insert alone.
    Insert,
}

struct Row {
    number: u64,
    stored: oneshot::Sender<()>,
}

const GROUP_MAX: usize = 64;
const WARM_UP: Duration = Duration::from_millis(500);

/// One round of the floor.
pub async fn run(folder: &Path, each: Each, measured: Duration) -> Round {
    let file = folder.join("app.db");
    let store = Store::open(StoreOptions::new(format!("sqlite://{}", file.display()))).await.expect("opens");
    store.migrate().await.expect("migrates");
    store.close().await;
    let (queue, rows) = mpsc::channel(1_024);
    let writer = tokio::spawn(write(connect(&file).await, each, rows));
    let numbers = Arc::new(AtomicU64::new(0));
    let start = Instant::now();
    let producers: Vec<_> = (0..super::AT_ONCE)
        .map(|_| tokio::spawn(produce(queue.clone(), Arc::clone(&numbers), start, measured)))
        .collect();
    drop(queue);
    let (mut times, mut answered) = (Vec::new(), 0);
    for producer in producers {
        let (measured, all) = producer.await.expect("produces");
        times.extend(measured);
        answered += all;
    }
    writer.await.expect("writes");
    Round::new(times, measured, answered)
}

async fn produce(
    queue: mpsc::Sender<Row>,
    numbers: Arc<AtomicU64>,
    start: Instant,
    measured: Duration,
) -> (Vec<Duration>, u64) {
    let (mut times, mut all) = (Vec::new(), 0);
    while start.elapsed() < WARM_UP + measured {
        let sent = Instant::now();
        let (stored, answer) = oneshot::channel();
        let number = numbers.fetch_add(1, Ordering::Relaxed);
        queue.send(Row { number, stored }).await.expect("the writer runs");
        answer.await.expect("the row is stored");
        all += 1;
        if sent.duration_since(start) >= WARM_UP {
            times.push(sent.elapsed());
        }
    }
    (times, all)
}

async fn write(mut connection: SqliteConnection, each: Each, mut rows: mpsc::Receiver<Row>) {
    let mut group = Vec::with_capacity(GROUP_MAX);
    while rows.recv_many(&mut group, GROUP_MAX).await > 0 {
        let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.expect("begins");
        for row in &group {
            if each == Each::Savepoint {
                sqlx::query("SAVEPOINT one_write").execute(&mut *transaction).await.expect("sets");
            }
            insert(&mut transaction, row.number).await;
            if each == Each::Savepoint {
                sqlx::query("RELEASE one_write").execute(&mut *transaction).await.expect("releases");
            }
        }
        transaction.commit().await.expect("commits");
        for row in group.drain(..) {
            // A producer waits for each of its rows.
            let _ = row.stored.send(());
        }
    }
    connection.close().await.expect("closes");
}

async fn insert(connection: &mut SqliteConnection, number: u64) {
    sqlx::query(
        "INSERT INTO leads (request_id, status, name, telegram, telegram_fold, phone, date, guests, comment, locale, \
         utm_source, ip_hash, created_at, next_publish_at) \
         VALUES ($1, 'new', $2, $3, $4, $5, $6, $7, $8, 'ru', $9, $10, $11, $11)",
    )
    .bind(super::load::request_id(number))
    .bind("Мадина")
    .bind(format!("@person_{number}"))
    .bind(format!("@person_{number}"))
    .bind(format!("+{number:012}"))
    .bind("12 декабря")
    .bind("50")
    .bind("Хотим стикеры на корпоратив")
    .bind("instagram")
    .bind(format!("{number:064x}"))
    .bind(1_795_959_000_000_i64 + i64::try_from(number).expect("a small number"))
    .execute(connection)
    .await
    .expect("inserts");
}

/// A connection with the settings of the product.
pub async fn connect(file: &Path) -> SqliteConnection {
    SqliteConnectOptions::new()
        .filename(file)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .pragma("secure_delete", "ON")
        .connect()
        .await
        .expect("connects")
}

/// Rows of `leads` in a database.
pub async fn stored(file: &Path) -> u64 {
    let mut connection = connect(file).await;
    let count: i64 =
        sqlx::query_scalar("SELECT COUNT(*) FROM leads").fetch_one(&mut connection).await.expect("reads");
    connection.close().await.expect("closes");
    u64::try_from(count).expect("no negative count")
}
