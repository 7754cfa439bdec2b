//! A card that is posted again (`/stickers_lead N`, or because it was deleted) and whose answer is lost, as the first one may be.

use crate::fake::{Fault, refused};
use crate::stage::{ADMIN, GROUP, Stage};
use domain::lead::LeadStatus;
use std::time::Duration;

const REPEAT: &str = "возможно, повтор";

/// The card is asked for again, and Telegram's answer to it is lost.
async fn lost(stage: &Stage, desk: &mut app::loops::leads::Desk) {
    stage.telegram.fault("send", Fault::Lost);
    stage.writes(ADMIN, GROUP, "/stickers_lead 1").await;
    stage.run(desk, 10).await;
}

#[tokio::test]
async fn a_card_posted_again_without_an_answer_is_posted_once_more_after_fifteen_minutes_as_a_repeat() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    lost(&stage, &mut desk).await;
    assert_eq!(stage.read(id).await.publish_error.as_deref(), Some("unknown"));
    // Neither a restart, nor a command, nor a press on the old card, nor a repeat makes it come sooner.
    let mut desk = stage.desk();
    let old = stage.telegram.chat(GROUP)[0].place;
    stage.writes(ADMIN, GROUP, "/stickers_lead 1").await;
    stage.presses(ADMIN, old, &format!("stickers_lead:{id}:deal")).await.expect("an answer");
    stage.repeat(id, "again").await;
    stage.run(&mut desk, 880).await;
    assert_eq!(stage.said("Guest 1").len(), 2, "the old one and the one without an answer");
    assert!(stage.said(REPEAT).is_empty());
    stage.run(&mut desk, 60).await;
    let cards = stage.said("Guest 1");
    assert!(cards.len() == 2 && cards[1].contains(REPEAT), "the old one is a pointer now: {cards:?}");
    assert_eq!(stage.said("↪️").len(), 1);
    let lead = stage.read(id).await;
    assert!(lead.card.is_some() && lead.may_be_posted_twice() && lead.card_dirty_at.is_none());
    assert_eq!(stage.said("🔁 Повторное обращение: #stickers_1").len(), 1, "the repeat is told once");
}

#[tokio::test]
async fn a_press_on_a_card_that_was_posted_again_without_an_answer_makes_it_the_card() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    lost(&stage, &mut desk).await;
    let new = stage.telegram.chat(GROUP).last().expect("a card").place;
    let toast = stage.presses(ADMIN, new, &format!("stickers_lead:{id}:in_work")).await.expect("an answer");
    assert_eq!(toast.text, "🛠 В работе");
    let lead = stage.read(id).await;
    assert_eq!(lead.card.map(|card| (card.chat_id, card.message_id)), Some(new));
    assert_eq!((lead.status, lead.publish_error), (LeadStatus::InWork, None));
    stage.run(&mut desk, 2_000).await;
    let chat = stage.telegram.chat(GROUP);
    assert!(chat.len() == 2 && chat[0].text.starts_with("↪️"), "{chat:?}");
    assert!(chat[1].text.contains("🛠 В работе") && !chat[1].text.contains(REPEAT), "{chat:?}");
}

#[tokio::test]
async fn a_bot_that_dies_while_it_posts_a_card_again_leaves_an_unknown_outcome() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.telegram.fault("send", Fault::Hang);
    stage.writes(ADMIN, GROUP, "/stickers_lead 1").await;
    tokio::select! {
        () = stage.run(&mut desk, 30) => panic!("the send hangs"),
        () = stage.telegram.hanging.notified() => {}
    }
    drop(desk);
    assert!(stage.read(id).await.may_be_posted_twice());
    let mut desk = stage.desk();
    stage.run(&mut desk, 880).await;
    assert_eq!(stage.said("Guest 1").len(), 1, "not tried yet");
    stage.run(&mut desk, 60).await;
    assert_eq!(stage.said(REPEAT).len(), 1);
}

#[tokio::test]
async fn a_card_that_telegram_refused_to_post_again_comes_soon_and_is_no_repeat() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.telegram.fault("send", Fault::Refused(refused(500, "Internal Server Error")));
    stage.writes(ADMIN, GROUP, "/stickers_lead 1").await;
    stage.run(&mut desk, 30).await;
    let cards = stage.said("Guest 1");
    assert!(cards.len() == 1 && !cards[0].contains(REPEAT), "{cards:?}");
    assert_eq!(stage.read(id).await.publish_error, None);
    assert_eq!(stage.telegram.chat(GROUP).len(), 2, "a pointer and the card");
}

#[tokio::test]
async fn a_lead_that_is_erased_while_its_card_is_on_its_way_again_loses_its_words_at_once() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    stage.published(&mut desk).await;
    lost(&stage, &mut desk).await;
    stage.writes(ADMIN, GROUP, "/stickers_forget 1").await;
    stage.run(&mut desk, 20).await;
    let known = &stage.telegram.chat(GROUP)[0];
    assert!(known.text.starts_with("🗑 Заявка #stickers_1"), "{known:?}");
    stage.clock.advance(Duration::from_secs(1_000));
    stage.run(&mut desk, 60).await;
    assert!(stage.said(REPEAT).is_empty(), "nothing is posted for it any more");
}
