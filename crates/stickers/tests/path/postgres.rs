//! A PostgreSQL database of its own for a story, on the server of the test run, gone when the story ends.

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::sync::atomic::{AtomicU32, Ordering};

/// A database that is dropped with this value.
pub struct Database {
    /// What `DATABASE_URL` says.
    pub url: String,
    server: String,
    name: String,
}

impl Database {
    /// Makes one.
    pub async fn new() -> Database {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let server = server_url();
        let name = format!("path_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let base = server.rsplit_once('/').expect("an address with a database").0;
        let url = format!("{base}/{name}");
        for text in [drop_text(&name), format!("CREATE DATABASE {name}")] {
            run(&server, text).await;
        }
        Database { url, server, name }
    }
}

impl Database {
    /// Its name on the server.
    #[allow(dead_code, reason = "each program of tests uses its part")]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Makes another database on the same server.
    #[allow(dead_code, reason = "each program of tests uses its part")]
    pub async fn create(&self, name: &str) {
        run(&self.server, format!("CREATE DATABASE \"{name}\"")).await;
    }

    /// Databases of the server whose names begin with this one's and go on.
    #[allow(dead_code, reason = "each program of tests uses its part")]
    pub async fn beside(&self) -> Vec<String> {
        let mut connection = PgConnection::connect(&self.server).await.expect("the server answers");
        let names = sqlx::query_scalar(
            "SELECT CAST(datname AS TEXT) FROM pg_database WHERE starts_with(CAST(datname AS TEXT), $1)",
        )
        .bind(format!("{}_", self.name))
        .fetch_all(&mut connection)
        .await
        .expect("reads");
        connection.close().await.expect("closed");
        names
    }
}

impl Drop for Database {
    /// On a thread of its own: a story ends inside a runtime, which must not be blocked.
    fn drop(&mut self) {
        let (server, text) = (self.server.clone(), drop_text(&self.name));
        let dropping = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(run(&server, text));
        });
        // A story that failed already says why; a second panic would hide it.
        if dropping.join().is_err() && !std::thread::panicking() {
            panic!("the database {} was not dropped", self.name);
        }
    }
}

fn drop_text(name: &str) -> String {
    format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")
}

async fn run(server: &str, text: String) {
    let mut connection = PgConnection::connect(server).await.expect("the server answers");
    // The name is made of digits here; nothing from outside gets into these texts.
    sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut connection).await.expect("the server obeys");
    connection.close().await.expect("closed");
}

#[expect(clippy::disallowed_methods, reason = "the server of the test run is told by its environment")]
fn server_url() -> String {
    std::env::var("STICKERS_TEST_POSTGRES_URL")
        .expect("no PostgreSQL for the tests: run them with `make test`, or through tests/with-postgres.sh")
}
