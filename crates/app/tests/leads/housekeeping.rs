//! Pings, the digest, retention (seed 000).

use crate::fake::{Fault, refused};
use crate::stage::{GROUP, Stage, time};
use clients::telegram::TelegramError;
use domain::lead::{LeadId, LeadStatus};
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(24 * 3_600);

fn pings(stage: &Stage) -> Vec<String> {
    stage.said("⏰")
}

#[tokio::test]
async fn row_000_reminder_1_and_4_a_lead_without_status_is_pinged_after_two_hours_as_a_reply_to_its_card() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    let handled = stage.lead().await;
    stage.run(&mut desk, 20).await;
    stage.sets(handled, LeadStatus::InWork).await;
    stage.run(&mut desk, 7_100).await;
    assert!(pings(&stage).is_empty(), "not yet two hours");
    stage.run(&mut desk, 140).await;
    assert_eq!(pings(&stage), [format!("⏰ #stickers_{id} без статуса уже 2 ч — кто возьмёт?")]);
    let chat = stage.telegram.chat(GROUP);
    let ping = chat.iter().find(|message| message.text.contains('⏰')).expect("a ping");
    assert_eq!(ping.reply_to, Some(chat[0].place.1));
}

#[tokio::test]
async fn row_000_reminder_2_a_lead_of_friday_evening_is_pinged_on_monday_at_nine() {
    let stage = Stage::at("2026-11-27T20:30:00+05:00").await;
    let mut desk = stage.desk();
    stage.published(&mut desk).await;
    let monday = time("2026-11-30T08:59:00+05:00");
    while stage.now() < monday {
        desk.tick().await;
        stage.clock.advance(Duration::from_secs(600).min(monday.since(stage.now())));
    }
    desk.tick().await;
    assert!(pings(&stage).is_empty());
    stage.clock.advance(Duration::from_secs(60));
    desk.tick().await;
    assert_eq!(pings(&stage), ["⏰ #stickers_1 без статуса уже 60 ч — кто возьмёт?"]);
}

#[tokio::test]
async fn row_000_reminder_5_there_is_never_a_second_ping() {
    let stage = Stage::at("2026-11-25T09:00:00+05:00").await;
    let mut desk = stage.desk();
    stage.published(&mut desk).await;
    for _ in 0..30 {
        stage.clock.advance(HOUR);
        desk.tick().await;
        // Also not after a restart.
        stage.desk().tick().await;
    }
    assert_eq!(pings(&stage).len(), 1);
}

#[tokio::test]
async fn row_000_reminder_6_a_ping_that_failed_is_not_sent_again() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.clock.advance(HOUR * 2);
    stage.telegram.fault("send", Fault::Refused(refused(500, "Internal Server Error")));
    stage.run(&mut desk, 600).await;
    assert!(pings(&stage).is_empty());
    assert!(stage.read(id).await.reminded_at.is_some());
}

#[tokio::test]
async fn a_restart_between_the_decision_and_the_send_makes_no_second_ping() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.clock.advance(HOUR * 2);
    stage.telegram.fault("send", Fault::Hang);
    tokio::select! {
        _ = desk.tick() => panic!("the ping hangs"),
        () = stage.telegram.hanging.notified() => {}
    }
    assert!(stage.read(id).await.reminded_at.is_some(), "decided before it is sent");
    let sends = stage.telegram.times("send").len();
    stage.run(&mut stage.desk(), 3_600).await;
    assert_eq!(stage.telegram.times("send").len(), sends);
}

#[tokio::test]
async fn many_pings_keep_to_the_pace_of_the_group_and_all_go_out() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    for _ in 0..12 {
        stage.lead().await;
    }
    stage.run(&mut desk, 60).await;
    stage.clock.advance(HOUR * 2);
    stage.run(&mut desk, 60).await;
    assert_eq!(pings(&stage).len(), 12);
}

