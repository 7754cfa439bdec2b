//! The Bot API client against a server of our own: what it sends, and what it makes of answers and of none.

mod html;
mod lost_answers;
mod polling;
mod set_up;
mod what_counts_as_done;
mod what_is_sent;

use std::sync::Arc;
use std::time::Duration;

use crate::support::{Reply, Server};
use bytes::Bytes;
use clients::telegram::{
    BotApi, BotCommand, Button, Buttons, Call, CommandScope, ConfigError, CreateStickerSet, EditMessage,
    ErrorKind, InputSticker, MessageRef, SendDocument, SendMessage, Telegram, TimeOuts,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;

const TOKEN: &str = "123456:SECRET-token_1";
const CARD: MessageRef = MessageRef { chat_id: -5, message_id: 44 };

fn api(url: &str) -> BotApi {
    BotApi::new(url, TOKEN.into()).expect("a good address and token")
}

/// A client that gives up almost at once.
fn hasty(url: &str) -> BotApi {
    let soon = Duration::from_millis(100);
    let time_outs = TimeOuts { connect: Duration::from_secs(10), read: soon, send: soon, poll_margin: soon };
    BotApi::with_time_outs(url, TOKEN.into(), time_outs).expect("a good address and token")
}

fn ok(result: Value) -> Reply {
    Reply::Json(200, json!({"ok": true, "result": result}).to_string())
}

fn refusal(status: u16, description: &str) -> Reply {
    Reply::Json(status, json!({"ok": false, "error_code": status, "description": description}).to_string())
}

fn message(chat_id: i64, message_id: i64) -> Value {
    json!({"message_id": message_id, "date": 1, "chat": {"id": chat_id, "type": "private"}, "new_in_11_0": {}})
}

/// Asks once against a server that answers so; gives the method's name, its JSON and what became of it.
async fn once<T>(
    reply: Reply,
    ask: impl Fn(&BotApi) -> Call<'_, T>,
) -> (String, Value, Result<T, ErrorKind>) {
    let server = Server::start([reply]).await;
    let api = api(&server.url);
    let result = ask(&api).await.map_err(|error| error.kind);
    let asked = server.only();
    assert_eq!(asked.line, format!("POST /bot{TOKEN}/{}", asked.method()));
    (asked.method().to_owned(), asked.json(), result)
}
