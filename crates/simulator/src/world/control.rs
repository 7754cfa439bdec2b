//! What a page or a test may ask for: the shapes of requests, and switches that no person has.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::state::{ChatKey, Sticker, StickerSet};
use super::{Trouble, World, fresh_update_id};
use crate::methods::stickers::make_picture;
use crate::updates::DAY_MS;

/// A person to be added.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct NewPerson {
    /// First name.
    pub first_name: String,
    /// Last name.
    #[serde(default)]
    pub last_name: Option<String>,
    /// Name with `@`.
    #[serde(default)]
    pub username: Option<String>,
    /// Language of the person's app; Russian when absent.
    #[serde(default)]
    pub language_code: Option<String>,
}

impl NewPerson {
    /// A person with a first name and a language.
    #[must_use]
    pub fn named(first_name: &str, language_code: &str) -> Self {
        Self {
            first_name: first_name.to_owned(),
            language_code: Some(language_code.to_owned()),
            ..Self::default()
        }
    }
}

/// A group to be made.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct NewGroup {
    /// Title.
    pub title: String,
    /// Persons inside; the first one is the creator.
    #[serde(default)]
    pub members: Vec<i64>,
    /// Those of them who are administrators; a bot may be named here too.
    #[serde(default)]
    pub admins: Vec<i64>,
    /// Bots inside; every bot when absent.
    #[serde(default)]
    pub bots: Option<Vec<i64>>,
    /// Make it a supergroup at once.
    #[serde(default)]
    pub supergroup: bool,
    /// Make it a supergroup with topics.
    #[serde(default)]
    pub forum: bool,
}

/// What the bots of a group hear when it is upgraded. Outside either message can come first, or get lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Telling {
    /// The message of the old group that names the new one.
    pub old: bool,
    /// The message of the new group that names the old one.
    pub new: bool,
    /// The new group's message comes first.
    pub new_first: bool,
    /// Then also `my_chat_member` of both: out of the old one, into the new one.
    pub standing: bool,
}

impl Telling {
    /// No word of it.
    pub const NOTHING: Self = Self { old: false, new: false, new_first: false, standing: false };
}

impl Default for Telling {
    fn default() -> Self {
        Self { old: true, new: true, ..Self::NOTHING }
    }
}

/// A button to be pressed.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct NewPress {
    /// Who presses.
    pub person: i64,
    /// A bot's id for the private chat with it, or a group's.
    pub chat: i64,
    /// Under which message.
    pub message_id: i64,
    /// Row of the button, from 0.
    #[serde(default)]
    pub row: usize,
    /// Place in the row, from 0.
    #[serde(default)]
    pub col: usize,
    /// Other bytes than the button's.
    #[serde(default)]
    pub data: Option<String>,
    /// The bot gets the message without its content.
    #[serde(default)]
    pub inaccessible: bool,
}

/// A sticker set that no bot call makes: a foreign one, or one with many stickers.
#[derive(Debug, Clone, Deserialize)]
pub struct NewSet {
    /// Name, as it stands.
    pub name: String,
    /// Title.
    pub title: String,
    /// Owner.
    #[serde(default)]
    pub owner: i64,
    /// The bot that made it; a stranger's when absent.
    #[serde(default)]
    pub bot: Option<i64>,
    /// How many plain stickers are in it.
    #[serde(default)]
    pub stickers: usize,
}

/// Updates that a bot may meet once in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StrangeUpdate {
    /// A kind that no documentation knows.
    UnknownKind,
    /// A chat of an unknown type.
    UnknownChatType,
    /// A member with an unknown status.
    UnknownMemberStatus,
    /// A message without any content that the Bot API knows.
    EmptyMessage,
    /// A press on a message that the bot cannot see.
    InaccessibleMessage,
    /// Something that is no object.
    NoObject,
}

impl World {
    /// The token no longer works; `add_bot` gives a new one.
    ///
    /// # Errors
    /// When there is no such bot.
    pub fn revoke_token(&self, bot: i64) -> Result<(), Trouble> {
        self.with_bot(bot, |bot| bot.token = None)
    }

