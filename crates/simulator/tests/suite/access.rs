//! The table "Access and routing", and who may be written to.

use serde_json::json;
use simulator::{NewGroup, StrangeUpdate};

use crate::stage::{BOT, TOKEN, stage};

#[tokio::test]
async fn a_token_is_checked_before_the_method() {
    let stage = stage();
    for (token, method, words) in [
        ("123456:WRONG", "nothing", "Unauthorized"),
        ("nonsense", "getMe", "Unauthorized: invalid token specified"),
        ("0:TEST", "getMe", "Unauthorized: invalid token specified"),
    ] {
        let (status, body) = stage.world.call(token, method, json!({})).await;
        assert_eq!((status, body["description"].as_str()), (401, Some(words)));
    }
    stage.refused("unknown method", "sendWish", json!({}), "404 Not Found: method not found").await;
}

#[tokio::test]
async fn a_revoked_token_works_no_more_and_a_new_one_does() {
    let stage = stage();
    stage.world.revoke_token(BOT).unwrap();
    assert_eq!(stage.call("getMe", json!({})).await.0, 401);
    stage.world.give_token(BOT, TOKEN).unwrap();
    assert_eq!(stage.done("getMe", json!({})).await["username"], "stickers_sim_bot");
}

#[tokio::test]
async fn method_names_are_read_in_any_case() {
    let me = stage().done("GETME", json!({})).await;
    assert_eq!((me["id"].as_i64(), me["is_bot"].as_bool()), (Some(BOT), Some(true)));
    assert_eq!(me["can_read_all_group_messages"], false);
}

#[tokio::test]
async fn a_webhook_keeps_get_updates_away_until_it_is_deleted() {
    let stage = stage();
    stage.world.set_webhook(BOT, Some("https://somebody.example/hook")).unwrap();
    let words = "409 Conflict: can't use getUpdates method while webhook is active; \
                 use deleteWebhook to delete the webhook first";
    stage.refused("webhook", "getUpdates", json!({}), words).await;
    let (_, body) = stage.call("deleteWebhook", json!({})).await;
    assert_eq!(body, json!({"ok": true, "result": true, "description": "Webhook was deleted"}));
    let (_, body) = stage.call("deleteWebhook", json!({})).await;
    assert_eq!(body["description"], "Webhook is already deleted");
    assert_eq!(stage.updates().await.len(), 1);
}

#[tokio::test]
async fn set_webhook_refuses_what_it_cannot_use() {
    let stage = stage();
    for (params, words) in [
        (
            json!({"url": "http://a.b"}),
            "400 Bad Request: bad webhook: An HTTPS URL must be provided for webhook",
        ),
        (
            json!({"url": "https://a.b", "secret_token": "x".repeat(257)}),
            "400 Bad Request: secret token is too long",
        ),
        (
            json!({"url": "https://a.b", "secret_token": "я"}),
            "400 Bad Request: secret token contains unallowed characters",
        ),
    ] {
        stage.refused("setWebhook", "setWebhook", params, words).await;
    }
    stage.done("setWebhook", json!({"url": "https://a.b"})).await;
    let words = "429 Too Many Requests: retry after 1";
    stage.refused("twice a second", "setWebhook", json!({"url": "https://a.b"}), words).await;
    assert_eq!(stage.done("getWebhookInfo", json!({})).await["url"], "https://a.b");
}

#[tokio::test]
async fn every_reason_not_to_reach_a_chat_has_its_words() {
    let stage = stage();
    let send = |chat: serde_json::Value| json!({"chat_id": chat, "text": "hello"});
    let stranger = stage.stranger("Emma");
    let blocker = stage.stranger("Javohir");
    stage.world.start(blocker, BOT, None).unwrap();
    stage.world.block(blocker, BOT, true).unwrap();
    let gone = stage.stranger("Odil");
    stage.world.start(gone, BOT, None).unwrap();
    stage.world.delete_account(gone).unwrap();
    let met = stage.stranger("Sitora");
    let members = vec![met];
    stage.world.add_group(NewGroup { title: "Team".into(), members, ..NewGroup::default() }).unwrap();
    for (row, chat, words) in [
        ("blocked", json!(blocker), "403 Forbidden: bot was blocked by the user"),
        ("deactivated", json!(gone), "403 Forbidden: user is deactivated"),
        ("never started", json!(met), "403 Forbidden: bot can't initiate conversation with a user"),
        ("never met", json!(stranger), "400 Bad Request: chat not found"),
        ("unknown group", json!(-5), "400 Bad Request: chat not found"),
        ("a name", json!("@somewhere"), "400 Bad Request: chat not found"),
        ("no chat", json!(""), "400 Bad Request: chat_id is empty"),
    ] {
        stage.refused(row, "sendMessage", send(chat), words).await;
    }
    stage.world.start(met, BOT, None).unwrap();
    stage.done("sendMessage", send(json!(met))).await;
}

