//! Seed 003, branch 2: the backup channel, and sites without a server.

use crate::harness::{ACCEPTED, Answer, GROUP, REFUSED, Stand, World};
use serde_json::json;

#[tokio::test]
async fn the_backup_message_warns_is_plain_and_links_the_username() {
    let (server, telegram) = (Stand::start(Answer::Says(404, "{}")).await, Stand::start(ACCEPTED).await);
    let world = World::new(Some(&server.url), Some(&telegram.url));
    let form = world.open("en").await.with("name", "Том & <b>");
    assert_eq!(world.send(&form).await.0, 200);
    let asked = telegram.only();
    assert_eq!(asked.path, "/bot1:token/sendMessage");
    let text = asked.body["text"].as_str().expect("a text");
    let warning = format!(
        "⚠️ Запасной канал: сервер заявок не ответил — заявки нет в базе (request_id {})",
        form.value("requestId")
    );
    assert_eq!(text.lines().next(), Some(warning.as_str()));
    for part in ["Том & <b>", "@madina_k", "+998901234567", "14 декабря", "около 150", "Свадьба"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(asked.body["chat_id"], GROUP);
    assert_eq!((asked.body.get("parse_mode"), asked.body.get("reply_markup")), (None, None));
    let before: String = text.chars().take_while(|letter| *letter != '@').collect();
    let link = json!([{
        "type": "text_link", "offset": before.encode_utf16().count(), "length": 9, "url": "https://t.me/madina_k",
    }]);
    assert_eq!(asked.body["entities"], link);
}

#[tokio::test]
async fn without_endpoint_and_secret_it_goes_straight_to_telegram_or_to_the_console() {
    let telegram = Stand::start(ACCEPTED).await;
    let world = World::new(None, Some(&telegram.url));
    let form = world.open("ru").await;
    assert_eq!(world.send(&form).await, (200, json!({"result": "sent"})));
    let text = telegram.only().body["text"].as_str().expect("a text").to_owned();
    assert!(text.starts_with("Заявка с сайта\n") && !text.contains("Запасной"), "{text}");
    assert!(world.printed().is_empty());

    let world = World::new(None, None);
    let form = world.open("ru").await;
    assert_eq!(world.send(&form).await, (200, json!({"result": "sent"})));
    let printed = world.printed();
    assert_eq!(printed.len(), 1);
    assert!(printed[0].contains("Мадина") && printed[0].contains(&form.value("requestId")), "{printed:?}");
}

#[tokio::test]
async fn without_a_server_a_telegram_that_refuses_is_an_error() {
    let telegram = Stand::start(REFUSED).await;
    let world = World::new(None, Some(&telegram.url));
    let form = world.open("ru").await;
    assert_eq!(world.send(&form).await, (502, json!({"result": "error"})));
    assert!(world.printed().is_empty());
}

#[tokio::test]
async fn a_group_that_became_a_supergroup_is_followed_once() {
    let moved = r#"{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat","parameters":{"migrate_to_chat_id":-100777}}"#;
    let accepted = r#"{"ok":true,"result":{"message_id":7,"chat":{"id":-100777}}}"#;
    let telegram = Stand::start(Answer::InTurn(vec![(400, moved), (200, accepted)])).await;
    let world = World::new(None, Some(&telegram.url));
    assert_eq!(world.send(&world.open("ru").await).await.0, 200);
    let chats: Vec<_> = telegram.asked().iter().map(|asked| asked.body["chat_id"].clone()).collect();
    assert_eq!(chats, [json!(GROUP), json!(-100_777)]);
    let telegram = Stand::start(Answer::Says(400, moved)).await;
    let world = World::new(None, Some(&telegram.url));
    assert_eq!(world.send(&world.open("ru").await).await.0, 502);
    assert_eq!(telegram.asked().len(), 2);
}
