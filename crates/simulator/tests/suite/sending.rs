//! The table "Sending", the limits of messages, and flood control.

use serde_json::{Value, json};
use simulator::{NewGroup, Params};

use crate::stage::{jpeg, png, stage, webp};

#[tokio::test]
async fn every_bad_message_has_its_words() {
    let stage = stage();
    let with = |more: Value| {
        let mut params = json!({"chat_id": stage.kamila, "text": "hello"});
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        params
    };
    let button = |button: Value| json!({"reply_markup": {"inline_keyboard": [[button]]}});
    let hundred: Vec<Value> =
        (0..101).map(|n| json!({"text": "x", "callback_data": n.to_string()})).collect();
    for (row, more, words) in [
        ("empty", json!({"text": ""}), "message text is empty"),
        ("only spaces", json!({"text": "  \n "}), "message text is empty"),
        ("only tags", json!({"text": "<b></b>", "parse_mode": "HTML"}), "message text is empty"),
        ("4097", json!({"text": "я".repeat(4_097)}), "message is too long"),
        ("32 KiB", json!({"text": "x".repeat(32_769)}), "text is too long"),
        (
            "html",
            json!({"text": "I <3 you", "parse_mode": "HTML"}),
            "can't parse entities: Unsupported start tag \"3\" at byte offset 2",
        ),
        ("mode", json!({"parse_mode": "BBCode"}), "unsupported parse_mode"),
        ("no target", json!({"reply_parameters": {"message_id": 9}}), "message to be replied not found"),
        ("old form", json!({"reply_to_message_id": 9}), "message to be replied not found"),
        ("broken reply", json!({"reply_parameters": "{"}), "can't parse reply parameters JSON object"),
        ("thread", json!({"message_thread_id": 3}), "message thread not found"),
        ("101 buttons", json!({"reply_markup": {"inline_keyboard": [hundred]}}), "reply markup is too long"),
        ("65 bytes", button(json!({"text": "x", "callback_data": "x".repeat(65)})), "BUTTON_DATA_INVALID"),
        ("no link", button(json!({"text": "x", "url": "over there"})), "BUTTON_URL_INVALID"),
        ("no JSON", json!({"reply_markup": "{"}), "can't parse reply keyboard markup JSON object"),
        (
            "no action",
            button(json!({"text": "x"})),
            "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
        ),
    ] {
        stage.refused(row, "sendMessage", with(more), &format!("400 Bad Request: {words}")).await;
    }
}

#[tokio::test]
async fn checks_come_in_the_servers_order() {
    let stage = stage();
    let steps = [
        (
            json!({"chat_id": 1, "text": "", "reply_markup": "{"}),
            "can't parse reply keyboard markup JSON object",
        ),
        (json!({"chat_id": 1, "text": ""}), "message text is empty"),
        (
            json!({"chat_id": 1, "text": "<x>", "parse_mode": "HTML"}),
            "can't parse entities: Unsupported start tag \"x\" at byte offset 0",
        ),
        (json!({"chat_id": 1, "text": "x".repeat(5_000), "reply_to_message_id": 1}), "chat not found"),
        (
            json!({"chat_id": stage.kamila, "text": "x".repeat(5_000), "reply_to_message_id": 1}),
            "message to be replied not found",
        ),
        (json!({"chat_id": stage.kamila, "text": "x".repeat(5_000)}), "message is too long"),
    ];
    for (number, (params, words)) in steps.into_iter().enumerate() {
        let row = format!("step {number}");
        stage.refused(&row, "sendMessage", params, &format!("400 Bad Request: {words}")).await;
    }
}

#[tokio::test]
async fn a_sent_message_comes_back_as_it_stands() {
    let stage = stage();
    let start = stage.world.view(Some(stage.kamila), crate::stage::BOT).unwrap()["messages"][0]["id"].clone();
    let sent = stage
        .done(
            "sendMessage",
            json!({
                "chat_id": stage.kamila.to_string(), "text": "<b>Salom</b> 👋", "parse_mode": "html",
                "reply_parameters": {"message_id": start},
                "reply_markup": {"inline_keyboard": [[{"text": "✅ Согласен", "callback_data": "consent:1"}]]},
            }),
        )
        .await;
    assert_eq!(sent["text"], "Salom 👋");
    assert_eq!(sent["entities"], json!([{"type": "bold", "offset": 0, "length": 5}]));
    assert_eq!(sent["chat"]["type"], "private");
    assert_eq!(sent["from"]["is_bot"], true);
    assert_eq!(sent["reply_to_message"]["message_id"], start);
    assert_eq!(sent["reply_markup"]["inline_keyboard"][0][0]["callback_data"], "consent:1");
    assert_eq!(sent["date"], crate::stage::START_MS / 1_000);
}

