//! Stories of sessions, jobs and deliveries inside one process, on a manual clock: each names the row of seed 001 or 002 that it proves.

mod fake;
mod stage;

use app::session;
use app::{Refusal, loops};
use clients::telegram::TelegramError;
use domain::job::{JobState, JobStatus};
use domain::session::{Notice, SessionStatus};
use domain::{Clock, names};
use fake::Fault;
use stage::{OPERATOR, Stage};
use std::time::Duration;
use store::{jobs, sessions, users};

// Seed 001, session table.

#[tokio::test]
async fn session_row_1_start_opens_an_idle_session_unless_maintenance_or_no_bot() {
    let stage = Stage::new().await;
    let token = stage.tap_start().await;
    let view = session::view(&stage.ctx, &token).await.expect("a view");
    assert_eq!(view.status, SessionStatus::Idle);
    stage.set("maintenance", "admin").await;
    let refused = session::create(&stage.ctx, Default::default()).await.expect_err("paused");
    assert_eq!(refused.code(), "maintenance");
    let env = Stage::with(|settings| settings.maintenance = true).await;
    assert_eq!(
        session::create(&env.ctx, Default::default()).await.expect_err("paused").code(),
        "maintenance"
    );
}

#[tokio::test]
async fn session_rows_2_and_3_the_same_guest_may_start_again_and_another_is_refused() {
    let stage = Stage::new().await;
    let token = stage.tap_start().await;
    stage.starts(1, &token).await;
    stage.presses(1, &format!("consent:{token}")).await;
    stage.starts(1, &token).await;
    let view = session::view(&stage.ctx, &token).await.expect("a view");
    assert_eq!(view.status, SessionStatus::Linked, "from consented it steps back");
    stage.starts(2, &token).await;
    stage.send_all().await;
    assert_eq!(stage.told(2, "Этот код уже занят, нажми «СТАРТ» на планшете."), 1);
    assert_eq!(session::view(&stage.ctx, &token).await.expect("a view").status, SessionStatus::Linked);
}

#[tokio::test]
async fn session_row_4_consent_is_stored_with_version_and_time_before_the_session_moves() {
    let stage = Stage::new().await;
    let token = stage.tap_start().await;
    stage.starts(1, &token).await;
    stage.presses(2, &format!("consent:{token}")).await;
    assert_eq!(
        session::view(&stage.ctx, &token).await.expect("a view").status,
        SessionStatus::Linked,
        "not theirs"
    );
    stage.presses(1, &format!("consent:{token}")).await;
    let user = users::find(&mut stage.ctx.store.reader(), Stage::guest(1).id)
        .await
        .expect("readable")
        .expect("a user");
    assert_eq!((user.consent_version, user.consented_at), (Some(1), Some(stage.clock.now())));
    assert_eq!(session::view(&stage.ctx, &token).await.expect("a view").status, SessionStatus::Consented);
}

#[tokio::test]
async fn session_row_5_an_outfit_needs_consent_and_must_exist() {
    let stage = Stage::new().await;
    let token = stage.tap_start().await;
    let early = session::choose_template(&stage.ctx, &token, "chapan").await.expect_err("no consent yet");
    assert!(matches!(early, Refusal::WrongStatus { status: SessionStatus::Idle }), "{early:?}");
    stage.starts(1, &token).await;
    stage.presses(1, &format!("consent:{token}")).await;
    let unknown = session::choose_template(&stage.ctx, &token, "pirate").await.expect_err("no such outfit");
    assert_eq!(unknown.code(), "unknown_template");
    for outfit in ["chapan", "hoodie"] {
        let view = session::choose_template(&stage.ctx, &token, outfit).await.expect("chosen");
        assert_eq!((view.status, view.template_id.as_deref()), (SessionStatus::TemplateChosen, Some(outfit)));
    }
    assert_eq!(
        session::choose_template(&stage.ctx, "nobody", "chapan").await.expect_err("unknown").code(),
        "unknown_session"
    );
}

