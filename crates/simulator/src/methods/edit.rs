//! `editMessageText`, `editMessageCaption`, `editMessageReplyMarkup`.

use super::access::{self, Access};
use super::send::{MOST_CAPTION, MOST_TEXT, rows, shown};
use super::{Answer, Call};
use crate::entity::{self, Formatted};
use crate::flood::Kind;
use crate::refusal::Refusal;
use crate::wire::keyboard::{self, Markup};
use crate::world::state::{Author, ChatKey, Media, Message, State};

/// For this long the server still takes a message for there that somebody else deleted.
const STILL_CACHED_MS: i64 = 1_000;

const NOT_MODIFIED: &str = "message is not modified: specified new message content and reply markup are exactly \
                            the same as a current content and reply markup of the message";

/// What an edit changes beside the keyboard.
enum Change {
    Text(Formatted),
    Caption(Formatted),
    Nothing,
}

pub(super) fn text(state: &mut State, call: Call<'_>) -> Answer {
    let markup = keyboard::read(call.params)?;
    let text = entity::read(call.params, &entity::TEXT)?;
    if text.text.is_empty() {
        return Err(Refusal::bad("message text is empty"));
    }
    edit(state, call, markup, Change::Text(text))
}

pub(super) fn caption(state: &mut State, call: Call<'_>) -> Answer {
    let markup = keyboard::read(call.params)?;
    let caption = entity::read(call.params, &entity::CAPTION)?;
    edit(state, call, markup, Change::Caption(caption))
}

pub(super) fn markup(state: &mut State, call: Call<'_>) -> Answer {
    let markup = keyboard::read(call.params)?;
    edit(state, call, markup, Change::Nothing)
}

fn edit(state: &mut State, call: Call<'_>, markup: Markup, change: Change) -> Answer {
    if call.params.text("chat_id").is_none() && call.params.integer("message_id") == 0 {
        // No inline message was ever sent from here, so an id of one cannot be right.
        let inline = call.params.text("inline_message_id").is_some();
        return Err(Refusal::bad(if inline {
            "MESSAGE_ID_INVALID"
        } else {
            "message identifier is not specified"
        }));
    }
    let key = access::chat(state, call, Access::Edit)?;
    let id = call.params.integer("message_id");
    let old = editable(state, call, key, id)?;
    check_kind(old, &change)?;
    check_length(&change)?;
    keyboard::check_size(&markup)?;
    let keyboard = rows(markup);
    let same = match &change {
        Change::Text(new) | Change::Caption(new) => old.text == new.text && old.entities == new.entities,
        Change::Nothing => true,
    };
    if same && old.keyboard == keyboard {
        return Err(Refusal::bad(NOT_MODIFIED));
    }
    state.flood_take(call, key, Kind::Edit)?;
    if let Some(message) = state.chats.get_mut(&key).and_then(|chat| chat.messages.get_mut(&id)) {
        if let Change::Text(new) | Change::Caption(new) = change {
            message.text = new.text;
            message.entities = new.entities;
        }
        message.keyboard = keyboard;
        message.edit_date = Some(call.now / 1_000);
    }
    state.touch(key);
    Ok(shown(state, key, id))
}

/// The message, if it is there and the bot's own.
fn editable<'a>(state: &'a State, call: Call<'_>, key: ChatKey, id: i64) -> Result<&'a Message, Refusal> {
    let not_found = || Refusal::bad("message to edit not found");
    let chat = state.chats.get(&key).ok_or_else(not_found)?;
    let Some(message) = chat.messages.get(&id) else {
        let just_gone = chat.erased.get(&id).is_some_and(|at| call.now - at < STILL_CACHED_MS);
        return Err(if just_gone { Refusal::bad("MESSAGE_ID_INVALID") } else { not_found() });
    };
    let own = message.from == Author::Bot(call.bot) && message.service.is_none() && !message.reply_keyboard;
    if own { Ok(message) } else { Err(Refusal::bad("message can't be edited")) }
}

fn check_kind(message: &Message, change: &Change) -> Result<(), Refusal> {
    match (change, &message.media) {
        (Change::Text(_), Some(_)) => Err(Refusal::bad("there is no text in the message to edit")),
        (Change::Caption(_), None | Some(Media::Sticker { .. })) => {
            Err(Refusal::bad("there is no caption in the message to edit"))
        }
        _ => Ok(()),
    }
}

fn check_length(change: &Change) -> Result<(), Refusal> {
    match change {
        // An edit leaves this to the core, which answers in capitals.
        Change::Text(text) if text.text.chars().count() > MOST_TEXT => Err(Refusal::bad("MESSAGE_TOO_LONG")),
        Change::Caption(text) if text.text.chars().count() > MOST_CAPTION => {
            Err(Refusal::bad("message caption is too long"))
        }
        _ => Ok(()),
    }
}
