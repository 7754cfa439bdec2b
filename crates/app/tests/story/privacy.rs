//! Copies around a reset, the journal that cannot be written, and the audit (seed 002; product.md, "Decided once").

use crate::stage::{OPERATOR, Stage};
use app::backup::journal::Journal;
use app::backup::restore::{With, restore};
use app::backup::{Place, nightly};
use app::privacy::{self, Report, Scope};
use app::{guest, loops};
use bytes::Bytes;
use domain::backup::Automatic;
use domain::job::JobStatus;
use domain::rng::SeededRng;
use domain::{Clock, Timestamp, backup, names};
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::backup::Source;
use store::{audit_log, users};
use tempfile::TempDir;

const HOUR: Duration = Duration::from_secs(3_600);

/// A stage whose copies go to a folder.
async fn stage_with_copies() -> (Stage, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let place = Place::new(folder.path().join("backups"), 14);
    (Stage::with(|settings| settings.backups = Some(place)).await, folder)
}

/// Copies beside the database.
fn beside(database: &Path) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(database.parent().expect("a folder")).expect("a folder");
    let paths = folder.map(|entry| entry.expect("a file").path());
    let copy = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("app.db.bak-"))
    };
    paths.filter(copy).collect()
}

/// Seed 002, "Automatic copies": made just before the deletion, so it still contains the deleted guest.
#[tokio::test]
async fn row_002_copies_2_a_reset_copies_the_database_first_and_the_clean_up_takes_the_copy_after_a_day() {
    let (stage, _folder) = stage_with_copies().await;
    let job = stage.queued_job(1).await;
    let done = guest::reset(&stage.ctx, job.guest, "operator:900").await.expect("reset");
    let copy = done.copy.clone().expect("a copy");
    let stamp = backup::stamp(stage.clock.now());
    assert_eq!(copy, stage.database().with_file_name(format!("app.db.bak-{stamp}-reset")));
    assert_eq!(store::backup::check(&copy).await.expect("a sound copy").users, 1, "it still holds the guest");
    assert!(done.known && done.files > 9, "the selfie, nine stickers and what lies beside them: {done:?}");

    let nobody = guest::reset(&stage.ctx, Stage::guest(77).id, "operator:900").await.expect("looked");
    assert!(!nobody.known && nobody.copy.is_none(), "nobody is worth a copy");
    let by_command = stage.queued_job(2).await;
    let done = guest::reset_by_command(&stage.ctx, by_command.guest).await.expect("reset");
    assert!(done.known && done.copy.as_ref().is_some_and(|copy| copy.exists()));
    let audit = audit_log::latest(&mut stage.ctx.store.reader(), 1).await.expect("readable").remove(0);
    assert_eq!(
        (audit.action.as_str(), audit.subject.as_str()),
        ("reset_user", ""),
        "only the panel's entry names the id"
    );
    assert_eq!(beside(&stage.database()).len(), 2);

    stage.clock.advance(HOUR * 23);
    loops::clean_up(&stage.ctx).await.expect("a pass");
    assert_eq!(beside(&stage.database()).len(), 2);
    stage.clock.advance(HOUR * 2);
    loops::clean_up(&stage.ctx).await.expect("a pass");
    assert_eq!(beside(&stage.database()), Vec::<PathBuf>::new());

    // No copy is made when a guest asks by themselves.
    stage.queued_job(3).await;
    stage.presses(3, "forget:yes").await;
    assert_eq!(beside(&stage.database()), Vec::<PathBuf>::new());
}

/// Issue 5, "Photos and erasure": an erased person is in no copy but that of a reset, for a day, and nightly ones.
#[tokio::test]
async fn copies_made_before_a_migration_or_a_restore_go_within_a_day_of_themselves_once_somebody_is_erased() {
    let (stage, _folder) = stage_with_copies().await;
    stage.queued_job(1).await;
    let named = |hours: u32, of| {
        let name = backup::automatic_name("app.db", stage.clock.now().minus(HOUR * hours), of);
        stage.database().with_file_name(name)
    };
    let old = [named(25, Automatic::Plain), named(26, Automatic::BeforeRestore)];
    let fresh = [named(1, Automatic::Plain), named(2, Automatic::BeforeRestore)];
    for path in old.iter().chain(&fresh) {
        std::fs::write(path, "holds the guest").expect("writes");
    }
    loops::clean_up(&stage.ctx).await.expect("a pass");
    assert!(old.iter().chain(&fresh).all(|path| path.exists()), "nobody was erased");

    stage.presses(1, "forget:yes").await;
    assert!(old.iter().all(|path| !path.exists()), "they go at once");
    assert!(fresh.iter().all(|path| path.exists()), "an update may have to be taken back");
    stage.clock.advance(HOUR * 24);
    loops::clean_up(&stage.ctx).await.expect("a pass");
    let left: Vec<_> = std::fs::read_dir(stage.database().parent().expect("a folder"))
        .expect("a folder")
        .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(".bak-") || name.contains(".before-restore-"))
        .collect();
    assert_eq!(left, Vec::<String>::new(), "nor are their marks there");
}

