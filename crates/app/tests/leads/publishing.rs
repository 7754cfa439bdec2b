//! From the stored lead to the card.

use crate::fake::{Fault, flood, refused};
use crate::stage::{ADMIN, GROUP, Stage, WEDNESDAY};
use app::loops::lease::{Holder, take_lease};
use clients::telegram::TelegramError;
use domain::lead::LeadStatus;
use std::time::Duration;

#[tokio::test]
async fn row_001_publish_1_a_stored_lead_is_a_card_with_buttons_after_one_pass() {
    let stage = Stage::new().await;
    let id = stage.lead().await;
    stage.desk().tick().await;
    let cards = stage.telegram.chat(GROUP);
    assert_eq!(cards.len(), 1);
    assert!(cards[0].text.contains(&format!("#stickers_{id}")) && cards[0].text.contains("Guest 1"));
    assert_eq!(cards[0].buttons.first(), Some(&format!("stickers_lead:{id}:in_work")));
    assert_eq!(cards[0].buttons.len(), 5);
    let lead = stage.read(id).await;
    let place = lead.card.map(|card| (card.chat_id, card.message_id));
    assert_eq!((lead.published_at, place), (Some(stage.now()), Some(cards[0].place)));
    assert_eq!((lead.publish_attempts, lead.publish_error), (0, None));
}

/// Seed 001, "Maintenance pause": lead handling is not affected.
#[tokio::test]
async fn cards_are_published_and_buttons_work_while_the_product_is_paused() {
    for pause in ["env", "auto", "admin"] {
        let stage = Stage::with(WEDNESDAY, |settings| settings.maintenance = pause == "env").await;
        if pause != "env" {
            let now = stage.now();
            let paused = stage
                .ctx
                .store
                .write(move |tx| Box::pin(store::settings::set(tx, "maintenance", pause, now)))
                .await;
            paused.expect("paused");
        }
        let mut desk = stage.desk();
        let id = stage.published(&mut desk).await;
        stage.sets(id, LeadStatus::InWork).await;
        assert_eq!(stage.read(id).await.status, LeadStatus::InWork, "{pause}");
    }
}

#[tokio::test]
async fn a_single_lead_is_not_delayed_and_an_idle_pass_writes_nothing() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    desk.tick().await;
    let before = stage.now();
    stage.lead().await;
    desk.tick().await;
    assert_eq!(stage.telegram.times("send"), [before.as_millis()]);
    let mut changes = stage.ctx.store.changes();
    for _ in 0..90 {
        desk.tick().await;
        stage.clock.advance(Duration::from_secs(2));
    }
    let news = futures::FutureExt::now_or_never(changes.changed());
    assert!(news.is_none(), "three idle minutes woke everyone");
}

#[tokio::test]
async fn row_004_decision_2_fifty_leads_stored_while_the_bot_was_down_come_in_order_once_at_the_pace_of_a_group()
 {
    let stage = Stage::new().await;
    for _ in 0..50 {
        stage.lead().await;
    }
    stage.clock.advance(Duration::from_secs(600));
    let began = stage.now().as_millis();
    stage.run(&mut stage.desk(), 300).await;
    let texts = stage.telegram.texts(GROUP);
    assert_eq!(texts.len(), 50, "none twice");
    for (place, text) in texts.iter().enumerate() {
        assert!(text.contains(&format!("#stickers_{}<", place + 1)), "{place}: {text}");
    }
    let times = stage.telegram.all_times();
    for window in times.windows(6) {
        assert!(window[5] - window[0] >= 3_000, "more than five at once");
    }
    for window in times.windows(26) {
        assert!(window[25] - window[0] >= 60_000, "more than 20 a minute above the burst");
    }
    let took = times.last().expect("a card") - began;
    // 50 cards at 20 a minute, and a tenth.
    assert!(took <= 165_000, "{took} ms");
}

#[tokio::test]
async fn rows_003_retry_1_to_5_telegram_is_down_for_an_hour_and_everything_arrives_afterwards() {
    let stage = Stage::new().await;
    let began = stage.now().as_millis();
    let first = stage.lead().await;
    stage.telegram.always("send", Some(TelegramError::not_sent("connection refused")));
    let mut desk = stage.desk();
    stage.run(&mut desk, 3_600).await;
    let tries: Vec<i64> = stage.telegram.times("send").iter().map(|at| (at - began) / 1_000).collect();
    let seed = [0, 5, 20, 80, 380, 1_280, 2_180, 3_080];
    assert_eq!(tries.len(), seed.len(), "{tries:?}");
    for (at, expected) in tries.iter().zip(seed) {
        // Each pass comes up to two seconds after the time.
        assert!((expected..=expected + 2 * 8).contains(at), "{tries:?}");
    }
    let lead = stage.read(first).await;
    assert_eq!(lead.publish_attempts, 8);
    assert!(lead.publish_error.is_some_and(|error| error.contains("connection refused")));
    let second = stage.lead().await;
    stage.telegram.always("send", None);
    stage.run(&mut desk, 1_000).await;
    for id in [first, second] {
        assert_eq!(stage.said(&format!("#stickers_{id}<")).len(), 1);
    }
    assert_eq!(stage.read(first).await.publish_error, None);
}

