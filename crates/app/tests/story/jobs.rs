//! Jobs: the job table of seed 001.

use crate::fake::Fault;
use crate::stage::{OPERATOR, Stage};
use app::job::RetryRefusal;
use app::loops;
use app::neighbours::{Life, Neighbours, Strangers};
use bytes::Bytes;
use clients::telegram::TelegramError;
use domain::job::{JobId, JobState, JobStatus};
use domain::session::Notice;
use domain::{Clock, names};
use std::time::Duration;
use store::users;

#[tokio::test]
async fn job_rows_2_to_4_a_job_is_claimed_made_verified_and_then_the_link_goes_out() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.work().await;
    let JobState::Delivering(pack) = stage.job(job.id).await.state else { panic!("not delivering") };
    assert_eq!(pack.name, format!("s{}_{}_by_our_bot", job.id, job.pack_key));
    stage.telegram.show(Some(8));
    assert_eq!(stage.verify().await, 0, "eight of nine stickers are not a pack");
    stage.send_all().await;
    assert_eq!(stage.told(1, "Твой набор готов!"), 0);
    stage.telegram.show(None);
    stage.clock.advance(Duration::from_secs(15));
    assert_eq!(stage.verify().await, 1);
    let done = stage.job(job.id).await;
    assert!(matches!(done.state, JobState::Done { link_sent_at, .. } if link_sent_at <= stage.clock.now()));
    assert_eq!(done.photo_path, None, "the selfie is deleted right after the pack (seed 002)");
    let user =
        users::find(&mut stage.ctx.store.reader(), job.guest).await.expect("readable").expect("a user");
    assert_eq!(user.pack_link, Some(format!("https://t.me/addstickers/{}", pack.name)));
    stage.send_all().await;
    assert_eq!((stage.told(1, "Твой набор готов!"), stage.telegram.stickers_sent(1)), (1, 1));
    assert_eq!(stage.verify().await, 0, "done is decided once");
}

#[tokio::test]
async fn job_row_2_nothing_is_claimed_during_maintenance() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.set("maintenance", "auto").await;
    stage.work().await;
    assert_eq!(stage.job(job.id).await.status(), JobStatus::Queued);
}

#[tokio::test]
async fn idle_loops_commit_nothing_and_so_wake_nobody() {
    let stage = Stage::new().await;
    let mut changes = stage.ctx.store.changes();
    stage.work().await;
    stage.verify().await;
    app::job::sweep(&stage.ctx).await.expect("a sweep");
    app::outbox::Sender::new(stage.ctx.clone(), stage.outside.clone()).tick().await.expect("a pass");
    assert!(futures::FutureExt::now_or_never(changes.changed()).is_none(), "an idle loop wrote something");
}

#[tokio::test]
async fn job_rows_5_and_6_a_second_failed_attempt_ends_the_job_with_alert_and_message() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    for _ in 0..2 {
        stage
            .telegram
            .fault("create_sticker_set", Fault::Refused(TelegramError::not_sent("connection refused")));
        stage.work().await;
        stage.clock.advance(Duration::from_secs(9));
        stage.work().await;
        stage.clock.advance(Duration::from_secs(2));
    }
    let failed = stage.job(job.id).await;
    assert_eq!((failed.status(), failed.attempts), (JobStatus::Failed, 2));
    assert_eq!(stage.telegram.calls("create_sticker_set"), 2, "ten seconds lie between two attempts");
    assert!(failed.photo_path.is_some(), "the selfie of a failed job stays until the TTL (seed 002)");
    stage.send_all().await;
    assert_eq!(stage.told(1, "Не получилось нарисовать набор"), 1);
    assert_eq!(stage.told(OPERATOR, &format!("Задание {}", job.id)), 1);
}

#[tokio::test]
async fn job_row_6_a_permanent_error_ends_the_job_at_once() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    let error = TelegramError::refused(400, "Bad Request: STICKER_PNG_DIMENSIONS", Default::default());
    stage.telegram.fault("create_sticker_set", Fault::Refused(error));
    stage.work().await;
    assert_eq!(stage.job(job.id).await.status(), JobStatus::Failed);

    let stage = Stage::new().await;
    let token = stage.at_the_camera(1).await;
    let id = stage.upload(&token).await.expect("a job");
    let path = stage.job(id).await.photo_path.expect("a selfie");
    stage.ctx.media.delete(&path).await.expect("deleted");
    stage.work().await;
    let failed = stage.job(id).await;
    assert_eq!((failed.status(), failed.error.as_deref()), (JobStatus::Failed, Some("the photo is missing")));
}

