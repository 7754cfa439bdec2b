//! What the bot asks of Telegram, and the little of each answer that it uses.
//!
//! Answers are read leniently: of a sent message only its number matters, and a field that a newer or older server adds
//! or leaves out must never turn a message that arrived into one whose outcome is unknown.

use bytes::Bytes;
use serde_json::{Map, Value, json};
use std::ops::Range;

/// Where a message stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageRef {
    /// The chat: a person's id, or negative for groups.
    pub chat_id: i64,
    /// The message's number in that chat.
    pub message_id: i64,
}

/// A text to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendMessage {
    /// The chat.
    pub chat_id: i64,
    /// At most 4096 characters after the tags are taken away.
    pub text: String,
    /// Is `text` Telegram HTML? Values in it must be escaped already.
    pub parse_mode_html: bool,
    /// Links in a plain text, which Telegram would otherwise find by itself or not at all.
    pub links: Vec<TextLink>,
    /// Buttons under the message.
    pub buttons: Option<Buttons>,
    /// Number of the message to reply to. When it is gone, a plain message is sent.
    pub reply_to: Option<i64>,
    /// Forum topic.
    pub thread: Option<i64>,
    /// Shall Telegram show a preview of the first link?
    pub link_preview: bool,
}

impl SendMessage {
    /// A plain text without buttons.
    pub fn plain(chat_id: i64, text: impl Into<String>) -> Self {
        Self {
            chat_id,
            text: text.into(),
            parse_mode_html: false,
            links: Vec::new(),
            buttons: None,
            reply_to: None,
            thread: None,
            link_preview: true,
        }
    }

    /// A text in Telegram HTML without buttons.
    pub fn html(chat_id: i64, text: impl Into<String>) -> Self {
        Self { parse_mode_html: true, ..Self::plain(chat_id, text) }
    }

    /// The same with buttons.
    #[must_use]
    pub fn with_buttons(mut self, buttons: Buttons) -> Self {
        self.buttons = Some(buttons);
        self
    }

    pub(super) fn params(&self) -> Value {
        let mut params = text_params(&self.text, self.parse_mode_html, self.link_preview);
        params.insert("chat_id".into(), self.chat_id.into());
        if !self.links.is_empty() {
            let entities: Vec<_> = self.links.iter().map(|link| link.to_json(&self.text)).collect();
            params.insert("entities".into(), entities.into());
        }
        if let Some(buttons) = &self.buttons {
            params.insert("reply_markup".into(), buttons.to_json());
        }
        if let Some(message_id) = self.reply_to {
            let reply = json!({"message_id": message_id, "allow_sending_without_reply": true});
            params.insert("reply_parameters".into(), reply);
        }
        if let Some(thread) = self.thread {
            params.insert("message_thread_id".into(), thread.into());
        }
        Value::Object(params)
    }
}

/// A part of a plain text that opens an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLink {
    /// Which bytes of the text, at letter boundaries.
    pub range: Range<usize>,
    /// The address.
    pub url: String,
}

impl TextLink {
    /// Telegram counts in UTF-16 units.
    fn to_json(&self, text: &str) -> Value {
        let units = |part: Option<&str>| part.map_or(0, |part| part.encode_utf16().count());
        let (offset, length) = (units(text.get(..self.range.start)), units(text.get(self.range.clone())));
        json!({"type": "text_link", "offset": offset, "length": length, "url": self.url})
    }
}

/// A new text for a message of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditMessage {
    /// Which message.
    pub message: MessageRef,
    /// At most 4096 characters after the tags are taken away.
    pub text: String,
    /// Is `text` Telegram HTML? Values in it must be escaped already.
    pub parse_mode_html: bool,
    /// Buttons afterwards. `None` takes the ones that are there away.
    pub buttons: Option<Buttons>,
    /// Shall Telegram show a preview of the first link?
    pub link_preview: bool,
}

