//! One process with a manual clock, an SQLite file, media in memory and a fake Telegram.

use crate::fake::FakeTelegram;
use app::bot::{self, Incoming, Press, Receipt};
use app::neighbours::Strangers;
use app::outbox::Sender;
use app::session::{self, NewKioskSession};
use app::timer::JumpingTimer;
use app::{Ctx, Limits, Outside, Settings};
use bytes::Bytes;
use clients::media::Media;
use domain::clock::ManualClock;
use domain::guest::{Guest, Personal, TelegramId};
use domain::job::{Job, JobId};
use domain::rng::SeededRng;
use domain::{Clock, Language, Timestamp, names};
use render::{Renderer, Templates};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::{Store, StoreOptions, jobs};
use tempfile::TempDir;

/// The models are read once for all stories.
fn renderer() -> Arc<Renderer> {
    static RENDERER: OnceLock<Arc<Renderer>> = OnceLock::new();
    Arc::clone(RENDERER.get_or_init(|| Arc::new(Renderer::new(Templates::built_in()).expect("the renderer"))))
}

pub struct Stage {
    pub ctx: Ctx,
    pub outside: Outside,
    pub telegram: Arc<FakeTelegram>,
    pub clock: Arc<ManualClock>,
    updates: std::sync::atomic::AtomicI64,
    /// Of the database.
    url: String,
    folder: TempDir,
}

/// The operator of every story.
pub const OPERATOR: i64 = 900;

impl Stage {
    pub async fn new() -> Stage {
        Stage::with(|_| {}).await
    }

    /// A stage with changed settings.
    pub async fn with(change: impl FnOnce(&mut Settings)) -> Stage {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite://{}/app.db", folder.path().display());
        Stage::on(url, folder, change).await
    }

