//! [`BotApi`]: each method of [`Telegram`] as one HTTP request.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Body;
use reqwest::multipart::{Form, Part};
use secrecy::SecretString;
use serde_json::{Value, json};

use super::error::{ErrorKind, TelegramError};
use super::requests::{
    BotCommand, Buttons, ChatInfo, ChatMember, CommandScope, CreateStickerSet, EditMessage, FromAnswer,
    InputSticker, Me, MessageRef, SendDocument, SendMessage, StickerSet,
};
use super::text::strip_tags;
use super::updates::{self, RawUpdate};
use super::wire::{ConfigError, Payload, TimeOuts, Wire};
use super::{Call, POLL_TIMEOUT_MAX_S, Telegram};

/// The longest text of an answer to a pressed button, in characters.
const CALLBACK_TEXT_MAX: usize = 200;

/// Telegram, or anything that speaks its Bot API, over HTTP.
pub struct BotApi {
    wire: Wire,
    time_outs: TimeOuts,
}

impl BotApi {
    /// A client for the server at `base_url` (`TELEGRAM_API_URL`), with the usual time-outs. Connects to nothing yet.
    ///
    /// # Errors
    /// An address or token that cannot be one, or broken TLS on this machine.
    pub fn new(base_url: &str, token: SecretString) -> Result<Self, ConfigError> {
        Self::with_time_outs(base_url, token, TimeOuts::default())
    }

    /// The same with other time-outs.
    ///
    /// # Errors
    /// As [`BotApi::new`].
    pub fn with_time_outs(
        base_url: &str,
        token: SecretString,
        time_outs: TimeOuts,
    ) -> Result<Self, ConfigError> {
        Ok(Self { wire: Wire::new(base_url, token, time_outs)?, time_outs })
    }

    async fn ask<T: FromAnswer>(
        &self,
        method: &str,
        payload: Payload,
        time_out: Duration,
    ) -> Result<T, TelegramError> {
        let result = self.wire.ask(method, payload, time_out).await?;
        // It happened, but what came of it cannot be told.
        T::from_answer(&result)
            .ok_or_else(|| TelegramError::unknown(format!("unreadable result of {method}")))
    }

    /// Shows "typing" in a chat: refused where messages would be. For who looks before an event.
    pub fn chat_action(&self, chat_id: i64) -> Call<'_, ()> {
        self.send("sendChatAction", json!({"chat_id": chat_id, "action": "typing"}))
    }

    /// How somebody stands in a chat. For who looks before an event; nothing that runs needs it.
    pub fn chat_member(&self, chat_id: i64, user_id: i64) -> Call<'_, ChatMember> {
        self.read("getChatMember", json!({"chat_id": chat_id, "user_id": user_id}))
    }

    fn read<T: FromAnswer>(&self, method: &'static str, params: Value) -> Call<'_, T> {
        Box::pin(self.ask(method, Payload::Json(params), self.time_outs.read))
    }

    fn send<T: FromAnswer>(&self, method: &'static str, params: Value) -> Call<'_, T> {
        Box::pin(self.ask(method, Payload::Json(params), self.time_outs.send))
    }

    fn upload<T: FromAnswer>(&self, method: &'static str, form: Form) -> Call<'_, T> {
        Box::pin(self.ask(method, Payload::Form(form), self.time_outs.send))
    }

    /// For calls whose aim is already reached when Telegram answers with one of `done`.
    fn send_until(&self, method: &'static str, params: Value, done: &'static [ErrorKind]) -> Call<'_, ()> {
        let call = self.send(method, params);
        Box::pin(async move {
            match call.await {
                Err(error) if done.contains(&error.kind) => Ok(()),
                other => other,
            }
        })
    }

    /// A text whose HTML was refused is surely not shown, so it may go once more as plain text.
    async fn send_text<T: FromAnswer>(
        &self,
        method: &'static str,
        mut params: Value,
    ) -> Result<T, TelegramError> {
        let first = self.ask(method, Payload::Json(params.clone()), self.time_outs.send).await;
        let refused_html = matches!(&first, Err(error) if error.kind == ErrorKind::BadHtml);
        let Some(object) = params.as_object_mut().filter(|_| refused_html) else { return first };
        tracing::warn!(method, "telegram refused our HTML; sending plain text");
        object.remove("parse_mode");
        let plain = strip_tags(object.get("text").and_then(Value::as_str).unwrap_or_default());
        object.insert("text".into(), plain.into());
        self.ask(method, Payload::Json(params), self.time_outs.send).await
    }
}

impl fmt::Debug for BotApi {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("BotApi").field("base_url", &self.wire.base_url()).finish_non_exhaustive()
    }
}

