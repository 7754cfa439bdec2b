//! A fresh database for each test, on the engine that the test names, and gone when it ends.

use domain::Timestamp;
use sqlx::{Connection, PgConnection, SqliteConnection};
use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use store::{Store, StoreError, StoreOptions, Tx};

/// Longest wait for something that has to come; only a failing test waits that long.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Declares each body once for SQLite and once for PostgreSQL.
macro_rules! on_both_engines {
    ($($body:ident)*) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $body() { crate::harness::on_sqlite(super::$body).await; })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $body() { crate::harness::on_postgres(super::$body).await; })*
        }
    };
}

/// An open database with all migrations.
pub struct Db {
    pub store: Store,
    options: StoreOptions,
}

impl Db {
    /// Opens the same database again, as another process would.
    pub async fn another_process(&self) -> Store {
        Store::open(self.options.clone()).await.expect("opens")
    }

    /// Opens the same database with other limits.
    pub async fn with_limits(&self, change: impl FnOnce(&mut StoreOptions)) -> Store {
        let mut options = self.options.clone();
        change(&mut options);
        Store::open(options).await.expect("opens")
    }

    /// The address of the database.
    pub fn url(&self) -> &str {
        &self.options.url
    }

    /// The folder of a SQLite database.
    pub fn folder(&self) -> &std::path::Path {
        let file = self.options.url.strip_prefix("sqlite://").expect("is a file");
        std::path::Path::new(file).parent().expect("is in a folder")
    }

    /// Runs statements beside the store, on a connection that is closed before this returns.
    pub async fn raw(&self, text: &'static str) {
        raw(&self.options.url, text).await.expect("runs");
    }

    /// Takes the write lock of a SQLite file, as a process that writes would.
    pub async fn lock(&self) -> WriteLock {
        let mut connection = SqliteConnection::connect(&self.options.url).await.expect("connects");
        sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut connection).await.expect("locks");
        WriteLock(connection)
    }

    /// The first column of each row, as text. A query that is not text casts it.
    pub async fn texts(&self, query: &'static str) -> Vec<Option<String>> {
        let url = &self.options.url;
        if let Some(file) = url.strip_prefix("sqlite://") {
            let mut connection =
                SqliteConnection::connect(&format!("sqlite://{file}")).await.expect("connects");
            let rows = sqlx::query_scalar(query).fetch_all(&mut connection).await.expect("reads");
            connection.close().await.expect("closes");
            rows
        } else {
            let mut connection = PgConnection::connect(url).await.expect("connects");
            let rows = sqlx::query_scalar(query).fetch_all(&mut connection).await.expect("reads");
            connection.close().await.expect("closes");
            rows
        }
    }

    /// The first column of the only row, as text.
    pub async fn text(&self, query: &'static str) -> Option<String> {
        let mut rows = self.texts(query).await;
        assert_eq!(rows.len(), 1, "{query}");
        rows.remove(0)
    }

    /// Writes, and expects it to work.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl for<'t> FnOnce(&'t mut Tx) -> Work<'t, T> + Send + 'static,
    ) -> T {
        self.store.write(work).await.expect("writes")
    }
}

/// The write lock of a SQLite file.
pub struct WriteLock(SqliteConnection);

impl WriteLock {
    /// Gives it back.
    pub async fn release(mut self) {
        sqlx::raw_sql("ROLLBACK").execute(&mut self.0).await.expect("rolls back");
        self.0.close().await.expect("closes");
    }
}

/// What the closure of a write returns.
pub type Work<'t, T> = std::pin::Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 't>>;

async fn raw(url: &str, text: &'static str) -> Result<(), sqlx::Error> {
    if url.starts_with("sqlite://") {
        let mut connection = SqliteConnection::connect(url).await?;
        sqlx::raw_sql(text).execute(&mut connection).await?;
        connection.close().await
    } else {
        let mut connection = PgConnection::connect(url).await?;
        sqlx::raw_sql(text).execute(&mut connection).await?;
        connection.close().await
    }
}

/// Moments of a test: `at(3)` is three seconds after it began.
pub fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_795_959_000_000 + seconds * 1_000)
}

/// Runs `body` on a fresh SQLite file.
pub async fn on_sqlite<F: Future<Output = ()> + Send + 'static>(body: impl FnOnce(Db) -> F) {
    on_fresh_sqlite(|db| async {
        db.store.migrate().await.expect("migrates");
        body(db).await;
    })
    .await;
}

/// Runs `body` on a fresh PostgreSQL database.
pub async fn on_postgres<F: Future<Output = ()> + Send + 'static>(body: impl FnOnce(Db) -> F) {
    on_fresh_postgres(|db| async {
        db.store.migrate().await.expect("migrates");
        body(db).await;
    })
    .await;
}

/// Runs `body` on a SQLite file without any migration.
pub async fn on_fresh_sqlite<F: Future<Output = ()>>(body: impl FnOnce(Db) -> F) {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/data/app.db", folder.path().display());
    body(open(url).await).await;
}

/// Runs `body` on a PostgreSQL database without any migration.
pub async fn on_fresh_postgres<F: Future<Output = ()>>(body: impl FnOnce(Db) -> F) {
    let server = server_url();
    let name = database_name();
    let mut admin = PgConnection::connect(&server).await.expect("the server answers");
    let create = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
    // The name is made of digits here; nothing from outside gets into these texts.
    sqlx::raw_sql(sqlx::AssertSqlSafe(create)).execute(&mut admin).await.expect("drops");
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}")))
        .execute(&mut admin)
        .await
        .expect("creates");
    let base = server.rsplit_once('/').expect("an URL with a database").0;
    let url = format!("{base}/{name}");
    let outcome = futures::FutureExt::catch_unwind(std::panic::AssertUnwindSafe(async {
        body(open(url).await).await;
    }))
    .await;
    let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
    sqlx::raw_sql(sqlx::AssertSqlSafe(drop)).execute(&mut admin).await.expect("drops");
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}

async fn open(url: String) -> Db {
    let options = StoreOptions::new(url);
    let store = Store::open(options.clone()).await.expect("opens");
    Db { store, options }
}

#[expect(clippy::disallowed_methods, reason = "the server of the test run is told by its environment")]
fn server_url() -> String {
    std::env::var("STICKERS_TEST_POSTGRES_URL")
        .expect("no PostgreSQL for the tests: run them with `make test`, or through tests/with-postgres.sh")
}

/// Unlike that of any test that runs now: tests run in one process or in many.
fn database_name() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("t_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}
