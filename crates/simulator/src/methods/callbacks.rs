//! `answerCallbackQuery`.

use serde_json::json;

use super::{Answer, Call};
use crate::refusal::Refusal;
use crate::world::state::{Notice, State};

/// Characters of the shown text.
const MOST_TEXT: usize = 200;

const TOO_OLD: &str = "query is too old and response timeout expired or query ID is invalid";

pub(super) fn answer(state: &mut State, call: Call<'_>) -> Answer {
    let id = call.params.text_or_empty("callback_query_id");
    let text = call.params.text_or_empty("text").trim();
    if text.chars().count() > MOST_TEXT {
        return Err(Refusal::bad("MESSAGE_TOO_LONG"));
    }
    let url = call.params.text_or_empty("url");
    let lives_ms = state.settings.press_answer_ms;
    let username = state.bots.get(&call.bot).map(|bot| bot.username.clone()).unwrap_or_default();
    let press = state.presses.get_mut(id).filter(|press| press.bot == call.bot);
    let press = press.filter(|press| !press.answered && call.now - press.at_ms < lives_ms);
    let Some(press) = press else { return Err(Refusal::bad(TOO_OLD)) };
    if !url.is_empty() && !is_own_link(url, &username) {
        return Err(Refusal::bad("URL_INVALID"));
    }
    press.answered = true;
    let (key, person) = (press.chat, press.person);
    if let Some(chat) = state.chats.get_mut(&key) {
        if !text.is_empty() {
            let notice =
                Notice { text: text.to_owned(), alert: call.params.flag("show_alert"), at_ms: call.now };
            chat.notices.insert(person, notice);
        }
        chat.revision += 1;
    }
    Ok(json!(true))
}

/// A button may only open the bot's own start link.
fn is_own_link(url: &str, username: &str) -> bool {
    let rest = url.strip_prefix("https://t.me/").or_else(|| url.strip_prefix("t.me/"));
    let name = rest.and_then(|rest| rest.split_once("?start=")).map(|(name, _)| name);
    name.is_some_and(|name| name.eq_ignore_ascii_case(username))
}
