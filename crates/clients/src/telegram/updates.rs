//! Updates, taken raw and decoded one by one.
//!
//! A batch is never decoded as a whole: one value that a library does not know must neither hide its neighbours nor hold
//! the offset. So polling gives JSON with its number, which is stored as it is, and decoding comes later and may fail
//! for one of them alone.

use serde::Deserialize;
use serde_json::{Map, Value};
use tgbot::types::{TextEntity, Update, UpdateType};

/// An update as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct RawUpdate {
    /// Grows by one; de-duplicate by it. The next offset is the largest plus one.
    pub update_id: i64,
    /// The whole update.
    pub json: Value,
}

/// An update that the library does not understand. Log its number, keep it raw, go on.
#[derive(Debug, thiserror::Error)]
#[error("update cannot be decoded")]
pub struct DecodeError(#[source] serde_json::Error);

/// Decodes one stored update.
///
/// A kind, or a part of a known kind, that is not understood gives `UpdateType::Unknown` with the raw value rather than
/// an error. Before that, what this bot does not use is left out, so that a novelty beside a text never hides the text:
/// kinds of formatting that the library does not know, and then everything but who wrote what, where and in reply to what.
///
/// A message in the name of a chat (an anonymous admin) has that chat as its sender and no user.
///
/// # Errors
/// Not an object with a number `update_id`.
pub fn decode(json: &Value) -> Result<Update, DecodeError> {
    let mut json = json.clone();
    make_readable(&mut json);
    let update = Update::deserialize(&json).map_err(DecodeError)?;
    if !matches!(update.update_type, UpdateType::Unknown(_)) {
        return Ok(update);
    }
    let bare = Update::deserialize(bare_update(&json)).map_err(DecodeError)?;
    Ok(if matches!(bare.update_type, UpdateType::Unknown(_)) { update } else { bare })
}

/// Takes away what makes the library misread a message that it could understand.
fn make_readable(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            // Beside `sender_chat` stands a made-up user for old clients; with both, the library knows no sender at all.
            if fields.contains_key("sender_chat") {
                fields.remove("from");
            }
            for name in ["entities", "caption_entities"] {
                if let Some(Value::Array(entities)) = fields.get_mut(name) {
                    entities.retain(|entity| TextEntity::deserialize(entity).is_ok());
                }
            }
            // One odd part of the target, and the library forgets that this is a reply at all.
            if let Some(target) = fields.get_mut("reply_to_message") {
                *target = Value::Object(only(target, &MESSAGE_FIELDS));
            }
            fields.values_mut().for_each(make_readable);
        }
        Value::Array(values) => values.iter_mut().for_each(make_readable),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Of a message: who wrote what, where, in reply to what.
const MESSAGE_FIELDS: [&str; 9] = [
    "message_id",
    "message_thread_id",
    "date",
    "from",
    "sender_chat",
    "chat",
    "text",
    "migrate_to_chat_id",
    "migrate_from_chat_id",
];

fn bare_update(json: &Value) -> Value {
    let mut update = only(json, &["update_id"]);
    for kind in ["message", "edited_message"] {
        copy(json, kind, &mut update, bare_message);
    }
    copy(json, "callback_query", &mut update, |query| {
        let mut bare = only(query, &["id", "from", "chat_instance", "data"]);
        copy(query, "message", &mut bare, bare_message);
        Value::Object(bare)
    });
    Value::Object(update)
}

fn bare_message(message: &Value) -> Value {
    let mut bare = only(message, &MESSAGE_FIELDS);
    copy(message, "reply_to_message", &mut bare, Value::clone);
    Value::Object(bare)
}

fn copy(from: &Value, name: &str, to: &mut Map<String, Value>, how: impl Fn(&Value) -> Value) {
    if let Some(value) = from.get(name) {
        to.insert(name.to_owned(), how(value));
    }
}

fn only(value: &Value, names: &[&str]) -> Map<String, Value> {
    names.iter().filter_map(|name| Some(((*name).to_owned(), value.get(name)?.clone()))).collect()
}

/// Splits the result of `getUpdates`. A value without a number cannot be confirmed or stored, and Telegram never sends
/// one: it is left out and logged.
pub(super) fn split(result: Value) -> Option<Vec<RawUpdate>> {
    let Value::Array(values) = result else { return None };
    let updates = values.into_iter().filter_map(|json| {
        let update_id = json.get("update_id").and_then(Value::as_i64);
        if update_id.is_none() {
            tracing::warn!("an update without update_id was left out");
        }
        Some(RawUpdate { update_id: update_id?, json })
    });
    Some(updates.collect())
}
