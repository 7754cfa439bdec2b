//! The methods of the Bot API, one file a family. Each checks in the server's order and then acts.

mod access;
mod callbacks;
mod chats;
pub(crate) mod commands;
mod delete;
mod edit;
mod input;
mod me;
mod media;
pub(crate) mod picture;
mod reply;
mod send;
mod sticker_edits;
mod sticker_input;
pub(crate) mod stickers;

use serde_json::Value;

use crate::refusal::Refusal;
use crate::wire::Params;
use crate::world::state::State;

/// What a method answers.
type Answer = Result<Value, Refusal>;

/// A call on its way: who asks what, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    pub bot: i64,
    pub params: &'a Params,
    pub now: i64,
}

type Method = fn(&mut State, Call<'_>) -> Answer;

/// Every method but `getUpdates`, which waits and is therefore the world's own.
const METHODS: &[(&str, Method)] = &[
    ("getMe", me::get_me),
    ("setMyCommands", commands::set),
    ("getMyCommands", commands::get),
    ("deleteMyCommands", commands::delete),
    ("setMyName", me::set_name),
    ("setMyDescription", me::set_description),
    ("setMyShortDescription", me::set_short_description),
    ("getMyName", me::get_name),
    ("getMyDescription", me::get_description),
    ("getMyShortDescription", me::get_short_description),
    ("setWebhook", me::set_webhook),
    ("deleteWebhook", me::delete_webhook),
    ("getWebhookInfo", me::get_webhook_info),
    ("sendMessage", send::message),
    ("sendSticker", send::sticker),
    ("sendDocument", send::document),
    ("sendPhoto", send::photo),
    ("sendChatAction", chats::send_action),
    ("getChat", chats::get),
    ("getChatMember", chats::get_member),
    ("getChatMemberCount", chats::count_members),
    ("getChatAdministrators", chats::get_administrators),
    ("leaveChat", chats::leave),
    ("pinChatMessage", chats::pin),
    ("unpinChatMessage", chats::unpin),
    ("editMessageText", edit::text),
    ("editMessageCaption", edit::caption),
    ("editMessageReplyMarkup", edit::markup),
    ("deleteMessage", delete::one),
    ("deleteMessages", delete::many),
    ("answerCallbackQuery", callbacks::answer),
    ("getFile", media::get_file),
    ("uploadStickerFile", stickers::upload),
    ("createNewStickerSet", stickers::create),
    ("addStickerToSet", stickers::add),
    ("getStickerSet", stickers::get),
    ("deleteStickerSet", sticker_edits::delete_set),
    ("deleteStickerFromSet", sticker_edits::delete_sticker),
    ("replaceStickerInSet", sticker_edits::replace),
    ("setStickerPositionInSet", sticker_edits::set_position),
    ("setStickerEmojiList", sticker_edits::set_emoji),
    ("setStickerKeywords", sticker_edits::set_keywords),
    ("setStickerSetTitle", sticker_edits::set_title),
    ("setStickerSetThumbnail", sticker_edits::set_thumbnail),
];

/// Methods whose uploads are pictures.
const PICTURES: [&str; 7] = [
    "sendSticker",
    "sendPhoto",
    "uploadStickerFile",
    "createNewStickerSet",
    "addStickerToSet",
    "replaceStickerInSet",
    "setStickerSetThumbnail",
];

/// True when a call of this method will look at pictures.
pub(crate) fn looks_at_pictures(name: &str) -> bool {
    PICTURES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// A method's name as the documentation spells it; names are read in any case.
pub(crate) fn named(name: &str) -> Option<&'static str> {
    let known = METHODS.iter().map(|(known, _)| *known).chain(["getUpdates"]);
    known.into_iter().find(|known| known.eq_ignore_ascii_case(name))
}

/// Carries out a method. Some answer words beside the result.
pub(crate) fn run(
    state: &mut State,
    bot: i64,
    method: &'static str,
    params: &Params,
    now: i64,
) -> Result<(Value, Option<&'static str>), Refusal> {
    let found = METHODS.iter().find(|(name, _)| *name == method);
    let (_, act) = found.ok_or_else(|| Refusal::new(404, "Not Found: method not found"))?;
    let had_webhook = state.bots.get(&bot).is_some_and(|bot| bot.webhook.is_some());
    let result = act(state, Call { bot, params, now })?;
    let words = match method {
        "deleteWebhook" if had_webhook => Some("Webhook was deleted"),
        "deleteWebhook" => Some("Webhook is already deleted"),
        "setWebhook" if params.text("url").is_some() => Some("Webhook was set"),
        "setWebhook" if had_webhook => Some("Webhook was deleted"),
        "setWebhook" => Some("Webhook is already deleted"),
        _ => None,
    };
    Ok((result, words))
}

/// The chat that a call is about, or the owner of a set.
pub(crate) fn chat_of(params: &Params) -> Option<i64> {
    let id = |name| params.text(name).and_then(|text| text.parse().ok());
    id("chat_id").or_else(|| id("user_id"))
}
