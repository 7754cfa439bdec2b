//! The real client for Telegram, with its calls counted so that the clock stands still for them. A poll that waits at the server would never
//! let it move: the waiting is done here, between polls that do not wait.

use super::time::Moving;
use app::timer::Timer;
use clients::telegram::{
    BotApi, BotCommand, Buttons, Call, ChatInfo, CommandScope, CreateStickerSet, EditMessage, InputSticker,
    Me, MessageRef, RawUpdate, SendDocument, SendMessage, StickerSet, Telegram,
};
use std::sync::Arc;
use std::time::Duration;

/// How often new updates are asked for.
const POLL_EVERY: Duration = Duration::from_millis(500);

/// The client.
pub struct Counted {
    pub api: BotApi,
    pub clock: Arc<Moving>,
    pub timer: Arc<dyn Timer>,
}

impl Counted {
    fn counted<'a, T: Send + 'a>(&'a self, call: Call<'a, T>) -> Call<'a, T> {
        Box::pin(async move {
            let _under_way = self.clock.call();
            call.await
        })
    }
}

impl Telegram for Counted {
    fn get_me(&self) -> Call<'_, Me> {
        self.counted(self.api.get_me())
    }
    fn get_updates(&self, offset: i64, timeout_s: u32, allowed: &[&str]) -> Call<'_, Vec<RawUpdate>> {
        let allowed: Vec<String> = allowed.iter().map(|kind| (*kind).to_owned()).collect();
        Box::pin(async move {
            let allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
            let mut waited = Duration::ZERO;
            loop {
                let found = self.counted(self.api.get_updates(offset, 0, &allowed)).await?;
                if !found.is_empty() || waited >= Duration::from_secs(timeout_s.into()) {
                    return Ok(found);
                }
                self.timer.sleep(POLL_EVERY).await;
                waited += POLL_EVERY;
            }
        })
    }
    fn send_message(&self, message: SendMessage) -> Call<'_, MessageRef> {
        self.counted(self.api.send_message(message))
    }
    fn edit_message_text(&self, edit: EditMessage) -> Call<'_, ()> {
        self.counted(self.api.edit_message_text(edit))
    }
    fn edit_reply_markup(&self, message: MessageRef, buttons: Option<Buttons>) -> Call<'_, ()> {
        self.counted(self.api.edit_reply_markup(message, buttons))
    }
    fn delete_message(&self, message: MessageRef) -> Call<'_, ()> {
        self.counted(self.api.delete_message(message))
    }
    fn answer_callback(&self, id: &str, text: Option<&str>, alert: bool) -> Call<'_, ()> {
        self.counted(self.api.answer_callback(id, text, alert))
    }
    fn send_sticker(&self, chat_id: i64, file_id: &str) -> Call<'_, MessageRef> {
        self.counted(self.api.send_sticker(chat_id, file_id))
    }
    fn send_document(&self, document: SendDocument) -> Call<'_, MessageRef> {
        self.counted(self.api.send_document(document))
    }
    fn create_sticker_set(&self, set: CreateStickerSet) -> Call<'_, ()> {
        self.counted(self.api.create_sticker_set(set))
    }
    fn get_sticker_set(&self, name: &str) -> Call<'_, Option<StickerSet>> {
        self.counted(self.api.get_sticker_set(name))
    }
    fn add_sticker_to_set(&self, user_id: i64, name: &str, sticker: InputSticker) -> Call<'_, ()> {
        self.counted(self.api.add_sticker_to_set(user_id, name, sticker))
    }
    fn delete_sticker_set(&self, name: &str) -> Call<'_, ()> {
        self.counted(self.api.delete_sticker_set(name))
    }
    fn set_my_commands(
        &self,
        commands: &[BotCommand],
        scope: CommandScope,
        language: Option<&str>,
    ) -> Call<'_, ()> {
        self.counted(self.api.set_my_commands(commands, scope, language))
    }
    fn delete_webhook(&self) -> Call<'_, ()> {
        self.counted(self.api.delete_webhook())
    }
    fn get_chat(&self, chat_id: i64) -> Call<'_, ChatInfo> {
        self.counted(self.api.get_chat(chat_id))
    }
}
