//! The message that a new one answers.

use serde_json::Value;

use super::access::is_same_chat;
use crate::refusal::Refusal;
use crate::wire::Params;
use crate::world::state::{Chat, ChatKey, State};

/// What was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Reply {
    message: i64,
    without_too: bool,
    /// Another chat, where the flag does not count.
    chat: Option<i64>,
}

/// Reads `reply_parameters`, or the old pair of parameters when it is absent.
pub(super) fn read(params: &Params) -> Result<Reply, Refusal> {
    let Some(value) = params.json("reply_parameters", "can't parse reply parameters JSON object")? else {
        return Ok(Reply {
            message: params.integer("reply_to_message_id"),
            without_too: params.flag("allow_sending_without_reply"),
            chat: None,
        });
    };
    let fields = value.as_object().ok_or_else(|| Refusal::bad("object expected as reply parameters"))?;
    let message = fields.get("message_id").and_then(as_number).unwrap_or(0);
    let without_too = fields.get("allow_sending_without_reply").and_then(Value::as_bool).unwrap_or(false);
    Ok(Reply { message, without_too, chat: fields.get("chat_id").and_then(as_number) })
}

/// Numbers may come as text.
fn as_number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// Where a new message belongs: what it answers, and in which topic it stands.
pub(super) type Place = (Option<i64>, Option<i64>);

/// The target in this chat, None for a plain message, and the topic: the one that was asked for, else the target's.
pub(super) fn place(state: &State, key: ChatKey, reply: Reply, topic: i64) -> Result<Place, Refusal> {
    // No topic has the number of a forum's general one either: the server knows it by absence only.
    if topic != 0 && !state.has_topic(key, topic) {
        return Err(Refusal::bad("message thread not found"));
    }
    let topic = Some(topic).filter(|topic| *topic != 0);
    if reply.message == 0 {
        return Ok((None, topic));
    }
    let here = reply.chat.is_none_or(|chat| is_same_chat(key, chat));
    let found = state.chats.get(&key).filter(|_| here).and_then(|chat| chat.messages.get(&reply.message));
    let is_forum = state.chats.get(&key).and_then(Chat::group).is_some_and(|group| group.forum);
    match found {
        // The flag counts only for a target that is gone, not for one that stands elsewhere.
        Some(target) if is_forum && topic.is_some() && target.topic != topic => Err(not_found()),
        Some(target) => Ok((Some(target.id), target.topic)),
        None if here && reply.without_too => Ok((None, topic)),
        None => Err(not_found()),
    }
}

fn not_found() -> Refusal {
    Refusal::bad("message to be replied not found")
}
