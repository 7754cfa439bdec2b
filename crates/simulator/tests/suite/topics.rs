//! Forums: topics made and deleted, where messages and answers stand.

use serde_json::{Value, json};
use simulator::NewGroup;

use crate::socket::server;
use crate::stage::{BOT, Stage, stage};

fn forum(stage: &Stage) -> i64 {
    let members = vec![stage.kamila];
    let group = NewGroup { title: "Team".into(), members, forum: true, ..NewGroup::default() };
    stage.world.add_group(group).unwrap()
}

fn card(chat: i64, topic: i64) -> Value {
    json!({"chat_id": chat, "text": "card", "message_thread_id": topic})
}

const NO_TOPIC: &str = "400 Bad Request: message thread not found";

#[tokio::test]
async fn a_message_goes_into_a_topic_that_is_there_and_nowhere_else() {
    let stage = stage();
    let chat = forum(&stage);
    let topic = stage.world.add_topic(chat, "Заявки").unwrap();
    let sent = stage.done("sendMessage", card(chat, topic)).await;
    assert_eq!(
        (sent["message_thread_id"].as_i64(), sent["is_topic_message"].as_bool()),
        (Some(topic), Some(true))
    );
    assert_eq!(sent["reply_to_message"]["forum_topic_created"]["name"], "Заявки");
    assert_eq!(
        (sent["chat"]["is_forum"].as_bool(), sent["chat"]["type"].as_str()),
        (Some(true), Some("supergroup"))
    );
    let general = stage.done("sendMessage", json!({"chat_id": chat, "text": "card"})).await;
    assert!(
        general.get("message_thread_id").is_none() && general.get("is_topic_message").is_none(),
        "{general}"
    );
    for (row, topic) in [("unknown", topic + 50), ("the general topic has no number", 1)] {
        stage.refused(row, "sendMessage", card(chat, topic), NO_TOPIC).await;
    }
    stage.world.delete_topic(chat, topic).unwrap();
    stage.refused("deleted", "sendMessage", card(chat, topic), NO_TOPIC).await;
    let edit = json!({"chat_id": chat, "message_id": sent["message_id"], "text": "x"});
    let (status, _) = stage.call("editMessageText", edit).await;
    assert_eq!(status, 400, "a card goes with its topic");
}

#[tokio::test]
async fn a_group_without_topics_has_none() {
    let stage = stage();
    let members = vec![stage.kamila];
    let group = NewGroup { title: "Team".into(), members, supergroup: true, ..NewGroup::default() };
    let chat = stage.world.add_group(group).unwrap();
    assert!(stage.world.add_topic(chat, "Заявки").is_err());
    stage.refused("no forum", "sendMessage", card(chat, 3), NO_TOPIC).await;
    stage.refused("private", "sendMessage", card(stage.kamila, 3), NO_TOPIC).await;
}

#[tokio::test]
async fn an_answer_stands_in_the_topic_of_its_question_and_cannot_cross_topics() {
    let stage = stage();
    let chat = forum(&stage);
    let leads = stage.world.add_topic(chat, "Заявки").unwrap();
    let other = stage.world.add_topic(chat, "Прочее").unwrap();
    let sent = stage.done("sendMessage", card(chat, leads)).await;
    let question = sent["message_id"].as_i64().unwrap();
    stage.updates().await;
    let answer = stage.world.send_text(stage.kamila, chat, "кто возьмёт?", Some(question)).unwrap();
    let heard = &stage.updates().await[0]["message"];
    assert_eq!(
        (heard["message_id"].as_i64(), heard["message_thread_id"].as_i64()),
        (Some(answer), Some(leads))
    );
    assert_eq!(heard["reply_to_message"]["message_id"], question);
    let reply = json!({"chat_id": chat, "text": "я", "reply_parameters": {"message_id": answer}});
    assert_eq!(stage.done("sendMessage", reply).await["message_thread_id"], leads);
    let crossing = json!({"chat_id": chat, "text": "x", "message_thread_id": other,
        "reply_parameters": {"message_id": question, "allow_sending_without_reply": true}});
    let words = "400 Bad Request: message to be replied not found";
    stage.refused("another topic", "sendMessage", crossing, words).await;
}

#[tokio::test]
async fn a_command_in_a_topic_says_where_it_stands() {
    let stage = stage();
    let chat = forum(&stage);
    let topic = stage.world.add_topic(chat, "Заявки").unwrap();
    stage.updates().await;
    stage.world.send_in_topic(stage.kamila, chat, topic, "/stickers_new").unwrap();
    let message = &stage.updates().await[0]["message"];
    assert_eq!(
        (message["message_thread_id"].as_i64(), message["text"].as_str()),
        (Some(topic), Some("/stickers_new"))
    );
    assert!(stage.world.send_in_topic(stage.kamila, chat, topic + 9, "x").is_err());
    assert!(stage.world.send_in_topic(stage.kamila, BOT, topic, "x").is_err());
}

#[tokio::test]
async fn topics_are_made_over_the_wire_and_named_in_the_view() {
    let server = server().await;
    let kamila = server.stage.kamila;
    let new = json!({"title": "Team", "members": [kamila], "forum": true});
    let chat = server.post("/sim/groups", new).await.json()["id"].as_i64().unwrap();
    let made = server.post(&format!("/sim/groups/{chat}/topics"), json!({"name": "Заявки"})).await;
    let topic = made.json()["message_thread_id"].as_i64().unwrap();
    assert_eq!(made.status, 201);
    server.stage.done("sendMessage", card(chat, topic)).await;
    let said = json!({"person": kamila, "chat": chat, "text": "вижу", "topic": topic});
    assert_eq!(server.post("/sim/send", said).await.status, 201);
    let view = server.get(&format!("/sim/chat?person={kamila}&chat={chat}")).await.json();
    assert_eq!(view["chat"]["topics"], json!([{"id": topic, "name": "Заявки"}]));
    let topics: Vec<_> =
        view["messages"].as_array().unwrap().iter().skip(1).map(|m| m["topic"].clone()).collect();
    assert_eq!(topics, ["Заявки", "Заявки", "Заявки"]);
    let gone = format!("DELETE /sim/groups/{chat}/topics/{topic} HTTP/1.1");
    assert_eq!(server.raw(&gone, b"").await.unwrap().status, 204);
    assert_eq!(server.raw(&gone, b"").await.unwrap().status, 404);
}
