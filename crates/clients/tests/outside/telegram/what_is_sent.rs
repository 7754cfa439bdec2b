//! What each call puts on the wire.

use super::*;

#[tokio::test]
async fn a_message_carries_only_what_was_asked_for() {
    let (method, params, sent) =
        once(ok(message(7, 1)), |api| api.send_message(SendMessage::plain(7, "<3"))).await;
    assert_eq!((method.as_str(), params), ("sendMessage", json!({"chat_id": 7, "text": "<3"})));
    assert_eq!(sent, Ok(MessageRef { chat_id: 7, message_id: 1 }));
}

#[tokio::test]
async fn a_message_with_everything() {
    let buttons = Buttons::row([Button::callback("Да", "forget:yes"), Button::url("Пак", "https://t.me/x")]);
    let message_with_everything = SendMessage {
        reply_to: Some(9),
        thread: Some(3),
        link_preview: false,
        ..SendMessage::html(-5, "<b>x</b>").with_buttons(buttons)
    };
    let (_, params, _) =
        once(ok(message(-5, 2)), |api| api.send_message(message_with_everything.clone())).await;
    let expected = json!({
        "chat_id": -5, "text": "<b>x</b>", "parse_mode": "HTML", "message_thread_id": 3,
        "link_preview_options": {"is_disabled": true},
        "reply_parameters": {"message_id": 9, "allow_sending_without_reply": true},
        "reply_markup": {"inline_keyboard": [[
            {"text": "Да", "callback_data": "forget:yes"}, {"text": "Пак", "url": "https://t.me/x"}
        ]]},
    });
    assert_eq!(params, expected);
}

#[tokio::test]
async fn edits_and_deletions_name_the_message() {
    let edit = EditMessage {
        message: CARD,
        text: "x".into(),
        parse_mode_html: true,
        buttons: None,
        link_preview: true,
    };
    let (method, params, _) = once(ok(true.into()), |api| api.edit_message_text(edit.clone())).await;
    let expected = json!({"chat_id": -5, "message_id": 44, "text": "x", "parse_mode": "HTML"});
    assert_eq!((method.as_str(), params), ("editMessageText", expected));

    let buttons = Buttons::row([Button::callback("a", "b")]);
    let (method, params, _) =
        once(ok(true.into()), |api| api.edit_reply_markup(CARD, Some(buttons.clone()))).await;
    let keyboard = json!({"inline_keyboard": [[{"text": "a", "callback_data": "b"}]]});
    let expected = json!({"chat_id": -5, "message_id": 44, "reply_markup": keyboard});
    assert_eq!((method.as_str(), params), ("editMessageReplyMarkup", expected));

    let (_, params, _) = once(ok(true.into()), |api| api.edit_reply_markup(CARD, None)).await;
    assert_eq!(params, json!({"chat_id": -5, "message_id": 44}));

    let (method, params, _) = once(ok(true.into()), |api| api.delete_message(CARD)).await;
    assert_eq!((method.as_str(), params), ("deleteMessage", json!({"chat_id": -5, "message_id": 44})));
}

#[tokio::test]
async fn an_answer_to_a_button_is_cut_at_its_limit() {
    let (method, params, _) = once(ok(true.into()), |api| api.answer_callback("q1", None, true)).await;
    assert_eq!((method.as_str(), params), ("answerCallbackQuery", json!({"callback_query_id": "q1"})));

    let long = "я".repeat(300);
    let (_, params, _) = once(ok(true.into()), |api| api.answer_callback("q1", Some(&long), true)).await;
    assert_eq!(params["text"], "я".repeat(200));
    assert_eq!(params["show_alert"], true);
}

#[tokio::test]
async fn a_poll_names_offset_time_and_kinds_every_time() {
    let (method, params, updates) =
        once(ok(json!([])), |api| api.get_updates(5, 600, &["message", "callback_query"])).await;
    let expected = json!({"offset": 5, "timeout": 50, "allowed_updates": ["message", "callback_query"]});
    assert_eq!((method.as_str(), params, updates), ("getUpdates", expected, Ok(vec![])));
}

#[tokio::test]
async fn the_smaller_calls() {
    let (method, params, sent) = once(ok(message(7, 3)), |api| api.send_sticker(7, "file-1")).await;
    assert_eq!((method.as_str(), params), ("sendSticker", json!({"chat_id": 7, "sticker": "file-1"})));
    assert_eq!(sent, Ok(MessageRef { chat_id: 7, message_id: 3 }));

    let (method, params, _) = once(ok(true.into()), |api| api.delete_sticker_set("s1_by_bot")).await;
    assert_eq!((method.as_str(), params), ("deleteStickerSet", json!({"name": "s1_by_bot"})));

    let (method, params, _) = once(ok(true.into()), Telegram::delete_webhook).await;
    assert_eq!((method.as_str(), params), ("deleteWebhook", json!({"drop_pending_updates": false})));

    let commands = [BotCommand { command: "mypack".into(), description: "Мой пак".into() }];
    let (method, params, _) =
        once(ok(true.into()), |api| api.set_my_commands(&commands, CommandScope::Chat(9), Some("uz"))).await;
    let expected = json!({
        "commands": [{"command": "mypack", "description": "Мой пак"}],
        "scope": {"type": "chat", "chat_id": 9}, "language_code": "uz",
    });
    assert_eq!((method.as_str(), params), ("setMyCommands", expected));
    let (_, params, _) =
        once(ok(true.into()), |api| api.set_my_commands(&[], CommandScope::AllPrivateChats, None)).await;
    assert_eq!(params, json!({"commands": [], "scope": {"type": "all_private_chats"}}));

    let chat = json!({"id": -100, "type": "supergroup", "title": "Leads", "is_forum": true});
    let (method, params, chat) = once(ok(chat), |api| api.get_chat(-5)).await;
    assert_eq!((method.as_str(), params), ("getChat", json!({"chat_id": -5})));
    let chat = chat.unwrap();
    assert_eq!((chat.id, chat.kind.as_str(), chat.is_forum), (-100, "supergroup", true));
}

