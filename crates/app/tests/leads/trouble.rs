//! The group moves, loses its topic, or throws the bot out.

use crate::fake::{Fault, migrated, refused};
use crate::stage::{ADMIN, GROUP, Stage, WEDNESDAY};
use domain::lead::LeadStatus;
use serde_json::json;

const SUPER: i64 = -1_000_000_000_500;

#[tokio::test]
async fn a_group_that_became_a_supergroup_is_followed_from_the_error_and_stored() {
    let stage = Stage::new().await;
    stage.lead().await;
    stage.telegram.fault("send", Fault::Refused(migrated(SUPER)));
    let mut desk = stage.desk();
    desk.tick().await;
    assert_eq!(stage.telegram.chat(SUPER).len(), 1, "at once");
    assert_eq!(stage.setting("leads_chat_id").await.as_deref(), Some("-500>-1000000000500"));
    stage.lead().await;
    // Also after a restart.
    stage.run(&mut stage.desk(), 10).await;
    assert_eq!(stage.telegram.chat(SUPER).len(), 2);
    assert_eq!(stage.read(domain::lead::LeadId(1)).await.publish_attempts, 0, "a move is no failure");
}

#[tokio::test]
async fn both_service_messages_of_a_move_are_followed_once_and_cards_come_anew_at_their_next_change() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    let other = stage.published(&mut desk).await;
    let old = json!({"message": {"message_id": 9, "chat": {"id": GROUP, "type": "group"}, "migrate_to_chat_id": SUPER}});
    let new = json!({"message": {"message_id": 1, "chat": {"id": SUPER, "type": "supergroup"}, "migrate_from_chat_id": GROUP}});
    for update in [&new, &old, &new] {
        stage.update(update.clone()).await;
    }
    assert_eq!(stage.setting("leads_chat_id").await.as_deref(), Some("-500>-1000000000500"));
    stage.run(&mut desk, 60).await;
    assert!(stage.telegram.chat(SUPER).is_empty(), "not all at once");
    let place = stage.read(id).await.card.expect("a card");
    stage.presses(ADMIN, (place.chat_id, place.message_id), &format!("stickers_lead:{id}:deal")).await;
    stage.run(&mut desk, 60).await;
    let cards = stage.telegram.chat(SUPER);
    assert_eq!(cards.len(), 1);
    assert!(cards[0].text.contains("🤝 Сделка"));
    assert_eq!(stage.read(other).await.card.map(|card| card.chat_id), Some(GROUP));
    stage.writes(ADMIN, SUPER, "/stickers_new").await;
    stage.run(&mut desk, 20).await;
    assert_eq!(stage.telegram.chat(SUPER).len(), 2, "commands work in the new group");
}

#[tokio::test]
async fn a_move_of_another_group_is_not_followed() {
    let stage = Stage::new().await;
    stage.update(json!({"message": {"message_id": 9, "chat": {"id": -77, "type": "group"}, "migrate_to_chat_id": SUPER}})).await;
    assert_eq!(stage.setting("leads_chat_id").await, None);
}

#[tokio::test]
async fn a_topic_that_is_gone_is_left_out_and_operators_are_told() {
    let stage = Stage::with(WEDNESDAY, |settings| {
        if let Some(group) = &mut settings.leads.group {
            group.topic_id = Some(3);
        }
    })
    .await;
    stage.lead().await;
    stage.lead().await;
    stage.telegram.fault("send", Fault::Refused(refused(400, "Bad Request: message thread not found")));
    stage.run(&mut stage.desk(), 10).await;
    let threads: Vec<Option<i64>> = stage.telegram.chat(GROUP).iter().map(|card| card.thread).collect();
    assert_eq!(threads, [None, None]);
    assert_eq!(stage.alerts("LEADS_TOPIC_ID").await, 1);
}

