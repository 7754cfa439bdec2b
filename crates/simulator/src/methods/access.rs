//! Which chat a call means, and whether the bot may do this there.

use super::Call;
use crate::refusal::Refusal;
use crate::wire::show::chat_id;
use crate::world::state::{Chat, ChatKey, ChatKind, Group, Standing, State};

/// What the call wants to do in the chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Edit,
    Write,
}

/// The chat of `chat_id`: known first, then reachable.
pub(super) fn chat(state: &State, call: Call<'_>, access: Access) -> Result<ChatKey, Refusal> {
    let id = call.params.text("chat_id").ok_or_else(|| Refusal::bad("chat_id is empty"))?;
    // No chat here has a public name, so `@name` is never found.
    let id: i64 = id.trim().parse().map_err(|_| not_found())?;
    if id > 0 { private(state, call.bot, id, access) } else { group(state, call.bot, id, access) }
}

fn not_found() -> Refusal {
    Refusal::bad("chat not found")
}

fn private(state: &State, bot: i64, person: i64, access: Access) -> Result<ChatKey, Refusal> {
    let key = ChatKey::Private { bot, person };
    let kind = state.chats.get(&key).map(|chat| &chat.kind);
    let met = state.met.get(&bot).is_some_and(|met| met.contains(&person));
    let Some(account) = state.people.get(&person) else { return Err(not_found()) };
    match kind {
        None if !met => Err(not_found()),
        _ if access == Access::Read => Ok(key),
        _ if account.deleted => Err(Refusal::forbidden("user is deactivated")),
        Some(ChatKind::Private { blocked: true, .. }) => {
            Err(Refusal::forbidden("bot was blocked by the user"))
        }
        Some(ChatKind::Private { started: true, .. }) => Ok(key),
        _ => Err(Refusal::forbidden("bot can't initiate conversation with a user")),
    }
}

fn group(state: &State, bot: i64, id: i64, access: Access) -> Result<ChatKey, Refusal> {
    let key = ChatKey::Group(id);
    let group = state.chats.get(&key).and_then(Chat::group).ok_or_else(not_found)?;
    let standing = group.members.get(&bot).copied().ok_or_else(not_found)?;
    match group.upgraded_to {
        Some(to) if access == Access::Write => return Err(Refusal::upgraded(to)),
        Some(_) => return Ok(key),
        None => {}
    }
    if group.deleted {
        return Err(Refusal::forbidden("the group chat was deleted"));
    }
    let kind = word(group);
    match standing {
        Standing::Kicked => Err(Refusal::forbidden(format!("bot was kicked from the {kind} chat"))),
        Standing::Left => Err(Refusal::forbidden(format!("bot is not a member of the {kind} chat"))),
        Standing::Creator | Standing::Administrator | Standing::Member | Standing::Restricted => Ok(key),
    }
}

fn word(group: &Group) -> &'static str {
    if group.supergroup { "supergroup" } else { "group" }
}

/// Whether the bot may send this kind of thing: `text messages`, `stickers`, `documents`, `photos`.
pub(super) fn may_send(state: &State, bot: i64, key: ChatKey, what: &str) -> Result<(), Refusal> {
    if state.standing(key, bot) == Some(Standing::Restricted) {
        return Err(Refusal::bad(format!("not enough rights to send {what} to the chat")));
    }
    Ok(())
}

/// The person of `user_id`, as sticker methods look for one.
pub(super) fn owner(state: &State, call: Call<'_>) -> Result<i64, Refusal> {
    let id = call.params.integer("user_id");
    if id <= 0 {
        return Err(Refusal::bad("invalid user_id specified"));
    }
    if state.bots.contains_key(&id) {
        return Err(Refusal::bad("USER_IS_BOT"));
    }
    let started = state.chats.contains_key(&ChatKey::Private { bot: call.bot, person: id });
    let met = state.met.get(&call.bot).is_some_and(|met| met.contains(&id));
    if started || met { Ok(id) } else { Err(Refusal::bad("user not found")) }
}

/// Whether the core lets a set be made for this person: chat started, not blocked, account there.
pub(super) fn owner_reachable(state: &State, bot: i64, person: i64) -> Result<(), Refusal> {
    let chat = state.chats.get(&ChatKey::Private { bot, person });
    let open = chat.is_some_and(|c| matches!(c.kind, ChatKind::Private { started: true, blocked: false }));
    let there = state.people.get(&person).is_some_and(|person| !person.deleted);
    if open && there { Ok(()) } else { Err(Refusal::bad("PEER_ID_INVALID")) }
}

/// True when the call names this chat as its own.
pub(super) fn is_same_chat(key: ChatKey, id: i64) -> bool {
    chat_id(key) == id
}
