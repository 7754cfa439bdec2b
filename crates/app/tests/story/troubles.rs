//! Faults of the machine: a clock that goes back, a folder that takes no files.

use crate::stage::{OPERATOR, Stage};
use app::operator::ClockWatch;
use app::trouble::Watch;
use clients::media::{Media, MediaUrl};
use domain::Clock;
use std::sync::Arc;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn a_clock_that_goes_back_an_hour_makes_no_guest_wait_for_it() {
    let stage = Stage::new().await;
    let mut clock = ClockWatch::default();
    clock.look(&stage.ctx).await.expect("looks");
    stage.receives(app::bot::Incoming::Start { guest: Stage::guest(1), token: None }).await;
    stage.clock.set(stage.clock.now().minus(HOUR));
    stage.send_all().await;
    assert_eq!(stage.telegram.told(1).len(), 0, "the message waits for a time that is an hour away");
    clock.look(&stage.ctx).await.expect("looks");
    stage.send_all().await;
    assert_eq!(stage.told(1, "Я делаю стикеры из селфи"), 1);
    // The messages above took 40 seconds.
    assert_eq!(stage.told(OPERATOR, "Часы сервера ушли назад на 59 мин."), 1);
    // It goes on from here.
    stage.clock.advance(Duration::from_secs(60));
    clock.look(&stage.ctx).await.expect("looks");
    stage.send_all().await;
    assert_eq!(stage.told(OPERATOR, "Часы сервера"), 1);
}

#[tokio::test]
async fn a_job_that_was_taken_before_the_clock_went_back_keeps_its_deadlines_and_its_place() {
    let stage = Stage::new().await;
    let mut clock = ClockWatch::default();
    let job = stage.queued_job(1).await;
    stage.claim().await;
    stage.clock.advance(Duration::from_secs(290));
    let waiting = stage.queued_job(2).await;
    stage.clock.advance(Duration::from_secs(5));
    clock.look(&stage.ctx).await.expect("looks");
    stage.clock.set(stage.clock.now().minus(HOUR));
    clock.look(&stage.ctx).await.expect("looks");
    let later = stage.queued_job(3).await;

    // Five minutes and fifteen after it was taken, as ever; its worker is dead, and its claim over in a minute.
    stage.clock.advance(Duration::from_secs(6));
    app::job::sweep(&stage.ctx).await.expect("swept");
    stage.send_all().await;
    assert_eq!(stage.telegram.told(1).iter().filter(|said| said.contains("Дорабатываем детали")).count(), 1);
    stage.clock.advance(Duration::from_secs(20));
    app::loops::rescue_jobs(&stage.ctx).await.expect("rescued");
    assert_eq!(stage.job(job.id).await.status(), domain::job::JobStatus::Queued);
    let (waiting, later) = (stage.job(waiting.id).await, stage.job(later.id).await);
    assert!(waiting.created_at < later.created_at, "who came first is first");
    stage.clock.advance(Duration::from_secs(900 - 360));
    app::job::sweep(&stage.ctx).await.expect("swept");
    assert_eq!(stage.job(job.id).await.status(), domain::job::JobStatus::Failed);
    assert_eq!(stage.job(waiting.id).await.status(), domain::job::JobStatus::Queued, "it has its own time");
}

#[tokio::test]
async fn a_clock_that_went_back_while_no_bot_ran_is_noticed_by_the_next() {
    let stage = Stage::new().await;
    let seen = stage.clock.now();
    stage
        .ctx
        .store
        .write(move |tx| {
            Box::pin(async move {
                store::settings::set(tx, "bot_seen_at", &seen.as_millis().to_string(), seen).await
            })
        })
        .await
        .expect("stored");
    stage.clock.set(seen.minus(HOUR));
    ClockWatch::default().look(&stage.ctx).await.expect("looks");
    stage.send_all().await;
    assert_eq!(stage.told(OPERATOR, "Часы сервера ушли назад на 60 мин."), 1);
}

#[tokio::test]
async fn operators_are_told_at_once_of_a_folder_that_takes_no_files_and_when_it_does_again() {
    let mut stage = Stage::new().await;
    let folder = tempfile::tempdir().expect("a folder");
    let (here, gone) = (folder.path().join("data"), folder.path().join("gone"));
    let url = MediaUrl::parse(&format!("file://{}", here.display())).expect("a folder");
    stage.ctx.media = Media::open(&url, []).expect("opens");
    let telegram = Arc::clone(&stage.outside.telegram);
    let mut watch = Watch::new(stage.ctx.clone(), Some(telegram));
    watch.tick().await;
    assert_eq!(stage.telegram.told(OPERATOR).len(), 0);

    std::fs::rename(&here, &gone).expect("the folder goes");
    for _ in 0..2 {
        watch.tick().await;
        stage.clock.advance(Duration::from_secs(10));
    }
    let told = stage.telegram.told(OPERATOR);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("Нет доступа к папке данных") && told[0].contains("Что делать"), "{told:?}");
    stage.clock.advance(Duration::from_secs(1_800));
    watch.tick().await;
    assert_eq!(stage.told(OPERATOR, "Нет доступа"), 2, "still so half an hour later");

    std::fs::rename(&gone, &here).expect("the folder comes back");
    watch.tick().await;
    watch.tick().await;
    assert_eq!(stage.told(OPERATOR, "✅ Файлы снова сохраняются."), 1);
}

#[tokio::test]
async fn who_could_not_be_told_is_told_later() {
    let mut stage = Stage::new().await;
    let folder = tempfile::tempdir().expect("a folder");
    let url = MediaUrl::parse(&format!("file://{}/data", folder.path().display())).expect("a folder");
    stage.ctx.media = Media::open(&url, []).expect("opens");
    folder.close().expect("removed");
    let mut watch = Watch::new(stage.ctx.clone(), Some(Arc::clone(&stage.outside.telegram)));
    let down = clients::telegram::TelegramError::not_sent("no network");
    stage.telegram.fault("send_message", crate::fake::Fault::Refused(down));
    watch.tick().await;
    assert_eq!(stage.telegram.told(OPERATOR).len(), 0);
    watch.tick().await;
    assert_eq!(stage.told(OPERATOR, "Нет доступа к папке данных"), 1);
}