#[tokio::test]
async fn a_reset_whose_copy_cannot_be_made_deletes_nothing() {
    let (stage, _folder) = stage_with_copies().await;
    let job = stage.queued_job(1).await;
    // A folder stands where the copy is written.
    let stamp = backup::stamp(stage.clock.now());
    let part = stage.database().with_file_name(format!("app.db.bak-{stamp}-reset.part"));
    std::fs::create_dir_all(part.join("x")).expect("a folder");
    let refused = guest::reset(&stage.ctx, job.guest, "operator:900").await;
    assert!(matches!(refused, Err(app::AppError::Copy(_))), "{refused:?}");
    assert_eq!(stage.job(job.id).await.status(), JobStatus::Queued);
}

#[tokio::test]
async fn a_journal_that_cannot_be_written_holds_no_erasure_up_and_operators_hear_what_it_means() {
    let (stage, folder) = stage_with_copies().await;
    let job = stage.queued_job(1).await;
    // A file stands where the folder of the copies belongs.
    std::fs::write(folder.path().join("backups"), "x").expect("a file");
    stage.presses(1, "forget:yes").await;
    let gone = users::find(&mut stage.ctx.store.reader(), job.guest).await.expect("readable");
    assert!(gone.is_none(), "the guest is gone all the same");
    stage.send_all().await;
    assert_eq!(stage.told(OPERATOR, "Журнал удалений"), 1);
    assert_eq!(stage.told(1, "твои данные и файлы удалены"), 1);
}

/// The audit over the stage; its clock is the machine's as far as files are concerned.
async fn audit(stage: &Stage, folder: &TempDir, now: Timestamp) -> Report {
    let scope = Scope {
        store: stage.ctx.store.clone(),
        media: stage.ctx.media.clone(),
        photo_ttl_hours: 72,
        backups: Place::new(folder.path().join("backups"), 2),
        logs: Some(folder.path().join("logs")),
        now,
    };
    privacy::audit(&scope).await.expect("looked everywhere")
}

fn broken(report: &Report) -> Vec<(&'static str, u64)> {
    report.checks.iter().filter(|check| check.past > 0).map(|check| (check.rule, check.past)).collect()
}

#[tokio::test]
async fn the_audit_sees_what_exists_and_each_thing_that_is_past_its_time() {
    let (stage, folder) = stage_with_copies().await;
    let job = stage.queued_job(1).await;
    let debug = names::debug_key(job.id, "anchor.png");
    stage.ctx.media.put(&debug, Bytes::from_static(b"a face")).await.expect("stored");
    stage.after_the_youngest_file(Duration::from_secs(60)).await;
    let now = stage.clock.now();
    let clean = audit(&stage, &folder, now).await;
    assert!(clean.is_clean(), "{:?}", broken(&clean));
    assert_eq!((clean.held.users, clean.held.sessions, clean.held.jobs, clean.journal), (1, 1, 1, 0));
    let photos = clean.checks.iter().find(|check| check.rule == "photos").expect("a rule");
    assert!(photos.count > 9 && photos.oldest.is_some(), "{photos:?}");

    // A file that no row knows, copies of every kind and a log, each older than its rule.
    stage
        .ctx
        .media
        .put(&names::selfie_key("gone", "x"), Bytes::from_static(b"a face"))
        .await
        .expect("stored");
    stage.after_the_youngest_file(HOUR * 73).await;
    let now = stage.clock.now();
    let ago = |hours: u32| now.minus(HOUR * hours);
    let backups = folder.path().join("backups");
    let beside = |at, of| stage.database().with_file_name(backup::automatic_name("app.db", at, of));
    std::fs::create_dir_all(folder.path().join("logs")).expect("a folder");
    std::fs::create_dir_all(&backups).expect("a folder");
    let day = |hours| backup::log_time(ago(hours))[..10].to_owned();
    for path in [
        backups.join(backup::nightly_name(ago(1), backup::Kind::Sqlite, false)),
        backups.join(backup::nightly_name(ago(3), backup::Kind::Sqlite, false)),
        backups.join(backup::nightly_name(ago(4), backup::Kind::Sqlite, false)),
        backups.join(format!("app-{}.db", backup::stamp(ago(15 * 24)))),
        beside(ago(26), Automatic::Reset),
        beside(ago(15 * 24), Automatic::Plain),
        beside(ago(26), Automatic::Plain),
        folder.path().join("logs").join(format!("app.log.{}", day(17 * 24))),
        folder.path().join("logs").join(format!("app.log.{}", day(13 * 24))),
    ] {
        std::fs::write(&path, "x").expect("writes");
    }
    stage.raw("UPDATE jobs SET status = 'failed', appearance_json = '{}'").await;
    let found = audit(&stage, &folder, now).await;
    assert!(!found.is_clean());
    let files = photos.count + 1;
    assert_eq!(
        broken(&found),
        [
            ("photos", files),
            ("debug_sheets", 1),
            ("files_without_a_row", 1),
            ("appearance", 1),
            ("nightly_copies", 1),
            ("damaged_copies", 1),
            ("reset_copies", 1),
            ("automatic_copies", 1),
            ("logs", 1),
        ]
    );

    // One pass of the clean-up keeps every rule again, but for old logs, which a running program deletes at midnight, and the number of
    // copies, of which the stage keeps more.
    loops::clean_up(&stage.ctx).await.expect("a pass");
    let after = audit(&stage, &folder, now).await;
    assert_eq!(broken(&after), [("nightly_copies", 1), ("logs", 1)]);
}

