//! One process with a manual clock, an SQLite file and a group in a fake Telegram.

use crate::fake::FakeTelegram;
use app::bot::{self, Receipt};
use app::lead::status::Toast;
use app::loops::leads::Desk;
use app::neighbours::Strangers;
use app::outbox::Sender;
use app::timer::JumpingTimer;
use app::{Ctx, LeadsGroup, LeadsSettings, Limits, Outside, Settings};
use clients::media::Media;
use domain::clock::ManualClock;
use domain::guest::{Guest, Personal, TelegramId};
use domain::lead::{CardPlace, Lead, LeadId, LeadStatus};
use domain::lead_form::{LeadFields, LeadForm};
use domain::rng::SeededRng;
use domain::{Clock, Language, Timestamp};
use render::{Renderer, Templates};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::leads::intake::{self, IntakeLimits};
use store::{Store, StoreOptions, leads, settings};
use tempfile::TempDir;

/// The models are read once for all stories.
fn renderer() -> Arc<Renderer> {
    static RENDERER: OnceLock<Arc<Renderer>> = OnceLock::new();
    Arc::clone(RENDERER.get_or_init(|| Arc::new(Renderer::new(Templates::built_in()).expect("the renderer"))))
}

/// The team's group.
pub const GROUP: i64 = -500;
/// A lead admin.
pub const ADMIN: i64 = 7;
/// Somebody in the group who is none.
pub const STRANGER: i64 = 8;
/// The operator of every story.
pub const OPERATOR: i64 = 900;
/// Wednesday, 25 November 2026, 15:00 in Tashkent: working hours, and no digest.
pub const WEDNESDAY: &str = "2026-11-25T15:00:00+05:00";

pub struct Stage {
    pub ctx: Ctx,
    pub outside: Outside,
    pub telegram: Arc<FakeTelegram>,
    pub clock: Arc<ManualClock>,
    numbers: AtomicI64,
    folder: TempDir,
}

/// A moment as people say it.
pub fn time(text: &str) -> Timestamp {
    let time: jiff::Timestamp = text.parse().expect("a time");
    Timestamp::from_millis(time.as_millisecond())
}

impl Stage {
    pub async fn new() -> Stage {
        Stage::at(WEDNESDAY).await
    }

    pub async fn at(now: &str) -> Stage {
        Stage::with(now, |_| {}).await
    }

