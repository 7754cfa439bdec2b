//! Chats and who is in them; the "typing" sign; pins.

use serde_json::{Value, json};

use super::access::{self, Access};
use super::{Answer, Call};
use crate::refusal::Refusal;
use crate::wire::show;
use crate::world::state::{Author, Chat, ChatKey, ChatKind, Group, Message, Service, Standing, State};

/// How long an action shows.
const ACTION_MS: i64 = 5_000;

const ACTIONS: [&str; 11] = [
    "typing",
    "upload_photo",
    "record_video",
    "upload_video",
    "record_voice",
    "upload_voice",
    "upload_document",
    "choose_sticker",
    "find_location",
    "record_video_note",
    "upload_video_note",
];

pub(super) fn send_action(state: &mut State, call: Call<'_>) -> Answer {
    let action = call.params.text_or_empty("action").to_ascii_lowercase();
    if !ACTIONS.contains(&action.as_str()) {
        return Err(Refusal::bad("wrong parameter action in request"));
    }
    let key = access::chat(state, call, Access::Write)?;
    let topic = call.params.integer("message_thread_id");
    if topic != 0 && !state.has_topic(key, topic) {
        return Err(Refusal::bad("message thread not found"));
    }
    if let Some(chat) = state.chats.get_mut(&key) {
        chat.typing_until = call.now + ACTION_MS;
        chat.revision += 1;
    }
    Ok(json!(true))
}

pub(super) fn get(state: &mut State, call: Call<'_>) -> Answer {
    let key = access::chat(state, call, Access::Read)?;
    let mut value = show::chat(state, key);
    value["accent_color_id"] = 0.into();
    value["max_reaction_count"] = 11.into();
    value["accepted_gift_types"] = json!({
        "unlimited_gifts": false, "limited_gifts": false, "unique_gifts": false,
        "premium_subscription": false, "gifts_from_channels": false,
    });
    if let ChatKey::Group(_) = key {
        value["permissions"] = permissions();
    }
    Ok(value)
}

fn permissions() -> Value {
    json!({
        "can_send_messages": true, "can_send_audios": true, "can_send_documents": true,
        "can_send_photos": true, "can_send_videos": true, "can_send_video_notes": true,
        "can_send_voice_notes": true, "can_send_polls": true, "can_send_other_messages": true,
        "can_add_web_page_previews": true, "can_edit_tag": true, "can_react_to_messages": true,
        "can_change_info": true, "can_invite_users": true,
        "can_pin_messages": true, "can_manage_topics": true,
    })
}

fn group<'a>(state: &'a State, call: Call<'_>, key: ChatKey) -> Result<&'a Group, Refusal> {
    let _ = call;
    let group = state.chats.get(&key).and_then(Chat::group);
    group.ok_or_else(|| Refusal::bad("there are no administrators in the private chat"))
}

pub(super) fn get_member(state: &mut State, call: Call<'_>) -> Answer {
    let key = access::chat(state, call, Access::Read)?;
    let user = call.params.integer("user_id");
    if user <= 0 {
        return Err(Refusal::bad("invalid user_id specified"));
    }
    if !state.people.contains_key(&user) && !state.bots.contains_key(&user) {
        return Err(Refusal::bad("user not found"));
    }
    let standing = match key {
        ChatKey::Private { .. } => Standing::Member,
        ChatKey::Group(_) => state.standing(key, user).unwrap_or(Standing::Left),
    };
    let mut member = show::member(state, user, standing);
    let group = state.chats.get(&key).and_then(Chat::group);
    if group.is_some_and(|group| group.hides(user)) {
        member["is_anonymous"] = true.into();
    }
    Ok(member)
}

pub(super) fn count_members(state: &mut State, call: Call<'_>) -> Answer {
    let key = access::chat(state, call, Access::Read)?;
    Ok(match state.chats.get(&key).map(|chat| &chat.kind) {
        Some(ChatKind::Group(group)) => {
            json!(group.members.values().filter(|standing| standing.inside()).count())
        }
        Some(ChatKind::Private { .. }) | None => json!(2),
    })
}

pub(super) fn get_administrators(state: &mut State, call: Call<'_>) -> Answer {
    let key = access::chat(state, call, Access::Read)?;
    let group = group(state, call, key)?;
    let admins = group.members.iter().filter(|(_, standing)| standing.admin());
    Ok(admins.map(|(id, standing)| show::member(state, *id, *standing)).collect())
}

pub(super) fn leave(state: &mut State, call: Call<'_>) -> Answer {
    let key = access::chat(state, call, Access::Write)?;
    if let ChatKey::Private { .. } = key {
        return Err(Refusal::bad("chat member status can't be changed in private chats"));
    }
    let from = state.standing(key, call.bot).unwrap_or(Standing::Member);
    if let Some(group) = state.chats.get_mut(&key).and_then(Chat::group_mut) {
        group.members.insert(call.bot, Standing::Left);
    }
    let gone = Message::service(Author::Bot(call.bot), Service::Left(call.bot), call.now);
    state.post(key, gone);
    state.tell_standing(key, call.bot, call.bot, from, Standing::Left, call.now);
    Ok(json!(true))
}

pub(super) fn pin(state: &mut State, call: Call<'_>) -> Answer {
    let key = access::chat(state, call, Access::Write)?;
    let id = call.params.integer("message_id");
    if !state.chats.get(&key).is_some_and(|chat| chat.messages.contains_key(&id)) {
        return Err(Refusal::bad("message to pin not found"));
    }
    may_pin(state, call, key)?;
    let pinned = Message::service(Author::Bot(call.bot), Service::Pinned(id), call.now);
    state.post(key, pinned);
    Ok(json!(true))
}

pub(super) fn unpin(state: &mut State, call: Call<'_>) -> Answer {
    let key = access::chat(state, call, Access::Write)?;
    may_pin(state, call, key)?;
    Ok(json!(true))
}

fn may_pin(state: &State, call: Call<'_>, key: ChatKey) -> Result<(), Refusal> {
    let may = match key {
        ChatKey::Private { .. } => true,
        ChatKey::Group(_) => state.standing(key, call.bot).is_some_and(|standing| standing.admin()),
    };
    if may { Ok(()) } else { Err(Refusal::bad("not enough rights to manage pinned messages in the chat")) }
}
