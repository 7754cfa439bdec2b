//! Polls that wait, by the virtual clock.

use serde_json::{Value, json};
use simulator::{Fault, Play};

use crate::stage::{BOT, TOKEN, stage};

#[tokio::test]
async fn a_waiting_poll_ends_with_the_first_update() {
    let stage = stage();
    stage.updates().await;
    let poll = stage.call("getUpdates", json!({"timeout": 50}));
    let (found, ()) = tokio::join!(poll, async {
        tokio::task::yield_now().await;
        stage.world.send_text(stage.kamila, BOT, "hello", None).unwrap();
    });
    assert_eq!(found.1["result"][0]["message"]["text"], "hello");
}

#[tokio::test]
async fn a_waiting_poll_ends_empty_when_its_time_is_over() {
    let stage = stage();
    stage.updates().await;
    let poll = stage.call("getUpdates", json!({"timeout": 30}));
    let (found, ()) = tokio::join!(poll, async {
        tokio::task::yield_now().await;
        stage.later(30);
    });
    assert_eq!(found, (200, json!({"ok": true, "result": []})));
}

#[tokio::test]
async fn a_second_poll_ends_the_first_with_409() {
    let stage = stage();
    stage.updates().await;
    let (first, second, ()) = tokio::join!(
        stage.call("getUpdates", json!({"timeout": 50})),
        async {
            tokio::task::yield_now().await;
            stage.call("getUpdates", json!({"timeout": 20, "offset": 1})).await
        },
        async {
            for _ in 0..3 {
                tokio::task::yield_now().await;
            }
            stage.later(20);
        }
    );
    assert_eq!(first.0, 409);
    assert_eq!(
        first.1["description"],
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
    );
    assert_eq!(second.0, 200);
}

#[tokio::test]
async fn the_bot_never_hears_what_it_sent_itself() {
    let stage = stage();
    stage.updates().await;
    stage.send("my own words").await;
    assert_eq!(stage.updates().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_start_link_arrives_as_a_command_with_its_payload() {
    let stage = stage();
    stage.world.start(stage.kamila, BOT, Some("Abc-12_3")).unwrap();
    let updates = stage.updates().await;
    let message = &updates[1]["message"];
    assert_eq!(message["text"], "/start Abc-12_3");
    assert_eq!(message["entities"], json!([{"type": "bot_command", "offset": 0, "length": 6}]));
    assert_eq!(message["from"]["language_code"], "ru");
    assert_eq!(message["chat"]["id"].as_i64(), Some(stage.kamila));
    assert!(stage.world.start(stage.kamila, BOT, Some("no payload!")).is_err());
    assert!(stage.world.start(stage.kamila, BOT, Some(&"x".repeat(65))).is_err());
}

#[tokio::test]
async fn a_changed_text_arrives_as_an_edited_message() {
    let stage = stage();
    let id = stage.world.send_text(stage.kamila, BOT, "/help", None).unwrap();
    stage.world.edit_text(stage.kamila, BOT, id, "/mypack").unwrap();
    let updates = stage.updates().await;
    assert_eq!(updates[2]["edited_message"]["text"], "/mypack");
    assert!(updates[2]["edited_message"]["edit_date"].is_i64());
}

#[tokio::test]
async fn hanging_calls_are_done_after_the_wait_and_answer_well() {
    let stage = stage();
    stage.world.fault(Fault::once("sendMessage", Play::Hang { seconds: 40 }));
    let send = stage.call("sendMessage", json!({"chat_id": stage.kamila, "text": "late"}));
    let messages =
        || stage.world.view(Some(stage.kamila), BOT).unwrap()["messages"].as_array().unwrap().len();
    let (sent, ()) = tokio::join!(send, async {
        tokio::task::yield_now().await;
        stage.later(39);
        tokio::task::yield_now().await;
        assert_eq!(messages(), 1);
        stage.later(1);
    });
    assert_eq!((sent.0, messages()), (200, 2));
}

#[tokio::test]
async fn an_outage_loses_presses_first_and_messages_after_a_day() {
    let stage = stage();
    stage.later(24 * 3_600);
    assert_eq!(stage.world.call(TOKEN, "getUpdates", json!({})).await.1["result"], json!([]));
}

#[tokio::test]
async fn a_webhook_ends_a_waiting_poll() {
    let stage = stage();
    stage.updates().await;
    let poll = stage.call("getUpdates", json!({"timeout": 50}));
    let (found, ()) = tokio::join!(poll, async {
        tokio::task::yield_now().await;
        stage.world.set_webhook(BOT, Some("https://somebody.example/hook")).unwrap();
    });
    assert_eq!(found.0, 409);
    assert_eq!(found.1["description"], "Conflict: terminated by setWebhook request");
}

#[tokio::test]
async fn a_thousand_calls_on_their_way_are_enough() {
    let stage = stage();
    stage.world.fault(Fault::once("getMe", Play::Hang { seconds: 60 }).times(0));
    let mut waiting: Vec<_> = (0..1_000).map(|_| Box::pin(stage.call("getMe", json!({})))).collect();
    for call in &mut waiting {
        assert!(futures::poll!(call).is_pending());
    }
    let mut one_more = Box::pin(stage.call("getMe", json!({})));
    assert!(futures::poll!(&mut one_more).is_pending());
    stage.later(3);
    let (status, body) = one_more.await;
    assert_eq!((status, &body["parameters"]["retry_after"]), (429, &json!(60)));
}
