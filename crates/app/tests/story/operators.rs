//! Operators: the pause of seed 001, their commands, and what they are told unasked.

use crate::stage::{OPERATOR, Stage};
use app::bot::Incoming;
use app::{operator, session};
use domain::Clock;
use domain::job::JobStatus;
use domain::maintenance::Maintenance;
use domain::session::SessionStatus;
use std::time::Duration;
use store::ai_usage::{self, Usage};
use store::kiosks::{self, Heartbeat};
use store::{audit_log, settings, users};

impl Stage {
    async fn commands(&self, who: i64, name: &str, rest: &str) {
        let guest = Stage::guest(who);
        self.receives(Incoming::Command { guest, name: name.into(), rest: rest.into() }).await;
        self.send_all().await;
    }

    /// The last thing that somebody was told.
    fn last(&self, who: i64) -> String {
        self.telegram.told(who).last().cloned().unwrap_or_default()
    }

    async fn maintenance(&self) -> Option<String> {
        settings::get(&mut self.ctx.store.reader(), "maintenance").await.expect("readable")
    }

    /// As a restart with another environment would.
    fn changes(&mut self, change: impl FnOnce(&mut app::Settings)) {
        let mut settings = app::Settings::clone(&self.ctx.settings);
        change(&mut settings);
        self.ctx.settings = std::sync::Arc::new(settings);
    }

    async fn heartbeat(&self, kiosk: &str, camera: &str) {
        let beat = Heartbeat {
            kiosk: kiosk.into(),
            camera: camera.into(),
            battery: None,
            version: "1".into(),
            now: self.clock.now(),
        };
        self.ctx
            .store
            .write(move |tx| Box::pin(async move { kiosks::heartbeat(tx, &beat).await }))
            .await
            .expect("stored");
    }

    async fn spends(&self, job: domain::job::JobId, cost_usd: f64) {
        let usage = Usage {
            job,
            stage: "sheet".into(),
            provider: "gemini".into(),
            model: "m".into(),
            input_tokens: 1,
            output_tokens: 1,
            images: 1,
            cost_usd,
            at: self.clock.now(),
        };
        self.ctx
            .store
            .write(move |tx| Box::pin(async move { ai_usage::insert(tx, &usage).await }))
            .await
            .expect("stored");
    }

    async fn watch(&self) {
        operator::watch(&self.ctx).await.expect("watched");
        self.send_all().await;
    }
}

#[tokio::test]
async fn maintenance_row_3_an_operator_pauses_and_resumes_and_both_are_audited() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    let at_camera = stage.at_the_camera(2).await;
    stage.commands(OPERATOR, "pause", "").await;
    assert!(stage.last(OPERATOR).starts_with("⏸ Пауза включена."), "{}", stage.last(OPERATOR));
    assert_eq!(stage.maintenance().await.as_deref(), Some("admin"));

    // New sessions, outfits and photos are refused, nothing is claimed; the deadlines run on.
    let refused = session::create(&stage.ctx, Default::default()).await.expect_err("paused");
    assert_eq!(refused.code(), "maintenance");
    let refused = session::choose_template(&stage.ctx, &at_camera, "hoodie").await.expect_err("paused");
    assert_eq!(refused.code(), "maintenance");
    assert_eq!(stage.upload(&at_camera).await.expect_err("paused").code(), "maintenance");
    stage.work().await;
    assert_eq!(stage.job(job.id).await.status(), JobStatus::Queued);

    stage.commands(OPERATOR, "pause", "").await;
    assert_eq!(stage.last(OPERATOR), "Уже на паузе: да, включена командой; снять: /resume.");
    stage.commands(OPERATOR, "resume", "").await;
    assert_eq!(stage.last(OPERATOR), "▶️ Пауза снята, гости снова могут начинать.");
    assert_eq!(stage.maintenance().await, None);
    stage.commands(OPERATOR, "resume", "").await;
    assert_eq!(stage.last(OPERATOR), "Паузы нет, всё работает.");
    stage.work().await;
    assert_eq!(stage.job(job.id).await.status(), JobStatus::Delivering);

    let entries = audit_log::latest(&mut stage.ctx.store.reader(), 9).await.expect("readable");
    let done: Vec<_> = entries.iter().map(|entry| (entry.actor.as_str(), entry.action.as_str())).collect();
    assert_eq!(done, [("operator:900", "resume"), ("operator:900", "pause")]);
}

