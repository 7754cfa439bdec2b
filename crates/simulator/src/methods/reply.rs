//! The message that a new one answers.

use serde_json::Value;

use super::access::is_same_chat;
use crate::refusal::Refusal;
use crate::wire::Params;
use crate::world::state::{ChatKey, State};

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

/// The target in this chat, None for a plain message.
pub(super) fn target(state: &State, key: ChatKey, reply: Reply) -> Result<Option<i64>, Refusal> {
    if reply.message == 0 {
        return Ok(None);
    }
    let here = reply.chat.is_none_or(|chat| is_same_chat(key, chat));
    let found = here && state.chats.get(&key).is_some_and(|chat| chat.messages.contains_key(&reply.message));
    if found {
        Ok(Some(reply.message))
    } else if here && reply.without_too {
        Ok(None)
    } else {
        Err(Refusal::bad("message to be replied not found"))
    }
}
