//! Failures on order, seen through the direct call.

use serde_json::{Value, json};
use simulator::{Fault, Loss, Params, Play, Reply};

use crate::stage::{BOT, Stage, TOKEN, stage};

fn messages(stage: &Stage) -> usize {
    stage.world.view(Some(stage.kamila), BOT).unwrap()["messages"].as_array().unwrap().len()
}

async fn send(stage: &Stage) -> Reply {
    let params = Params::new().with("chat_id", stage.kamila).with("text", "x");
    stage.world.exchange(TOKEN, "sendMessage", &params).await
}

#[tokio::test]
async fn a_lost_answer_was_carried_out() {
    let stage = stage();
    for (how, there) in [(Loss::Close, 2), (Loss::Silence, 3), (Loss::Half, 4)] {
        stage.world.fault(Fault::once("sendMessage", Play::Lost { how }));
        let reply = send(&stage).await;
        assert_eq!(reply.clone().seen(), (0, Value::Null), "{how:?}");
        let as_ordered = matches!(
            (how, reply),
            (Loss::Close, Reply::Closed)
                | (Loss::Silence, Reply::Silent(_))
                | (Loss::Half, Reply::Half { .. })
        );
        assert!(as_ordered, "{how:?}");
        assert_eq!(messages(&stage), there, "{how:?}");
        stage.later(1);
    }
}

#[tokio::test]
async fn a_refused_connection_and_a_flood_were_not_carried_out() {
    let stage = stage();
    for play in [
        Play::Refuse,
        Play::Flood { retry_after: 3_600, applied: false },
        Play::Status { code: 500, description: "Internal Server Error: restart".into(), applied: false },
        Play::Html { code: 502, applied: false },
        Play::Html { code: 413, applied: false },
    ] {
        stage.world.fault(Fault::once("sendMessage", play));
        let (status, _) = send(&stage).await.seen();
        assert!(status == 0 || status >= 400);
        assert_eq!(messages(&stage), 1);
    }
    assert_eq!(send(&stage).await.status(), 200);
}

#[tokio::test]
async fn each_failure_has_its_shape() {
    let stage = stage();
    stage.world.fault(Fault::once("sendMessage", Play::Flood { retry_after: 35, applied: false }));
    let Reply::Json { status: 429, body, retry_after: Some(35) } = send(&stage).await else { panic!() };
    assert_eq!(body["parameters"]["retry_after"], 35);
    stage.world.fault(Fault::once("sendMessage", Play::Html { code: 502, applied: false }));
    let Reply::Html { status: 502, body } = send(&stage).await else { panic!() };
    assert!(body.starts_with("<html>") && body.contains("502 Bad Gateway"));
}

#[tokio::test]
async fn a_failure_for_one_chat_leaves_others_alone() {
    let stage = stage();
    let emma = stage.stranger("Emma");
    stage.world.start(emma, BOT, None).unwrap();
    let flood = Fault::once("sendMessage", Play::Flood { retry_after: 1, applied: false });
    stage.world.fault(flood.in_chat(emma).times(2).after(1));
    let send = |chat: i64| json!({"chat_id": chat, "text": "x"});
    for (chat, status) in [(emma, 200), (stage.kamila, 200), (emma, 429), (emma, 429), (emma, 200)] {
        assert_eq!(stage.call("sendMessage", send(chat)).await.0, status);
    }
    assert_eq!(stage.world.faults(), []);
}

#[tokio::test]
async fn confirmed_updates_can_come_again_and_numbers_can_jump() {
    let stage = stage();
    let first = stage.updates().await;
    stage.world.jump_updates(BOT, 1_000).unwrap();
    assert_eq!(stage.world.repeat_updates(BOT, 5).unwrap(), 1);
    stage.world.send_text(stage.kamila, BOT, "next", None).unwrap();
    let again = stage.updates().await;
    assert_eq!(again[0], first[0]);
    let jumped = again[1]["update_id"].as_i64().unwrap() - again[0]["update_id"].as_i64().unwrap();
    assert_eq!(jumped, 1_001);
}

#[tokio::test]
async fn the_list_of_calls_names_method_chat_and_status() {
    let stage = stage();
    stage.world.clear_log();
    stage.send("x").await;
    stage.call("sendmessage", json!({"chat_id": 5, "text": "x"})).await;
    stage.world.fault(Fault::once("getMe", Play::Refuse));
    stage.call("getMe", json!({})).await;
    let log: Vec<_> =
        stage.world.log().into_iter().map(|call| (call.method, call.chat, call.status)).collect();
    assert_eq!(
        log,
        [
            ("sendMessage".to_owned(), Some(stage.kamila), 200),
            ("sendMessage".to_owned(), Some(5), 400),
            ("getMe".to_owned(), None, 0),
        ]
    );
}