    /// The same on any database that is empty.
    pub async fn on(url: String, folder: TempDir, change: impl FnOnce(&mut Settings)) -> Stage {
        let store = Store::open(StoreOptions::new(url.clone())).await.expect("the database");
        store.migrate().await.expect("migrations");
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_795_959_000_000)));
        let telegram = Arc::new(FakeTelegram::default());
        let mut settings = Settings {
            link_url: "https://t.me".into(),
            public_url: "http://localhost:8000".into(),
            event_name: "Fest".into(),
            brand_name: "Stickers".into(),
            privacy_url: None,
            admin_user_ids: vec![OPERATOR],
            worker_slots: 2,
            pack_limit: 1,
            photo_ttl_hours: 72,
            maintenance: false,
            process: "test".into(),
            several_machines: false,
            backups: None,
            leads: app::LeadsSettings::default(),
        };
        change(&mut settings);
        let ctx = Ctx {
            store,
            media: Media::in_memory(),
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            rng: Arc::new(SeededRng::new(3)),
            renderer: renderer(),
            settings: Arc::new(settings),
            limits: Arc::new(Limits::default()),
            watchers: Arc::default(),
        };
        let outside = Outside {
            telegram: Arc::clone(&telegram) as Arc<dyn clients::telegram::Telegram>,
            timer: Arc::new(JumpingTimer(Arc::clone(&clock))),
            providers: Arc::default(),
            neighbours: Arc::new(Strangers),
        };
        let updates = std::sync::atomic::AtomicI64::new(1);
        let stage = Stage { ctx, outside, telegram, clock, updates, url, folder };
        stage.set("bot_username", "our_bot").await;
        stage
    }

    pub async fn set(&self, key: &'static str, value: &'static str) {
        let now = self.ctx.clock.now();
        self.ctx
            .store
            .write(move |tx| Box::pin(async move { store::settings::set(tx, key, value, now).await }))
            .await
            .expect("a setting");
    }

    /// The file of the database.
    pub fn database(&self) -> std::path::PathBuf {
        self.folder.path().join("app.db")
    }

    /// Changes rows behind the store's back, as an older program may have left them.
    pub async fn raw(&self, statement: impl Into<String>) {
        use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};
        // Stories write their statements themselves.
        let statement = sqlx::raw_sql(AssertSqlSafe(statement.into()));
        if self.url.starts_with("sqlite://") {
            let mut connection = SqliteConnection::connect(&self.url).await.expect("connects");
            statement.execute(&mut connection).await.expect("runs");
            connection.close().await.expect("closes");
        } else {
            let mut connection = PgConnection::connect(&self.url).await.expect("connects");
            statement.execute(&mut connection).await.expect("runs");
            connection.close().await.expect("closes");
        }
    }

    pub fn guest(id: i64) -> Guest {
        Guest {
            id: TelegramId(id),
            first_name: Personal("Lola".into()),
            last_name: None,
            username: None,
            language: Language::Ru,
        }
    }

    /// The bot gets an update.
    pub async fn receives(&self, incoming: Incoming) {
        let update_id = self.updates.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        bot::handle(&self.ctx, Receipt { update_id }, incoming).await.expect("handled");
    }

    pub async fn starts(&self, guest: i64, token: &str) {
        self.receives(Incoming::Start { guest: Stage::guest(guest), token: Some(token.to_owned()) }).await;
    }

    pub async fn presses(&self, guest: i64, data: &str) {
        let press = Press {
            guest: Stage::guest(guest),
            query_id: "q".into(),
            data: data.to_owned(),
            place: None,
            thread: None,
        };
        self.receives(Incoming::Press(press)).await;
    }

    /// A guest types a command.
    pub async fn commands_of(&self, guest: i64, name: &str) {
        let guest = Stage::guest(guest);
        self.receives(Incoming::Command { guest, name: name.into(), rest: String::new() }).await;
    }

    pub async fn tap_start(&self) -> String {
        session::create(&self.ctx, NewKioskSession::default()).await.expect("a session").view.token
    }

    pub async fn at_the_camera(&self, guest: i64) -> String {
        let token = self.tap_start().await;
        self.starts(guest, &token).await;
        self.presses(guest, &format!("consent:{token}")).await;
        session::choose_template(&self.ctx, &token, "chapan").await.expect("an outfit");
        token
    }

    pub async fn upload(&self, token: &str) -> Result<JobId, app::Refusal> {
        session::submit_photo(&self.ctx, token, Bytes::from_static(PORTRAIT))
            .await
            .map(|queued| queued.job_id)
    }

    /// A job whose stickers are on disk already, so that no story has to draw.
    pub async fn queued_job(&self, guest: i64) -> Job {
        let token = self.at_the_camera(guest).await;
        let id = self.upload(&token).await.expect("a job");
        let job = self.job(id).await;
        for place in 0..9 {
            let key = names::sticker_key(&job.session_token, &job.pack_key, place);
            self.ctx.media.put(&key, Bytes::from_static(b"webp")).await.expect("a sticker");
        }
        job
    }

    pub async fn job(&self, id: JobId) -> Job {
        jobs::find(&mut self.ctx.store.reader(), id).await.expect("readable").expect("a job")
    }

    /// Claims whatever waits and makes one attempt at each.
    pub async fn work(&self) {
        let mut worker = app::loops::Worker::new(self.ctx.clone(), self.outside.clone());
        worker.tick().await.expect("claimed");
        worker.drain().await;
    }

    pub async fn verify(&self) -> usize {
        app::job::verify(&self.ctx, &self.outside).await.expect("verified")
    }

    /// Sends everything that is due, as the buckets fill.
    pub async fn send_all(&self) {
        let mut sender = Sender::new(self.ctx.clone(), self.outside.clone());
        for _ in 0..40 {
            sender.tick().await.expect("a pass");
            sender.drain().await;
            self.clock.advance(Duration::from_secs(1));
        }
    }

    pub fn told(&self, guest: i64, text: &str) -> usize {
        self.telegram.told(guest).iter().filter(|said| said.contains(text)).count()
    }

    /// A worker of another process takes the queued job for a minute.
    pub async fn claim(&self) {
        let now = self.clock.now();
        self.ctx
            .store
            .write(move |tx| Box::pin(jobs::claim_next(tx, "dead", now.plus(Duration::from_secs(60)), now)))
            .await
            .expect("claimed")
            .expect("a job");
    }
}

/// Public domain, see the notice beside it.
pub const PORTRAIT: &[u8] = include_bytes!("../../assets/astronaut.png");