impl EditMessage {
    pub(super) fn params(&self) -> Value {
        let mut params = text_params(&self.text, self.parse_mode_html, self.link_preview);
        params.insert("chat_id".into(), self.message.chat_id.into());
        params.insert("message_id".into(), self.message.message_id.into());
        if let Some(buttons) = &self.buttons {
            params.insert("reply_markup".into(), buttons.to_json());
        }
        Value::Object(params)
    }
}

fn text_params(text: &str, parse_mode_html: bool, link_preview: bool) -> Map<String, Value> {
    let mut params = Map::new();
    params.insert("text".into(), text.into());
    if parse_mode_html {
        params.insert("parse_mode".into(), "HTML".into());
    }
    if !link_preview {
        params.insert("link_preview_options".into(), json!({"is_disabled": true}));
    }
    params
}

/// Rows of buttons under a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buttons(pub Vec<Vec<Button>>);

impl Buttons {
    /// One row.
    pub fn row(buttons: impl IntoIterator<Item = Button>) -> Self {
        Self(vec![buttons.into_iter().collect()])
    }

    pub(super) fn to_json(&self) -> Value {
        let rows: Vec<Vec<Value>> =
            self.0.iter().map(|row| row.iter().map(Button::to_json).collect()).collect();
        json!({"inline_keyboard": rows})
    }
}

/// One button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Button {
    /// What it says, not empty.
    pub text: String,
    /// What it does.
    pub action: ButtonAction,
}

/// What a press does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ButtonAction {
    /// Sends this back to the bot: 1 to 64 bytes.
    Callback(String),
    /// Opens this address.
    Url(String),
}

impl Button {
    /// A button that sends `data` (1 to 64 bytes) back to the bot.
    pub fn callback(text: impl Into<String>, data: impl Into<String>) -> Self {
        Self { text: text.into(), action: ButtonAction::Callback(data.into()) }
    }

    /// A button that opens an address.
    pub fn url(text: impl Into<String>, url: impl Into<String>) -> Self {
        Self { text: text.into(), action: ButtonAction::Url(url.into()) }
    }

    fn to_json(&self) -> Value {
        match &self.action {
            ButtonAction::Callback(data) => json!({"text": self.text, "callback_data": data}),
            ButtonAction::Url(url) => json!({"text": self.text, "url": url}),
        }
    }
}

/// A file to send, at most 50 MB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendDocument {
    /// The chat.
    pub chat_id: i64,
    /// Forum topic.
    pub thread: Option<i64>,
    /// The name that people see.
    pub file_name: String,
    /// Such as `text/csv`.
    pub mime_type: String,
    /// The content.
    pub bytes: Bytes,
    /// Plain text under the file, at most 1024 characters.
    pub caption: Option<String>,
}

/// One sticker of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputSticker {
    /// A WEBP with one side of exactly 512 px, at most 512 KiB.
    pub webp: Bytes,
    /// A real Unicode emoji.
    pub emoji: String,
}

/// A sticker set to make, all stickers in one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateStickerSet {
    /// The owner, who must have pressed Start.
    pub user_id: i64,
    /// Ends with `_by_<bot username>`; at most 64 of `A-Za-z0-9_`.
    pub name: String,
    /// 1 to 64 characters; Telegram cuts silently.
    pub title: String,
    /// 1 to 50.
    pub stickers: Vec<InputSticker>,
}

/// The bot itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Me {
    /// Its user id.
    pub id: i64,
    /// Its username, without `@`.
    pub username: String,
    /// Its shown name.
    pub first_name: String,
    /// Is privacy mode off?
    pub can_read_all_group_messages: bool,
}

/// A sticker set as Telegram has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StickerSet {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its stickers in order.
    pub stickers: Vec<Sticker>,
}

/// A sticker in a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sticker {
    /// To send it, or to take it out of the set.
    pub file_id: String,
    /// The first of its emoji.
    pub emoji: Option<String>,
}

/// A chat as Telegram has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatInfo {
    /// Its id; another than asked for when a group was upgraded.
    pub id: i64,
    /// `private`, `group`, `supergroup` or `channel`.
    pub kind: String,
    /// A group's title.
    pub title: Option<String>,
    /// Does it have topics?
    pub is_forum: bool,
}

