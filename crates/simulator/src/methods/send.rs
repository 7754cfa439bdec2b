//! `sendMessage`, `sendSticker`, `sendDocument`, `sendPhoto`.

use serde_json::Value;

use super::access::{self, Access};
use super::input::{self, Input};
use super::{Answer, Call, picture, reply};
use crate::entity::{self, Formatted};
use crate::flood::Kind;
use crate::refusal::Refusal;
use crate::wire::keyboard::{self, Markup};
use crate::wire::show;
use crate::world::state::{Author, ChatKey, FileKind, Media, Message, State};

/// Characters of a text after parsing.
pub(super) const MOST_TEXT: usize = 4_096;
/// Characters of a caption after parsing.
pub(super) const MOST_CAPTION: usize = 1_024;

/// What is sent beside the text.
enum Attachment<'a> {
    None,
    Sticker(Input<'a>),
    Document(Input<'a>),
    Photo(Input<'a>),
}

impl Attachment<'_> {
    /// The word in a refusal for missing rights.
    fn word(&self) -> &'static str {
        match self {
            Self::None => "text messages",
            Self::Sticker(_) => "stickers",
            Self::Document(_) => "documents",
            Self::Photo(_) => "photos",
        }
    }
}

pub(super) fn message(state: &mut State, call: Call<'_>) -> Answer {
    let markup = keyboard::read(call.params)?;
    let reply = reply::read(call.params)?;
    let text = entity::read(call.params, &entity::TEXT)?;
    if text.text.is_empty() {
        return Err(Refusal::bad("message text is empty"));
    }
    send(state, call, (markup, reply), text, Attachment::None)
}

pub(super) fn sticker(state: &mut State, call: Call<'_>) -> Answer {
    let input = wanted(call, "sticker")?;
    let markup = keyboard::read(call.params)?;
    let reply = reply::read(call.params)?;
    send(state, call, (markup, reply), Formatted::default(), Attachment::Sticker(input))
}

pub(super) fn document(state: &mut State, call: Call<'_>) -> Answer {
    let input = wanted(call, "document")?;
    captioned(state, call, Attachment::Document(input))
}

pub(super) fn photo(state: &mut State, call: Call<'_>) -> Answer {
    let input = wanted(call, "photo")?;
    captioned(state, call, Attachment::Photo(input))
}

fn captioned(state: &mut State, call: Call<'_>, attachment: Attachment<'_>) -> Answer {
    let markup = keyboard::read(call.params)?;
    let reply = reply::read(call.params)?;
    let caption = entity::read(call.params, &entity::CAPTION)?;
    send(state, call, (markup, reply), caption, attachment)
}

fn wanted<'a>(call: Call<'a>, name: &str) -> Result<Input<'a>, Refusal> {
    input::of_param(call.params, name)
        .ok_or_else(|| Refusal::bad(format!("there is no {name} in the request")))
}

/// The server's order from the chat on: known, reachable, target, rights, length, flood.
fn send(
    state: &mut State,
    call: Call<'_>,
    (markup, reply): (Markup, reply::Reply),
    text: Formatted,
    attachment: Attachment<'_>,
) -> Answer {
    let key = access::chat(state, call, Access::Write)?;
    let (reply_to, topic) = reply::place(state, key, reply, call.params.integer("message_thread_id"))?;
    access::may_send(state, call.bot, key, attachment.word())?;
    check_length(&text, &attachment)?;
    keyboard::check_size(&markup)?;
    let media = Prepared::from(state, call, &attachment)?;
    state.flood_take(call, key, Kind::Send)?;
    let media = media.keep(state, call.bot);
    let message = Message {
        text: text.text,
        entities: text.entities,
        media,
        reply_to,
        topic,
        reply_keyboard: markup == Markup::Reply,
        keyboard: rows(markup),
        protected: call.params.flag("protect_content"),
        ..Message::from(Author::Bot(call.bot), call.now)
    };
    let id = state.post(key, message);
    Ok(shown(state, key, id))
}