#[tokio::test]
async fn row_003_retry_5_operators_are_told_from_the_fifth_failure_once_in_thirty_minutes() {
    let stage = Stage::new().await;
    stage.lead().await;
    stage.telegram.always("send", Some(refused(400, "Bad Request: something new")));
    let mut desk = stage.desk();
    stage.run(&mut desk, 379).await;
    stage.telegram.always("send", None);
    assert_eq!(stage.alerts("Карточка заявки #1").await, 0, "four failures");
    stage.telegram.always("send", Some(refused(400, "Bad Request: something new")));
    stage.run(&mut desk, 60).await;
    stage.telegram.always("send", None);
    assert_eq!(stage.alerts("Карточка заявки #1").await, 1, "the fifth failure");
    stage.telegram.always("send", Some(refused(400, "Bad Request: something new")));
    stage.run(&mut desk, 1_000).await;
    stage.telegram.always("send", None);
    assert_eq!(stage.alerts("Карточка заявки #1").await, 1, "within thirty minutes");
    stage.telegram.always("send", Some(refused(400, "Bad Request: something new")));
    stage.run(&mut desk, 1_000).await;
    stage.telegram.always("send", None);
    assert_eq!(stage.alerts("Карточка заявки #1").await, 2, "after thirty minutes");
}

#[tokio::test]
async fn row_003_retry_6_flood_control_is_waited_out_exactly_and_the_rest_of_the_batch_waits_too() {
    let stage = Stage::new().await;
    for _ in 0..3 {
        stage.lead().await;
    }
    let began = stage.now().as_millis();
    stage.telegram.fault("send", Fault::Refused(flood(37)));
    let mut desk = stage.desk();
    desk.tick().await;
    // A restart does not forget what Telegram asked for.
    stage.run(&mut stage.desk(), 60).await;
    let times: Vec<i64> = stage.telegram.times("send").iter().map(|at| at - began).collect();
    assert_eq!(times[..2], [0, 37_000], "{times:?}");
    let texts = stage.telegram.texts(GROUP);
    let in_order =
        (1..=3).map(|id| format!("#stickers_{id}<")).zip(&texts).all(|(tag, text)| text.contains(&tag));
    assert!(texts.len() == 3 && in_order, "the first one keeps its place: {texts:?}");
    assert_eq!(stage.read(domain::lead::LeadId(1)).await.publish_attempts, 1, "it counts as a failure");
}

#[tokio::test]
async fn one_bad_card_never_stops_the_others() {
    let stage = Stage::new().await;
    stage.telegram.poison("#stickers_2<", refused(400, "Bad Request: message text is empty"));
    for _ in 0..4 {
        stage.lead().await;
    }
    stage.run(&mut stage.desk(), 30).await;
    let texts = stage.telegram.texts(GROUP);
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert!(stage.read(domain::lead::LeadId(2)).await.publish_attempts >= 2);
}

#[tokio::test]
async fn a_lost_answer_is_unknown_for_fifteen_minutes_and_the_next_card_says_that_it_may_be_a_repeat() {
    let stage = Stage::new().await;
    let id = stage.lead().await;
    stage.telegram.fault("send", Fault::Lost);
    let mut desk = stage.desk();
    stage.run(&mut desk, 898).await;
    assert_eq!(stage.read(id).await.publish_error.as_deref(), Some("unknown"));
    assert_eq!(stage.telegram.texts(GROUP).len(), 1, "no second card yet");
    stage.run(&mut desk, 4).await;
    let texts = stage.telegram.texts(GROUP);
    assert_eq!(texts.len(), 2);
    assert!(!texts[0].contains("возможно, повтор") && texts[1].contains("возможно, повтор"), "{texts:?}");
    // That it may have come twice stays on record.
    let lead = stage.read(id).await;
    assert_eq!((lead.publish_error.as_deref(), lead.published_at.is_some()), (Some("unknown"), true));
}

#[tokio::test]
async fn a_press_on_the_first_card_settles_a_lost_answer_before_the_second_card() {
    let stage = Stage::new().await;
    let id = stage.lead().await;
    stage.telegram.fault("send", Fault::Lost);
    let mut desk = stage.desk();
    stage.run(&mut desk, 10).await;
    let first = stage.telegram.chat(GROUP)[0].place;
    let toast = stage.presses(ADMIN, first, &format!("stickers_lead:{id}:in_work")).await.expect("an answer");
    assert_eq!(toast.text, "🛠 В работе");
    let lead = stage.read(id).await;
    assert_eq!(lead.card.map(|card| (card.chat_id, card.message_id)), Some(first));
    assert_eq!((lead.status, lead.publish_error), (LeadStatus::InWork, None));
    stage.run(&mut desk, 2_000).await;
    let cards = stage.telegram.chat(GROUP);
    assert_eq!(cards.len(), 1, "no second card");
    assert!(cards[0].text.contains("🛠 В работе"));
}