/// Seed 001, "Maintenance pause": the same effect however it was entered. What begins is refused, what was begun goes on.
#[tokio::test]
async fn maintenance_rows_1_to_3_running_jobs_finish_queued_ones_wait_and_their_deadlines_run_on() {
    for pause in ["env", "auto", "admin"] {
        let mut stage = Stage::new().await;
        // The fourth guest's set is with the verifier, the third's is being drawn, the first's waits.
        stage.queued_job(4).await;
        stage.work().await;
        let drawn = stage.queued_job(3).await;
        stage.claim().await;
        let waits = stage.queued_job(1).await;
        let at_camera = stage.at_the_camera(2).await;
        match pause {
            "env" => stage.changes(|settings| settings.maintenance = true),
            other => stage.set("maintenance", other).await,
        }
        assert_eq!(app::health::look(&stage.ctx).await.maintenance.map(Maintenance::word), Some(pause));

        for refused in [
            session::create(&stage.ctx, Default::default()).await.map(drop),
            session::choose_template(&stage.ctx, &at_camera, "hoodie").await.map(drop),
            stage.upload(&at_camera).await.map(drop),
        ] {
            assert_eq!(refused.expect_err(pause).code(), "maintenance", "{pause}");
        }
        stage.work().await;
        assert_eq!(stage.job(waits.id).await.status(), JobStatus::Queued, "{pause}: nothing is claimed");

        let claimed = stage.job(drawn.id).await;
        let ended = app::job::attempt(&stage.ctx, &stage.outside, &claimed).await.expect("an attempt");
        assert_eq!(ended, app::job::Attempt::Delivering, "{pause}: a running job finishes");
        assert_eq!(stage.verify().await, 2, "{pause}: deliveries are verified");
        stage.clock.advance(Duration::from_secs(15 * 60));
        app::job::sweep(&stage.ctx).await.expect("a sweep");
        assert_eq!(stage.job(waits.id).await.status(), JobStatus::Failed, "{pause}: deadlines run on");
        stage.send_all().await;
        for guest in [3, 4] {
            assert_eq!(stage.told(guest, "Твой набор готов!"), 1, "{pause}");
        }
        assert_eq!(stage.told(1, "поможем вручную"), 1, "{pause}");
        // Guests are heard all the same.
        stage.commands(3, "mypack", "").await;
        assert_eq!(stage.told(3, "Твой набор уже у тебя"), 1, "{pause}");
    }
}

#[tokio::test]
async fn maintenance_row_2_the_pause_for_want_of_funds_is_lifted_by_resume_and_not_taken_over_by_pause() {
    let stage = Stage::new().await;
    stage.set("maintenance", "auto").await;
    stage.commands(OPERATOR, "pause", "").await;
    assert_eq!(stage.last(OPERATOR), "Уже на паузе: да, у провайдера закончились деньги; снять: /resume.");
    assert_eq!(stage.maintenance().await.as_deref(), Some("auto"));
    stage.commands(OPERATOR, "resume", "").await;
    assert_eq!(stage.maintenance().await, None);
}

#[tokio::test]
async fn maintenance_row_1_resume_under_the_environments_pause_changes_nothing_and_says_so() {
    let stage = Stage::with(|settings| settings.maintenance = true).await;
    stage.set("maintenance", "admin").await;
    stage.commands(OPERATOR, "resume", "").await;
    assert!(stage.last(OPERATOR).starts_with("Ничего не изменилось: пауза задана на сервере."));
    assert!(stage.last(OPERATOR).contains("MAINTENANCE_MODE=0"));
    assert_eq!(stage.maintenance().await.as_deref(), Some("admin"), "what is stored stays");
}

#[tokio::test]
async fn a_guest_who_scans_during_the_pause_gets_its_words_and_may_scan_again() {
    let stage = Stage::new().await;
    let token = stage.tap_start().await;
    stage.set("maintenance", "admin").await;
    stage.starts(1, &token).await;
    stage.send_all().await;
    assert_eq!(stage.last(1), domain::texts::guest(domain::Language::Ru).maintenance());
    assert_eq!(session::view(&stage.ctx, &token).await.expect("a view").status, SessionStatus::Idle);
    stage.commands(OPERATOR, "resume", "").await;
    stage.starts(1, &token).await;
    assert_eq!(session::view(&stage.ctx, &token).await.expect("a view").status, SessionStatus::Linked);
}

#[tokio::test]
async fn to_anybody_else_the_commands_of_operators_do_not_exist() {
    let stage = Stage::new().await;
    let help = domain::texts::guest(domain::Language::Ru).help();
    for command in ["pause", "resume", "stats", "admin_stats", "balance"] {
        stage.commands(5, command, "9").await;
        assert_eq!(stage.last(5), help, "{command}");
    }
    assert_eq!(stage.maintenance().await, None);
    assert_eq!(
        settings::get(&mut stage.ctx.store.reader(), "balance_override").await.expect("readable"),
        None
    );
}

#[tokio::test]
async fn stats_count_guests_and_packs_today_and_in_all_without_the_operators_own() {
    let stage = Stage::new().await;
    for guest in [1, OPERATOR] {
        stage.queued_job(guest).await;
        stage.work().await;
        stage.verify().await;
    }
    stage.clock.advance(Duration::from_secs(24 * 3_600));
    stage.starts(2, &stage.tap_start().await).await;
    stage.commands(OPERATOR, "stats", "").await;
    assert_eq!(stage.last(OPERATOR), "📊 Сегодня: гостей 1, наборов 0\nВсего: гостей 2, наборов 1");
}