    /// The bot gets a new token.
    ///
    /// # Errors
    /// When there is no such bot.
    pub fn give_token(&self, bot: i64, token: &str) -> Result<(), Trouble> {
        self.with_bot(bot, |bot| bot.token = Some(token.to_owned()))
    }

    /// Somebody sets a webhook, or takes it away with None.
    ///
    /// # Errors
    /// When there is no such bot.
    pub fn set_webhook(&self, bot: i64, url: Option<&str>) -> Result<(), Trouble> {
        self.with_bot(bot, |bot| {
            bot.webhook = url.map(str::to_owned);
            if url.is_some() {
                bot.queue.end_by_webhook();
            }
        })
    }

    /// Privacy mode off or on.
    ///
    /// # Errors
    /// When there is no such bot.
    pub fn set_reads_all(&self, bot: i64, reads_all: bool) -> Result<(), Trouble> {
        self.with_bot(bot, |bot| bot.reads_all = reads_all)
    }

    /// Leaves a gap in the numbers of a bot's updates.
    ///
    /// # Errors
    /// When there is no such bot.
    pub fn jump_updates(&self, bot: i64, by: i64) -> Result<(), Trouble> {
        self.with_bot(bot, |bot| bot.queue.jump(by))
    }

    /// The next poll gets the last `count` confirmed updates once more. Answers how many there are.
    ///
    /// # Errors
    /// When there is no such bot.
    pub fn repeat_updates(&self, bot: i64, count: usize) -> Result<usize, Trouble> {
        self.with_bot(bot, |bot| bot.queue.repeat_confirmed(count))
    }

    /// How many updates wait for a bot.
    ///
    /// # Errors
    /// When there is no such bot.
    pub fn waiting_updates(&self, bot: i64) -> Result<usize, Trouble> {
        self.with_bot(bot, |bot| bot.queue.len())
    }

    fn with_bot<R>(&self, id: i64, act: impl FnOnce(&mut super::Bot) -> R) -> Result<R, Trouble> {
        self.change(|state, _| state.bots.get_mut(&id).map(act).ok_or_else(|| Trouble::no_bot(id)))
    }

    /// Puts a strange update in line, from this person.
    ///
    /// # Errors
    /// When there is no such bot.
    pub fn strange_update(&self, bot: i64, person: i64, strange: StrangeUpdate) -> Result<(), Trouble> {
        self.change(|state, now| {
            let (kind, body) = strange.write(state, bot, person, now);
            let fresh = fresh_update_id(&mut state.chance);
            let bot = state.bots.get_mut(&bot).ok_or_else(|| Trouble::no_bot(bot))?;
            bot.queue.push_unasked(kind, body, now + DAY_MS, now, fresh);
            Ok(())
        })
    }

    /// Makes a sticker set past all rules.
    ///
    /// # Errors
    /// When the name is taken or more than 120 stickers are wanted.
    pub fn add_set(&self, new: NewSet) -> Result<(), Trouble> {
        if new.stickers > 120 {
            return Err(Trouble::invalid("A set has at most 120 stickers."));
        }
        // A few different ones are enough, and they are drawn before the world is locked.
        let pictures: Vec<_> = (0..new.stickers.min(9)).map(make_picture).collect();
        self.change(|state, _| {
            let key = new.name.to_lowercase();
            if state.sets.contains_key(&key) {
                return Err(Trouble::new(409, "occupied", "This name is taken."));
            }
            let stickers = pictures.iter().cycle().take(new.stickers).map(|picture| {
                let file = state.keep_sticker(new.bot.unwrap_or(0), picture.clone());
                Sticker { file, emoji: vec!["⭐".to_owned()], keywords: Vec::new(), source: String::new() }
            });
            let stickers = stickers.collect();
            let set = StickerSet {
                name: new.name.clone(),
                title: new.title.clone(),
                bot: new.bot,
                owner: new.owner,
                stickers,
                thumbnail: None,
                seen_from_ms: 0,
                odd_until_ms: 0,
            };
            state.sets.insert(key, set);
            Ok(())
        })
    }