#[tokio::test]
async fn session_row_6_a_photo_moves_the_session_and_queues_one_job() {
    let stage = Stage::new().await;
    let token = stage.at_the_camera(1).await;
    let id = stage.upload(&token).await.expect("a job");
    let job = stage.job(id).await;
    assert_eq!((job.status(), job.template_id.as_str(), job.attempts), (JobStatus::Queued, "chapan", 0));
    assert_eq!(session::view(&stage.ctx, &token).await.expect("a view").status, SessionStatus::PhotoTaken);
    let again = stage.upload(&token).await.expect_err("one photo a session");
    assert!(matches!(again, Refusal::WrongStatus { status: SessionStatus::PhotoTaken }), "{again:?}");
    assert_eq!(
        jobs::of_guest(&mut stage.ctx.store.reader(), Stage::guest(1).id).await.expect("readable").len(),
        1
    );
}

#[tokio::test]
async fn session_row_7_a_closed_session_answers_a_late_start_and_a_late_press() {
    let stage = Stage::new().await;
    let token = stage.tap_start().await;
    let (view, changed) = session::expire(&stage.ctx, &token, "qr_timeout").await.expect("closed");
    assert!(changed && view.closed_reason.map(|reason| reason.word()) == Some("qr_timeout"));
    let (_, changed) = session::expire(&stage.ctx, &token, "cancel").await.expect("closed already");
    assert!(!changed, "the first reason stays");
    stage.starts(1, &token).await;
    stage.presses(1, &format!("consent:{token}")).await;
    stage.starts(1, "no_such_token").await;
    stage.send_all().await;
    assert_eq!(stage.told(1, "Сессия закрыта, нажми «СТАРТ» на планшете."), 3);
    let unknown = stage.tap_start().await;
    let (view, _) = session::expire(&stage.ctx, &unknown, "coffee").await.expect("closed");
    assert_eq!(view.closed_reason.map(|reason| reason.word()), Some("kiosk_reset"));
}

#[tokio::test]
async fn session_row_8_the_pack_limit_stops_a_session_at_start_and_at_the_outfit() {
    let stage = Stage::new().await;
    stage.queued_job(1).await;
    let second = stage.tap_start().await;
    stage.starts(1, &second).await;
    let view = session::view(&stage.ctx, &second).await.expect("a view");
    assert_eq!((view.status, view.notice), (SessionStatus::Expired, Some(Notice::PackInProgress)));
    assert_eq!(view.closed_reason, None, "at most one of the two columns is set");
    stage.send_all().await;
    assert_eq!(stage.told(1, "Твой набор уже готовится ⏳…"), 1);

    // Linked before the first job existed: the outfit is where it shows.
    let stage = Stage::new().await;
    let waiting = stage.tap_start().await;
    stage.starts(1, &waiting).await;
    stage.presses(1, &format!("consent:{waiting}")).await;
    stage.queued_job(1).await;
    stage.work().await;
    stage.verify().await;
    let refused = session::choose_template(&stage.ctx, &waiting, "chapan").await.expect_err("limit");
    assert!(
        matches!(refused, Refusal::PackLimit { notice: Notice::PackReady, status: SessionStatus::Expired }),
        "{refused:?}"
    );
}

#[tokio::test]
async fn session_row_9_the_photo_transaction_decides_about_the_pack_limit() {
    let stage = Stage::new().await;
    let first = stage.at_the_camera(1).await;
    let second = stage.at_the_camera(1).await;
    stage.upload(&first).await.expect("a job");
    let refused = stage.upload(&second).await.expect_err("limit");
    assert!(matches!(refused, Refusal::PackLimit { notice: Notice::PackInProgress, .. }), "{refused:?}");
    assert_eq!(
        session::view(&stage.ctx, &second).await.expect("a view").notice,
        Some(Notice::PackInProgress)
    );
    let folder = names::session_folder(&second);
    assert!(
        stage.ctx.media.list(&folder).await.expect("a list").is_empty(),
        "the refused photo is deleted at once (seed 002)"
    );
}

#[tokio::test]
async fn session_row_10_and_job_row_12_forget_me_removes_rows_and_files_and_is_audited() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.receives(app::bot::Incoming::Command { guest: Stage::guest(1), name: "forget_me".into() }).await;
    stage.presses(1, "forget:no").await;
    assert!(
        jobs::find(&mut stage.ctx.store.reader(), job.id).await.expect("readable").is_some(),
        "asked once, kept"
    );
    stage.presses(1, "forget:yes").await;
    let mut reader = stage.ctx.store.reader();
    assert!(jobs::find(&mut reader, job.id).await.expect("readable").is_none());
    assert!(sessions::find(&mut reader, &job.session_token).await.expect("readable").is_none());
    assert!(users::find(&mut reader, job.guest).await.expect("readable").is_none());
    assert!(stage.ctx.media.list("sessions").await.expect("a list").is_empty());
    let audit = store::audit_log::latest(&mut reader, 5).await.expect("readable");
    assert!(audit.iter().any(|entry| entry.action == "forget_me"));
    stage.send_all().await;
    assert_eq!(stage.told(1, "твои данные и файлы удалены"), 1);
    assert_eq!(stage.told(1, "Твой набор готов!"), 0, "an active job ends without a message");
}

