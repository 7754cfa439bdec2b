//! Packs and messages when Telegram is late, loses an answer or refuses; deadlines.

use crate::fake::Fault;
use crate::stage::Stage;
use app::loops;
use app::neighbours::Strangers;
use clients::telegram::TelegramError;
use domain::job::{JobState, JobStatus};
use domain::{Clock, names};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

#[tokio::test]
async fn the_delay_notice_comes_after_five_minutes_and_once() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.clock.advance(Duration::from_secs(299));
    app::job::sweep(&stage.ctx).await.expect("a sweep");
    assert_eq!(stage.job(job.id).await.delay_notice_sent_at, None);
    stage.clock.advance(Duration::from_secs(1));
    for _ in 0..2 {
        app::job::sweep(&stage.ctx).await.expect("a sweep");
    }
    stage.send_all().await;
    assert_eq!(stage.told(1, "Дорабатываем детали твоего набора ✨ Скоро пришлю!"), 1);
}

#[tokio::test]
async fn a_job_that_ended_while_it_was_made_leaves_no_set() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.claim().await;
    let claimed = stage.job(job.id).await;
    // The sweeper fails it between the claim and the set.
    stage.clock.advance(Duration::from_secs(15 * 60));
    app::job::sweep(&stage.ctx).await.expect("a sweep");
    let ended = app::job::attempt(&stage.ctx, &stage.outside, &claimed).await.expect("an attempt");
    assert_eq!(ended, app::job::Attempt::Lost);
    assert_eq!(stage.telegram.calls("create_sticker_set"), 0);
    assert!(stage.telegram.sets().is_empty());
}

// telegram.md, section 7: a lost answer does no harm.

#[tokio::test]
async fn a_lost_answer_to_the_new_set_is_found_out_by_reading() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.telegram.fault("create_sticker_set", Fault::Lost);
    stage.work().await;
    assert_eq!(stage.job(job.id).await.status(), JobStatus::Delivering);
    assert_eq!((stage.telegram.calls("create_sticker_set"), stage.telegram.sets().len()), (1, 1));
}

#[tokio::test]
async fn a_half_made_set_of_an_earlier_attempt_is_completed() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.claim().await;
    loops::recover_jobs(&stage.ctx, &Strangers).await.expect("recovered");
    let name = names::pack_name(job.id, &job.pack_key, "our_bot");
    stage.telegram.put_set(&name, 6);
    stage.telegram.fault("add_sticker_to_set", Fault::Lost);
    stage.work().await;
    assert_eq!((stage.telegram.set_size(&name), stage.telegram.calls("create_sticker_set")), (9, 0));
    assert_eq!(stage.telegram.calls("add_sticker_to_set"), 3, "the lost answer was read back, not repeated");
}

#[tokio::test]
async fn flood_control_is_waited_out_in_the_slot_for_up_to_a_minute() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    let flood = |seconds| {
        TelegramError::refused(429, format!("Too Many Requests: retry after {seconds}"), Default::default())
    };
    stage.telegram.fault("create_sticker_set", Fault::Refused(flood(35)));
    let before = stage.clock.now();
    stage.work().await;
    assert_eq!(stage.job(job.id).await.status(), JobStatus::Delivering);
    assert!(stage.clock.now().since(before) >= Duration::from_secs(35));

    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.telegram.fault("create_sticker_set", Fault::Refused(flood(300)));
    stage.work().await;
    let waiting = stage.job(job.id).await;
    let JobState::Queued { not_before: Some(not_before) } = waiting.state else { panic!("{waiting:?}") };
    assert!(not_before.since(stage.clock.now()) > Duration::from_secs(240), "a long wait holds no slot");
}

// The outbox.

#[tokio::test]
async fn a_link_whose_outcome_is_unknown_is_sent_again_after_a_minute() {
    let stage = Stage::new().await;
    stage.queued_job(1).await;
    stage.work().await;
    stage.verify().await;
    stage.telegram.fault("send_sticker", Fault::Lost);
    let mut sender = app::outbox::Sender::new(stage.ctx.clone(), stage.outside.clone());
    let mut sent_first = None;
    for _ in 0..90 {
        sender.tick().await.expect("a pass");
        sender.drain().await;
        if sent_first.is_none() && stage.telegram.calls("send_sticker") == 1 {
            sent_first = Some(stage.clock.now());
        }
        if stage.telegram.calls("send_sticker") == 2 {
            break;
        }
        stage.clock.advance(Duration::from_secs(1));
    }
    let waited = stage.clock.now().since(sent_first.expect("a first try"));
    assert!((59..=62).contains(&waited.as_secs()), "{waited:?}");
}