impl Telegram for BotApi {
    fn get_me(&self) -> Call<'_, Me> {
        self.read("getMe", json!({}))
    }

    fn get_updates(&self, offset: i64, timeout_s: u32, allowed: &[&str]) -> Call<'_, Vec<RawUpdate>> {
        let timeout_s = timeout_s.min(POLL_TIMEOUT_MAX_S);
        let params = json!({"offset": offset, "timeout": timeout_s, "allowed_updates": allowed});
        let time_out = Duration::from_secs(timeout_s.into()) + self.time_outs.poll_margin;
        Box::pin(async move {
            let result = self.wire.ask("getUpdates", Payload::Json(params), time_out).await?;
            updates::split(result).ok_or_else(|| TelegramError::unknown("unreadable result of getUpdates"))
        })
    }

    fn send_message(&self, message: SendMessage) -> Call<'_, MessageRef> {
        Box::pin(self.send_text("sendMessage", message.params()))
    }

    fn edit_message_text(&self, edit: EditMessage) -> Call<'_, ()> {
        let params = edit.params();
        Box::pin(async move {
            match self.send_text("editMessageText", params).await {
                Err(error) if error.kind == ErrorKind::NotModified => Ok(()),
                other => other,
            }
        })
    }

    fn edit_reply_markup(&self, message: MessageRef, buttons: Option<Buttons>) -> Call<'_, ()> {
        let mut params = message_params(message);
        if let Some(buttons) = buttons {
            params["reply_markup"] = buttons.to_json();
        }
        self.send_until("editMessageReplyMarkup", params, &[ErrorKind::NotModified])
    }

    fn delete_message(&self, message: MessageRef) -> Call<'_, ()> {
        self.send_until("deleteMessage", message_params(message), &[ErrorKind::MessageGone])
    }

    fn answer_callback(&self, id: &str, text: Option<&str>, alert: bool) -> Call<'_, ()> {
        let mut params = json!({"callback_query_id": id});
        if let Some(text) = text {
            params["text"] = text.chars().take(CALLBACK_TEXT_MAX).collect::<String>().into();
            params["show_alert"] = alert.into();
        }
        self.send_until("answerCallbackQuery", params, &[ErrorKind::CallbackTooOld])
    }

    fn send_sticker(&self, chat_id: i64, file_id: &str) -> Call<'_, MessageRef> {
        self.send("sendSticker", json!({"chat_id": chat_id, "sticker": file_id}))
    }

    fn send_document(&self, document: SendDocument) -> Call<'_, MessageRef> {
        let part = match part(document.bytes, document.file_name, &document.mime_type) {
            Ok(part) => part,
            Err(error) => return Box::pin(std::future::ready(Err(error))),
        };
        let mut form = Form::new().text("chat_id", document.chat_id.to_string());
        if let Some(thread) = document.thread {
            form = form.text("message_thread_id", thread.to_string());
        }
        if let Some(caption) = document.caption {
            form = form.text("caption", caption);
        }
        self.upload("sendDocument", form.part("document", part))
    }

    fn create_sticker_set(&self, set: CreateStickerSet) -> Call<'_, ()> {
        let mut form = Form::new()
            .text("user_id", set.user_id.to_string())
            .text("name", set.name)
            .text("title", set.title);
        let mut stickers = Vec::with_capacity(set.stickers.len());
        for (number, sticker) in set.stickers.into_iter().enumerate() {
            let name = format!("sticker{number}");
            stickers.push(sticker_json(&name, &sticker.emoji));
            match webp_part(&name, sticker.webp) {
                Ok(part) => form = form.part(name, part),
                Err(error) => return Box::pin(std::future::ready(Err(error))),
            }
        }
        self.upload("createNewStickerSet", form.text("stickers", Value::Array(stickers).to_string()))
    }

    fn get_sticker_set(&self, name: &str) -> Call<'_, Option<StickerSet>> {
        let call = self.read("getStickerSet", json!({"name": name}));
        Box::pin(async move {
            match call.await {
                Ok(set) => Ok(Some(set)),
                Err(error) if error.kind == ErrorKind::SetInvalid => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    fn add_sticker_to_set(&self, user_id: i64, name: &str, sticker: InputSticker) -> Call<'_, ()> {
        let part = match webp_part("sticker0", sticker.webp) {
            Ok(part) => part,
            Err(error) => return Box::pin(std::future::ready(Err(error))),
        };
        let form = Form::new()
            .text("user_id", user_id.to_string())
            .text("name", name.to_owned())
            .text("sticker", sticker_json("sticker0", &sticker.emoji).to_string())
            .part("sticker0", part);
        self.upload("addStickerToSet", form)
    }

    fn delete_sticker_set(&self, name: &str) -> Call<'_, ()> {
        self.send_until("deleteStickerSet", json!({"name": name}), &[ErrorKind::SetInvalid])
    }

    fn set_my_commands(
        &self,
        commands: &[BotCommand],
        scope: CommandScope,
        language: Option<&str>,
    ) -> Call<'_, ()> {
        let commands: Vec<Value> = commands
            .iter()
            .map(|command| json!({"command": command.command, "description": command.description}))
            .collect();
        let mut params = json!({"commands": commands, "scope": scope.to_json()});
        if let Some(language) = language {
            params["language_code"] = language.into();
        }
        self.send("setMyCommands", params)
    }

    fn delete_webhook(&self) -> Call<'_, ()> {
        self.send("deleteWebhook", json!({"drop_pending_updates": false}))
    }

    fn get_chat(&self, chat_id: i64) -> Call<'_, ChatInfo> {
        self.read("getChat", json!({"chat_id": chat_id}))
    }
}

fn message_params(message: MessageRef) -> Value {
    json!({"chat_id": message.chat_id, "message_id": message.message_id})
}

fn sticker_json(part_name: &str, emoji: &str) -> Value {
    json!({"sticker": format!("attach://{part_name}"), "format": "static", "emoji_list": [emoji]})
}

fn webp_part(name: &str, webp: Bytes) -> Result<Part, TelegramError> {
    part(webp, format!("{name}.webp"), "image/webp")
}

fn part(bytes: Bytes, file_name: String, mime_type: &str) -> Result<Part, TelegramError> {
    let length = bytes.len() as u64;
    Part::stream_with_length(Body::from(bytes), length)
        .file_name(file_name)
        .mime_str(mime_type)
        .map_err(|_| TelegramError::not_sent(format!("{mime_type:?} is not a MIME type")))
}