#[tokio::test]
async fn job_row_7_a_stopping_bot_gives_unfinished_jobs_back() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    // Attempts and returns after each stop: the first two returns are free, the third counts, the fourth is the last attempt.
    for (attempts, returns, status) in [
        (0, 1, JobStatus::Queued),
        (0, 2, JobStatus::Queued),
        (1, 3, JobStatus::Queued),
        (2, 3, JobStatus::Failed),
    ] {
        stage.telegram.fault("create_sticker_set", Fault::Hang);
        let mut worker = loops::Worker::new(stage.ctx.clone(), stage.outside.clone());
        assert_eq!(worker.tick().await.expect("claimed"), 1);
        let asked = stage.clock.now();
        worker.shut_down().await;
        assert_eq!(stage.clock.now().since(asked), Duration::from_secs(15), "the grace period");
        let back = stage.job(job.id).await;
        assert_eq!((back.attempts, back.shutdown_returns, back.status()), (attempts, returns, status));
        assert!(back.error.is_some_and(|error| error.contains("[requeued on shutdown]")));
    }
    stage.send_all().await;
    assert_eq!(stage.told(1, "Не получилось нарисовать набор"), 1);
}

#[tokio::test]
async fn job_rows_8_and_9_a_dead_process_costs_an_attempt_and_the_last_one_fails_the_job() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    for (attempts, status) in [(1, JobStatus::Queued), (2, JobStatus::Failed)] {
        stage.claim().await;
        loops::recover_jobs(&stage.ctx, &Strangers).await.expect("recovered");
        let job = stage.job(job.id).await;
        assert_eq!((job.attempts, job.status()), (attempts, status));
        assert!(job.error.is_some_and(|error| error.contains("[requeued after restart]")));
    }
    stage.send_all().await;
    assert_eq!(stage.told(1, "Не получилось нарисовать набор"), 1, "told as any other failure");
    assert_eq!(stage.told(OPERATOR, "не выполнено"), 1);
}

/// Knows one process.
struct Knows(Life);

impl Neighbours for Knows {
    fn life(&self, process: &str) -> Life {
        assert_eq!(process, "dead");
        self.0
    }
}

#[tokio::test]
async fn a_start_takes_back_what_the_dead_left_and_nothing_that_may_be_in_work() {
    // Whether several machines share the database, what is known of the owner, and whether its job is taken back.
    for (several, life, taken) in [
        (false, Life::Alive, false),
        (false, Life::Unknown, true),
        (false, Life::Dead, true),
        (true, Life::Alive, false),
        (true, Life::Unknown, false),
        (true, Life::Dead, true),
    ] {
        let stage = Stage::with(|settings| settings.several_machines = several).await;
        let job = stage.queued_job(1).await;
        stage.claim().await;
        loops::recover_jobs(&stage.ctx, &Knows(life)).await.expect("recovered");
        let status = if taken { JobStatus::Queued } else { JobStatus::Processing };
        assert_eq!(stage.job(job.id).await.status(), status, "{several} {life:?}");
    }
}

#[tokio::test]
async fn a_claim_whose_lease_has_ended_is_rescued_by_any_worker_and_a_job_that_kills_its_worker_each_time_ends()
 {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    for (attempts, status) in [(1, JobStatus::Queued), (2, JobStatus::Failed)] {
        stage.claim().await;
        stage.clock.advance(Duration::from_secs(59));
        loops::rescue_jobs(&stage.ctx).await.expect("looked");
        assert_eq!(stage.job(job.id).await.status(), JobStatus::Processing, "its lease holds");
        stage.clock.advance(Duration::from_secs(1));
        loops::rescue_jobs(&stage.ctx).await.expect("rescued");
        let job = stage.job(job.id).await;
        assert_eq!((job.attempts, job.status()), (attempts, status));
    }
    stage.send_all().await;
    assert_eq!(stage.told(1, "Не получилось нарисовать набор"), 1);
}

#[tokio::test]
async fn a_worker_that_wakes_up_after_its_claim_was_rescued_changes_nothing() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.claim().await;
    let late = stage.job(job.id).await;
    stage.clock.advance(Duration::from_secs(60));
    loops::rescue_jobs(&stage.ctx).await.expect("rescued");
    let ended = app::job::attempt(&stage.ctx, &stage.outside, &late).await.expect("no fault");
    assert_eq!(ended, app::job::Attempt::Lost);
    assert_eq!(stage.telegram.calls("create_sticker_set"), 0, "it makes no set");
    assert_eq!(stage.job(job.id).await.status(), JobStatus::Queued);
}

