//! Chats as a person's app shows them: the JSON that the chat page draws.

use serde_json::{Value, json};

use super::people::PRESS_SHOWN_MS;
use super::state::{
    Author, Chat, ChatKey, ChatKind, Group, Media, Message, Person, Press, Service, State, StoredFile,
};
use super::{Trouble, World};
use crate::methods::commands;
use crate::wire::keyboard::Action;
use crate::wire::show;

/// Messages in one view; older ones are not shown.
const MOST_SHOWN: usize = 500;
/// How long a notice stays in the view.
const NOTICE_MS: i64 = 60_000;

impl World {
    /// All persons with their chats.
    #[must_use]
    pub fn people(&self) -> Value {
        self.look(|state, _| {
            let people = state.people.values().filter(|person| !person.deleted);
            json!({"people": people.map(|person| show_person(state, person)).collect::<Vec<_>>()})
        })
    }

    /// One person with their chats.
    #[must_use]
    pub fn person(&self, id: i64) -> Option<Value> {
        self.look(|state, _| state.people.get(&id).map(|person| show_person(state, person)))
    }

    /// All bots.
    #[must_use]
    pub fn bots(&self) -> Value {
        self.look(|state, _| {
            let bots = state.bots.values();
            let bots =
                bots.map(|bot| json!({"id": bot.id, "username": bot.username, "first_name": bot.first_name}));
            json!({"bots": bots.collect::<Vec<_>>()})
        })
    }

    /// All groups.
    #[must_use]
    pub fn groups(&self) -> Value {
        self.look(|state, _| {
            let groups = state.chats.iter().filter_map(|(key, chat)| show_group(*key, chat));
            json!({"groups": groups.collect::<Vec<_>>()})
        })
    }

    /// One group, as the list of groups shows it.
    #[must_use]
    pub fn group(&self, id: i64) -> Option<Value> {
        let key = ChatKey::Group(id);
        self.look(|state, _| state.chats.get(&key).and_then(|chat| show_group(key, chat)))
    }

    /// A chat as this person sees it. `chat` is a bot's id for the private chat with it, or a group's. Without a
    /// person a group is shown as somebody sees it who only looks on.
    ///
    /// # Errors
    /// When there is no such person or chat.
    pub fn view(&self, person: Option<i64>, chat: i64) -> Result<Value, Trouble> {
        self.look(|state, now| view(state, person, chat, now).map(|(value, _)| value))
    }

    /// How often a chat has changed; cheap to ask.
    pub(crate) fn revision(&self, person: Option<i64>, chat: i64) -> u64 {
        let key = |state: &State| match person {
            Some(person) => state.key_for(person, chat).ok(),
            None => Some(ChatKey::Group(chat)),
        };
        self.look(|state, _| key(state).and_then(|key| state.chats.get(&key)).map_or(0, |chat| chat.revision))
    }

    /// The view, and when it changes by itself if nobody does anything.
    pub(crate) fn view_until(&self, person: Option<i64>, chat: i64) -> Result<(Value, Option<i64>), Trouble> {
        self.look(|state, now| view(state, person, chat, now))
    }
}

fn show_person(state: &State, person: &Person) -> Value {
    let chats = state.chats.iter().filter_map(|(key, chat)| match (*key, &chat.kind) {
        (ChatKey::Private { bot, person: owner }, _) if owner == person.id => {
            let title = state.bots.get(&bot).map_or("", |bot| bot.first_name.as_str());
            Some(json!({"id": bot, "type": "private", "title": title}))
        }
        (ChatKey::Group(id), ChatKind::Group(group)) if is_inside(group, person.id) => {
            Some(json!({"id": id, "type": show::chat_type(chat), "title": group.title}))
        }
        _ => None,
    });
    json!({
        "id": person.id,
        "first_name": person.first_name,
        "last_name": person.last_name,
        "username": person.username,
        "language_code": person.language_code,
        "chats": chats.collect::<Vec<_>>(),
    })
}

fn is_inside(group: &Group, person: i64) -> bool {
    group.open() && group.members.get(&person).is_some_and(|standing| standing.inside())
}

fn show_group(key: ChatKey, chat: &Chat) -> Option<Value> {
    let group = chat.group()?;
    let members: Vec<Value> =
        group.members.iter().map(|(id, standing)| json!({"id": id, "status": standing.word()})).collect();
    Some(json!({
        "id": show::chat_id(key),
        "type": show::chat_type(chat),
        "title": group.title,
        "members": members,
        "upgraded_to": group.upgraded_to,
        "deleted": group.deleted,
    }))
}