#[tokio::test]
async fn what_cannot_be_looked_at_is_not_taken_for_clean() {
    let (stage, folder) = stage_with_copies().await;
    std::fs::write(folder.path().join("backups"), "x").expect("a file where the folder belongs");
    let scope = Scope {
        store: stage.ctx.store.clone(),
        media: stage.ctx.media.clone(),
        photo_ttl_hours: 72,
        backups: Place::new(folder.path().join("backups"), 2),
        logs: None,
        now: stage.clock.now(),
    };
    assert!(privacy::audit(&scope).await.is_err());
    assert!(
        Journal::within(&folder.path().join("nowhere")).count().expect("no journal is an empty one") == 0
    );
}

/// A copy knows only whole seconds of its time, and an erasure is noted before the database forgets.
#[tokio::test]
async fn erasures_around_a_copy_are_repeated_by_a_restore_and_who_came_back_before_it_stays() {
    let (stage, folder) = stage_with_copies().await;
    for guest in [1, 2, 3] {
        let token = stage.tap_start().await;
        stage.starts(guest, &token).await;
    }
    let second = Duration::from_secs(1);
    stage.clock.advance(second);
    stage.presses(3, "forget:yes").await;
    stage.clock.advance(second);
    let token = stage.tap_start().await;
    stage.starts(3, &token).await;

    stage.clock.advance(second * 10 + Duration::from_millis(700));
    let made_at = stage.clock.now();
    let place = Place::new(folder.path().join("backups"), 14);
    let made = nightly::make(stage.ctx.store.source(), &place, made_at).await.expect("a copy");
    // In the same second as the copy, and noted some seconds before it but forgotten after it.
    stage.presses(1, "forget:yes").await;
    stage.clock.set(made_at.minus(second * 5));
    stage.presses(2, "forget:yes").await;

    let with = With {
        backups: &place,
        identity: None,
        link_url: "https://t.me",
        rng: &SeededRng::new(5),
        now: made_at.plus(second * 60),
    };
    let back = folder.path().join("back.db");
    let restored = restore(&Source::File(back.clone()), &place.folder.join(&made.copy.name), &with)
        .await
        .expect("restored");
    assert_eq!((restored.contents.users, restored.guests), (3, 2));
    assert_eq!(store::backup::check(&back).await.expect("sound").users, 1, "the one who came back");
}

#[tokio::test]
async fn backup_by_an_operator_answers_with_the_line_of_the_log_once() {
    let (stage, folder) = stage_with_copies().await;
    stage.queued_job(1).await;
    stage.commands_of(1, "backup").await;
    stage.send_all().await;
    let copies = || Place::new(folder.path().join("backups"), 14).list().expect("a list").len();
    assert_eq!(copies(), 0, "to a guest the command does not exist");
    stage.commands_of(OPERATOR, "backup").await;
    stage.send_all().await;
    assert_eq!((copies(), stage.told(OPERATOR, "integrity=ok jobs=1 users=1")), (1, 1));
    let log = std::fs::read_to_string(folder.path().join("backups/backup.log")).expect("a log");
    assert!(log.lines().count() == 1 && log.contains(" UTC OK app-"), "{log}");
}
