//! Sessions: the session table of seed 001, and the guest's commands.

use crate::stage::Stage;
use app::{Refusal, session};
use domain::job::JobStatus;
use domain::session::{Notice, SessionStatus};
use domain::{Clock, names};
use store::{jobs, sessions, users};

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
    stage
        .receives(app::bot::Incoming::Command {
            guest: Stage::guest(1),
            name: "forget_me".into(),
            rest: String::new(),
        })
        .await;
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
async fn an_erasure_is_no_free_second_pack() {
    let stage = Stage::new().await;
    stage.queued_job(1).await;
    stage.work().await;
    stage.presses(1, "forget:yes").await;
    let again = stage.tap_start().await;
    stage.starts(1, &again).await;
    let view = session::view(&stage.ctx, &again).await.expect("a view");
    assert_eq!((view.status, view.notice), (SessionStatus::Expired, Some(Notice::PackReady)));
    // A guest whose pack was never made has had none.
    stage.queued_job(2).await;
    stage.presses(2, "forget:yes").await;
    let again = stage.tap_start().await;
    stage.starts(2, &again).await;
    assert_eq!(session::view(&stage.ctx, &again).await.expect("a view").status, SessionStatus::Linked);
}

#[tokio::test]
async fn what_is_drawn_while_the_guest_is_erased_is_erased_too() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.claim().await;
    let claimed = stage.job(job.id).await;
    stage.presses(1, "forget:yes").await;
    // The worker, which was drawing, stores a sticker after the files of the guest were deleted.
    let late = names::sticker_key(&job.session_token, &job.pack_key, 0);
    stage.ctx.media.put(&late, "a face".into()).await.expect("stored");
    app::job::attempt(&stage.ctx, &stage.outside, &claimed).await.expect("an attempt");
    assert!(stage.ctx.media.list("sessions").await.expect("a list").is_empty());
    assert!(stage.telegram.sets().is_empty());
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