#[tokio::test]
async fn admin_stats_tell_the_queue_the_wait_the_failures_the_spend_and_the_tablets() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.spends(job.id, 1.25).await;
    stage.heartbeat("Вход", "lost").await;
    stage.commands(OPERATOR, "admin_stats", "").await;
    let told = stage.last(OPERATOR);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "⚙️ Задания: в очереди 1, рисуются 0, доставляются 0, готово 0, не вышло 0");
    assert_eq!(lines[1], "Ждать сейчас: 2 мин", "second place, two slots, 90 s a job");
    assert_eq!(lines[2], "Не вышло за последний час: 0");
    assert_eq!(lines[3], "Расходы: сегодня $1.25, всего $1.25");
    assert_eq!(lines[4], "Пауза: нет");
    assert_eq!(lines[5], "Планшет «Вход»: на связи, камера пропала");

    stage.clock.advance(Duration::from_secs(16 * 60));
    app::job::sweep(&stage.ctx).await.expect("swept");
    stage.commands(OPERATOR, "admin_stats", "").await;
    let told = stage.last(OPERATOR);
    assert!(told.contains("Не вышло за последний час: 1\n• задание 1: STICKERSET_DELIVERY_FAILED"), "{told}");
    assert!(told.contains("Планшет «Вход»: молчит"), "{told}");
}

#[tokio::test]
async fn a_balance_is_typed_and_what_was_spent_since_is_taken_off() {
    let stage = Stage::new().await;
    let job = stage.queued_job(1).await;
    stage.spends(job.id, 3.0).await;
    stage.clock.advance(Duration::from_secs(60));
    stage.commands(OPERATOR, "balance", "").await;
    assert!(stage.last(OPERATOR).starts_with("Баланс не задан."));
    stage.commands(OPERATOR, "balance", "много").await;
    assert!(stage.last(OPERATOR).starts_with("Напиши сумму в долларах"));
    stage.commands(OPERATOR, "balance", "25,50").await;
    stage.clock.advance(Duration::from_secs(60));
    stage.spends(job.id, 5.25).await;
    stage.commands(OPERATOR, "balance", "").await;
    assert!(
        stage.last(OPERATOR).starts_with("💰 Осталось около $20.25: было $25.50 ("),
        "{}",
        stage.last(OPERATOR)
    );

    // It ends: one word about it in half an hour, and a new amount is quiet again.
    stage.spends(job.id, 15.5).await;
    stage.watch().await;
    stage.watch().await;
    assert_eq!(stage.told(OPERATOR, "На счёте провайдера осталось около $4.75"), 1);
    stage.clock.advance(Duration::from_secs(30 * 60));
    stage.watch().await;
    assert_eq!(stage.told(OPERATOR, "На счёте провайдера осталось около $4.75"), 2);
    stage.commands(OPERATOR, "balance", "100").await;
    stage.clock.advance(Duration::from_secs(30 * 60));
    stage.watch().await;
    assert_eq!(stage.told(OPERATOR, "На счёте провайдера осталось"), 2);
}

#[tokio::test]
async fn a_silent_tablet_is_told_once_a_silence_and_a_lost_camera_every_half_hour() {
    let stage = Stage::new().await;
    stage.heartbeat("Зал: 1", "ok").await;
    stage.clock.advance(Duration::from_millis(179_999));
    stage.watch().await;
    assert_eq!(stage.telegram.told(OPERATOR), Vec::<String>::new());
    stage.clock.advance(Duration::from_secs(3));
    stage.watch().await;
    stage.clock.advance(Duration::from_secs(31 * 60));
    stage.watch().await;
    assert_eq!(stage.told(OPERATOR, "Планшет «Зал: 1» молчит"), 1, "one silence, one word");

    stage.heartbeat("Зал: 1", "denied").await;
    stage.watch().await;
    stage.watch().await;
    assert_eq!(stage.told(OPERATOR, "Планшет «Зал: 1»: камера запрещена. Что делать:"), 1);
    stage.clock.advance(Duration::from_secs(29 * 60));
    stage.heartbeat("Зал: 1", "ok").await;
    stage.clock.advance(Duration::from_secs(200));
    stage.watch().await;
    assert_eq!(stage.told(OPERATOR, "молчит"), 2, "another silence");

    // A tablet that was put away long ago is nobody's news, also after a restart.
    stage.heartbeat("Старый", "ok").await;
    stage.clock.advance(Duration::from_secs(60 * 60));
    stage.watch().await;
    assert_eq!(stage.told(OPERATOR, "«Старый»"), 0);
    assert!(
        users::find(&mut stage.ctx.store.reader(), Stage::guest(OPERATOR).id)
            .await
            .expect("readable")
            .is_none()
    );
}