#[tokio::test]
async fn the_guests_own_start_at_the_camera_and_after_the_photo_changes_nothing() {
    let stage = Stage::new().await;
    let token = stage.at_the_camera(1).await;
    stage.starts(1, &token).await;
    assert_eq!(
        session::view(&stage.ctx, &token).await.expect("a view").status,
        SessionStatus::TemplateChosen
    );
    stage.upload(&token).await.expect("a job");
    stage.starts(1, &token).await;
    assert_eq!(session::view(&stage.ctx, &token).await.expect("a view").status, SessionStatus::PhotoTaken);
    stage.send_all().await;
    assert_eq!((stage.told(1, "посмотри на планшет"), stage.told(1, "уже рисуем")), (1, 1));
}

#[tokio::test]
async fn an_update_handled_twice_says_nothing_twice() {
    let stage = Stage::new().await;
    let token = stage.tap_start().await;
    let start = || app::bot::Incoming::Start { guest: Stage::guest(1), token: Some(token.clone()) };
    for _ in 0..2 {
        app::bot::handle(&stage.ctx, app::bot::Receipt { update_id: 77 }, start()).await.expect("handled");
    }
    stage.send_all().await;
    assert_eq!(stage.telegram.told(1).len(), 1);
}

// Seed 001, job table.

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
        worker.shut_down().await;
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
        claim(&stage).await;
        loops::recover_jobs(&stage.ctx).await.expect("recovered");
        let job = stage.job(job.id).await;
        assert_eq!((job.attempts, job.status()), (attempts, status));
        assert!(job.error.is_some_and(|error| error.contains("[requeued after restart]")));
    }
    stage.send_all().await;
    assert_eq!(stage.told(1, "Не получилось нарисовать набор"), 1, "told as any other failure");
    assert_eq!(stage.told(OPERATOR, "не выполнено"), 1);
}

async fn claim(stage: &Stage) {
    let now = stage.clock.now();
    stage
        .ctx
        .store
        .write(move |tx| Box::pin(jobs::claim_next(tx, "dead", now.plus(Duration::from_secs(60)), now)))
        .await
        .expect("claimed")
        .expect("a job");
}

#[tokio::test]
async fn job_row_10_fifteen_minutes_without_a_link_fail_the_job_in_every_active_status() {
    for status in [JobStatus::Queued, JobStatus::Processing, JobStatus::Delivering] {
        let stage = Stage::new().await;
        let job = stage.queued_job(1).await;
        match status {
            JobStatus::Processing => claim(&stage).await,
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

// Seed 001, "Things that are not statuses".

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
    claim(&stage).await;
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
    claim(&stage).await;
    loops::recover_jobs(&stage.ctx).await.expect("recovered");
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
    let due = store::outbox::due(&mut stage.ctx.store.reader(), now, 1).await.expect("readable");
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

// Seed 002, "Photo TTL".

#[tokio::test]
async fn the_clean_up_takes_files_by_age_with_an_hours_margin_and_keeps_younger_ones() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    // The media store stamps files with the machine's time; the manual clock is moved relative to it.
    let files = stage.ctx.media.list("sessions").await.expect("a list");
    let youngest = files.iter().map(|file| file.last_modified_ms).max().expect("files");
    let oldest = files.iter().map(|file| file.last_modified_ms).min().expect("files");
    let at = |ms: i64| {
        let now = stage.clock.now().as_millis();
        stage.clock.advance(Duration::from_millis(u64::try_from(ms - now).expect("forward")));
    };
    let kept = 71 * 3600 * 1000;
    at(oldest + kept - 1000);
    assert_eq!(loops::clean_up(&stage.ctx).await.expect("a pass"), 0);
    at(youngest + kept + 1000);
    assert_eq!(loops::clean_up(&stage.ctx).await.expect("a pass"), files.len());
    assert!(
        stage.ctx.media.list(&names::session_folder(&job.session_token)).await.expect("a list").is_empty()
    );
}