fn check_length(text: &Formatted, attachment: &Attachment<'_>) -> Result<(), Refusal> {
    let length = text.text.chars().count();
    match attachment {
        Attachment::None if length > MOST_TEXT => Err(Refusal::bad("message is too long")),
        Attachment::None => Ok(()),
        _ if length > MOST_CAPTION => Err(Refusal::bad("message caption is too long")),
        _ => Ok(()),
    }
}

pub(super) fn rows(markup: Markup) -> Option<keyboard::Rows> {
    match markup {
        Markup::Inline(rows) => Some(rows),
        Markup::None | Markup::Reply => None,
    }
}

/// A message as an answer shows it.
pub(super) fn shown(state: &State, key: ChatKey, id: i64) -> Value {
    let message = state.chats.get(&key).and_then(|chat| chat.messages.get(&id));
    message.map_or(Value::Null, |message| show::message(state, key, message))
}

/// An attachment that was looked at but not kept yet: a refused call leaves nothing behind.
enum Prepared {
    None,
    Ready(Media),
    Sticker(crate::world::Picture),
    Photo(crate::world::Picture),
    Document(String, bytes::Bytes),
}

impl Prepared {
    fn from(state: &State, call: Call<'_>, attachment: &Attachment<'_>) -> Result<Self, Refusal> {
        Ok(match attachment {
            Attachment::None => Self::None,
            Attachment::Sticker(Input::Named(name)) => {
                let (key, _) = input::stored(state, call, name, FileKind::Sticker)?;
                Self::Ready(sticker_of_set(state, key))
            }
            Attachment::Sticker(Input::Upload(upload)) => Self::Sticker(picture::sticker(upload)?),
            Attachment::Document(Input::Named(name)) => {
                let (key, _) = input::stored(state, call, name, FileKind::Document)?;
                Self::Ready(Media::Document { file: key.to_owned() })
            }
            Attachment::Document(Input::Upload(upload)) if upload.bytes.is_empty() => {
                return Err(Refusal::bad("file must be non-empty"));
            }
            Attachment::Document(Input::Upload(upload)) => {
                Self::Document(upload.name.clone(), upload.bytes.clone())
            }
            Attachment::Photo(Input::Named(name)) => {
                let (key, _) = input::stored(state, call, name, FileKind::Photo)?;
                Self::Ready(Media::Photo { file: key.to_owned() })
            }
            Attachment::Photo(Input::Upload(upload)) => Self::Photo(picture::photo(upload)?),
        })
    }

    fn keep(self, state: &mut State, bot: i64) -> Option<Media> {
        Some(match self {
            Self::None => return None,
            Self::Ready(media) => media,
            Self::Sticker(picture) => {
                Media::Sticker { file: state.keep_sticker(bot, picture), emoji: String::new(), set: None }
            }
            Self::Photo(picture) => Media::Photo { file: state.keep_photo(bot, picture) },
            Self::Document(name, bytes) => Media::Document { file: state.keep_document(bot, &name, bytes) },
        })
    }
}

/// A sticker with the set it belongs to.
fn sticker_of_set(state: &State, key: &str) -> Media {
    let found = state.sets.values().find_map(|set| {
        let sticker = set.stickers.iter().find(|sticker| sticker.file == key)?;
        Some((sticker.emoji.first().cloned().unwrap_or_default(), set.name.clone()))
    });
    let (emoji, set) = found.map_or((String::new(), None), |(emoji, set)| (emoji, Some(set)));
    Media::Sticker { file: key.to_owned(), emoji, set }
}

impl State {
    /// Takes room from the buckets, when flood control is on.
    pub(super) fn flood_take(&mut self, call: Call<'_>, key: ChatKey, kind: Kind) -> Result<(), Refusal> {
        if self.settings.flood_control { self.flood.take(call.bot, key, kind, call.now) } else { Ok(()) }
    }
}
