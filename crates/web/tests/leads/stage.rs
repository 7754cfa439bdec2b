//! Servers over a fresh database of either engine, a landing site that knows the secret, and short words for requests.

use app::{Ctx, LeadsIntake, Limits, Settings};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use clients::media::Media;
use domain::clock::ManualClock;
use domain::rng::SeededRng;
use domain::{Clock, Timestamp};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use render::{Renderer, Templates};
use secrecy::SecretString;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use store::{Store, StoreOptions};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use web::WebOptions;

/// Declares each body once for SQLite and once for PostgreSQL.
macro_rules! on_both_engines {
    ($($body:ident)*) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $body() { crate::stage::on_sqlite(super::$body).await; })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $body() { crate::stage::on_postgres(super::$body).await; })*
        }
    };
}

/// What the landing site shows.
pub const SECRET: &str = "open sesame";
/// Where the landing site calls from.
pub const LANDING: &str = "198.51.100.7";
/// The operator.
pub const OPERATOR: i64 = 900;
/// When every test begins: 29 November 2026, 13:30 UTC.
pub const START_MS: i64 = 1_795_959_000_000;

/// Loading the models once is enough for a test process.
static RENDERER: LazyLock<Arc<Renderer>> =
    LazyLock::new(|| Arc::new(Renderer::new(Templates::built_in()).expect("the models load")));

/// A database and one API process on it.
pub struct Stage {
    pub ctx: Ctx,
    pub clock: Arc<ManualClock>,
    url: String,
    router: Router,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub body: Value,
    pub headers: HeaderMap,
}

impl Answer {
    /// Status and the members that only this call has.
    pub fn short(&self) -> (u16, Value) {
        let mut body = self.body.clone();
        if let Some(members) = body.as_object_mut() {
            members.remove("error");
            members.remove("message");
        }
        (self.status, body)
    }
}

/// The limits of the seed.
pub fn seed_limits() -> LeadsIntake {
    LeadsIntake {
        secret: SecretString::from(SECRET),
        ip_salt: SecretString::from("pepper"),
        ip_limit: 5,
        ip_window: Duration::from_secs(600),
        hourly_limit: 60,
    }
}

/// The request number `n`, of a person of its own.
pub fn request(n: u32) -> Value {
    json!({
        "request_id": format!("00000000-0000-4000-8000-{n:012}"),
        "name": "Мадина",
        "telegram": format!("@person_{n}"),
        "phone": format!("+99890{n:07}"),
        "locale": "ru",
    })
}

/// That request with other members; null takes one away.
pub fn request_with(n: u32, members: Value) -> Value {
    let mut request = request(n);
    for (name, value) in members.as_object().expect("members") {
        request[name] = value.clone();
    }
    request
}

