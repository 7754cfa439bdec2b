//! The control API below `/sim`, and the pages.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::socket::server;
use crate::stage::BOT;

#[tokio::test]
async fn a_guest_is_made_starts_writes_and_sees_the_chat() {
    let server = server().await;
    let new = json!({"first_name": "Emma", "username": "@emma", "language_code": "en"});
    let person = server.post("/sim/people", new).await;
    assert_eq!(person.status, 201);
    let id = person.json()["id"].as_i64().unwrap();
    assert_eq!(person.json()["username"], "emma");
    assert_eq!(person.json()["chats"], json!([]));
    let before = server.get(&format!("/sim/chat?person={id}&chat={BOT}")).await.json();
    assert_eq!((before["revision"].as_i64(), &before["messages"]), (Some(0), &json!([])));
    let start = json!({"person": id, "bot": BOT, "payload": "token1"});
    let started = server.post("/sim/start", start).await;
    assert_eq!(started.status, 201);
    let reply_to = started.json()["message_id"].clone();
    let text = json!({"person": id, "chat": BOT, "text": "/help", "reply_to": reply_to});
    assert_eq!(server.post("/sim/send", text).await.status, 201);
    let view = server.get(&format!("/sim/chat?person={id}&chat={BOT}")).await.json();
    assert_eq!(view["messages"][0]["text"], "/start token1");
    assert_eq!(view["messages"][0]["from"], json!({"id": id, "name": "Emma", "is_bot": false, "me": true}));
    assert_eq!(view["messages"][1]["reply_to"]["text"], "/start token1");
    assert_eq!(view["chat"]["bot"], true);
    assert_eq!(view["person"]["chats"][0]["id"], BOT);
    let people = server.get("/sim/people").await.json();
    assert_eq!(people["people"].as_array().unwrap().len(), 2);
    assert_eq!(server.get("/sim/bots").await.json()["bots"][0]["username"], "stickers_sim_bot");
}

#[tokio::test]
async fn a_view_shows_buttons_files_and_stickers() {
    let server = server().await;
    let stage = &server.stage;
    let name = stage.make_set("space", 1).await;
    let set = server.get(&format!("/sim/sets/{name}")).await.json();
    let file = set["stickers"][0]["file"].as_str().unwrap().to_owned();
    assert_eq!(
        (set["owner"].as_i64(), set["stickers"][0]["transparent"].as_bool()),
        (Some(stage.kamila), Some(true))
    );
    let sticker = json!({"person": stage.kamila, "chat": BOT, "set": name, "index": 0});
    assert_eq!(server.post("/sim/sticker", sticker).await.status, 201);
    let markup = json!({"inline_keyboard": [[
        {"text": "Open", "url": "https://t.me/addstickers/x"}, {"text": "Yes", "callback_data": "yes"}
    ]]});
    let card = json!({"chat_id": stage.kamila, "text": "card", "reply_markup": markup});
    let id = stage.done("sendMessage", card).await["message_id"].clone();
    let view = server.get(&format!("/sim/chat?person={}&chat={BOT}", stage.kamila)).await.json();
    let shown = &view["messages"][1]["sticker"];
    assert_eq!(
        (shown["file"].as_str(), shown["set_name"].as_str()),
        (Some(file.as_str()), Some(name.as_str()))
    );
    assert_eq!(
        view["messages"][2]["buttons"],
        json!([[{"text": "Open", "url": "https://t.me/addstickers/x", "callback": false},
                {"text": "Yes", "url": null, "callback": true}]])
    );
    let press = json!({"person": stage.kamila, "chat": BOT, "message_id": id, "row": 0, "col": 1});
    assert_eq!(server.post("/sim/press", press).await.status, 202);
    let picture = server.get(&format!("/sim/files/{file}")).await;
    assert!(picture.head.contains("content-type: image/png") && picture.head.contains("nosniff"));
    assert_eq!(server.get("/sim/sets").await.json()["sets"][0]["name"], json!(name));
}

#[tokio::test]
async fn refusals_of_the_control_api_have_one_shape() {
    let server = server().await;
    let kamila = server.stage.kamila;
    for (path, body, status, error) in [
        ("/sim/people", json!({"first_name": " "}), 422, "invalid"),
        ("/sim/people", json!({}), 422, "bad_body"),
        ("/sim/send", json!({"person": 5, "chat": BOT, "text": "x"}), 404, "unknown_person"),
        ("/sim/send", json!({"person": kamila, "chat": -4, "text": "x"}), 404, "unknown_chat"),
        ("/sim/start", json!({"person": kamila, "bot": 7}), 404, "unknown_bot"),
        ("/sim/press", json!({"person": kamila, "chat": BOT, "message_id": 1}), 404, "unknown_message"),
        ("/sim/faults", json!({"kind": "earthquake"}), 422, "bad_body"),
        ("/sim/elsewhere", json!({}), 404, "not_found"),
    ] {
        let response = server.post(path, body).await;
        assert_eq!((response.status, response.json()["error"].as_str()), (status, Some(error)), "{path}");
        assert!(response.json()["message"].is_string());
    }
    let no_chat = server.get("/sim/events?person=1").await;
    assert_eq!((no_chat.status, no_chat.json()["error"].as_str()), (422, Some("bad_query")));
}