/// How somebody stands in a chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMember {
    /// `creator`, `administrator`, `member`, `restricted`, `left` or `kicked`.
    pub status: String,
    /// Of somebody restricted: whether they may send messages.
    pub can_send_messages: bool,
}

impl ChatMember {
    /// Whether messages of theirs arrive.
    pub fn may_write(&self) -> bool {
        match self.status.as_str() {
            "creator" | "administrator" | "member" => true,
            "restricted" => self.can_send_messages,
            _ => false,
        }
    }
}

/// A command of the bot's menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotCommand {
    /// Without the slash.
    pub command: String,
    /// What people read beside it.
    pub description: String,
}

/// Who sees a list of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandScope {
    /// Everyone for whom there is no narrower list.
    Default,
    /// All private chats.
    AllPrivateChats,
    /// One chat.
    Chat(i64),
}

impl CommandScope {
    pub(super) fn to_json(self) -> Value {
        match self {
            Self::Default => json!({"type": "default"}),
            Self::AllPrivateChats => json!({"type": "all_private_chats"}),
            Self::Chat(chat_id) => json!({"type": "chat", "chat_id": chat_id}),
        }
    }
}

/// Reads of an answer what we use; `None` when even that is missing.
pub(super) trait FromAnswer: Sized + Send + 'static {
    fn from_answer(result: &Value) -> Option<Self>;
}

impl FromAnswer for () {
    fn from_answer(_: &Value) -> Option<Self> {
        Some(())
    }
}

impl FromAnswer for MessageRef {
    fn from_answer(result: &Value) -> Option<Self> {
        let chat_id = result.pointer("/chat/id")?.as_i64()?;
        let message_id = result.get("message_id")?.as_i64()?;
        Some(Self { chat_id, message_id })
    }
}

impl FromAnswer for Me {
    fn from_answer(result: &Value) -> Option<Self> {
        Some(Self {
            id: result.get("id")?.as_i64()?,
            username: text(result, "username")?,
            first_name: text(result, "first_name").unwrap_or_default(),
            can_read_all_group_messages: flag(result, "can_read_all_group_messages"),
        })
    }
}

impl FromAnswer for StickerSet {
    fn from_answer(result: &Value) -> Option<Self> {
        let stickers = result.get("stickers")?.as_array()?;
        Some(Self {
            name: text(result, "name")?,
            title: text(result, "title")?,
            stickers: stickers.iter().map(Sticker::from_answer).collect::<Option<_>>()?,
        })
    }
}

impl FromAnswer for Sticker {
    fn from_answer(result: &Value) -> Option<Self> {
        Some(Self { file_id: text(result, "file_id")?, emoji: text(result, "emoji") })
    }
}

impl FromAnswer for ChatInfo {
    fn from_answer(result: &Value) -> Option<Self> {
        Some(Self {
            id: result.get("id")?.as_i64()?,
            kind: text(result, "type")?,
            title: text(result, "title"),
            is_forum: flag(result, "is_forum"),
        })
    }
}

impl FromAnswer for ChatMember {
    fn from_answer(result: &Value) -> Option<Self> {
        Some(Self { status: text(result, "status")?, can_send_messages: flag(result, "can_send_messages") })
    }
}

fn text(of: &Value, name: &str) -> Option<String> {
    of.get(name)?.as_str().map(str::to_owned)
}

fn flag(of: &Value, name: &str) -> bool {
    of.get(name).and_then(Value::as_bool).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_counted_in_utf_16_units() {
        let mut message = SendMessage::plain(-5, "🎈 Имя: @aziz");
        assert_eq!(message.params().get("entities"), None);
        let start = message.text.find('@').expect("the name");
        message.links.push(TextLink { range: start..message.text.len(), url: "https://t.me/aziz".into() });
        let expected = json!([{"type": "text_link", "offset": 8, "length": 5, "url": "https://t.me/aziz"}]);
        assert_eq!(message.params()["entities"], expected);
    }
}
