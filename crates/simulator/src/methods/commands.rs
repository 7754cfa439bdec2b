//! `setMyCommands`, `getMyCommands`, `deleteMyCommands`.

use serde_json::{Value, json};

use super::{Answer, Call};
use crate::refusal::Refusal;
use crate::world::state::{Bot, State};

/// Commands of one list.
const MOST_COMMANDS: usize = 100;
/// Letters of a command.
const MOST_NAME: usize = 32;
/// Letters of a description.
const MOST_DESCRIPTION: usize = 256;

/// Scopes, the narrowest last.
const SCOPES: [&str; 7] = [
    "default",
    "all_private_chats",
    "all_group_chats",
    "all_chat_administrators",
    "chat",
    "chat_administrators",
    "chat_member",
];

/// Where a list counts: scope, chat and language.
fn place(call: Call<'_>) -> Result<String, Refusal> {
    let scope = call.params.json("scope", "can't parse BotCommandScope JSON object")?;
    let kind = scope.as_ref().and_then(|scope| scope["type"].as_str()).unwrap_or("default");
    if !SCOPES.contains(&kind) {
        return Err(Refusal::bad("can't parse BotCommandScope: Unsupported type specified"));
    }
    let language = call.params.text_or_empty("language_code");
    if !language.is_empty() && (language.len() != 2 || !language.bytes().all(|b| b.is_ascii_lowercase())) {
        return Err(Refusal::bad("invalid language code specified"));
    }
    let number = |name: &str| scope.as_ref().and_then(|scope| scope[name].as_i64());
    if kind == "chat_member" {
        let (chat, user) = (number("chat_id").unwrap_or(0), number("user_id").unwrap_or(0));
        return Ok(format!("{kind}:{chat}:{user}:{language}"));
    }
    Ok(key(kind, number("chat_id"), language))
}

fn key(kind: &str, chat: Option<i64>, language: &str) -> String {
    format!("{kind}:{}:{language}", chat.unwrap_or(0))
}

/// The commands that a person's app offers in the private chat: the narrowest list, the own language first.
pub(crate) fn in_private(bot: &Bot, person: i64, language: &str) -> Value {
    let scopes = [("chat", Some(person)), ("all_private_chats", None), ("default", None)];
    let keys = scopes.into_iter().flat_map(|(kind, chat)| [key(kind, chat, language), key(kind, chat, "")]);
    let found = keys.into_iter().find_map(|key| bot.commands.get(&key).cloned());
    found.unwrap_or_else(|| json!([]))
}

/// The commands that a member's app offers in a group, in the order of the documentation.
pub(crate) fn in_group(bot: &Bot, chat: i64, person: i64, admin: bool, language: &str) -> Value {
    let member = format!("chat_member:{chat}:{person}");
    let chat = |kind| (kind, Some(chat));
    let scopes = [
        Some(chat("chat_administrators")).filter(|_| admin),
        Some(chat("chat")),
        Some(("all_chat_administrators", None)).filter(|_| admin),
        Some(("all_group_chats", None)),
        Some(("default", None)),
    ];
    let keys = scopes.into_iter().flatten();
    let keys = keys.flat_map(|(kind, chat)| [key(kind, chat, language), key(kind, chat, "")]);
    let own = [format!("{member}:{language}"), format!("{member}:")];
    let found = own.into_iter().chain(keys).find_map(|key| bot.commands.get(&key).cloned());
    found.unwrap_or_else(|| json!([]))
}

pub(super) fn set(state: &mut State, call: Call<'_>) -> Answer {
    let commands = call.params.json("commands", "can't parse commands JSON object")?;
    let Some(Value::Array(commands)) = commands else {
        return Err(Refusal::bad("expected an Array of BotCommand"));
    };
    let place = place(call)?;
    if commands.len() > MOST_COMMANDS {
        return Err(Refusal::bad("BOT_COMMANDS_TOO_MUCH"));
    }
    let read = commands.iter().map(read).collect::<Result<Vec<Value>, Refusal>>()?;
    if let Some(bot) = state.bots.get_mut(&call.bot) {
        if read.is_empty() {
            bot.commands.remove(&place);
        } else {
            bot.commands.insert(place, Value::Array(read));
        }
    }
    Ok(json!(true))
}

fn read(command: &Value) -> Result<Value, Refusal> {
    if !command.is_object() {
        return Err(Refusal::bad("can't parse BotCommand: expected an Object"));
    }
    let name = command["command"].as_str().unwrap_or_default().trim_start_matches('/');
    let description = command["description"].as_str().unwrap_or_default().trim();
    let letters = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if name.is_empty() || name.len() > MOST_NAME || !letters {
        return Err(Refusal::bad("BOT_COMMAND_INVALID"));
    }
    if description.is_empty() || description.chars().count() > MOST_DESCRIPTION {
        return Err(Refusal::bad("BOT_COMMAND_DESCRIPTION_INVALID"));
    }
    Ok(json!({"command": name, "description": description}))
}

pub(super) fn get(state: &mut State, call: Call<'_>) -> Answer {
    let place = place(call)?;
    let found = state.bots.get(&call.bot).and_then(|bot| bot.commands.get(&place).cloned());
    Ok(found.unwrap_or_else(|| json!([])))
}

pub(super) fn delete(state: &mut State, call: Call<'_>) -> Answer {
    let place = place(call)?;
    if let Some(bot) = state.bots.get_mut(&call.bot) {
        bot.commands.remove(&place);
    }
    Ok(json!(true))
}
