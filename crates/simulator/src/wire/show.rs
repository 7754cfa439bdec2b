//! How persons, chats, messages and files look in an answer.

use serde_json::{Value, json};

use crate::entity::Entity;
use crate::world::state::{
    ANONYMOUS_ADMIN, Author, Bot, Chat, ChatKey, ChatKind, FileKind, Media, Message, Person, Service, State,
    StickerSet, StoredFile,
};

/// A person as a `User`.
pub(crate) fn person(person: &Person) -> Value {
    let mut value = json!({"id": person.id, "is_bot": false, "first_name": person.first_name});
    put(&mut value, "last_name", person.last_name.as_deref());
    put(&mut value, "username", person.username.as_deref());
    put(&mut value, "language_code", person.language_code.as_deref());
    value
}

/// A bot as a `User`.
pub(crate) fn bot(bot: &Bot) -> Value {
    json!({"id": bot.id, "is_bot": true, "first_name": bot.first_name, "username": bot.username})
}

fn put(value: &mut Value, name: &str, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        value[name] = text.into();
    }
}

/// Anybody as a `User`.
pub(crate) fn user(state: &State, id: i64) -> Value {
    if id == ANONYMOUS_ADMIN {
        return json!({"id": id, "is_bot": true, "first_name": "Group", "username": "GroupAnonymousBot"});
    }
    match (state.people.get(&id), state.bots.get(&id)) {
        (Some(found), _) => person(found),
        (None, Some(found)) => bot(found),
        (None, None) => json!({"id": id, "is_bot": false, "first_name": ""}),
    }
}

/// The id by which a bot names a chat.
pub(crate) fn chat_id(key: ChatKey) -> i64 {
    match key {
        ChatKey::Private { person, .. } => person,
        ChatKey::Group(id) => id,
    }
}

/// A `Chat`.
pub(crate) fn chat(state: &State, key: ChatKey) -> Value {
    match (key, state.chats.get(&key).map(|chat| &chat.kind)) {
        (ChatKey::Group(id), Some(ChatKind::Group(group))) => {
            let kind = if group.supergroup { "supergroup" } else { "group" };
            let mut value = json!({"id": id, "title": group.title, "type": kind});
            if group.forum {
                value["is_forum"] = true.into();
            }
            if !group.supergroup {
                value["all_members_are_administrators"] = false.into();
            }
            value
        }
        (ChatKey::Private { person, .. }, _) => {
            let mut value = json!({"id": person, "type": "private"});
            if let Some(found) = state.people.get(&person) {
                value["first_name"] = found.first_name.as_str().into();
                put(&mut value, "last_name", found.last_name.as_deref());
                put(&mut value, "username", found.username.as_deref());
            }
            value
        }
        (ChatKey::Group(id), _) => json!({"id": id, "title": "", "type": "group"}),
    }
}

/// Entities of a text, in the form of the Bot API.
pub(crate) fn entities(state: &State, entities: &[Entity]) -> Value {
    let shown = entities.iter().map(|entity| {
        let mut value = json!({"type": entity.kind, "offset": entity.offset, "length": entity.length});
        put(&mut value, "url", entity.url.as_deref());
        if entity.kind == "pre" {
            put(&mut value, "language", entity.language.as_deref());
        }
        put(&mut value, "custom_emoji_id", entity.custom_emoji_id.as_deref());
        if let Some(id) = entity.user_id {
            value["user"] = user(state, id);
        }
        value
    });
    Value::Array(shown.collect())
}

/// A `Message` with the message it answers.
pub(crate) fn message(state: &State, key: ChatKey, message: &Message) -> Value {
    let mut value = bare(state, key, message);
    let target = message.reply_to.and_then(|id| state.chats.get(&key)?.messages.get(&id));
    // In a topic a message that answers nothing is shown as an answer to the message that made the topic.
    let root = || {
        message
            .topic
            .filter(|topic| *topic != message.id)
            .and_then(|topic| state.chats.get(&key)?.messages.get(&topic))
    };
    if let Some(target) = target.or_else(root) {
        value["reply_to_message"] = bare(state, key, target);
    }
    value
}

fn bare(state: &State, key: ChatKey, message: &Message) -> Value {
    let mut value = json!({
        "message_id": message.id,
        "from": user(state, message.from.id()),
        "chat": chat(state, key),
        "date": message.date,
    });
    if message.from == Author::Anonymous {
        value["sender_chat"] = chat(state, key);
    }
    if let Some(topic) = message.topic {
        value["message_thread_id"] = topic.into();
        value["is_topic_message"] = true.into();
    }
    if let Some(at) = message.edit_date {
        value["edit_date"] = at.into();
    }
    if message.protected {
        value["has_protected_content"] = true.into();
    }
    let (text, marks) =
        if message.media.is_some() { ("caption", "caption_entities") } else { ("text", "entities") };
    put(&mut value, text, Some(&message.text));
    if !message.entities.is_empty() {
        value[marks] = entities(state, &message.entities);
    }
    if let Some(media) = &message.media {
        attach(state, &mut value, media);
    }
    if let Some(rows) = &message.keyboard {
        value["reply_markup"] = super::keyboard::show(rows);
    }
    if let Some(service) = &message.service {
        say(state, key, &mut value, service);
    }
    value
}

fn attach(state: &State, value: &mut Value, media: &Media) {
    let Some(file) = state.files.get(media.file()) else { return };
    match media {
        Media::Sticker { emoji, set, .. } => {
            value["sticker"] = sticker(state, file, emoji, set.as_deref());
        }
        Media::Document { .. } => value["document"] = document(file),
        Media::Photo { .. } => value["photo"] = photo(file),
    }
}