#[tokio::test]
async fn faults_settings_clock_and_calls_are_reached_over_the_wire() {
    let server = server().await;
    let fault = json!({"kind": "flood", "method": "getMe", "retry_after": 7});
    assert_eq!(server.post("/sim/faults", fault).await.status, 201);
    assert_eq!(server.stage.call("getMe", json!({})).await.0, 429);
    server.post("/sim/faults", json!({"kind": "refuse", "count": 0})).await;
    assert_eq!(server.get("/sim/faults").await.json()["faults"][0]["kind"], "refuse");
    assert_eq!(server.raw("DELETE /sim/faults HTTP/1.1", b"").await.unwrap().status, 204);
    assert_eq!(server.stage.call("getMe", json!({})).await.0, 200);
    let calls = server.get("/sim/log").await.json();
    assert_eq!(
        (calls["calls"][0]["method"].as_str(), calls["calls"][0]["status"].as_i64()),
        (Some("getMe"), Some(429))
    );
    let before = server.get("/sim/clock").await.json()["now_ms"].as_i64().unwrap();
    let after = server.post("/sim/clock", json!({"advance_seconds": 60})).await.json();
    assert_eq!(after["now_ms"].as_i64(), Some(before + 60_000));
    let mut settings = server.get("/sim/settings").await.json();
    settings["set_lag_ms"] = json!(5_000);
    assert_eq!(server.post("/sim/settings", settings.clone()).await.json(), settings);
}

#[tokio::test]
async fn a_group_is_made_and_shown_to_its_members() {
    let server = server().await;
    let kamila = server.stage.kamila;
    let new = json!({"title": "Заявки", "members": [kamila], "admins": [BOT]});
    let group = server.post("/sim/groups", new).await.json();
    let chat = group["id"].as_i64().unwrap();
    assert_eq!(group["type"], "group");
    let view = server.get(&format!("/sim/chat?person={kamila}&chat={chat}")).await.json();
    assert_eq!((view["chat"]["title"].as_str(), view["chat"]["members"].as_i64()), (Some("Заявки"), Some(2)));
    assert!(view["messages"][0]["service"].is_string());
    let looking_on = server.get(&format!("/sim/chat?chat={chat}")).await.json();
    assert_eq!(looking_on["person"], Value::Null);
    assert_eq!(server.get("/sim/groups").await.json()["groups"][0]["id"], chat);
}

/// The next event's data.
async fn event(socket: &mut TcpStream, seen: &mut Vec<u8>) -> Value {
    let find = |bytes: &[u8], mark: &[u8]| bytes.windows(mark.len()).position(|window| window == mark);
    loop {
        if let Some(at) = find(seen, b"data: ")
            && let Some(length) = find(&seen[at..], b"\n\n")
        {
            let data = seen[at + 6..at + length].to_owned();
            seen.drain(..at + length);
            return serde_json::from_slice(&data).unwrap();
        }
        let mut bytes = vec![0; 65_536];
        let count = socket.read(&mut bytes).await.unwrap();
        assert!(count > 0, "the stream ended");
        seen.extend(&bytes[..count]);
    }
}

#[tokio::test]
async fn events_bring_the_view_at_once_and_at_each_change() {
    let server = server().await;
    let kamila = server.stage.kamila;
    let mut socket = server.connect().await;
    let request = format!("GET /sim/events?person={kamila}&chat={BOT} HTTP/1.1\r\nhost: x\r\n\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut seen = Vec::new();
    assert_eq!(event(&mut socket, &mut seen).await["messages"].as_array().unwrap().len(), 1);
    server.stage.done("sendChatAction", json!({"chat_id": kamila, "action": "typing"})).await;
    assert_eq!(event(&mut socket, &mut seen).await["typing"], true);
    server.stage.later(5);
    assert_eq!(event(&mut socket, &mut seen).await["typing"], false);
    server.stage.send("hello").await;
    assert_eq!(event(&mut socket, &mut seen).await["messages"][1]["text"], "hello");
}

#[tokio::test]
async fn the_links_of_telegram_open_the_chat_page() {
    let server = server().await;
    for path in [
        "/stickers_sim_bot?start=abc",
        "/addstickers/space_by_stickers_sim_bot",
        "/chat?person=1&chat=2",
        "/",
    ] {
        let page = server.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.head.contains("content-type: text/html"), "{path}");
        assert!(page.head.contains("default-src 'none'"), "{path}");
    }
    assert_eq!(server.get("/another_bot?start=abc").await.status, 404);
    assert_eq!(server.get("/chat-assets/nothing.js").await.status, 404);
}