impl Stage {
    async fn open(url: String) -> Stage {
        let store = Store::open(StoreOptions::new(url.clone())).await.expect("a database");
        store.migrate().await.expect("migrations");
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(START_MS)));
        Stage::build(store, clock, url, Some(seed_limits()))
    }

    fn build(store: Store, clock: Arc<ManualClock>, url: String, intake: Option<LeadsIntake>) -> Stage {
        let ctx = Ctx {
            store,
            media: Media::in_memory(),
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            rng: Arc::new(SeededRng::new(7)),
            renderer: Arc::clone(&RENDERER),
            settings: Arc::new(settings(intake)),
            limits: Arc::new(Limits::default()),
            watchers: Arc::default(),
        };
        let options = WebOptions {
            kiosk_key: None,
            trusted_proxies: vec![IpAddr::from([127, 0, 0, 1])],
            version: "1.2.3",
            revision: "abc",
            figures: Arc::new(String::new),
            shutdown: CancellationToken::new(),
            panel: None,
            extra: None,
        };
        let router = web::router(ctx.clone(), options);
        Stage { ctx, clock, url, router }
    }

    /// The same process started again with other limits.
    pub fn with_limits(&self, change: impl FnOnce(&mut LeadsIntake)) -> Stage {
        let mut limits = seed_limits();
        change(&mut limits);
        Stage::build(self.ctx.store.clone(), Arc::clone(&self.clock), self.url.clone(), Some(limits))
    }

    /// The same process started again with the module off.
    pub fn switched_off(&self) -> Stage {
        Stage::build(self.ctx.store.clone(), Arc::clone(&self.clock), self.url.clone(), None)
    }

    /// Another API process on the same database.
    pub async fn another_process(&self, change: impl FnOnce(&mut LeadsIntake)) -> Stage {
        let store = Store::open(StoreOptions::new(self.url.clone())).await.expect("opens");
        let mut limits = seed_limits();
        change(&mut limits);
        Stage::build(store, Arc::clone(&self.clock), self.url.clone(), Some(limits))
    }

    pub fn router(&self) -> Router {
        self.router.clone()
    }

    pub fn advance(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    /// The landing site sends a request.
    pub async fn submit(&self, request: Value) -> Answer {
        self.post(LANDING, Some(SECRET), request.to_string()).await
    }

    /// Anybody sends anything.
    pub async fn post(&self, from: &str, secret: Option<&str>, body: impl Into<Body>) -> Answer {
        self.send(call(from, secret, body)).await
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router().oneshot(request).await.expect("a router never fails");
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response.into_body().collect().await.expect("a body").to_bytes();
        let body = serde_json::from_slice(&bytes).unwrap_or_default();
        Answer { status: status.as_u16(), body, headers }
    }

    /// The first column of each row, as text, read by a connection of its own.
    pub async fn texts(&self, query: &str) -> Vec<Option<String>> {
        let query = AssertSqlSafe(query.to_owned());
        if self.url.starts_with("sqlite://") {
            let mut connection = SqliteConnection::connect(&self.url).await.expect("connects");
            sqlx::query_scalar(query).fetch_all(&mut connection).await.expect("reads")
        } else {
            let mut connection = PgConnection::connect(&self.url).await.expect("connects");
            sqlx::query_scalar(query).fetch_all(&mut connection).await.expect("reads")
        }
    }

    /// The first column of the only row.
    pub async fn text(&self, query: &str) -> Option<String> {
        let mut rows = self.texts(query).await;
        assert_eq!(rows.len(), 1, "{query}");
        rows.remove(0)
    }

    pub async fn count(&self, table: &str) -> usize {
        let count = self.text(&format!("SELECT CAST(COUNT(*) AS TEXT) FROM {table}")).await;
        count.expect("a count").parse().expect("a number")
    }

    /// Changes rows beside the program.
    pub async fn change(&self, text: &str) {
        let text = AssertSqlSafe(text.to_owned());
        if self.url.starts_with("sqlite://") {
            let mut connection = SqliteConnection::connect(&self.url).await.expect("connects");
            sqlx::raw_sql(text).execute(&mut connection).await.expect("runs");
        } else {
            let mut connection = PgConnection::connect(&self.url).await.expect("connects");
            sqlx::raw_sql(text).execute(&mut connection).await.expect("runs");
        }
    }

    /// A connection of another program, for tests of PostgreSQL only.
    pub async fn stranger(&self) -> PgConnection {
        PgConnection::connect(&self.url).await.expect("connects")
    }
}

/// A call from this address with this secret.
pub fn call(from: &str, secret: Option<&str>, body: impl Into<Body>) -> Request<Body> {
    let peer = SocketAddr::new(from.parse().expect("an address"), 40_000);
    let mut request = Request::post("/leads").header("content-type", "application/json");
    if let Some(secret) = secret {
        request = request.header("X-Stickers-Leads-Secret", secret);
    }
    let mut request = request.body(body.into()).expect("a request");
    request.extensions_mut().insert(ConnectInfo(peer));
    request
}

/// 201 as a word for tables.
pub const CREATED: u16 = StatusCode::CREATED.as_u16();

fn settings(intake: Option<LeadsIntake>) -> Settings {
    Settings {
        link_url: "https://t.me".into(),
        public_url: "http://localhost:8000".into(),
        event_name: "Fest".into(),
        brand_name: "Agency".into(),
        privacy_url: None,
        admin_user_ids: vec![OPERATOR],
        worker_slots: 2,
        pack_limit: 1,
        photo_ttl_hours: 72,
        maintenance: false,
        process: "test".into(),
        several_machines: false,
        backups: None,
        leads: app::LeadsSettings { intake, group: None },
    }
}

/// Runs `body` on a fresh SQLite file.
pub async fn on_sqlite<F: Future<Output = ()>>(body: impl FnOnce(Stage) -> F) {
    let folder = tempfile::tempdir().expect("a folder");
    body(Stage::open(format!("sqlite://{}/app.db", folder.path().display())).await).await;
}

/// Runs `body` on a fresh PostgreSQL database, which is dropped afterwards.
pub async fn on_postgres<F: Future<Output = ()>>(body: impl FnOnce(Stage) -> F) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let server = server_url();
    let name = format!("web_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
    // The name is made of digits here; nothing from outside gets into these texts.
    let mut admin = PgConnection::connect(&server).await.expect("the server answers");
    for text in [drop.clone(), format!("CREATE DATABASE {name}")] {
        sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut admin).await.expect("the server obeys");
    }
    let base = server.rsplit_once('/').expect("an address with a database").0;
    let story = std::panic::AssertUnwindSafe(async {
        body(Stage::open(format!("{base}/{name}")).await).await;
    });
    let outcome = futures::FutureExt::catch_unwind(story).await;
    sqlx::raw_sql(AssertSqlSafe(drop)).execute(&mut admin).await.expect("the server obeys");
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}

#[expect(clippy::disallowed_methods, reason = "the server of the test run is told by its environment")]
fn server_url() -> String {
    std::env::var("STICKERS_TEST_POSTGRES_URL")
        .expect("no PostgreSQL for the tests: run them with `make test`, or through tests/with-postgres.sh")
}