fn say(state: &State, key: ChatKey, value: &mut Value, service: &Service) {
    match service {
        Service::Created(title) => {
            value["group_chat_created"] = true.into();
            // The first message of a group carries its title for people; the Bot API has no field for it.
            let _ = title;
        }
        Service::Joined(ids) => {
            let members: Vec<Value> = ids.iter().map(|id| user(state, *id)).collect();
            value["new_chat_members"] = members.into();
        }
        Service::Left(id) => value["left_chat_member"] = user(state, *id),
        Service::Pinned(id) => {
            let pinned = state.chats.get(&key).and_then(|chat| chat.messages.get(id));
            if let Some(pinned) = pinned {
                value["pinned_message"] = bare(state, key, pinned);
            }
        }
        Service::TopicCreated(name) => {
            value["forum_topic_created"] = json!({"name": name, "icon_color": 7_322_096});
        }
        Service::UpgradedTo(id) => value["migrate_to_chat_id"] = (*id).into(),
        Service::UpgradedFrom(id) => value["migrate_from_chat_id"] = (*id).into(),
    }
}

/// A `File`, with the path when asked for.
pub(crate) fn file(file: &StoredFile, with_path: bool) -> Value {
    let mut value = json!({
        "file_id": file.file_id,
        "file_unique_id": file.unique_id,
        "file_size": file.bytes.len(),
    });
    if with_path {
        value["file_path"] = file.path.as_str().into();
    }
    value
}

fn picture(stored: &StoredFile) -> Value {
    let mut value = file(stored, false);
    value["width"] = stored.width.into();
    value["height"] = stored.height.into();
    value
}

fn photo(stored: &StoredFile) -> Value {
    json!([picture(stored)])
}

fn document(stored: &StoredFile) -> Value {
    let mut value = file(stored, false);
    put(&mut value, "file_name", Some(&stored.name));
    put(&mut value, "mime_type", Some(&stored.mime));
    value
}

/// A `Sticker`.
pub(crate) fn sticker(state: &State, stored: &StoredFile, emoji: &str, set: Option<&str>) -> Value {
    let mut value = picture(stored);
    value["type"] = "regular".into();
    value["is_animated"] = false.into();
    value["is_video"] = false.into();
    put(&mut value, "emoji", Some(emoji));
    put(&mut value, "set_name", set);
    let thumbnail = set
        .and_then(|name| state.sets.get(&name.to_lowercase())?.thumbnail.as_ref())
        .and_then(|key| state.files.get(key));
    if let Some(thumbnail) = thumbnail {
        value["thumbnail"] = picture(thumbnail);
    }
    value
}

/// A `StickerSet`.
pub(crate) fn sticker_set(state: &State, set: &StickerSet) -> Value {
    let stickers: Vec<Value> = set
        .stickers
        .iter()
        .filter_map(|entry| {
            let stored = state.files.get(&entry.file)?;
            Some(sticker(state, stored, entry.emoji.first().map_or("", String::as_str), Some(&set.name)))
        })
        .collect();
    let mut value =
        json!({"name": set.name, "title": set.title, "sticker_type": "regular", "stickers": stickers});
    if let Some(thumbnail) = set.thumbnail.as_ref().and_then(|key| state.files.get(key)) {
        value["thumbnail"] = picture(thumbnail);
    }
    value
}

/// A `ChatMember`.
pub(crate) fn member(state: &State, id: i64, standing: crate::world::state::Standing) -> Value {
    use crate::world::state::Standing;
    let mut value = json!({"user": user(state, id), "status": standing.word()});
    match standing {
        Standing::Creator => value["is_anonymous"] = false.into(),
        Standing::Administrator => {
            value["can_be_edited"] = false.into();
            for right in RIGHTS {
                value[right] = true.into();
            }
            value["is_anonymous"] = false.into();
            value["can_promote_members"] = false.into();
        }
        Standing::Restricted => {
            value["is_member"] = true.into();
            for right in PERMISSIONS {
                value[right] = false.into();
            }
            value["until_date"] = 0.into();
        }
        Standing::Kicked => value["until_date"] = 0.into(),
        Standing::Member | Standing::Left => {}
    }
    value
}

const RIGHTS: [&str; 11] = [
    "can_manage_chat",
    "can_change_info",
    "can_delete_messages",
    "can_invite_users",
    "can_restrict_members",
    "can_pin_messages",
    "can_manage_topics",
    "can_manage_video_chats",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
];

const PERMISSIONS: [&str; 16] = [
    "can_send_messages",
    "can_send_audios",
    "can_send_documents",
    "can_send_photos",
    "can_send_videos",
    "can_send_video_notes",
    "can_send_voice_notes",
    "can_send_polls",
    "can_send_other_messages",
    "can_add_web_page_previews",
    "can_edit_tag",
    "can_react_to_messages",
    "can_change_info",
    "can_invite_users",
    "can_pin_messages",
    "can_manage_topics",
];

/// The word for what a chat is.
pub(crate) fn chat_type(chat: &Chat) -> &'static str {
    match &chat.kind {
        ChatKind::Private { .. } => "private",
        ChatKind::Group(group) if group.supergroup => "supergroup",
        ChatKind::Group(_) => "group",
    }
}

/// The letter code in which a file id begins.
pub(crate) fn file_id_prefix(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Sticker => "CAACAgIAAx",
        FileKind::Document => "BQACAgIAAx",
        FileKind::Photo => "AgACAgIAAx",
    }
}
