//! What a guest's erasure takes, what it leaves, and for how long (seed 002; product.md, "Guest flow").

use crate::fake::Fault;
use crate::stage::{OPERATOR, Stage};
use app::{guest, loops, session};
use bytes::Bytes;
use clients::telegram::TelegramError;
use domain::job::JobStatus;
use domain::session::{Notice, SessionStatus};
use domain::{Clock, names};
use std::time::Duration;
use store::ai_usage::{self, Usage};
use store::{audit_log, jobs, sessions, settings, users};

#[tokio::test]
async fn session_row_10_and_job_row_12_forget_me_removes_rows_and_files_and_is_audited() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.commands_of(1, "forget_me").await;
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
    let audit = audit_log::latest(&mut reader, 5).await.expect("readable");
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
    stage.verify().await;
    stage.presses(1, "forget:yes").await;
    let again = stage.tap_start().await;
    stage.starts(1, &again).await;
    let view = session::view(&stage.ctx, &again).await.expect("a view");
    assert_eq!((view.status, view.notice), (SessionStatus::Expired, Some(Notice::PackReady)));
    let user = users::find(&mut stage.ctx.store.reader(), Stage::guest(1).id).await.expect("readable");
    assert!(user.is_none(), "who was forgotten is not written down again");
    stage.send_all().await;
    assert_eq!(stage.told(1, "Набор у тебя уже был, и твои данные удалены: ссылки у нас больше нет."), 1);
    // A guest whose pack never came has had none.
    for status in [JobStatus::Queued, JobStatus::Delivering] {
        let guest = 2 + i64::from(status == JobStatus::Delivering);
        let job = stage.queued_job(guest).await;
        if status == JobStatus::Delivering {
            stage.work().await;
        }
        assert_eq!(stage.job(job.id).await.status(), status);
        stage.presses(guest, "forget:yes").await;
        let again = stage.tap_start().await;
        stage.starts(guest, &again).await;
        let view = session::view(&stage.ctx, &again).await.expect("a view");
        assert_eq!(view.status, SessionStatus::Linked, "{status}");
    }
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
async fn a_set_that_an_erased_guest_would_still_get_is_removed_and_a_delivered_pack_stays() {
    let stage = Stage::new().await;
    stage.queued_job(1).await;
    stage.work().await;
    stage.verify().await;
    stage.queued_job(2).await;
    stage.work().await;
    assert_eq!(stage.telegram.sets().len(), 2);
    for guest in [1, 2] {
        stage.presses(guest, "forget:yes").await;
    }
    // Asked again before anything was sent: the order to remove the set stays.
    stage.presses(2, "forget:yes").await;
    stage.send_all().await;
    let sets = stage.telegram.sets();
    assert_eq!(sets.len(), 1, "{sets:?}");
    assert!(sets[0].starts_with("s1_"), "a delivered pack is the guest's, nothing deletes it: {sets:?}");
    assert_eq!(stage.told(2, "Твой набор готов!"), 0);
}

/// Seed 002, row "Sticker packs": never deleted by the system.
#[tokio::test]
async fn row_002_data_8_nothing_deletes_a_delivered_pack_and_forget_me_says_so() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.work().await;
    stage.verify().await;
    let pack = names::pack_name(job.id, &job.pack_key, "our_bot");
    for _ in 0..5 {
        stage.clock.advance(Duration::from_secs(24 * 3_600));
        loops::clean_up(&stage.ctx).await.expect("a pass");
        app::job::sweep(&stage.ctx).await.expect("a sweep");
    }
    stage.presses(1, "forget:yes").await;
    stage.send_all().await;
    guest::reset(&stage.ctx, job.guest, "operator:test").await.expect("nobody is left to reset");
    stage.send_all().await;
    assert_eq!((stage.telegram.sets(), stage.telegram.calls("delete_sticker_set")), (vec![pack], 0));
    assert_eq!(stage.told(1, "• Набор в Telegram: он твой, мы наборы не удаляем."), 1);
}