#[tokio::test]
async fn a_set_goes_as_one_upload_with_all_its_pictures() {
    let server = Server::start([ok(true.into())]).await;
    let stickers =
        ["one", "two", "three"].map(|webp| InputSticker { webp: webp.into(), emoji: "🔥".into() });
    let set = CreateStickerSet {
        user_id: 7,
        name: "s1_ab_by_bot".into(),
        title: "Чапан & Co".into(),
        stickers: stickers.to_vec(),
    };
    api(&server.url).create_sticker_set(set).await.unwrap();
    let asked = server.only();
    assert_eq!(asked.method(), "createNewStickerSet");
    let parts = parts(&asked);
    let text = |name: &str| parts.iter().find(|part| part.0 == name).unwrap().2.clone();
    assert_eq!(
        (text("user_id"), text("name"), text("title")),
        ("7".into(), "s1_ab_by_bot".into(), "Чапан & Co".into())
    );
    let expected: Vec<Value> = (0..3)
        .map(|number| {
            json!({"sticker": format!("attach://sticker{number}"), "format": "static", "emoji_list": ["🔥"]})
        })
        .collect();
    assert_eq!(serde_json::from_str::<Value>(&text("stickers")).unwrap(), Value::Array(expected));
    for (number, content) in ["one", "two", "three"].iter().enumerate() {
        let part = parts.iter().find(|part| part.0 == format!("sticker{number}")).unwrap();
        assert_eq!(&part.2, content);
        assert!(
            part.1.contains("image/webp") && part.1.contains(&format!("sticker{number}.webp")),
            "{}",
            part.1
        );
    }
}

#[tokio::test]
async fn a_sticker_is_added_by_upload() {
    let server = Server::start([ok(true.into())]).await;
    let sticker = InputSticker { webp: "picture".into(), emoji: "😀".into() };
    api(&server.url).add_sticker_to_set(7, "s1_by_bot", sticker).await.unwrap();
    let parts = parts(&server.only());
    let names: Vec<&str> = parts.iter().map(|part| part.0.as_str()).collect();
    assert_eq!(names, ["user_id", "name", "sticker", "sticker0"]);
    let expected = json!({"sticker": "attach://sticker0", "format": "static", "emoji_list": ["😀"]});
    assert_eq!(serde_json::from_str::<Value>(&parts[2].2).unwrap(), expected);
    assert_eq!(parts[3].2, "picture");
}

#[tokio::test]
async fn a_document_keeps_its_name() {
    let server = Server::start([ok(message(-5, 8))]).await;
    let document = SendDocument {
        chat_id: -5,
        thread: Some(2),
        file_name: "stickers_leads_2026-11-29.csv".into(),
        mime_type: "text/csv".into(),
        bytes: Bytes::from_static(b"a;b"),
        caption: Some("Заявки".into()),
    };
    let sent = api(&server.url).send_document(document).await.unwrap();
    assert_eq!(sent.message_id, 8);
    let parts = parts(&server.only());
    let names: Vec<&str> = parts.iter().map(|part| part.0.as_str()).collect();
    assert_eq!(names, ["chat_id", "message_thread_id", "caption", "document"]);
    assert!(parts[3].1.contains("stickers_leads_2026-11-29.csv") && parts[3].1.contains("text/csv"));
    assert_eq!(parts[3].2, "a;b");
}

#[tokio::test]
async fn a_mime_type_that_is_none_sends_nothing() {
    let server = Server::start([]).await;
    let document = SendDocument {
        chat_id: 7,
        thread: None,
        file_name: "x".into(),
        mime_type: "not a type".into(),
        bytes: Bytes::new(),
        caption: None,
    };
    let error = api(&server.url).send_document(document).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotSent);
    assert!(server.asked().is_empty());
}

/// Name, head and content of each part of a form.
fn parts(asked: &crate::support::Asked) -> Vec<(String, String, String)> {
    let boundary = asked.head.split_once("boundary=").expect("a form").1;
    let boundary = boundary.lines().next().unwrap_or_default().trim();
    let text = asked.text();
    let boundary = format!("--{boundary}");
    let parts = text.split(&boundary).filter(|part| part.contains("\r\n\r\n"));
    parts
        .map(|part| {
            let (head, content) = part.split_once("\r\n\r\n").expect("a head");
            let name = head.split_once("name=\"").expect("a name").1;
            let name = name.split('"').next().unwrap_or_default();
            (name.to_owned(), head.to_owned(), content.trim_end_matches("\r\n").to_owned())
        })
        .collect()
}
