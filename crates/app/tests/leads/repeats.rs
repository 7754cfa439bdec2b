//! The same person writes again.

use crate::fake::{Fault, refused};
use crate::stage::{GROUP, Stage};
use clients::telegram::TelegramError;
use domain::lead::LeadStatus;
use store::leads;

async fn open_repeats(stage: &Stage, id: domain::lead::LeadId) -> Vec<(Option<domain::Timestamp>, i64)> {
    let repeats = leads::of_lead(&mut stage.ctx.store.reader(), id, 10).await.expect("readable");
    repeats.into_iter().map(|repeat| (repeat.notified_at, repeat.notify_attempts)).collect()
}

#[tokio::test]
async fn row_001_repeat_1_the_card_is_rewritten_and_a_ping_without_personal_data_replies_to_it() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.repeat(id, "Ещё раз, пожалуйста").await;
    desk.tick().await;
    let chat = stage.telegram.chat(GROUP);
    assert_eq!(chat.len(), 2);
    assert!(
        chat[0].text.contains("🔁 Повторное обращение: ") && chat[0].text.contains("Ещё раз, пожалуйста")
    );
    assert_eq!(chat[0].buttons.len(), 5, "an edit keeps the buttons");
    assert_eq!(
        (chat[1].text.as_str(), chat[1].reply_to),
        ("🔁 Повторное обращение: #stickers_1", Some(chat[0].place.1))
    );
    assert_eq!(open_repeats(&stage, id).await, [(Some(stage.now()), 0)]);
}

#[tokio::test]
async fn row_001_repeat_2_a_notice_is_given_up_after_five_failures_with_the_text() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.repeat(id, "Ещё раз").await;
    let began = stage.now().as_millis();
    let edits = stage.telegram.times("edit").len();
    stage.telegram.always("edit", Some(TelegramError::not_sent("connection refused")));
    stage.run(&mut desk, 4_000).await;
    let tries: Vec<i64> =
        stage.telegram.times("edit")[edits..].iter().map(|at| (at - began) / 1_000).collect();
    assert_eq!(tries.len(), 5, "{tries:?}");
    for (at, expected) in tries.iter().zip([0, 5, 20, 80, 380]) {
        assert!((expected..=expected + 10).contains(at), "{tries:?}");
    }
    let repeats = open_repeats(&stage, id).await;
    assert!(repeats[0].0.is_some() && repeats[0].1 == 5, "{repeats:?}");
}

#[tokio::test]
async fn a_ping_that_failed_is_tried_again() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.repeat(id, "Ещё раз").await;
    stage.telegram.fault("send", Fault::Refused(refused(500, "Internal Server Error")));
    stage.run(&mut desk, 30).await;
    assert_eq!(stage.said("🔁 Повторное обращение: #stickers_1").len(), 1);
    assert_eq!(open_repeats(&stage, id).await[0].1, 1);
}

#[tokio::test]
async fn row_001_repeat_3_a_repeat_before_the_card_is_in_its_first_version_and_makes_no_ping() {
    let stage = Stage::new().await;
    let id = stage.lead().await;
    stage.repeat(id, "Уточнение").await;
    stage.run(&mut stage.desk(), 60).await;
    let chat = stage.telegram.chat(GROUP);
    assert_eq!(chat.len(), 1, "no ping");
    assert!(chat[0].text.contains("Уточнение") && chat[0].edits == 0);
    assert!(open_repeats(&stage, id).await[0].0.is_some());
}

#[tokio::test]
async fn row_001_lead_7_a_repeat_of_a_lead_that_became_spam_is_only_marked() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.sets(id, LeadStatus::Spam).await;
    stage.run(&mut desk, 20).await;
    let before = stage.telegram.all_times().len();
    stage.repeat(id, "Ещё раз").await;
    stage.run(&mut desk, 20).await;
    assert_eq!(stage.telegram.all_times().len(), before, "nothing is sent");
    assert!(open_repeats(&stage, id).await[0].0.is_some());
}

#[tokio::test]
async fn a_repeat_of_an_erased_lead_is_only_marked() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.repeat(id, "Ещё раз").await;
    let by = domain::guest::TelegramId(7);
    app::lead::forget::forget(&stage.ctx, id, by).await.expect("erased");
    stage.run(&mut desk, 20).await;
    assert!(open_repeats(&stage, id).await[0].0.is_some());
    assert!(stage.said("🔁").is_empty());
}

#[tokio::test]
async fn a_crash_between_the_ping_and_its_mark_does_not_ping_at_once_again() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.repeat(id, "Ещё раз").await;
    stage.telegram.fault("send", Fault::Hang);
    tokio::select! {
        _ = desk.tick() => panic!("the ping hangs"),
        () = stage.telegram.hanging.notified() => {}
    }
    let sends = stage.telegram.times("send").len();
    stage.run(&mut stage.desk(), 800).await;
    assert_eq!(stage.telegram.times("send").len(), sends);
}