/// Seed 002, "What remains, and for how long": typed again, as far as it is not for operators.
#[tokio::test]
async fn row_002_guest_2_forget_me_says_what_remains_and_for_how_long() {
    let stage = Stage::new().await;
    stage.queued_job(1).await;
    stage.presses(1, "forget:yes").await;
    stage.send_all().await;
    let told = stage.telegram.told(1).pop().expect("an answer");
    for part in
        ["Копии базы: не дольше 14 дней", "до закрытия мероприятия", "Учёт расходов", "запись об удалении"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
}

/// Seed 002, row "AI usage records, audit log, settings": not deleted automatically.
#[tokio::test]
async fn row_002_data_7_usage_audit_log_and_settings_outlive_the_guest_and_the_clean_up() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    let usage = Usage {
        job: job.id,
        stage: "sheet".into(),
        provider: "gemini".into(),
        model: "m".into(),
        input_tokens: 1,
        output_tokens: 1,
        images: 1,
        cost_usd: 0.25,
        at: stage.clock.now(),
    };
    stage
        .ctx
        .store
        .write(move |tx| Box::pin(async move { ai_usage::insert(tx, &usage).await }))
        .await
        .expect("stored");
    stage.set("balance_override", "25").await;
    stage.commands_of(OPERATOR, "pause").await;
    stage.presses(1, "forget:yes").await;
    for _ in 0..40 {
        stage.clock.advance(Duration::from_secs(24 * 3_600));
        loops::clean_up(&stage.ctx).await.expect("a pass");
    }
    let mut reader = stage.ctx.store.reader();
    let spent = ai_usage::spent_on_job(&mut reader, job.id, domain::Timestamp::from_millis(0)).await;
    assert_eq!(spent.expect("readable"), 0.25);
    let audit = audit_log::latest(&mut reader, 9).await.expect("readable");
    let actions: Vec<_> = audit.iter().map(|entry| entry.action.as_str()).collect();
    assert_eq!(actions, ["forget_me", "pause"]);
    assert!(!format!("{:?}", audit[0]).contains("Lola"), "the entry of a guest's own wish names nobody");
    for (key, value) in [("balance_override", "25"), ("maintenance", "admin"), ("bot_username", "our_bot")] {
        assert_eq!(settings::get(&mut reader, key).await.expect("readable").as_deref(), Some(value));
    }
}

#[tokio::test]
async fn session_row_10_and_job_row_12_an_operators_reset_takes_rows_and_files_and_names_the_packs_in_the_audit_log()
 {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.work().await;
    stage.verify().await;
    let debug = names::debug_key(job.id, "anchor.png");
    let others = names::debug_key(domain::job::JobId(job.id.0 * 10), "anchor.png");
    for key in [&debug, &others] {
        stage.ctx.media.put(key, Bytes::from_static(b"a face")).await.expect("stored");
    }
    let done = guest::reset(&stage.ctx, job.guest, "operator:900").await.expect("reset");
    assert_eq!((done.known, done.sessions, done.jobs), (true, 1, 1));
    assert!(stage.ctx.media.list("sessions").await.expect("a list").is_empty());
    assert!(!stage.ctx.media.exists(&debug).await.expect("readable"), "the debug sheets of the job");
    assert!(stage.ctx.media.exists(&others).await.expect("readable"), "job10 is not job1");
    let audit = audit_log::latest(&mut stage.ctx.store.reader(), 1).await.expect("readable").remove(0);
    assert_eq!((audit.actor.as_str(), audit.action.as_str()), ("operator:900", "reset_user"));
    assert_eq!(audit.subject, "guest:1");
    let link = format!("https://t.me/addstickers/{}", names::pack_name(job.id, &job.pack_key, "our_bot"));
    assert!(audit.details.is_some_and(|details| details.contains(&link)), "seed 002: the old pack links");
    // The guest begins anew: a reset is how an operator gives a second pack.
    let again = stage.tap_start().await;
    stage.starts(1, &again).await;
    assert_eq!(session::view(&stage.ctx, &again).await.expect("a view").status, SessionStatus::Linked);
    let nobody = guest::reset(&stage.ctx, Stage::guest(77).id, "operator:900").await.expect("looked");
    assert!(!nobody.known);
}

#[tokio::test]
async fn a_guest_reset_while_their_pack_is_made_gets_none_and_no_word() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.claim().await;
    let claimed = stage.job(job.id).await;
    guest::reset(&stage.ctx, job.guest, "operator:900").await.expect("reset");
    let ended = app::job::attempt(&stage.ctx, &stage.outside, &claimed).await.expect("an attempt");
    assert_eq!(ended, app::job::Attempt::Lost);
    stage.send_all().await;
    assert_eq!((stage.telegram.sets(), stage.telegram.told(1)), (vec![], vec![]));
}

#[tokio::test]
async fn a_set_whose_removal_fails_is_removed_later() {
    let stage = Stage::new().await;
    stage.queued_job(1).await;
    stage.work().await;
    stage.telegram.fault("delete_sticker_set", Fault::Refused(TelegramError::not_sent("no network")));
    stage.presses(1, "forget:yes").await;
    stage.send_all().await;
    assert_eq!(stage.telegram.sets(), [""; 0]);
    assert!(stage.telegram.calls("delete_sticker_set") >= 2);
}
