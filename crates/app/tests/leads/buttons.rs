//! Presses on cards.

use crate::fake::Fault;
use crate::stage::{ADMIN, GROUP, STRANGER, Stage};
use domain::guest::TelegramId;
use domain::lead::{LeadId, LeadStatus};
use serde_json::json;
use std::sync::Arc;
use store::updates::{self, NewUpdate};
use tokio::sync::Semaphore;

#[tokio::test]
async fn row_001_lead_2_a_press_changes_the_status_and_the_card_follows() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    for to in
        [LeadStatus::InWork, LeadStatus::Contacted, LeadStatus::Deal, LeadStatus::Refused, LeadStatus::Spam]
    {
        assert_eq!(stage.sets(id, to).await, to.label());
        assert_eq!((stage.read(id).await.status, stage.read(id).await.status_at), (to, Some(stage.now())));
        stage.run(&mut desk, 10).await;
        let card = &stage.telegram.chat(GROUP)[0];
        assert!(card.text.contains(to.label()) && card.text.contains("Статус: @user_7"), "{}", card.text);
        assert_eq!(card.buttons.len(), 5);
    }
}

#[tokio::test]
async fn row_001_lead_3_the_same_button_again_writes_nothing() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.sets(id, LeadStatus::Deal).await;
    stage.run(&mut desk, 10).await;
    let before = stage.read(id).await;
    assert_eq!(stage.sets(id, LeadStatus::Deal).await, "Уже так");
    assert_eq!(stage.read(id).await, before);
}

#[tokio::test]
async fn row_001_lead_5_an_erased_lead_is_frozen_and_its_card_has_no_buttons() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    app::lead::forget::forget(&stage.ctx, id, TelegramId(ADMIN)).await.expect("erased");
    assert_eq!(stage.sets(id, LeadStatus::Deal).await, "Данные заявки удалены — статус не меняется");
    assert_eq!(stage.read(id).await.status, LeadStatus::New);
    stage.run(&mut desk, 10).await;
    assert!(stage.telegram.chat(GROUP)[0].buttons.is_empty());
}

#[tokio::test]
async fn row_001_lead_6_others_get_no_access_and_nothing_changes() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    let card = stage.telegram.chat(GROUP)[0].place;
    let data = format!("stickers_lead:{id}:deal");
    let toast = stage.presses(STRANGER, card, &data).await.expect("an answer");
    assert_eq!(toast.text, "Нет доступа");
    // An admin, but with a forged message from elsewhere.
    let toast = stage.presses(ADMIN, (ADMIN, 5), &data).await.expect("an answer");
    assert_eq!(toast.text, "Нет доступа");
    assert_eq!(stage.read(id).await.status, LeadStatus::New);
}

#[tokio::test]
async fn a_forged_button_changes_nothing() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.sets(id, LeadStatus::Deal).await;
    let card = stage.telegram.chat(GROUP)[0].place;
    for forged in
        [format!("stickers_lead:{id}:new"), format!("stickers_lead:{id}:x"), "stickers_lead:".into()]
    {
        assert_eq!(stage.presses(ADMIN, card, &forged).await, None);
    }
    let gone = stage.presses(ADMIN, card, "stickers_lead:999:deal").await.expect("an answer");
    assert_eq!(gone.text, "Такой заявки нет");
    assert_eq!(stage.read(id).await.status, LeadStatus::Deal);
}

#[tokio::test]
async fn presses_that_come_close_together_are_one_rewriting() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.run(&mut desk, 60).await;
    for to in [LeadStatus::InWork, LeadStatus::Contacted, LeadStatus::Deal] {
        stage.sets(id, to).await;
    }
    stage.run(&mut desk, 60).await;
    let card = &stage.telegram.chat(GROUP)[0];
    assert_eq!(card.edits, 1);
    assert!(card.text.contains("🤝 Сделка"));
}

