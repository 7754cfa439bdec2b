//! Updates, taken raw and decoded one by one.
//!
//! A batch is never decoded as a whole: one value that a library does not know must neither hide its neighbours nor hold
//! the offset. So polling gives JSON with its number, which is stored as it is, and decoding comes later and may fail
//! for one of them alone.

use serde_json::Value;
use tgbot::types::Update;

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
/// an error.
///
/// # Errors
/// Not an object with a number `update_id`.
pub fn decode(json: &Value) -> Result<Update, DecodeError> {
    serde::Deserialize::deserialize(json).map_err(DecodeError)
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
