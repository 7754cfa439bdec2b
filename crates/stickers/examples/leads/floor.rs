//! The floor: 64 producers hand rows to one task with one connection, which gathers up to 64 of them into a transaction and answers
//! after the commit. No HTTP, no rules; the same table, the same settings of the engine.

use super::figures::Round;
use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous,
};
use sqlx::{Arguments, AssertSqlSafe, ConnectOptions, Connection};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use store::{Store, StoreOptions};
use tokio::sync::{mpsc, oneshot};

/// What is done for each row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Each {
    /// A savepoint around the insert, so that one row that fails does not take the others with it: the writer of `engineering.md`.
    Savepoint,
    /// The insert alone: one row that fails fails all.
    Insert,
    /// As the product does it: up to sixteen inserts are one text under one savepoint.
    Together,
}

struct Row {
    number: u64,
    stored: oneshot::Sender<()>,
}

const GROUP_MAX: usize = 64;
const WARM_UP: Duration = Duration::from_millis(500);

/// Inserts of one text.
const TOGETHER_MAX: usize = 16;

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
        match each {
            Each::Together => together(&mut transaction, &group).await,
            Each::Savepoint | Each::Insert => one_by_one(&mut transaction, &group, each).await,
        }
        transaction.commit().await.expect("commits");
        for row in group.drain(..) {
            // A producer waits for each of its rows.
            let _ = row.stored.send(());
        }
    }
    connection.close().await.expect("closes");
}

async fn one_by_one(connection: &mut SqliteConnection, group: &[Row], each: Each) {
    for row in group {
        if each == Each::Savepoint {
            sqlx::query("SAVEPOINT one_write").execute(&mut *connection).await.expect("sets");
        }
        let mut values = SqliteArguments::default();
        bind(&mut values, row.number);
        sqlx::query_with(INSERT, values).execute(&mut *connection).await.expect("inserts");
        if each == Each::Savepoint {
            sqlx::query("RELEASE one_write").execute(&mut *connection).await.expect("releases");
        }
    }
}

/// Powers of two, so that few texts are prepared.
async fn together(connection: &mut SqliteConnection, group: &[Row]) {
    let mut rest = group;
    while !rest.is_empty() {
        let (these, others) = rest.split_at(1 << rest.len().min(TOGETHER_MAX).ilog2());
        let mut values = SqliteArguments::default();
        these.iter().for_each(|row| bind(&mut values, row.number));
        let inserts = vec![INSERT; these.len()].join("; ");
        let text = format!("SAVEPOINT these; {inserts}; RELEASE these");
        sqlx::query_with(AssertSqlSafe(text), values).execute(&mut *connection).await.expect("inserts");
        rest = others;
    }
}

const INSERT: &str = "INSERT INTO leads (request_id, status, name, telegram, telegram_fold, phone, date, guests, comment, locale, \
    utm_source, ip_hash, created_at, next_publish_at) VALUES (?, 'new', ?, ?, ?, ?, ?, ?, ?, 'ru', ?, ?, ?, ?)";

fn bind(values: &mut SqliteArguments, number: u64) {
    let created_at = 1_795_959_000_000_i64 + i64::try_from(number).expect("a small number");
    let texts = [
        super::load::request_id(number),
        "Мадина".to_owned(),
        format!("@person_{number}"),
        format!("@person_{number}"),
        format!("+{number:012}"),
        "12 декабря".to_owned(),
        "50".to_owned(),
        "Хотим стикеры на корпоратив".to_owned(),
        "instagram".to_owned(),
        format!("{number:064x}"),
    ];
    for text in texts {
        values.add(text).expect("a text");
    }
    for time in [created_at; 2] {
        values.add(time).expect("a number");
    }
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