    /// A stage with changed settings.
    pub async fn with(now: &str, change: impl FnOnce(&mut Settings)) -> Stage {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = Arc::new(ManualClock::new(time(now)));
        let telegram = Arc::new(FakeTelegram::new(Arc::clone(&clock)));
        let group = LeadsGroup { chat_id: GROUP, topic_id: None, admin_ids: vec![ADMIN], card_pii: true };
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
            process: "first".into(),
            several_machines: false,
            backups: None,
            leads: LeadsSettings { intake: None, group: Some(group) },
        };
        change(&mut settings);
        let ctx = Ctx {
            store: open(&folder).await,
            media: Media::in_memory(),
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            rng: Arc::new(SeededRng::new(3)),
            renderer: renderer(),
            settings: Arc::new(settings),
            limits: Arc::new(Limits::default()),
            watchers: Arc::default(),
        };
        ctx.store.migrate().await.expect("migrations");
        let outside = Outside {
            telegram: Arc::clone(&telegram) as Arc<dyn clients::telegram::Telegram>,
            timer: Arc::new(JumpingTimer(Arc::clone(&clock))),
            providers: Arc::default(),
            neighbours: Arc::new(Strangers),
        };
        Stage { ctx, outside, telegram, clock, numbers: AtomicI64::new(1), folder }
    }

    /// Another bot on the same database.
    pub async fn another_bot(&self) -> Ctx {
        let settings = Settings { process: "second".into(), ..Settings::clone(&self.ctx.settings) };
        Ctx { store: open(&self.folder).await, settings: Arc::new(settings), ..self.ctx.clone() }
    }

    /// The database file and what lies beside it.
    pub fn database_bytes(&self) -> Vec<u8> {
        let files = std::fs::read_dir(self.folder.path()).expect("a folder");
        files.flat_map(|file| std::fs::read(file.expect("an entry").path()).expect("readable")).collect()
    }

    /// The leads loop, as a start of the bot makes it.
    pub fn desk(&self) -> Desk {
        Desk::new(self.ctx.clone(), self.outside.clone(), self.group())
    }

    pub fn group(&self) -> LeadsGroup {
        self.ctx.settings.leads.group.clone().expect("a group")
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn number(&self) -> i64 {
        self.numbers.fetch_add(1, Ordering::SeqCst)
    }

    fn form(&self, number: i64, change: impl FnOnce(&mut LeadForm)) -> intake::Incoming {
        let mut form = LeadForm {
            request_id: Some(format!("4f0c5a8e-0000-4000-8000-{number:012}")),
            name: Some(format!("Guest {number}")),
            telegram: Some(format!("@guest_{number}")),
            phone: Some(format!("+99890{number:07}")),
            comment: Some(format!("Comment {number}")),
            utm_source: Some("instagram".into()),
            ..LeadForm::default()
        };
        change(&mut form);
        intake::Incoming {
            request: form.check().expect("a valid form"),
            ip_hash: Some("abc".into()),
            now: self.now(),
        }
    }

    /// A request is stored, as `POST /leads` does it.
    pub async fn lead(&self) -> LeadId {
        self.lead_with(|_| {}).await
    }

    /// The same with other fields.
    pub async fn lead_with(&self, change: impl FnOnce(&mut LeadForm)) -> LeadId {
        let incoming = self.form(self.number(), change);
        let id = self
            .ctx
            .store
            .write(move |tx| Box::pin(async move { intake::insert_new(tx, &incoming, &WIDE).await }))
            .await;
        id.expect("writable").expect("a new lead")
    }

    /// The same person writes again with another comment.
    pub async fn repeat(&self, lead: LeadId, comment: &'static str) {
        let incoming = self.form(self.number(), |_| {});
        let changes = LeadFields { comment: Some(Personal(comment.into())), ..LeadFields::default() };
        let stored = self
            .ctx
            .store
            .write(move |tx| {
                Box::pin(async move { intake::insert_repeat(tx, lead, &incoming, &changes).await })
            })
            .await;
        assert!(stored.expect("writable").happened());
    }

    pub async fn read(&self, id: LeadId) -> Lead {
        leads::find(&mut self.ctx.store.reader(), id).await.expect("readable").expect("a lead")
    }

    /// The value of a setting.
    pub async fn setting(&self, key: &str) -> Option<String> {
        settings::get(&mut self.ctx.store.reader(), key).await.expect("readable")
    }

    /// The loop runs for so long; the clock moves as it asks.
    pub async fn run(&self, desk: &mut Desk, for_s: u64) {
        let until = self.now().plus(Duration::from_secs(for_s));
        loop {
            let wait = desk.tick().await;
            if self.now().plus(wait) > until {
                break;
            }
            self.clock.advance(wait);
        }
        self.clock.advance(until.since(self.now()));
    }

    /// A lead whose card is in the group.
    pub async fn published(&self, desk: &mut Desk) -> LeadId {
        let id = self.lead().await;
        self.run(desk, 20).await;
        assert!(self.read(id).await.published_at.is_some(), "published");
        id
    }

    pub fn person(id: i64) -> Guest {
        Guest {
            id: TelegramId(id),
            first_name: Personal("Ivan".into()),
            last_name: None,
            username: Some(Personal(format!("user_{id}"))),
            language: Language::Ru,
        }
    }

    /// Somebody presses a button under a message.
    pub async fn presses(&self, who: i64, place: (i64, i64), data: &str) -> Option<Toast> {
        let press = bot::Press {
            guest: Stage::person(who),
            query_id: "q".into(),
            data: data.to_owned(),
            place: Some(CardPlace { chat_id: place.0, message_id: place.1 }),
            thread: None,
        };
        let receipt = Receipt { update_id: self.number() };
        bot::handle(&self.ctx, receipt, bot::Incoming::Press(press)).await.expect("handled")
    }

    /// An admin presses a status button on the card.
    pub async fn sets(&self, id: LeadId, to: LeadStatus) -> String {
        let card = self.read(id).await.card.expect("a card");
        let data = format!("stickers_lead:{id}:{to}");
        self.presses(ADMIN, (card.chat_id, card.message_id), &data).await.expect("an answer").text
    }

    /// Somebody writes in a group.
    pub async fn writes(&self, who: i64, chat: i64, text: &str) {
        self.update(json!({"message": {
            "message_id": 1_000_000 + self.number(), "date": 1, "chat": {"id": chat, "type": "supergroup", "title": "Leads"},
            "from": {"id": who, "is_bot": false, "first_name": "Ivan", "username": "ivan"}, "text": text
        }}))
        .await;
    }

    /// An update about a group arrives.
    pub async fn update(&self, update: Value) {
        let Some(event) = bot::group_event(&update, "our_bot") else { return };
        let receipt = Receipt { update_id: self.number() };
        bot::handle(&self.ctx, receipt, bot::Incoming::Group(event)).await.expect("handled");
    }

    /// The private messages that wait are sent: alerts and exports.
    pub async fn send_private(&self) {
        let mut sender = Sender::new(self.ctx.clone(), self.outside.clone());
        for _ in 0..20 {
            sender.tick().await.expect("a pass");
            sender.drain().await;
            self.clock.advance(Duration::from_secs(1));
        }
    }

    /// Alerts that operators got, of those whose text holds these words.
    pub async fn alerts(&self, words: &str) -> usize {
        self.send_private().await;
        self.telegram.texts(OPERATOR).iter().filter(|text| text.contains(words)).count()
    }

    /// The texts in the group that hold these words.
    pub fn said(&self, words: &str) -> Vec<String> {
        self.telegram.texts(GROUP).into_iter().filter(|text| text.contains(words)).collect()
    }
}

async fn open(folder: &TempDir) -> Store {
    let url = format!("sqlite://{}/app.db", folder.path().display());
    Store::open(StoreOptions::new(url)).await.expect("the database")
}

/// Limits that no story reaches.
const WIDE: IntakeLimits = IntakeLimits {
    visitor: 1_000_000,
    visitor_window: Duration::from_secs(600),
    hourly: 1_000_000,
    hour: Duration::from_secs(3600),
    repeat_window: Duration::from_secs(24 * 3600),
};