    /// The owner deletes a sticker of the set (with `index`), or the whole set, past the bot.
    ///
    /// # Errors
    /// When there is no such set or sticker.
    pub fn owner_deletes(&self, name: &str, index: Option<usize>) -> Result<(), Trouble> {
        let unknown = || Trouble::new(404, "unknown_set", "There is no such set or sticker.");
        self.change(|state, now| {
            let key = name.to_lowercase();
            let set = state.sets.get_mut(&key).ok_or_else(unknown)?;
            if let Some(index) = index {
                if index >= set.stickers.len() {
                    return Err(unknown());
                }
                set.stickers.remove(index);
                if !set.stickers.is_empty() {
                    return Ok(());
                }
            }
            state.sets.remove(&key);
            state.buried_sets.insert(key, now);
            Ok(())
        })
    }

    /// All sets, as a list for a page.
    #[must_use]
    pub fn sets(&self) -> Value {
        self.look(|state, _| {
            let sets = state.sets.values().map(|set| {
                json!({"name": set.name, "title": set.title, "owner": set.owner, "stickers": set.stickers.len()})
            });
            Value::Array(sets.collect())
        })
    }

    /// One set with its stickers, for a page. None when there is no such set.
    #[must_use]
    pub fn set(&self, name: &str) -> Option<Value> {
        self.look(|state, _| {
            let set = state.sets.get(&name.to_lowercase())?;
            let stickers = set.stickers.iter().filter_map(|sticker| {
                let file = state.files.get(&sticker.file)?;
                Some(json!({
                    "file": sticker.file,
                    "emoji": sticker.emoji.first(),
                    "emoji_list": sticker.emoji,
                    "width": file.width,
                    "height": file.height,
                    "transparent": file.transparent,
                    "bytes": file.bytes.len(),
                }))
            });
            let stickers: Vec<Value> = stickers.collect();
            Some(json!({"name": set.name, "title": set.title, "owner": set.owner, "stickers": stickers}))
        })
    }

    /// A file by the key that pages use: content type and content.
    #[must_use]
    pub fn file(&self, key: &str) -> Option<(String, Bytes)> {
        self.look(|state, _| state.files.get(key).map(|file| (file.mime.clone(), file.bytes.clone())))
    }

    /// The name under which a file was sent, by the key that pages use.
    #[must_use]
    pub fn file_name(&self, key: &str) -> Option<String> {
        self.look(|state, _| state.files.get(key).map(|file| file.name.clone()))
    }

    /// A file by the path that `getFile` answered, for the bot with this token.
    #[must_use]
    pub fn download(&self, token: &str, path: &str) -> Option<(String, Bytes)> {
        self.look(|state, _| {
            let bot = state.bots.values().find(|bot| bot.token.as_deref() == Some(token))?;
            let file = state.files.values().find(|file| file.path == path && file.bot == bot.id)?;
            Some((file.mime.clone(), file.bytes.clone()))
        })
    }
}

impl StrangeUpdate {
    fn write(self, state: &super::State, bot: i64, person: i64, now: i64) -> (&'static str, Value) {
        use crate::wire::show;
        let key = ChatKey::Private { bot, person };
        let (user, chat) = (show::user(state, person), show::chat(state, key));
        let date = now / 1_000;
        match self {
            Self::UnknownKind => ("message_from_the_future", json!({"from": user, "chat": chat, "wish": 42})),
            Self::UnknownChatType => {
                let chat = json!({"id": person, "type": "holodeck", "title": "Somewhere"});
                (
                    "message",
                    json!({"message_id": 1, "from": user, "chat": chat, "date": date, "text": "hello"}),
                )
            }
            Self::UnknownMemberStatus => {
                let member = |status: &str| json!({"user": show::user(state, bot), "status": status});
                let body = json!({"chat": chat, "from": user, "date": date,
                    "old_chat_member": member("member"), "new_chat_member": member("honorary")});
                ("my_chat_member", body)
            }
            Self::EmptyMessage => {
                ("message", json!({"message_id": 1, "from": user, "chat": chat, "date": date}))
            }
            Self::InaccessibleMessage => {
                let message = json!({"chat": chat, "message_id": 1, "date": 0});
                let body =
                    json!({"id": "1", "from": user, "message": message, "chat_instance": "1", "data": "x"});
                ("callback_query", body)
            }
            Self::NoObject => ("message", json!("a text where an object belongs")),
        }
    }
}
