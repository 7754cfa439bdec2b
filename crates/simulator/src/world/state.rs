//! What the world consists of. Plain data: it can be written to a file and read back.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use super::membership::Group;
pub use super::membership::Standing;
use crate::chance::Chance;
use crate::entity::Entity;
use crate::faults::Faults;
use crate::flood::Flood;
use crate::updates::Queue;
use crate::wire::keyboard::Rows;

/// A bot account.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Bot {
    pub id: i64,
    /// None after the token was revoked and not given anew.
    pub token: Option<String>,
    pub username: String,
    pub first_name: String,
    /// Privacy mode off: hears everything in a group.
    pub reads_all: bool,
    pub webhook: Option<String>,
    pub queue: Queue,
    /// Commands by scope and language.
    pub commands: BTreeMap<String, Value>,
    /// Name, description and the like, as last set.
    pub profile: BTreeMap<String, String>,
    /// Times of the last `setWebhook`.
    pub webhook_set_ms: i64,
}

/// A person with an account.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Person {
    /// Account id, also the id of the private chat with a bot.
    pub id: i64,
    /// First name.
    pub first_name: String,
    /// Last name.
    pub last_name: Option<String>,
    /// Name with `@`, without the `@`.
    pub username: Option<String>,
    /// Language of the person's app.
    pub language_code: Option<String>,
    /// The account is gone.
    #[serde(default)]
    pub deleted: bool,
}

/// Which chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum ChatKey {
    Private { bot: i64, person: i64 },
    Group(i64),
}

/// A chat with its messages.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Chat {
    pub kind: ChatKind,
    pub messages: BTreeMap<i64, Message>,
    /// When messages were deleted, by id.
    pub erased: BTreeMap<i64, i64>,
    /// Grows with each change.
    pub revision: u64,
    /// Until when "typing" shows.
    pub typing_until: i64,
    /// What a pressed button said last, by person.
    pub notices: BTreeMap<i64, Notice>,
}

/// What kind of chat.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum ChatKind {
    Private { started: bool, blocked: bool },
    Group(Group),
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Author {
    Bot(i64),
    Person(i64),
    /// An administrator who stays hidden behind the group.
    Anonymous,
}

impl Author {
    pub fn id(self) -> i64 {
        match self {
            Self::Bot(id) | Self::Person(id) => id,
            Self::Anonymous => ANONYMOUS_ADMIN,
        }
    }
}

/// The account that speaks for anonymous administrators.
pub(crate) const ANONYMOUS_ADMIN: i64 = 1_087_968_824;

/// A message.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Message {
    pub id: i64,
    pub from: Author,
    pub date: i64,
    pub edit_date: Option<i64>,
    /// Text, or the caption of what is attached.
    pub text: String,
    pub entities: Vec<Entity>,
    pub media: Option<Media>,
    pub reply_to: Option<i64>,
    /// The topic of a forum; None in its general topic and everywhere else.
    #[serde(default)]
    pub topic: Option<i64>,
    pub keyboard: Option<Rows>,
    /// Carries a keyboard instead of letters.
    pub reply_keyboard: bool,
    pub service: Option<Service>,
    /// Never shown: `disable_notification`, link previews and the like change nothing here.
    pub protected: bool,
}

/// What hangs on a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Media {
    Sticker { file: String, emoji: String, set: Option<String> },
    Document { file: String },
    Photo { file: String },
}

impl Media {
    pub fn file(&self) -> &str {
        match self {
            Self::Sticker { file, .. } | Self::Document { file } | Self::Photo { file } => file,
        }
    }
}

/// Something the chat says by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Service {
    Created(String),
    Joined(Vec<i64>),
    Left(i64),
    Pinned(i64),
    UpgradedTo(i64),
    UpgradedFrom(i64),
    TopicCreated(String),
}

/// What `answerCallbackQuery` showed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Notice {
    pub text: String,
    pub alert: bool,
    pub at_ms: i64,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FileKind {
    Sticker,
    Document,
    Photo,
}

impl FileKind {
    /// The name in errors.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sticker => "Sticker",
            Self::Document => "Document",
            Self::Photo => "Photo",
        }
    }
}