/// A stage on a day with a lead of the evening before.
async fn morning(at: &str) -> Stage {
    let stage = Stage::at("2026-11-24T20:00:00+05:00").await;
    stage.published(&mut stage.desk()).await;
    stage.clock.advance(time(at).since(stage.now()));
    stage
}

#[tokio::test]
async fn rows_000_digest_1_to_3_it_comes_at_ten_once_and_covers_a_day() {
    let stage = morning("2026-11-25T09:58:00+05:00").await;
    let mut desk = stage.desk();
    stage.run(&mut desk, 110).await;
    assert!(stage.said("☀️").is_empty());
    stage.run(&mut desk, 7_000).await;
    stage.run(&mut stage.desk(), 60).await;
    assert_eq!(
        stage.said("☀️"),
        [
            "☀️ Стикеры за сутки (24.11 10:00 — 25.11 10:00)\nНовых заявок: 1\nБез статуса: 1 — #stickers_1\nПаков сгенерировано: 0"
        ]
    );
    assert_eq!(stage.setting("stickers_digest_last").await.as_deref(), Some("2026-11-25"));
    stage.clock.advance(DAY - HOUR);
    stage.run(&mut desk, 60).await;
    assert_eq!(stage.said("☀️").len(), 2, "and the next day");
}

#[tokio::test]
async fn row_000_digest_1_a_bot_that_starts_at_half_past_eleven_sends_it_and_one_at_five_past_twelve_does_not()
 {
    for (at, sent) in [("2026-11-25T11:30:00+05:00", 1), ("2026-11-25T12:05:00+05:00", 0)] {
        let stage = morning(at).await;
        stage.run(&mut stage.desk(), 10).await;
        assert_eq!(stage.said("☀️").len(), sent, "{at}");
    }
}

#[tokio::test]
async fn row_000_digest_5_an_empty_day_is_marked_and_not_sent() {
    let stage = Stage::at("2026-11-25T10:00:00+05:00").await;
    stage.run(&mut stage.desk(), 10).await;
    assert!(stage.telegram.chat(GROUP).is_empty());
    assert_eq!(stage.setting("stickers_digest_last").await.as_deref(), Some("2026-11-25"));
}

#[tokio::test]
async fn row_000_digest_7_an_error_or_an_unknown_outcome_leaves_the_day_unmarked_and_it_comes_a_minute_later()
{
    for fault in
        [Fault::Refused(refused(500, "Internal Server Error")), Fault::Refused(TelegramError::unknown("cut"))]
    {
        let stage = morning("2026-11-25T10:00:00+05:00").await;
        let mut desk = stage.desk();
        // The first send is the ping that is due since nine.
        desk.tick().await;
        let stage = morning("2026-11-25T10:00:00+05:00").await;
        let mut desk = stage.desk();
        stage.sets(LeadId(1), LeadStatus::InWork).await;
        stage.telegram.fault("send", fault);
        stage.run(&mut desk, 58).await;
        assert!(stage.said("☀️").is_empty());
        assert_eq!(stage.setting("stickers_digest_last").await, None);
        stage.run(&mut desk, 8).await;
        assert_eq!(stage.said("☀️").len(), 1);
        assert!(stage.setting("stickers_digest_last").await.is_some());
    }
}

#[tokio::test]
async fn row_000_digest_7_retries_stop_at_twelve() {
    let stage = morning("2026-11-25T11:58:00+05:00").await;
    stage.telegram.always("send", Some(TelegramError::not_sent("no network")));
    let mut desk = stage.desk();
    stage.run(&mut desk, 180).await;
    stage.telegram.always("send", None);
    stage.run(&mut desk, 600).await;
    assert!(stage.said("☀️").is_empty());
    assert_eq!(stage.setting("stickers_digest_last").await, None);
}