#[tokio::test]
async fn a_missing_reply_target_is_forgiven_in_this_chat_only() {
    let stage = stage();
    for params in [
        json!({"reply_parameters": {"message_id": 9, "allow_sending_without_reply": true}}),
        json!({"reply_to_message_id": 9, "allow_sending_without_reply": true}),
    ] {
        let mut params = params;
        params["chat_id"] = json!(stage.kamila);
        params["text"] = json!("x");
        let sent = stage.done("sendMessage", params).await;
        assert!(sent.get("reply_to_message").is_none());
    }
    let other = json!({"chat_id": stage.kamila, "text": "x", "reply_parameters":
        {"message_id": 9, "allow_sending_without_reply": true, "chat_id": -77}});
    stage
        .refused("other chat", "sendMessage", other, "400 Bad Request: message to be replied not found")
        .await;
}

#[tokio::test]
async fn private_chats_share_one_row_of_numbers_and_a_supergroup_has_its_own() {
    let stage = stage();
    let emma = stage.stranger("Emma");
    let first = stage.world.start(emma, crate::stage::BOT, None).unwrap();
    assert_eq!(stage.send("x").await, first + 1);
    let members = vec![emma];
    let chat = stage
        .world
        .add_group(NewGroup { title: "Team".into(), members, supergroup: true, ..NewGroup::default() })
        .unwrap();
    assert!(chat < -1_000_000_000_000);
    let sent = stage.done("sendMessage", json!({"chat_id": chat, "text": "x"})).await;
    assert_eq!(sent["message_id"], 2);
}

#[tokio::test]
async fn a_full_bucket_answers_429_with_the_seconds() {
    let stage = stage();
    for _ in 0..3 {
        stage.send("x").await;
    }
    let params = json!({"chat_id": stage.kamila, "text": "x"});
    let (status, body) = stage.call("sendMessage", params.clone()).await;
    assert_eq!(status, 429);
    assert_eq!(body["description"], "Too Many Requests: retry after 1");
    assert_eq!(body["parameters"], json!({"retry_after": 1}));
    let emma = stage.stranger("Emma");
    stage.world.start(emma, crate::stage::BOT, None).unwrap();
    stage.done("sendMessage", json!({"chat_id": emma, "text": "others go on"})).await;
    stage.later(1);
    stage.done("sendMessage", params).await;
}

#[tokio::test]
async fn a_document_comes_back_byte_for_byte() {
    let stage = stage();
    let params = Params::new()
        .with("chat_id", stage.kamila)
        .with("document", "attach://list")
        .with("caption", "<i>заявки</i>")
        .with("parse_mode", "HTML")
        .file("list", "leads.csv", "a;b\n1;2\n");
    let sent = stage.done("sendDocument", params).await;
    assert_eq!(sent["document"]["file_name"], "leads.csv");
    assert_eq!(sent["document"]["mime_type"], "text/csv");
    assert_eq!(sent["document"]["file_size"], 8);
    assert_eq!(sent["caption_entities"][0]["type"], "italic");
    let file = stage.done("getFile", json!({"file_id": sent["document"]["file_id"]})).await;
    let path = file["file_path"].as_str().unwrap();
    assert_eq!(stage.world.download(crate::stage::TOKEN, path).unwrap().1, "a;b\n1;2\n");
    assert!(stage.world.download("123456:OTHER", path).is_none());
    let again = json!({"chat_id": stage.kamila, "document": sent["document"]["file_id"]});
    assert_eq!(stage.done("sendDocument", again).await["document"], sent["document"]);
}

