//! What verbs and loops are given: everything that they do not own.

use crate::backup::Place;
use crate::neighbours::Neighbours;
use crate::providers::Providers;
use crate::session::Watchers;
use crate::timer::Timer;
use clients::media::Media;
use clients::telegram::Telegram;
use domain::{Clock, Rng};
use render::Renderer;
use secrecy::SecretString;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use tokio::sync::Semaphore;

/// What a verb works with. Cheap to clone.
#[derive(Clone)]
pub struct Ctx {
    /// The database.
    pub store: Store,
    /// Selfies and stickers.
    pub media: Media,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Chance, for tokens and pack keys.
    pub rng: Arc<dyn Rng>,
    /// Photo checks and the offline renderer, with the outfits.
    pub renderer: Arc<Renderer>,
    /// What the operator configured.
    pub settings: Arc<Settings>,
    /// Places for work that must not pile up.
    pub limits: Arc<Limits>,
    /// The open event streams of this process.
    pub watchers: Arc<Watchers>,
}

/// The part of the configuration that verbs and loops look at.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Base of `deep_link` and `pack_link` (`TELEGRAM_LINK_URL`).
    pub link_url: String,
    /// Where guests reach the API (`PUBLIC_URL`).
    pub public_url: String,
    /// Shown on the kiosk and in the consent text.
    pub event_name: String,
    /// Shown on the kiosk.
    pub brand_name: String,
    /// Link in the consent text.
    pub privacy_url: Option<String>,
    /// Telegram ids of operators; alerts go to their private chats.
    pub admin_user_ids: Vec<i64>,
    /// Jobs generated at once in one process, 1 to 16.
    pub worker_slots: u32,
    /// Packs for one guest.
    pub pack_limit: u32,
    /// Hours until photos and what was made from them are deleted, 1 to 72.
    pub photo_ttl_hours: u32,
    /// `MAINTENANCE_MODE`.
    pub maintenance: bool,
    /// Name of this process in claims; must differ between live processes.
    pub process: String,
    /// Whether other machines work on the same database: then only expired claims are taken back at start-up.
    pub several_machines: bool,
    /// `BACKUP_DIR` and `BACKUP_KEEP`; the journal of erasures lies there. None: no copies are made, and none to forget in.
    pub backups: Option<Place>,
    /// The leads module.
    pub leads: LeadsSettings,
}

/// The leads module as configured; the default is switched off. The API looks at `intake`, the bot at `group`.
#[derive(Clone, Debug, Default)]
pub struct LeadsSettings {
    /// What `POST /leads` works with. None: `LEADS_ENABLED=0` or no `LEADS_SECRET`, and the address answers 404.
    pub intake: Option<LeadsIntake>,
    /// Where cards go. None: `LEADS_ENABLED=0` or no `LEADS_CHAT_ID`, and the leads loop rests.
    pub group: Option<LeadsGroup>,
}

/// What `POST /leads` works with.
#[derive(Clone, Debug)]
pub struct LeadsIntake {
    /// `LEADS_SECRET`, which the landing site shows.
    pub secret: SecretString,
    /// `LEADS_IP_SALT`, the key under which visitor addresses are hashed.
    pub ip_salt: SecretString,
    /// `LEADS_IP_LIMIT`: requests of one visitor within `ip_window`.
    pub ip_limit: u32,
    /// `LEADS_IP_WINDOW_SEC`.
    pub ip_window: Duration,
    /// `LEADS_HOURLY_LIMIT`: requests of all visitors within an hour.
    pub hourly_limit: u32,
}

/// The team's group in Telegram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeadsGroup {
    /// `LEADS_CHAT_ID` as configured; a group that became a supergroup has another one since.
    pub chat_id: i64,
    /// `LEADS_TOPIC_ID`: forum topic of the group.
    pub topic_id: Option<i64>,
    /// `LEADS_ADMIN_IDS`: who may press buttons and send commands.
    pub admin_ids: Vec<i64>,
    /// `LEADS_CARD_PII`: whether cards show name, username, phone and comment.
    pub card_pii: bool,
}

/// Bounded places for heavy work.
#[derive(Debug)]
pub struct Limits {
    /// Photos decoded and checked at once.
    pub photos: Semaphore,
    /// How long an upload waits for such a place.
    pub photo_wait: Duration,
    /// Camera frames looked at at once; a frame without a place is refused, the next comes in 400 ms.
    pub frames: Semaphore,
    /// Sample packs rendered at once.
    pub samples: Semaphore,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            photos: Semaphore::new(2),
            photo_wait: Duration::from_secs(10),
            frames: Semaphore::new(2),
            samples: Semaphore::new(1),
        }
    }
}

/// The world outside, for loops only.
#[derive(Clone)]
pub struct Outside {
    /// The Bot API.
    pub telegram: Arc<dyn Telegram>,
    /// Waits.
    pub timer: Arc<dyn Timer>,
    /// Image providers; the default asks nobody.
    pub providers: Arc<Providers>,
    /// What is known of other processes of this machine.
    pub neighbours: Arc<dyn Neighbours>,
}