#[tokio::test]
async fn a_card_that_was_deleted_is_posted_anew_at_the_next_change() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.telegram.remove(stage.telegram.chat(GROUP)[0].place);
    stage.run(&mut desk, 200).await;
    assert!(stage.telegram.chat(GROUP).is_empty(), "nothing before a change");
    let lead = stage.read(id).await;
    let place = lead.card.expect("a card");
    stage.presses(ADMIN, (place.chat_id, place.message_id), &format!("stickers_lead:{id}:deal")).await;
    stage.run(&mut desk, 30).await;
    let chat = stage.telegram.chat(GROUP);
    assert_eq!(chat.len(), 1);
    assert!(chat[0].text.contains("🤝 Сделка") && chat[0].buttons.len() == 5);
    let moved = stage.read(id).await.card.expect("a card");
    assert_eq!((moved.chat_id, moved.message_id), chat[0].place);
}

#[tokio::test]
async fn a_rewriting_that_failed_is_tried_again_with_growing_pauses() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.telegram.always("edit", Some(crate::fake::refused(502, "Bad Gateway")));
    stage.sets(id, LeadStatus::Deal).await;
    stage.run(&mut desk, 3_600).await;
    let tries = stage.telegram.times("edit").len();
    assert!((8..=16).contains(&tries), "{tries} tries in an hour");
    stage.telegram.always("edit", None);
    stage.run(&mut desk, 1_000).await;
    assert!(stage.telegram.chat(GROUP)[0].text.contains("🤝 Сделка"));
    assert_eq!(stage.read(id).await.card_dirty_at, None);
}

#[tokio::test]
async fn a_press_while_the_card_is_on_its_way_is_not_lost() {
    let stage = Stage::new().await;
    let id = stage.lead().await;
    stage.telegram.fault("send", Fault::Lost);
    let mut desk = stage.desk();
    desk.tick().await;
    let card = stage.telegram.chat(GROUP)[0].place;
    stage.presses(ADMIN, card, &format!("stickers_lead:{id}:contacted")).await;
    stage.run(&mut desk, 30).await;
    assert!(stage.telegram.chat(GROUP)[0].text.contains("📞 Связались"));
    assert_eq!(stage.read(LeadId(id.0)).await.status, LeadStatus::Contacted);
}

#[tokio::test]
async fn a_press_from_telegram_is_answered_with_the_words_of_what_came_of_it() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    let (chat, message_id) = stage.telegram.chat(GROUP)[0].place;
    let press = |update_id: i64, who: i64, data: String| {
        let body = json!({"update_id": update_id, "callback_query": {
            "id": "q", "chat_instance": "1", "data": data,
            "from": {"id": who, "is_bot": false, "first_name": "Ivan"},
            "message": {"message_id": message_id, "date": 0, "chat": {"id": chat, "type": "supergroup", "title": "Leads"}}
        }});
        NewUpdate { update_id, from: Some(TelegramId(who)), body: body.to_string() }
    };
    let (deal, now) = (format!("stickers_lead:{id}:deal"), stage.now());
    let batch = [
        press(1, ADMIN, deal.clone()),
        press(2, ADMIN, deal.clone()),
        press(3, STRANGER, deal),
        press(4, ADMIN, format!("stickers_lead:{id}:new")),
    ];
    let stored = stage
        .ctx
        .store
        .write(move |tx| Box::pin(async move { updates::insert_batch(tx, &batch, now).await }));
    assert_eq!(stored.await.expect("writable"), 4);
    let answers = Arc::new(Semaphore::new(8));
    app::loops::handle_pending(&stage.ctx, &stage.outside, "our_bot", &answers).await.expect("handled");
    let _all = answers.acquire_many(8).await.expect("every answer is given");
    let mut toasts = stage.telegram.toasts();
    toasts.sort();
    let words = ["Нет доступа", "Уже так", "🤝 Сделка"].map(|words| Some(words.to_owned()));
    assert_eq!(toasts, [None].into_iter().chain(words).collect::<Vec<_>>());
    assert_eq!(stage.read(id).await.status, LeadStatus::Deal);
}