fn view(state: &State, person: Option<i64>, chat: i64, now: i64) -> Result<(Value, Option<i64>), Trouble> {
    let person = person.map(|id| state.living(id)).transpose()?;
    let key = match person {
        Some(person) => state.key_for(person.id, chat)?,
        None => ChatKey::Group(chat),
    };
    let me = person.map(|person| person.id);
    let found = state.chats.get(&key);
    if matches!(key, ChatKey::Group(_)) && found.is_none() {
        return Err(Trouble::no_chat(chat));
    }
    let mut changes_at = None;
    let mut soon = |at: i64| changes_at = Some(changes_at.map_or(at, |other: i64| other.min(at)));
    let typing = found.is_some_and(|chat| chat.typing_until > now);
    if let Some(chat) = found.filter(|_| typing) {
        soon(chat.typing_until);
    }
    let notice = found.zip(me).and_then(|(chat, me)| chat.notices.get(&me));
    let notice = notice.filter(|notice| notice.at_ms + NOTICE_MS > now).map(|notice| {
        soon(notice.at_ms + NOTICE_MS);
        json!({"text": notice.text, "alert": notice.alert, "at": notice.at_ms})
    });
    let presses = waiting_presses(state, key, me, now);
    for press in &presses {
        soon(press.at_ms + PRESS_SHOWN_MS);
    }
    let messages = found.map(|chat| {
        let skipped = chat.messages.len().saturating_sub(MOST_SHOWN);
        let shown = chat.messages.values().skip(skipped);
        shown.map(|message| show_message(state, key, chat, message, me, &presses)).collect::<Vec<_>>()
    });
    let blocked = match key {
        ChatKey::Private { bot, person } => state.is_blocked(bot, person),
        ChatKey::Group(_) => false,
    };
    let group = found.and_then(Chat::group);
    let value = json!({
        "person": person.map(|person| show_person(state, person)),
        "chat": show_chat(state, key, chat, me),
        "hidden": group.zip(me).is_some_and(|(group, me)| group.hides(me)),
        "revision": found.map_or(0, |chat| chat.revision),
        "typing": typing,
        "blocked": blocked,
        "messages": messages.unwrap_or_default(),
        "notice": notice,
    });
    Ok((value, changes_at))
}

/// Presses of this person that the app still shows as waiting.
fn waiting_presses(state: &State, key: ChatKey, me: Option<i64>, now: i64) -> Vec<&Press> {
    let waits = |press: &&Press| {
        press.chat == key && Some(press.person) == me && !press.answered && press.at_ms + PRESS_SHOWN_MS > now
    };
    state.presses.values().filter(waits).collect()
}

fn show_chat(state: &State, key: ChatKey, id: i64, me: Option<i64>) -> Value {
    match (key, state.chats.get(&key).and_then(Chat::group)) {
        (ChatKey::Private { bot, person }, _) => {
            let account = state.bots.get(&bot);
            let language = state.people.get(&person).and_then(|person| person.language_code.as_deref());
            let commands = account.map(|bot| commands::in_private(bot, person, language.unwrap_or_default()));
            json!({
                "id": id,
                "type": "private",
                "title": account.map_or("", |bot| bot.first_name.as_str()),
                "username": account.map(|bot| bot.username.as_str()),
                "bot": true,
                "members": 2,
                "commands": commands.unwrap_or_else(|| json!([])),
            })
        }
        (ChatKey::Group(_), Some(group)) => json!({
            "id": id,
            "type": if group.supergroup { "supergroup" } else { "group" },
            "title": group.title,
            "bot": false,
            "members": group.members.values().filter(|standing| standing.inside()).count(),
            "people": show_members(state, group),
            "topics": group.topics.iter().map(|(id, name)| json!({"id": id, "name": name})).collect::<Vec<_>>(),
            "commands": me.map_or_else(|| json!([]), |me| group_commands(state, group, id, me)),
            "upgraded_to": group.upgraded_to,
        }),
        (ChatKey::Group(_), None) => Value::Null,
    }
}

/// The persons of a group, its makers first, so that a page can ask as whom somebody reads it.
fn show_members(state: &State, group: &Group) -> Value {
    let inside = group.members.iter().filter(|(_, standing)| standing.inside());
    let people = inside.filter_map(|(id, standing)| Some((state.living(*id).ok()?, *standing)));
    let mut people: Vec<_> = people.collect();
    people.sort_by_key(|(_, standing)| !standing.admin());
    let shown = people.into_iter().map(|(person, standing)| {
        json!({"id": person.id, "name": full_name(person), "admin": standing.admin(), "status": standing.word()})
    });
    Value::Array(shown.collect())
}

/// What the bots of a group offer to one of its members; an app adds the bot's name when a command is chosen.
fn group_commands(state: &State, group: &Group, chat: i64, me: i64) -> Value {
    let admin = group.members.get(&me).is_some_and(|standing| standing.admin());
    let language = state.people.get(&me).and_then(|person| person.language_code.as_deref());
    let bots = state
        .bots
        .values()
        .filter(|bot| group.members.get(&bot.id).is_some_and(|standing| standing.inside()));
    let offered = bots.flat_map(|bot| {
        let commands = commands::in_group(bot, chat, me, admin, language.unwrap_or_default());
        let commands = commands.as_array().cloned().unwrap_or_default();
        commands.into_iter().map(|mut command| {
            command["bot"] = bot.username.as_str().into();
            command
        })
    });
    Value::Array(offered.collect())
}

