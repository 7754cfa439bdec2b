//! `deleteMessage`, `deleteMessages`.

use serde_json::{Value, json};

use super::access::{self, Access};
use super::{Answer, Call};
use crate::refusal::Refusal;
use crate::world::state::{Author, ChatKey, State};

/// Age from which a message stays.
const DELETABLE_S: i64 = 48 * 3_600;
/// Ids in one call.
const MOST_IDS: usize = 100;

pub(super) fn one(state: &mut State, call: Call<'_>) -> Answer {
    let id = call.params.integer("message_id");
    if id == 0 {
        return Err(Refusal::bad("message identifier is not specified"));
    }
    let key = access::chat(state, call, Access::Edit)?;
    check(state, call, key, id)?;
    state.erase(key, id, call.now);
    forget_just_gone(state, key, id);
    Ok(json!(true))
}

pub(super) fn many(state: &mut State, call: Call<'_>) -> Answer {
    let ids = call.params.json("message_ids", "can't parse message identifiers JSON object")?;
    let Some(Value::Array(ids)) = ids else {
        return Err(Refusal::bad("message identifiers are not specified"));
    };
    if ids.is_empty() {
        return Err(Refusal::bad("message identifiers are not specified"));
    }
    if ids.len() > MOST_IDS {
        return Err(Refusal::bad("too many message identifiers specified"));
    }
    let key = access::chat(state, call, Access::Edit)?;
    for id in ids.iter().filter_map(|id| id.as_i64().or_else(|| id.as_str()?.parse().ok())) {
        if check(state, call, key, id).is_ok() {
            state.erase(key, id, call.now);
            forget_just_gone(state, key, id);
        }
    }
    Ok(json!(true))
}

/// What the bot deleted itself is gone at once for it.
fn forget_just_gone(state: &mut State, key: ChatKey, id: i64) {
    if let Some(chat) = state.chats.get_mut(&key) {
        chat.erased.remove(&id);
    }
}

fn check(state: &State, call: Call<'_>, key: ChatKey, id: i64) -> Result<(), Refusal> {
    let message = state.chats.get(&key).and_then(|chat| chat.messages.get(&id));
    let message = message.ok_or_else(|| Refusal::bad("message to delete not found"))?;
    let own = message.from == Author::Bot(call.bot);
    let admin = state.standing(key, call.bot).is_some_and(|standing| standing.admin());
    let old = call.now / 1_000 - message.date > DELETABLE_S;
    match key {
        ChatKey::Private { .. } if old => Err(Refusal::bad("message can't be deleted for everyone")),
        ChatKey::Group(_) if !own && !admin => Err(Refusal::bad("message can't be deleted")),
        ChatKey::Group(_) if old && !admin => Err(Refusal::bad("message can't be deleted for everyone")),
        ChatKey::Private { .. } | ChatKey::Group(_) => Ok(()),
    }
}