#[tokio::test]
async fn every_bad_file_has_its_words() {
    let stage = stage();
    let document = Params::new().with("chat_id", stage.kamila).file("document", "a.txt", "a");
    let document = stage.done("sendDocument", document).await["document"]["file_id"].clone();
    let text = |method: &str, value: Value| json!({"chat_id": stage.kamila, method: value});
    for (row, method, params, words) in [
        ("no document", "sendDocument", json!({"chat_id": 1}), "there is no document in the request"),
        ("no sticker", "sendSticker", json!({"chat_id": 1}), "there is no sticker in the request"),
        ("no photo", "sendPhoto", json!({"chat_id": 1}), "there is no photo in the request"),
        ("lost part", "sendPhoto", text("photo", json!("attach://p")), "there is no photo in the request"),
        (
            "no id",
            "sendSticker",
            text("sticker", json!("ABCD")),
            "wrong remote file identifier specified: can't unserialize it. Wrong last symbol",
        ),
        (
            "other kind",
            "sendSticker",
            text("sticker", document.clone()),
            "can't use file of type Document as Sticker",
        ),
        ("address", "sendPhoto", text("photo", json!("https://a.b/c.png")), "failed to get HTTP URL content"),
        ("words", "sendPhoto", text("photo", json!("a b.png")), "wrong file identifier/HTTP URL specified"),
        ("nothing", "getFile", json!({}), "file_id not specified"),
        ("unknown", "getFile", json!({"file_id": "ABCD"}), "invalid file_id"),
    ] {
        stage.refused(row, method, params, &format!("400 Bad Request: {words}")).await;
    }
    let huge =
        Params::new().with("chat_id", stage.kamila).file("document", "a.bin", vec![0; 20 * 1024 * 1024 + 1]);
    let huge = stage.done("sendDocument", huge).await["document"]["file_id"].clone();
    let words = "400 Bad Request: file is too big";
    stage.refused("over 20 MB", "getFile", json!({"file_id": huge}), words).await;
    let caption = Params::new()
        .with("chat_id", stage.kamila)
        .with("caption", "x".repeat(1_025))
        .file("document", "a.txt", "a");
    stage.refused("caption", "sendDocument", caption, "400 Bad Request: message caption is too long").await;
}

#[tokio::test]
async fn photos_and_stickers_are_really_looked_at() {
    let stage = stage();
    let send =
        |name: &str, bytes: Vec<u8>| Params::new().with("chat_id", stage.kamila).file(name, "f", bytes);
    let sent = stage.done("sendPhoto", send("photo", jpeg(64, 48))).await;
    assert_eq!(
        (sent["photo"][0]["width"].as_i64(), sent["photo"][0]["height"].as_i64()),
        (Some(64), Some(48))
    );
    let sent = stage.done("sendSticker", send("sticker", webp(512, 300))).await;
    assert_eq!(sent["sticker"]["height"], 300);
    for (row, method, part, bytes, words) in [
        ("noise", "sendPhoto", "photo", b"no picture".to_vec(), "IMAGE_PROCESS_FAILED"),
        ("thin", "sendPhoto", "photo", png(210, 10), "PHOTO_INVALID_DIMENSIONS"),
        ("side", "sendSticker", "sticker", png(400, 400), "STICKER_PNG_DIMENSIONS"),
    ] {
        stage.refused(row, method, send(part, bytes), &format!("400 Bad Request: {words}")).await;
    }
}

#[tokio::test]
async fn typing_shows_for_five_seconds_or_until_a_message_comes() {
    let stage = stage();
    let typing = || stage.world.view(Some(stage.kamila), crate::stage::BOT).unwrap()["typing"].clone();
    let action = json!({"chat_id": stage.kamila, "action": "typing"});
    stage.done("sendChatAction", action.clone()).await;
    assert_eq!(typing(), true);
    stage.later(5);
    assert_eq!(typing(), false);
    stage.done("sendChatAction", action).await;
    stage.send("done").await;
    assert_eq!(typing(), false);
    let words = "400 Bad Request: wrong parameter action in request";
    stage
        .refused("action", "sendChatAction", json!({"chat_id": stage.kamila, "action": "sing"}), words)
        .await;
}

#[tokio::test]
async fn commands_are_kept_and_bad_ones_refused() {
    let stage = stage();
    let list = json!([{"command": "mypack", "description": "Мой пак"}]);
    stage.done("setMyCommands", json!({"commands": list})).await;
    assert_eq!(stage.done("getMyCommands", json!({})).await, list);
    assert_eq!(stage.done("getMyCommands", json!({"scope": {"type": "default"}})).await, list);
    assert_eq!(stage.done("getMyCommands", json!({"language_code": "uz"})).await, json!([]));
    let shown = |stage: &crate::stage::Stage| {
        stage.world.view(Some(stage.kamila), crate::stage::BOT).unwrap()["chat"]["commands"].clone()
    };
    assert_eq!(shown(&stage), list);
    let narrow = json!([{"command": "help", "description": "Помощь"}]);
    let scope = json!({"type": "all_private_chats"});
    stage.done("setMyCommands", json!({"commands": narrow, "scope": scope, "language_code": "ru"})).await;
    assert_eq!(shown(&stage), narrow);
    for (commands, words) in [
        (json!("["), "can't parse commands JSON object"),
        (json!([{"command": "Мой", "description": "x"}]), "BOT_COMMAND_INVALID"),
        (json!([{"command": "my", "description": ""}]), "BOT_COMMAND_DESCRIPTION_INVALID"),
    ] {
        let words = format!("400 Bad Request: {words}");
        stage.refused("commands", "setMyCommands", json!({"commands": commands}), &words).await;
    }
}