#[tokio::test]
async fn job_row_10_fifteen_minutes_without_a_link_fail_the_job_in_every_active_status() {
    for status in [JobStatus::Queued, JobStatus::Processing, JobStatus::Delivering] {
        let stage = Stage::new().await;
        let job = stage.queued_job(1).await;
        match status {
            JobStatus::Processing => stage.claim().await,
            JobStatus::Delivering => stage.work().await,
            _ => {}
        }
        assert_eq!(stage.job(job.id).await.status(), status);
        let age = stage.clock.now().since(job.created_at);
        stage.clock.advance(Duration::from_secs(15 * 60 - 1).saturating_sub(age));
        app::job::sweep(&stage.ctx).await.expect("a sweep");
        assert_eq!(stage.job(job.id).await.status(), status, "a second early");
        stage.clock.advance(Duration::from_secs(1));
        app::job::sweep(&stage.ctx).await.expect("a sweep");
        let failed = stage.job(job.id).await;
        assert_eq!(failed.status(), JobStatus::Failed);
        assert!(failed.error.is_some_and(|error| error.starts_with("STICKERSET_DELIVERY_FAILED")));
        assert_eq!(stage.verify().await, 0, "never link and failure both");
        stage.send_all().await;
        assert_eq!((stage.told(1, "поможем вручную"), stage.told(1, "Твой набор готов!")), (1, 0));
        assert_eq!(stage.told(1, "Дорабатываем детали"), 0, "a delay notice that was not sent is dropped");
    }
}

#[tokio::test]
async fn job_row_11_an_operator_queues_a_failed_job_again_and_the_guest_gets_a_pack_of_its_own() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.clock.advance(Duration::from_secs(5 * 60));
    app::job::sweep(&stage.ctx).await.expect("a sweep");
    stage.send_all().await;
    stage.clock.advance(Duration::from_secs(10 * 60));
    app::job::sweep(&stage.ctx).await.expect("a sweep");
    let failed = stage.job(job.id).await;
    assert_eq!(failed.status(), JobStatus::Failed);

    app::job::retry(&stage.ctx, job.id, "operator:900").await.expect("queued again");
    let again = stage.job(job.id).await;
    assert_eq!((again.status(), again.attempts, again.error.as_deref()), (JobStatus::Queued, 0, None));
    assert_eq!(again.created_at, stage.clock.now(), "deadlines and the ceiling begin anew");
    assert_ne!(again.pack_key, job.pack_key, "a set of before is never met");
    let audit = store::audit_log::latest(&mut stage.ctx.store.reader(), 1).await.expect("readable").remove(0);
    assert_eq!((audit.actor.as_str(), audit.action.as_str()), ("operator:900", "retry_job"));
    assert_eq!(audit.subject, format!("job:{}", job.id));

    // Late again: the guest is told again. Then the pack comes.
    stage.clock.advance(Duration::from_secs(5 * 60));
    app::job::sweep(&stage.ctx).await.expect("a sweep");
    stage.send_all().await;
    assert_eq!(stage.told(1, "Дорабатываем детали твоего набора ✨ Скоро пришлю!"), 2);
    for place in 0..9 {
        let key = names::sticker_key(&again.session_token, &again.pack_key, place);
        stage.ctx.media.put(&key, Bytes::from_static(b"webp")).await.expect("a sticker");
    }
    stage.work().await;
    assert_eq!(stage.verify().await, 1);
    stage.send_all().await;
    assert_eq!((stage.told(1, "поможем вручную"), stage.told(1, "Твой набор готов!")), (1, 1));
    let refused = app::job::retry(&stage.ctx, job.id, "operator:900").await.expect_err("it is done");
    assert!(matches!(refused, RetryRefusal::NotFailed { status: JobStatus::Done }), "{refused:?}");
}

#[tokio::test]
async fn job_row_11_a_retry_is_refused_without_the_selfie_and_over_the_pack_limit() {
    let stage = Stage::new().await;
    let unknown = app::job::retry(&stage.ctx, JobId(404), "operator:900").await.expect_err("unknown");
    assert!(matches!(unknown, RetryRefusal::UnknownJob), "{unknown:?}");
    let job = stage.queued_job(1).await;
    let queued = app::job::retry(&stage.ctx, job.id, "operator:900").await.expect_err("it waits");
    assert!(matches!(queued, RetryRefusal::NotFailed { status: JobStatus::Queued }), "{queued:?}");
    stage.clock.advance(Duration::from_secs(15 * 60));
    app::job::sweep(&stage.ctx).await.expect("a sweep");
    // Since then the guest got a pack at the tablet.
    stage.queued_job(1).await;
    stage.work().await;
    stage.verify().await;
    let limited = app::job::retry(&stage.ctx, job.id, "operator:900").await.expect_err("a second pack");
    assert!(matches!(limited, RetryRefusal::PackLimit(Notice::PackReady)), "{limited:?}");
    // The file is gone, by its time to live or lost; the row does not know yet.
    let other = stage.queued_job(2).await;
    stage.clock.advance(Duration::from_secs(15 * 60));
    app::job::sweep(&stage.ctx).await.expect("a sweep");
    stage.ctx.media.delete(&other.photo_path.expect("a selfie")).await.expect("deleted");
    let gone = app::job::retry(&stage.ctx, other.id, "operator:900").await.expect_err("nothing to draw from");
    assert!(matches!(gone, RetryRefusal::PhotoGone), "{gone:?}");
    for id in [job.id, other.id] {
        assert_eq!(stage.job(id).await.status(), JobStatus::Failed);
    }
}
