//! Groups: removed and muted bots, upgrades, deletion, hidden administrators.

use serde_json::{Value, json};
use simulator::{NewGroup, Standing};

use crate::socket::server;
use crate::stage::{BOT, Stage, stage};

fn team(stage: &Stage, supergroup: bool) -> i64 {
    let members = vec![stage.kamila];
    stage
        .world
        .add_group(NewGroup { title: "Team".into(), members, supergroup, ..NewGroup::default() })
        .unwrap()
}

fn text(chat: i64) -> Value {
    json!({"chat_id": chat, "text": "card"})
}

#[tokio::test]
async fn a_removed_bot_is_told_and_refused_until_it_is_added_again() {
    let stage = stage();
    for (supergroup, words) in [
        (false, "403 Forbidden: bot was kicked from the group chat"),
        (true, "403 Forbidden: bot was kicked from the supergroup chat"),
    ] {
        let chat = team(&stage, supergroup);
        stage.updates().await;
        stage.world.set_standing(chat, BOT, Standing::Kicked, None).unwrap();
        stage.refused("kicked", "sendMessage", text(chat), words).await;
        let updates = stage.updates().await;
        assert_eq!(updates.len(), 1);
        assert_eq!(updates[0]["my_chat_member"]["new_chat_member"]["status"], "kicked");
        stage.world.set_standing(chat, BOT, Standing::Member, None).unwrap();
        let updates = stage.updates().await;
        assert_eq!(updates[0]["message"]["new_chat_members"][0]["id"], BOT);
        assert_eq!(updates[1]["my_chat_member"]["new_chat_member"]["status"], "member");
        stage.done("sendMessage", text(chat)).await;
    }
}

#[tokio::test]
async fn a_muted_bot_may_not_send() {
    let stage = stage();
    let chat = team(&stage, true);
    stage.world.set_standing(chat, BOT, Standing::Restricted, None).unwrap();
    let words = "400 Bad Request: not enough rights to send text messages to the chat";
    stage.refused("muted", "sendMessage", text(chat), words).await;
    let member = &stage.updates().await.pop().unwrap()["my_chat_member"]["new_chat_member"];
    assert_eq!(
        (member["status"].as_str(), member["can_send_messages"].as_bool()),
        (Some("restricted"), Some(false))
    );
}

#[tokio::test]
async fn an_upgraded_group_refuses_writes_with_its_new_id_and_lets_edits_pass() {
    let stage = stage();
    let old = team(&stage, false);
    let card = stage.done("sendMessage", text(old)).await["message_id"].clone();
    stage.updates().await;
    let new = stage.world.upgrade_group(old, true).unwrap();
    let (status, body) = stage.call("sendMessage", text(old)).await;
    assert_eq!(status, 400);
    assert_eq!(body["description"], "Bad Request: group chat was upgraded to a supergroup chat");
    assert_eq!(body["parameters"]["migrate_to_chat_id"], new);
    let updates = stage.updates().await;
    assert_eq!(updates[0]["message"]["migrate_to_chat_id"], new);
    assert_eq!(updates[0]["message"]["chat"]["type"], "group");
    assert_eq!(updates[1]["message"]["migrate_from_chat_id"], old);
    assert_eq!(updates[1]["message"]["chat"]["type"], "supergroup");
    let sent = stage.done("sendMessage", text(new)).await;
    assert_eq!(sent["message_id"], 2);
    stage.done("editMessageText", json!({"chat_id": old, "message_id": card, "text": "still here"})).await;
    assert!(stage.world.send_text(stage.kamila, old, "x", None).is_err());
}

#[tokio::test]
async fn an_upgrade_may_go_untold() {
    let stage = stage();
    let old = team(&stage, false);
    stage.updates().await;
    stage.world.upgrade_group(old, false).unwrap();
    assert_eq!(stage.updates().await, Vec::<Value>::new());
    assert!(stage.world.upgrade_group(old, false).is_err());
}

#[tokio::test]
async fn a_deleted_group_is_gone_for_good() {
    let stage = stage();
    let chat = team(&stage, false);
    stage.world.delete_group(chat).unwrap();
    let words = "403 Forbidden: the group chat was deleted";
    stage.refused("deleted", "sendMessage", text(chat), words).await;
    assert!(stage.world.send_text(stage.kamila, chat, "x", None).is_err());
}

#[tokio::test]
async fn a_hidden_administrator_speaks_as_the_group() {
    let stage = stage();
    let chat = team(&stage, true);
    stage.updates().await;
    stage.world.send_anonymously(chat, "/stickers_new").unwrap();
    let message = &stage.updates().await[0]["message"];
    assert_eq!(
        (message["from"]["id"].as_i64(), message["sender_chat"]["id"].as_i64()),
        (Some(1_087_968_824), Some(chat))
    );
}

#[tokio::test]
async fn groups_are_changed_over_the_wire_too() {
    let server = server().await;
    let kamila = server.stage.kamila;
    let new = json!({"title": "Team", "members": [kamila]});
    let chat = server.post("/sim/groups", new).await.json()["id"].as_i64().unwrap();
    let muted = json!({"user": BOT, "status": "restricted"});
    assert_eq!(server.post(&format!("/sim/groups/{chat}/members"), muted).await.status, 204);
    assert_eq!(server.stage.call("sendMessage", text(chat)).await.0, 400);
    let said = json!({"text": "hello"});
    assert_eq!(server.post(&format!("/sim/groups/{chat}/anonymous"), said).await.status, 201);
    let upgraded = server.post(&format!("/sim/groups/{chat}/upgrade"), json!({})).await;
    let to = upgraded.json()["id"].as_i64().unwrap();
    assert_eq!((upgraded.status, upgraded.json()["type"].as_str()), (201, Some("supergroup")));
    assert_eq!(server.raw(&format!("DELETE /sim/groups/{to} HTTP/1.1"), b"").await.unwrap().status, 204);
}
