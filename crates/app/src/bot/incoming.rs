//! What an update asks for. Strangers write these bytes: nothing in them is trusted beyond who sent them.

use super::leads::GroupEvent;
use clients::telegram::types::{
    Chat, MaybeInaccessibleMessage, Message, MessageData, Update, UpdateType, User,
};
use domain::Language;
use domain::guest::{Guest, Personal, TelegramId, clean_text};
use domain::lead::CardPlace;

/// Longest start payload that Telegram sends, and longest callback data, in bytes.
const PAYLOAD_MAX: usize = 64;

/// An understood update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// `/start`, with the payload of a deep link or without.
    Start {
        /// Who.
        guest: Guest,
        /// The payload.
        token: Option<String>,
    },
    /// Another command in a private chat, without its slash.
    Command {
        /// Who.
        guest: Guest,
        /// Lower-case name.
        name: String,
        /// What stands behind it, trimmed and cut at 64 characters.
        rest: String,
    },
    /// A button under one of our messages.
    Press(Press),
    /// Something in a group that concerns leads.
    Group(GroupEvent),
    /// Any other text in a private chat.
    Chatter {
        /// Who.
        guest: Guest,
    },
    /// Nothing for us.
    Other,
}

/// A pressed button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Press {
    /// Who pressed.
    pub guest: Guest,
    /// Id to answer.
    pub query_id: String,
    /// What the button carried, or what a forged client sent.
    pub data: String,
    /// The message with the button.
    pub place: Option<CardPlace>,
    /// The topic in which it stands.
    pub thread: Option<i64>,
}

/// Understands an update; `bot` is our username, for commands that name a bot.
pub fn parse(update: Update, bot: &str) -> Incoming {
    match update.update_type {
        UpdateType::Message(message) => private_message(&message, bot),
        UpdateType::CallbackQuery(query) => {
            let data = query.data.unwrap_or_default();
            if data.len() > PAYLOAD_MAX {
                return Incoming::Other;
            }
            let place = query.message.as_ref().map(place_of);
            let thread = query.message.as_ref().and_then(thread_of);
            Incoming::Press(Press { guest: guest_of(&query.from), query_id: query.id, data, place, thread })
        }
        _ => Incoming::Other,
    }
}

fn place_of(message: &MaybeInaccessibleMessage) -> CardPlace {
    let (chat, message_id) = match message {
        MaybeInaccessibleMessage::InaccessibleMessage(gone) => (&gone.chat, gone.message_id),
        MaybeInaccessibleMessage::Message(message) => (&message.chat, message.id),
    };
    CardPlace { chat_id: chat.get_id().into(), message_id }
}

fn thread_of(message: &MaybeInaccessibleMessage) -> Option<i64> {
    match message {
        MaybeInaccessibleMessage::Message(message) => message.message_thread_id,
        MaybeInaccessibleMessage::InaccessibleMessage(_) => None,
    }
}

/// Who caused an update, read from its raw JSON, so that an erasure finds updates that nobody understood as well.
pub fn sender_of(update: &serde_json::Value) -> Option<TelegramId> {
    update.as_object()?.values().find_map(|kind| kind.get("from")?.get("id")?.as_i64()).map(TelegramId)
}

fn private_message(message: &Message, bot: &str) -> Incoming {
    let (Chat::Private(_), Some(user)) = (&message.chat, message.sender.get_user()) else {
        return Incoming::Other;
    };
    if user.is_bot {
        return Incoming::Other;
    }
    let guest = guest_of(user);
    let MessageData::Text(text) = &message.data else {
        return Incoming::Chatter { guest };
    };
    let Some(command) = text.data.strip_prefix('/') else {
        return Incoming::Chatter { guest };
    };
    let (word, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    let (name, addressee) = word.split_once('@').unwrap_or((word, bot));
    if !addressee.eq_ignore_ascii_case(bot) {
        return Incoming::Other;
    }
    match name.to_ascii_lowercase().as_str() {
        "start" => Incoming::Start { guest, token: payload(rest) },
        name => {
            let rest = clean_text(rest.trim()).chars().take(PAYLOAD_MAX).collect();
            Incoming::Command { guest, name: name.to_owned(), rest }
        }
    }
}

/// The payload of `/start`, when it has the letters and the length that a link can carry.
fn payload(text: &str) -> Option<String> {
    let token = text.trim();
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (!token.is_empty() && token.len() <= PAYLOAD_MAX && token.bytes().all(legal)).then(|| token.to_owned())
}

fn guest_of(user: &User) -> Guest {
    let personal = |text: &str| Personal(clean_text(text));
    Guest {
        id: TelegramId(user.id.into()),
        first_name: personal(&user.first_name),
        last_name: user.last_name.as_deref().map(personal),
        username: user.username.clone().map(|name| personal(&String::from(name))),
        language: Language::from_telegram(user.language_code.as_deref()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn message(text: &str, chat_type: &str) -> Value {
        json!({
            "update_id": 7,
            "message": {
                "message_id": 1,
                "date": 1_795_959_000,
                "chat": {"id": 5, "type": chat_type, "first_name": "Lola", "title": "Group"},
                "from": {"id": 5, "is_bot": false, "first_name": "Lo\u{0}la", "language_code": "uz"},
                "text": text
            }
        })
    }

    fn understood(value: Value) -> Incoming {
        parse(clients::telegram::decode(&value).expect("an update"), "our_bot")
    }

    #[test]
    fn start_with_a_payload_carries_the_token_and_the_guest() {
        let Incoming::Start { guest, token } = understood(message("/start abc-DEF_1", "private")) else {
            panic!("not a start");
        };
        assert_eq!(token.as_deref(), Some("abc-DEF_1"));
        assert_eq!((guest.id.0, guest.first_name.0.as_str(), guest.language), (5, "Lola", Language::Uz));
    }

    #[test]
    fn a_payload_that_no_link_can_carry_is_no_token() {
        let long = format!("/start {}", "a".repeat(65));
        for text in ["/start", "/start  ", "/start a b", "/start ю", long.as_str()] {
            let incoming = understood(message(text, "private"));
            assert!(matches!(incoming, Incoming::Start { token: None, .. }), "{text}: {incoming:?}");
        }
    }

    #[test]
    fn commands_for_another_bot_and_from_groups_are_left_alone() {
        assert_eq!(understood(message("/start@other_bot x", "private")), Incoming::Other);
        assert_eq!(understood(message("/mypack", "group")), Incoming::Other);
        let ours = understood(message("/MyPack@OUR_bot", "private"));
        assert!(matches!(ours, Incoming::Command { ref name, .. } if name == "mypack"), "{ours:?}");
    }

    #[test]
    fn any_other_text_is_chatter() {
        assert!(matches!(understood(message("привет", "private")), Incoming::Chatter { .. }));
    }
}