#[tokio::test]
async fn a_message_that_was_being_sent_when_the_process_died_goes_again() {
    let stage = Stage::new().await;
    stage.receives(app::bot::Incoming::Start { guest: Stage::guest(1), token: None }).await;
    let now = stage.clock.now();
    let due = store::outbox::due(&mut stage.ctx.store.reader(), store::outbox::Chats::Private, now, 1)
        .await
        .expect("readable");
    let id = due[0].id;
    let begun = stage
        .ctx
        .store
        .write(move |tx| Box::pin(store::outbox::begin_send(tx, id, now)))
        .await
        .expect("begun");
    assert!(begun.happened());
    let sender = app::outbox::Sender::new(stage.ctx.clone(), stage.outside.clone());
    sender.recover().await.expect("recovered");
    stage.clock.advance(Duration::from_secs(60));
    stage.send_all().await;
    assert_eq!(stage.told(1, "Я делаю стикеры из селфи"), 1);
}

#[tokio::test]
async fn a_guest_who_blocked_the_bot_is_given_up_and_holds_nobody() {
    let stage = Stage::new().await;
    for guest in [1, 2] {
        stage.receives(app::bot::Incoming::Start { guest: Stage::guest(guest), token: None }).await;
    }
    let blocked = TelegramError::refused(403, "Forbidden: bot was blocked by the user", Default::default());
    stage.telegram.fault("send_message", Fault::Refused(blocked));
    stage.send_all().await;
    assert_eq!(stage.telegram.told(1).len() + stage.telegram.told(2).len(), 1);
    assert_eq!(stage.telegram.calls("send_message"), 2, "a final refusal is not repeated");
    assert_eq!(store::outbox::count_open(&mut stage.ctx.store.reader()).await.expect("readable"), 0);
}

#[tokio::test]
async fn a_set_that_was_made_after_its_job_had_failed_is_removed_again() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.claim().await;
    let claimed = stage.job(job.id).await;
    let release = Arc::new(Notify::new());
    stage.telegram.fault("create_sticker_set", Fault::Held(Arc::clone(&release)));
    stage.telegram.fault("delete_sticker_set", Fault::Refused(TelegramError::not_sent("no network")));
    // Between the call and its answer the sweeper fails the job.
    let meanwhile = async {
        stage.clock.advance(Duration::from_secs(15 * 60));
        app::job::sweep(&stage.ctx).await.expect("a sweep");
        assert_eq!((stage.job(job.id).await.status(), stage.telegram.sets().len()), (JobStatus::Failed, 1));
        release.notify_one();
    };
    let (ended, ()) = tokio::join!(app::job::attempt(&stage.ctx, &stage.outside, &claimed), async {
        while stage.telegram.calls("create_sticker_set") == 0 {
            tokio::task::yield_now().await;
        }
        meanwhile.await;
    });
    assert_eq!(ended.expect("an attempt"), app::job::Attempt::Lost);
    stage.send_all().await;
    assert_eq!(stage.telegram.sets(), [""; 0]);
    assert_eq!((stage.told(1, "поможем вручную"), stage.told(1, "Твой набор готов!")), (1, 0));
}

#[tokio::test]
async fn half_a_set_of_a_job_that_failed_is_removed() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.claim().await;
    loops::recover_jobs(&stage.ctx, &Strangers).await.expect("recovered");
    stage.telegram.put_set(&names::pack_name(job.id, &job.pack_key, "our_bot"), 6);
    stage.telegram.put_set("s99_of_somebody_else_by_our_bot", 9);
    let error = TelegramError::refused(400, "Bad Request: STICKER_PNG_DIMENSIONS", Default::default());
    stage.telegram.fault("add_sticker_to_set", Fault::Refused(error));
    stage.work().await;
    assert_eq!(stage.job(job.id).await.status(), JobStatus::Failed);
    stage.send_all().await;
    assert_eq!(stage.telegram.sets(), ["s99_of_somebody_else_by_our_bot"]);
    assert_eq!(stage.told(1, "Не получилось нарисовать набор"), 1);
}