/// A file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredFile {
    pub kind: FileKind,
    pub name: String,
    pub mime: String,
    pub width: u32,
    pub height: u32,
    pub transparent: bool,
    pub file_id: String,
    pub unique_id: String,
    /// Path below `/file/bot<token>/`.
    pub path: String,
    /// The bot through which the file came.
    pub bot: i64,
    #[serde(skip)]
    pub bytes: Bytes,
}

/// A sticker in a set.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Sticker {
    pub file: String,
    pub emoji: Vec<String>,
    pub keywords: Vec<String>,
    /// Which upload this was made from: the same one again changes nothing.
    pub source: String,
}

/// A sticker set.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StickerSet {
    pub name: String,
    pub title: String,
    /// The bot that made it; None for a set that no bot made.
    pub bot: Option<i64>,
    pub owner: i64,
    pub stickers: Vec<Sticker>,
    pub thumbnail: Option<String>,
    /// `getStickerSet` finds it from here on.
    pub seen_from_ms: i64,
    /// Until then the server contradicts itself about it.
    pub odd_until_ms: i64,
}

/// A pressed button.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Press {
    pub bot: i64,
    pub person: i64,
    pub chat: ChatKey,
    pub message: i64,
    pub row: usize,
    pub col: usize,
    pub at_ms: i64,
    pub answered: bool,
}

/// One received call.
#[derive(Debug, Clone, Serialize)]
pub struct Received {
    /// The bot.
    pub bot: Option<i64>,
    /// Method as the documentation spells it, or as it came when unknown.
    pub method: String,
    /// `chat_id` or, for sticker sets, `user_id`.
    pub chat: Option<i64>,
    /// HTTP status; 0 when no whole answer left.
    pub status: u16,
    /// When, milliseconds since 1970.
    pub at: i64,
}

/// Numbers that a test or a demo may want otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// How long a new set stays invisible for `getStickerSet`.
    pub set_lag_ms: i64,
    /// Slow down a client that asks the same offset again at once. A simulation under a standing clock turns it off,
    /// because the wait would never end.
    pub spin_guard: bool,
    /// Apply the limits of flood control.
    pub flood_control: bool,
    /// A call over the limit waits on the server for its room instead of being refused, as the real one does for waits
    /// that add up to a minute.
    pub flood_waits: bool,
    /// How long a pressed button may wait for `answerCallbackQuery`.
    pub press_answer_ms: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            set_lag_ms: 0,
            spin_guard: true,
            flood_control: true,
            flood_waits: false,
            press_answer_ms: 10_000,
        }
    }
}

/// Everything.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct State {
    pub bots: BTreeMap<i64, Bot>,
    pub people: BTreeMap<i64, Person>,
    #[serde(with = "super::pairs")]
    pub chats: BTreeMap<ChatKey, Chat>,
    /// By name in small letters.
    pub sets: BTreeMap<String, StickerSet>,
    /// Names of deleted sets, with the time.
    pub buried_sets: BTreeMap<String, i64>,
    pub files: BTreeMap<String, StoredFile>,
    pub presses: BTreeMap<String, Press>,
    /// Whom a bot has met, and may therefore name by id.
    pub met: BTreeMap<i64, BTreeSet<i64>>,
    pub next_message: i64,
    pub next_person: i64,
    pub next_group: i64,
    pub chance: Chance,
    pub settings: Settings,
    #[serde(skip)]
    pub faults: Faults,
    #[serde(skip)]
    pub flood: Flood,
    #[serde(skip)]
    pub log: VecDeque<Received>,
}

impl State {
    pub fn new(seed: u64, settings: Settings) -> Self {
        let mut chance = Chance::seeded(seed);
        // Ids begin anywhere, as they do outside: nothing may count on 1.
        let next_message = 100 + i64::try_from(chance.below(900)).unwrap_or(0);
        let next_group = 4_000_000 + i64::try_from(chance.below(900_000)).unwrap_or(0);
        Self {
            bots: BTreeMap::new(),
            people: BTreeMap::new(),
            chats: BTreeMap::new(),
            sets: BTreeMap::new(),
            buried_sets: BTreeMap::new(),
            files: BTreeMap::new(),
            presses: BTreeMap::new(),
            met: BTreeMap::new(),
            next_message,
            next_person: 700_000_001,
            next_group,
            chance,
            settings,
            faults: Faults::default(),
            flood: Flood::default(),
            log: VecDeque::new(),
        }
    }
}
