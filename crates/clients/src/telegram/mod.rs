//! The Bot API as the bot uses it: [`Telegram`] says what can be asked, [`BotApi`] asks it over HTTP.
//!
//! Types of updates come from `tgbot`; requests and answers are our own. Its client would hide what decides here: it tries
//! again by itself, does not tell a request that never left from one whose answer was lost, and takes an answer that it
//! cannot decode for a failure.

mod answer;
mod api;
mod buckets;
mod error;
mod requests;
mod text;
mod updates;
mod wire;

pub use api::BotApi;
pub use buckets::{Lane, SendBuckets};
pub use error::{ErrorKind, Parameters, RETRY_AFTER_MAX_S, TelegramError};
pub use requests::{
    BotCommand, Button, ButtonAction, Buttons, ChatInfo, ChatMember, CommandScope, CreateStickerSet,
    EditMessage, InputSticker, Me, MessageRef, SendDocument, SendMessage, Sticker, StickerSet, TextLink,
};
pub use text::strip_tags;
/// The types that [`decode`] gives.
pub use tgbot::types;
pub use updates::{DecodeError, RawUpdate, decode};
pub use wire::{ConfigError, TimeOuts};

use futures::future::BoxFuture;

/// An asked question. It borrows nothing but the client.
pub type Call<'a, T> = BoxFuture<'a, Result<T, TelegramError>>;

/// The longest that `getUpdates` waits at the server, in seconds.
pub const POLL_TIMEOUT_MAX_S: u32 = 50;

/// What can be asked of Telegram. Passed in as `Arc<dyn Telegram>`.
///
/// No method tries again. A future that is dropped before it answered leaves the outcome unknown.
pub trait Telegram: Send + Sync {
    /// Who the bot is.
    fn get_me(&self) -> Call<'_, Me>;

    /// Waits up to `timeout_s` (0 to [`POLL_TIMEOUT_MAX_S`]) for updates from `offset` on, which confirms everything below
    /// it. `allowed` names the kinds and is sent every time, because Telegram remembers it.
    fn get_updates(&self, offset: i64, timeout_s: u32, allowed: &[&str]) -> Call<'_, Vec<RawUpdate>>;

    /// Sends a text. HTML that Telegram refuses is sent once more as plain text.
    fn send_message(&self, message: SendMessage) -> Call<'_, MessageRef>;

    /// Changes text and buttons of a message of ours. "Not modified" is success.
    fn edit_message_text(&self, edit: EditMessage) -> Call<'_, ()>;

    /// Changes only the buttons; `None` takes them away. "Not modified" is success.
    fn edit_reply_markup(&self, message: MessageRef, buttons: Option<Buttons>) -> Call<'_, ()>;

    /// Deletes a message. One that is gone already is success.
    fn delete_message(&self, message: MessageRef) -> Call<'_, ()>;

    /// Ends the spinner on a pressed button, with a text (cut at 200 characters) or without; `alert` makes it a dialog.
    /// Too late or twice is success.
    fn answer_callback(&self, id: &str, text: Option<&str>, alert: bool) -> Call<'_, ()>;

    /// Sends a sticker that Telegram has.
    fn send_sticker(&self, chat_id: i64, file_id: &str) -> Call<'_, MessageRef>;

    /// Sends a file.
    fn send_document(&self, document: SendDocument) -> Call<'_, MessageRef>;

    /// Makes a sticker set with all its stickers in one call. Not idempotent: see
    /// [`TelegramError::may_have_applied`].
    fn create_sticker_set(&self, set: CreateStickerSet) -> Call<'_, ()>;

    /// Reads a set; `None` when there is none of this name (a set just made may not be seen for some seconds).
    fn get_sticker_set(&self, name: &str) -> Call<'_, Option<StickerSet>>;

    /// Adds a sticker at the end of a set of `user_id`. After an unknown outcome count the set before adding again.
    fn add_sticker_to_set(&self, user_id: i64, name: &str, sticker: InputSticker) -> Call<'_, ()>;

    /// Deletes a set that this bot made. One that is gone already is success.
    fn delete_sticker_set(&self, name: &str) -> Call<'_, ()>;

    /// Sets the menu of commands for a scope and, with a two-letter code, a language.
    fn set_my_commands(
        &self,
        commands: &[BotCommand],
        scope: CommandScope,
        language: Option<&str>,
    ) -> Call<'_, ()>;

    /// Removes a webhook, keeping the updates that wait.
    fn delete_webhook(&self) -> Call<'_, ()>;

    /// Reads a chat.
    fn get_chat(&self, chat_id: i64) -> Call<'_, ChatInfo>;
}