#[tokio::test]
async fn a_press_on_the_first_of_two_cards_makes_it_a_pointer_to_the_second() {
    let stage = Stage::new().await;
    let id = stage.lead().await;
    stage.telegram.fault("send", Fault::Lost);
    let mut desk = stage.desk();
    stage.run(&mut desk, 910).await;
    let first = stage.telegram.chat(GROUP)[0].place;
    stage.presses(ADMIN, first, &format!("stickers_lead:{id}:deal")).await;
    stage.run(&mut desk, 30).await;
    let cards = stage.telegram.chat(GROUP);
    assert_eq!(cards.len(), 2);
    assert!(cards[0].text.starts_with("↪️") && cards[0].buttons.is_empty(), "{cards:?}");
    assert!(cards[1].text.contains("🤝 Сделка") && cards[1].buttons.len() == 5);
}

#[tokio::test]
async fn a_crash_while_a_card_is_being_sent_is_an_unknown_outcome_too() {
    let stage = Stage::new().await;
    let id = stage.lead().await;
    stage.telegram.fault("send", Fault::Hang);
    let mut desk = stage.desk();
    tokio::select! {
        _ = desk.tick() => panic!("the send hangs"),
        () = stage.telegram.hanging.notified() => {}
    }
    drop(desk);
    assert_eq!(stage.read(id).await.publish_error.as_deref(), Some("unknown"));
    let mut desk = stage.desk();
    stage.run(&mut desk, 890).await;
    assert!(stage.telegram.texts(GROUP).is_empty());
    stage.run(&mut desk, 30).await;
    assert_eq!(stage.said("возможно, повтор").len(), 1);
}

#[tokio::test]
async fn leads_are_stored_while_telegram_hangs() {
    let stage = Stage::new().await;
    stage.lead().await;
    stage.telegram.fault("send", Fault::Hang);
    let mut desk = stage.desk();
    let storing = async {
        stage.telegram.hanging.notified().await;
        stage.lead().await
    };
    tokio::select! {
        _ = desk.tick() => panic!("the send hangs"),
        id = storing => assert_eq!(id.0, 2),
    }
}

#[tokio::test]
async fn of_two_bots_on_one_database_one_works_and_the_other_takes_over_when_it_is_gone() {
    let stage = Stage::new().await;
    let second = stage.another_bot().await;
    assert_eq!(take_lease(&stage.ctx, "leads").await.expect("readable"), Holder::Me);
    assert_eq!(take_lease(&second, "leads").await.expect("readable"), Holder::Other("first".into()));
    // One that waits writes nothing.
    let mut changes = stage.ctx.store.changes();
    assert_eq!(take_lease(&second, "leads").await.expect("readable"), Holder::Other("first".into()));
    assert!(futures::FutureExt::now_or_never(changes.changed()).is_none());
    stage.clock.advance(Duration::from_secs(3));
    assert_eq!(take_lease(&stage.ctx, "leads").await.expect("readable"), Holder::Me, "renewed");
    stage.clock.advance(Duration::from_secs(7));
    assert_eq!(take_lease(&second, "leads").await.expect("readable"), Holder::Other("first".into()));
    stage.clock.advance(Duration::from_secs(2));
    assert_eq!(take_lease(&second, "leads").await.expect("readable"), Holder::Me, "within seconds");
    assert_eq!(take_lease(&stage.ctx, "leads").await.expect("readable"), Holder::Other("second".into()));
}

#[tokio::test]
async fn two_desks_at_once_send_no_card_twice() {
    let stage = Stage::new().await;
    let second = stage.another_bot().await;
    for _ in 0..5 {
        stage.lead().await;
    }
    let mut one = stage.desk();
    let mut other = app::loops::leads::Desk::new(second, stage.outside.clone(), stage.group());
    for _ in 0..5 {
        tokio::join!(one.tick(), other.tick());
    }
    let texts = stage.telegram.texts(GROUP);
    assert_eq!(texts.len(), 5, "{texts:?}");
}

#[tokio::test]
async fn cards_without_personal_data_are_sent_when_the_operator_says_so() {
    let stage = Stage::with(WEDNESDAY, |settings| {
        if let Some(group) = &mut settings.leads.group {
            group.card_pii = false;
            group.topic_id = Some(3);
        }
    })
    .await;
    stage.lead().await;
    stage.desk().tick().await;
    let cards = stage.telegram.chat(GROUP);
    assert!(!cards[0].text.contains("Guest 1") && !cards[0].text.contains("@guest_1"));
    assert_eq!(cards[0].thread, Some(3));
}