fn show_message(
    state: &State,
    key: ChatKey,
    chat: &Chat,
    message: &Message,
    me: Option<i64>,
    presses: &[&Press],
) -> Value {
    let press = presses.iter().find(|press| press.message == message.id);
    let reply_to = message.reply_to.and_then(|id| chat.messages.get(&id));
    let mut value = json!({
        "id": message.id,
        "from": show_author(state, key, message.from, me),
        "date": message.date,
        "edited": message.edit_date.is_some(),
        "text": message.text,
        "entities": show::entities(state, &message.entities),
        "topic": message.topic.and_then(|topic| chat.group()?.topics.get(&topic)),
        "reply_to": reply_to.map(|target| json!({
            "id": target.id, "name": author_name(state, key, target.from), "text": summary(target),
        })),
        "buttons": message.keyboard.iter().flatten().map(|row| row.iter().map(|button| json!({
            "text": button.text,
            "url": match &button.action { Action::Url(url) => Some(url), _ => None },
            "callback": matches!(button.action, Action::Callback(_)),
        })).collect::<Vec<_>>()).collect::<Vec<_>>(),
        "pressed": press.map(|press| json!({"row": press.row, "col": press.col})),
        "service": message.service.as_ref().map(|service| say(state, key, message, service)),
    });
    show_media(state, message, &mut value);
    value
}

fn show_media(state: &State, message: &Message, value: &mut Value) {
    for name in ["sticker", "document", "photo"] {
        value[name] = Value::Null;
    }
    let Some(media) = &message.media else { return };
    let Some(StoredFile { width, height, name, mime, bytes, .. }) = state.files.get(media.file()) else {
        return;
    };
    match media {
        Media::Sticker { file, emoji, set } => {
            value["sticker"] =
                json!({"file": file, "emoji": emoji, "set_name": set, "width": width, "height": height});
        }
        Media::Document { file } => {
            value["document"] = json!({"name": name, "size": bytes.len(), "file": file, "mime": mime});
        }
        Media::Photo { file } => value["photo"] = json!({"file": file, "width": width, "height": height}),
    }
}

fn show_author(state: &State, key: ChatKey, author: Author, me: Option<i64>) -> Value {
    let id = author.id();
    json!({
        "id": id,
        "name": author_name(state, key, author),
        "is_bot": matches!(author, Author::Bot(_)),
        "me": Some(id) == me,
    })
}

fn author_name(state: &State, key: ChatKey, author: Author) -> String {
    match author {
        Author::Bot(id) => state.bots.get(&id).map(|bot| bot.first_name.clone()).unwrap_or_default(),
        Author::Person(id) => state.people.get(&id).map(full_name).unwrap_or_default(),
        Author::Anonymous => {
            let group = state.chats.get(&key).and_then(Chat::group);
            group.map(|group| group.title.clone()).unwrap_or_default()
        }
    }
}

fn full_name(person: &Person) -> String {
    if person.deleted {
        return "Deleted Account".to_owned();
    }
    match &person.last_name {
        Some(last) => format!("{} {last}", person.first_name),
        None => person.first_name.clone(),
    }
}

/// What a quote shows of a message.
fn summary(message: &Message) -> String {
    match &message.media {
        _ if !message.text.is_empty() => message.text.chars().take(120).collect(),
        Some(Media::Sticker { emoji, .. }) => format!("{emoji} Sticker"),
        Some(Media::Document { .. }) => "📄".to_owned(),
        Some(Media::Photo { .. }) => "🖼".to_owned(),
        None => String::new(),
    }
}

/// The words of a service message.
fn say(state: &State, key: ChatKey, message: &Message, service: &Service) -> String {
    let who = author_name(state, key, message.from);
    let name = |id: i64| {
        let author = if state.bots.contains_key(&id) { Author::Bot(id) } else { Author::Person(id) };
        author_name(state, key, author)
    };
    match service {
        Service::Created(title) => format!("{who}: «{title}»"),
        Service::Joined(ids) => {
            format!("{who} + {}", ids.iter().map(|id| name(*id)).collect::<Vec<_>>().join(", "))
        }
        Service::Left(id) => format!("{who} − {}", name(*id)),
        Service::TopicCreated(name) => format!("{who}: # {name}"),
        Service::Pinned(_) => format!("{who} 📌"),
        Service::UpgradedTo(_) | Service::UpgradedFrom(_) => "→ supergroup".to_owned(),
    }
}