#[tokio::test]
async fn rows_000_erase_1_and_4_spam_is_forgotten_after_thirty_days_and_its_card_rewritten() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.repeat(id, "Секретный комментарий").await;
    stage.sets(id, LeadStatus::Spam).await;
    stage.run(&mut desk, 20).await;
    let spam_since = stage.read(id).await.status_at.expect("a press");
    stage.clock.advance(spam_since.plus(DAY * 30).since(stage.now()) - Duration::from_secs(120));
    stage.run(&mut desk, 60).await;
    assert!(stage.read(id).await.erased_at.is_none(), "not yet");
    stage.run(&mut desk, 180).await;
    let lead = stage.read(id).await;
    assert!(lead.erased_at.is_some());
    assert_eq!((&lead.contact.name, &lead.contact.comment, lead.status), (&None, &None, LeadStatus::Spam));
    assert_eq!(lead.utm[0].as_deref(), Some("instagram"), "statistics stay");
    let card = &stage.telegram.chat(GROUP)[0];
    assert_eq!(card.text, "🗑 Заявка #stickers_1 — данные удалены (25.12.2026)");
    let bytes = stage.database_bytes();
    for secret in ["Секретный комментарий", "@guest_1", "Comment 1"] {
        assert!(!contains(&bytes, secret), "{secret} is still in the files");
    }
}

#[tokio::test]
async fn row_000_erase_2_any_other_lead_is_forgotten_after_a_year_and_a_press_restarts_the_clock() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let untouched = stage.published(&mut desk).await;
    let touched = stage.published(&mut desk).await;
    stage.clock.advance(DAY * 100);
    stage.sets(touched, LeadStatus::Deal).await;
    stage.clock.advance(DAY * 265 + HOUR);
    stage.run(&mut desk, 30).await;
    assert!(stage.read(untouched).await.erased_at.is_some());
    assert!(stage.read(touched).await.erased_at.is_none());
    stage.clock.advance(DAY * 100);
    stage.run(&mut desk, 90).await;
    assert!(stage.read(touched).await.erased_at.is_some());
}

#[tokio::test]
async fn row_000_isolation_1_an_error_in_one_step_leaves_the_others_running() {
    let stage = morning("2026-11-25T10:00:00+05:00").await;
    let old = stage.lead().await;
    stage.run(&mut stage.desk(), 30).await;
    stage.sets(old, LeadStatus::Spam).await;
    stage.clock.advance(DAY * 30);
    stage.telegram.always("send", Some(refused(400, "Bad Request: something new")));
    // The digest fails all the time; pings and retention go on.
    stage.run(&mut stage.desk(), 130).await;
    assert!(stage.read(old).await.erased_at.is_some());
    assert!(stage.read(LeadId(1)).await.reminded_at.is_some());
}

#[tokio::test]
async fn the_loop_never_ends_by_an_error() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    stage.lead().await;
    stage.ctx.store.close().await;
    for _ in 0..5 {
        let wait = desk.tick().await;
        assert!(wait >= Duration::from_millis(10) && wait <= Duration::from_secs(2), "{wait:?}");
        stage.clock.advance(Duration::from_secs(60));
    }
}

#[tokio::test]
async fn row_000_isolation_1_without_the_module_nothing_is_sent_and_retention_still_runs() {
    let stage = Stage::new().await;
    let id = stage.lead().await;
    stage.clock.advance(DAY * 366);
    let mut settings = app::Settings::clone(&stage.ctx.settings);
    settings.leads.group = None;
    let ctx = app::Ctx { settings: std::sync::Arc::new(settings), ..stage.ctx.clone() };
    let stop = tokio_util::sync::CancellationToken::new();
    let roles: app::Roles = "leads".parse().expect("a role");
    let mut changes = stage.ctx.store.changes();
    let running = tokio::spawn(app::bot_run(ctx, stage.outside.clone(), roles, stop.clone()));
    while stage.read(id).await.erased_at.is_none() {
        changes.changed().await;
    }
    stop.cancel();
    running.await.expect("no panic").expect("a clean end");
    assert!(stage.telegram.all_times().is_empty());
}

pub fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}
