//! Sessions: the session table of seed 001, and the guest's commands.

use crate::stage::Stage;
use app::bot::Incoming;
use app::{Refusal, session};
use domain::guest::Guest;
use domain::job::JobStatus;
use domain::session::{Notice, SessionStatus};
use domain::{Clock, Language, names};
use std::time::Duration;
use store::{jobs, users};

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
async fn only_a_guest_who_gets_the_session_is_stored() {
    let stage = Stage::new().await;
    let known = async |id| {
        users::find(&mut stage.ctx.store.reader(), Stage::guest(id).id).await.expect("readable").is_some()
    };
    let (token, closed) = (stage.tap_start().await, stage.tap_start().await);
    session::expire(&stage.ctx, &closed, "cancel").await.expect("closed");
    stage.starts(1, &token).await;
    assert!(known(1).await);
    stage.starts(2, &token).await;
    stage.presses(3, &format!("consent:{token}")).await;
    stage.starts(4, &closed).await;
    stage.starts(5, "no_such_token").await;
    stage.receives(Incoming::Start { guest: Stage::guest(6), token: None }).await;
    for (guest, name) in [(7, "mypack"), (8, "help"), (9, "forget_me")] {
        stage.commands_of(guest, name).await;
    }
    let waiting = stage.tap_start().await;
    stage.set("maintenance", "admin").await;
    stage.starts(10, &waiting).await;
    stage.send_all().await;
    for stranger in 2..=10 {
        assert!(!known(stranger).await, "guest {stranger} left a row");
        assert_eq!(stage.telegram.told(stranger).len(), 1, "guest {stranger} was answered all the same");
    }
}

#[tokio::test]
async fn who_comes_without_a_qr_is_welcomed_and_my_pack_without_a_pack_says_so() {
    let stage = Stage::new().await;
    stage.receives(Incoming::Start { guest: Stage::guest(1), token: None }).await;
    stage.commands_of(1, "mypack").await;
    stage.queued_job(1).await;
    stage.work().await;
    stage.verify().await;
    stage.commands_of(1, "mypack").await;
    stage.send_all().await;
    assert_eq!(stage.told(1, "Нажми «СТАРТ» на планшете у стенда и наведи камеру на код."), 1);
    assert_eq!(stage.told(1, "Набора пока нет. Нажми «СТАРТ» на планшете."), 1);
    assert_eq!(stage.told(1, "Твой набор уже у тебя. Вот ссылка ещё раз."), 1);
}

#[tokio::test]
async fn a_guest_who_agreed_to_an_older_text_is_asked_again_and_the_new_version_is_stored() {
    let stage = Stage::new().await;
    let first = stage.at_the_camera(1).await;
    session::expire(&stage.ctx, &first, "cancel").await.expect("closed");
    stage.raw("UPDATE users SET consent_version = 0").await;
    let before = stage.clock.now();
    stage.clock.advance(Duration::from_secs(60));
    let token = stage.tap_start().await;
    stage.starts(1, &token).await;
    assert_eq!(
        session::view(&stage.ctx, &token).await.expect("a view").status,
        SessionStatus::Linked,
        "asked"
    );
    let consent = async || {
        let user = users::find(&mut stage.ctx.store.reader(), Stage::guest(1).id).await.expect("readable");
        user.map(|user| (user.consent_version, user.consented_at)).expect("a user")
    };
    assert_eq!(consent().await, (Some(0), Some(before)), "the old consent counts for what it was given to");
    stage.presses(1, &format!("consent:{token}")).await;
    assert_eq!(consent().await, (Some(1), Some(stage.clock.now())));
    stage.send_all().await;
    assert_eq!(stage.told(1, "Если тебе нет 18, спроси разрешения у родителей."), 2, "once a session");
}

#[tokio::test]
async fn guests_are_spoken_to_in_their_telegram_language_and_the_screen_follows() {
    for (language, words) in [
        (Language::Ru, "Сделаем стикеры из твоего селфи"),
        (Language::Uz, "Selfingizdan stikerlar tayyorlaymiz"),
        (Language::En, "We make stickers from your selfie"),
    ] {
        let stage = Stage::new().await;
        let token = stage.tap_start().await;
        assert_eq!(session::view(&stage.ctx, &token).await.expect("a view").language, Language::Ru);
        let guest = Guest { language, ..Stage::guest(1) };
        stage.receives(Incoming::Start { guest, token: Some(token.clone()) }).await;
        assert_eq!(session::view(&stage.ctx, &token).await.expect("a view").language, language);
        stage.send_all().await;
        assert_eq!(stage.told(1, words), 1);
    }
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
async fn the_server_closes_a_session_whose_kiosk_died_after_five_and_fifteen_minutes() {
    let stage = Stage::new().await;
    let reason = async |token: &str| {
        let view = session::view(&stage.ctx, token).await.expect("a view");
        view.closed_reason.map(|reason| reason.word())
    };
    let idle = stage.tap_start().await;
    let heard = stage.tap_start().await;
    let camera = stage.at_the_camera(1).await;
    let taken = stage.queued_job(2).await.session_token;
    stage.clock.advance(Duration::from_secs(5 * 60 - 1));
    session::seen_by_kiosk(&stage.ctx, &heard).await.expect("noted");
    assert_eq!(session::close_abandoned(&stage.ctx).await.expect("looked"), 0, "a second early");
    stage.clock.advance(Duration::from_secs(1));
    assert_eq!(session::close_abandoned(&stage.ctx).await.expect("closed"), 1);
    assert_eq!(reason(&idle).await, Some("qr_timeout"));
    assert_eq!((reason(&heard).await, reason(&camera).await), (None, None));
    stage.clock.advance(Duration::from_secs(10 * 60));
    session::seen_by_kiosk(&stage.ctx, &heard).await.expect("noted");
    assert_eq!(session::close_abandoned(&stage.ctx).await.expect("closed"), 1);
    assert_eq!(reason(&camera).await, Some("idle_timeout"));
    assert_eq!(reason(&heard).await, None, "a tablet that listens keeps its session");
    let view = session::view(&stage.ctx, &taken).await.expect("a view");
    assert_eq!(view.status, SessionStatus::PhotoTaken, "a photo ends it, and the job goes on");
    // The guest is told when they press after all.
    stage.presses(1, &format!("consent:{camera}")).await;
    stage.send_all().await;
    assert_eq!(stage.told(1, "Сессия закрыта, нажми «СТАРТ» на планшете."), 1);
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
    stage.send_all().await;
    assert_eq!(stage.told(1, "Твой набор уже у тебя. Вот ссылка ещё раз."), 1, "the bot sends the link");
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
    stage.send_all().await;
    assert_eq!(stage.told(1, "Твой набор уже готовится ⏳…"), 1, "the bot says it too");
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
    let start = || Incoming::Start { guest: Stage::guest(1), token: Some(token.clone()) };
    for _ in 0..2 {
        app::bot::handle(&stage.ctx, app::bot::Receipt { update_id: 77 }, start()).await.expect("handled");
    }
    stage.send_all().await;
    assert_eq!(stage.telegram.told(1).len(), 1);
}