#[tokio::test]
async fn start_unblocks_and_both_changes_are_told() {
    let stage = stage();
    stage.updates().await;
    stage.world.block(stage.kamila, BOT, true).unwrap();
    stage.world.start(stage.kamila, BOT, Some("again")).unwrap();
    let updates = stage.updates().await;
    assert_eq!(updates[0]["my_chat_member"]["new_chat_member"]["status"], "kicked");
    assert_eq!(updates[1]["my_chat_member"]["new_chat_member"]["status"], "member");
    assert_eq!(updates[2]["message"]["text"], "/start again");
    stage.send("welcome back").await;
}

#[tokio::test]
async fn a_bot_that_left_a_group_may_not_write_there() {
    let stage = stage();
    let group = |supergroup| NewGroup {
        title: "Team".into(),
        members: vec![stage.kamila],
        supergroup,
        ..NewGroup::default()
    };
    for (supergroup, words) in [
        (false, "403 Forbidden: bot is not a member of the group chat"),
        (true, "403 Forbidden: bot is not a member of the supergroup chat"),
    ] {
        let chat = stage.world.add_group(group(supergroup)).unwrap();
        stage.done("sendMessage", json!({"chat_id": chat, "text": "hello"})).await;
        stage.done("leaveChat", json!({"chat_id": chat})).await;
        stage.refused("left", "sendMessage", json!({"chat_id": chat, "text": "x"}), words).await;
    }
}

#[tokio::test]
async fn privacy_mode_lets_through_commands_answers_and_presses_only() {
    let stage = stage();
    let members = vec![stage.kamila];
    let group = NewGroup { title: "Team".into(), members, ..NewGroup::default() };
    let chat = stage.world.add_group(group).unwrap();
    let sent = stage.done("sendMessage", json!({"chat_id": chat, "text": "card"})).await;
    stage.updates().await;
    let say = |text: &str, reply| stage.world.send_text(stage.kamila, chat, text, reply).unwrap();
    say("plain talk", None);
    say("@stickers_sim_bot look", None);
    say("/cmd@other_bot", None);
    say("/cmd", None);
    say("/cmd@Stickers_Sim_Bot 5", None);
    say("an answer", sent["message_id"].as_i64());
    let texts = |updates: Vec<serde_json::Value>| -> Vec<String> {
        updates.iter().map(|u| u["message"]["text"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(texts(stage.updates().await), ["/cmd", "/cmd@Stickers_Sim_Bot 5", "an answer"]);
    stage.world.set_reads_all(BOT, true).unwrap();
    say("plain talk", None);
    assert_eq!(texts(stage.updates().await), ["plain talk"]);
}

#[tokio::test]
async fn strange_updates_arrive_among_the_others() {
    let stage = stage();
    for strange in [
        StrangeUpdate::UnknownKind,
        StrangeUpdate::UnknownChatType,
        StrangeUpdate::UnknownMemberStatus,
        StrangeUpdate::EmptyMessage,
        StrangeUpdate::InaccessibleMessage,
        StrangeUpdate::NoObject,
    ] {
        stage.world.strange_update(BOT, stage.kamila, strange).unwrap();
    }
    let updates = stage.updates().await;
    assert_eq!(updates.len(), 7);
    assert!(updates[1].get("message_from_the_future").is_some());
    assert_eq!(updates[2]["message"]["chat"]["type"], "holodeck");
    assert_eq!(updates[3]["my_chat_member"]["new_chat_member"]["status"], "honorary");
    assert!(updates[4]["message"].get("text").is_none());
    assert_eq!(updates[5]["callback_query"]["message"]["date"], 0);
    assert!(updates[6]["message"].is_string());
}