#[tokio::test]
async fn a_bot_that_was_removed_or_muted_alerts_at_once_keeps_the_queue_and_tries_slowly() {
    for description in [
        "Forbidden: bot was kicked from the supergroup chat",
        "Forbidden: bot is not a member of the supergroup chat",
        "Forbidden: the group chat was deleted",
    ] {
        let stage = Stage::new().await;
        for _ in 0..5 {
            stage.lead().await;
        }
        stage.telegram.always("send", Some(refused(403, description)));
        let mut desk = stage.desk();
        desk.tick().await;
        assert_eq!(stage.telegram.times("send").len(), 1, "the rest waits");
        stage.run(&mut desk, 3_600).await;
        let tries = stage.telegram.times("send").len();
        assert!(tries <= 5 * 5, "{tries} tries in an hour");
        stage.telegram.always("send", None);
        assert!(stage.alerts("не может писать в группу").await >= 1, "{description}");
        // The bot is back: everything goes on at once.
        stage
            .update(
                json!({"my_chat_member": {"chat": {"id": GROUP}, "new_chat_member": {"status": "member"}}}),
            )
            .await;
        stage.run(&mut desk, 10).await;
        assert_eq!(stage.said("Guest").len(), 5);
    }
}

#[tokio::test]
async fn a_muted_bot_alerts_at_once() {
    let stage = Stage::new().await;
    stage.lead().await;
    stage.telegram.fault(
        "send",
        Fault::Refused(refused(400, "Bad Request: not enough rights to send text messages to the chat")),
    );
    stage.desk().tick().await;
    assert_eq!(stage.alerts("не может писать в группу").await, 1);
}

#[tokio::test]
async fn that_the_bot_was_removed_is_told_before_anything_is_sent() {
    let stage = Stage::new().await;
    let left = json!({"my_chat_member": {"chat": {"id": GROUP}, "new_chat_member": {"status": "kicked"}}});
    stage.update(left.clone()).await;
    stage.update(left).await;
    assert_eq!(stage.alerts("бота удалили из группы").await, 1, "once within thirty minutes");
    let elsewhere = json!({"my_chat_member": {"chat": {"id": -77}, "new_chat_member": {"status": "kicked"}}});
    let stage = Stage::new().await;
    stage.update(elsewhere).await;
    assert_eq!(stage.alerts("бота удалили").await, 0);
}

#[tokio::test]
async fn a_new_card_waits_for_no_old_one_that_is_rewritten() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.telegram.always("edit", Some(refused(502, "Bad Gateway")));
    stage.sets(id, LeadStatus::InWork).await;
    let new = stage.lead().await;
    stage.run(&mut desk, 10).await;
    assert_eq!(stage.said(&format!("#stickers_{new}<")).len(), 1);
}

#[tokio::test]
async fn an_answer_is_what_finds_out_that_the_group_moved_and_is_not_lost() {
    let stage = Stage::new().await;
    stage.writes(ADMIN, GROUP, "/stickers_new").await;
    stage.telegram.fault("send", Fault::Refused(migrated(SUPER)));
    stage.desk().tick().await;
    assert_eq!(stage.telegram.texts(SUPER), ["Все заявки разобраны 👍"]);
    assert!(stage.setting("leads_chat_id").await.is_some());
}

#[tokio::test]
async fn an_answer_goes_to_the_topic_of_its_command_and_a_target_that_is_gone_is_left_out() {
    let stage = Stage::with(WEDNESDAY, |settings| {
        if let Some(group) = &mut settings.leads.group {
            group.topic_id = Some(3);
        }
    })
    .await;
    let command = json!({"message": {
        "message_id": 41, "message_thread_id": 9, "is_topic_message": true, "date": 1,
        "chat": {"id": GROUP, "type": "supergroup", "title": "Leads", "is_forum": true},
        "from": {"id": ADMIN, "is_bot": false, "first_name": "Ivan"}, "text": "/stickers_new"
    }});
    stage.update(command).await;
    stage
        .telegram
        .fault("send", Fault::Refused(refused(400, "Bad Request: message to be replied not found")));
    stage.desk().tick().await;
    let said = stage.telegram.chat(GROUP);
    assert_eq!((said[0].thread, said[0].reply_to), (Some(9), None));
}
