//! Erasure: nothing of the guest is left in any row, and on SQLite not in any file either; everybody else stays.

use crate::harness::{Db, at, on_fresh_sqlite};
use crate::stories::{MADINA, TIMUR, guest, must};
use domain::guest::{Personal, TelegramId};
use domain::job::JobStatus;
use domain::session::SessionStatus;
use store::guests::{self, Erased};
use store::jobs::{self, Delivery};
use store::outbox::{self, NewMessage};
use store::updates::{self, NewUpdate};
use store::{Change, audit_log, sessions, users};

on_both_engines! {
    an_erased_guest_is_in_no_table
    an_unknown_guest_is_erased_without_a_trace
    a_worker_finds_out_that_its_guest_was_erased
    a_guest_can_come_back_after_an_erasure
}

const OPERATOR: TelegramId = TelegramId(1);

async fn message(db: &Db, key: &'static str, chat: TelegramId, job: Option<domain::job::JobId>) {
    db.write(move |tx| {
        Box::pin(async move {
            let new = NewMessage {
                key: key.to_owned(),
                chat,
                kind: "link".to_owned(),
                body: "{}".to_owned(),
                job,
                now: at(0),
            };
            outbox::enqueue(tx, &new).await.map(must)
        })
    })
    .await;
}

async fn an_erased_guest_is_in_no_table(db: Db) {
    let done = db.job_in("done", JobStatus::Done).await;
    let failed = db.job_in("failed", JobStatus::Failed).await;
    db.session_in("open", SessionStatus::Consented).await;
    let other = db.job_of(TIMUR, "other", JobStatus::Queued).await;
    message(&db, "link:hers", MADINA, Some(done)).await;
    message(&db, "alert:hers", OPERATOR, Some(failed)).await;
    message(&db, "link:his", TIMUR, Some(other)).await;
    db.write(|tx| {
        Box::pin(async {
            let update = |update_id, from| NewUpdate { update_id, from, body: "{}".to_owned() };
            let batch = [update(1, Some(MADINA)), update(2, Some(TIMUR)), update(3, None)];
            updates::insert_batch(tx, &batch, at(0)).await?;
            must(users::set_pack(tx, MADINA, "s0_older_by_bot", "link").await?);
            Ok(())
        })
    })
    .await;

    let erased = db.write(|tx| Box::pin(guests::erase(tx, MADINA))).await;

    assert!(erased.known);
    assert_eq!(erased.sessions, ["done", "failed", "open"]);
    assert_eq!(erased.jobs.iter().map(|job| job.id).collect::<Vec<_>>(), [failed, done]);
    assert_eq!(erased.pack_names, ["s0_older_by_bot", "s1_abcdefghij_by_bot"]);
    assert_eq!(users::find(&mut db.store.reader(), MADINA).await.expect("reads"), None);
    let left = async |query| db.texts(query).await.into_iter().flatten().collect::<Vec<_>>();
    assert_eq!(left("SELECT session_token FROM sessions").await, ["other"]);
    assert_eq!(left("SELECT session_token FROM jobs").await, ["other"]);
    assert_eq!(left("SELECT key FROM outbox").await, ["link:his"]);
    assert_eq!(left("SELECT CAST(update_id AS TEXT) FROM updates ORDER BY update_id").await, ["2", "3"]);
    assert_eq!(left("SELECT CAST(telegram_user_id AS TEXT) FROM users").await, ["42"]);
    let again = db.write(|tx| Box::pin(guests::erase(tx, MADINA))).await;
    assert_eq!(again, Erased::default(), "nothing is left to erase");
}

async fn an_unknown_guest_is_erased_without_a_trace(db: Db) {
    db.meet(TIMUR).await;
    let erased = db.write(|tx| Box::pin(guests::erase(tx, MADINA))).await;
    assert_eq!(erased, Erased::default());
    assert_eq!(users::count_since(&mut db.store.reader(), at(0)).await.expect("reads"), 1);
}

async fn a_worker_finds_out_that_its_guest_was_erased(db: Db) {
    let id = db.job_in("tok", JobStatus::Processing).await;
    db.write(|tx| Box::pin(guests::erase(tx, MADINA))).await;
    let late = db
        .write(move |tx| {
            Box::pin(async move {
                let delivery = Delivery {
                    pack_name: "s1_x_by_bot".to_owned(),
                    provider_used: "local".to_owned(),
                    render_mode: domain::job::RenderMode::Composite,
                    now: at(40),
                };
                Ok([
                    jobs::renew(tx, id, 1, at(90), at(40)).await?,
                    jobs::start_delivery(tx, id, 1, &delivery).await?,
                ])
            })
        })
        .await;
    assert_eq!(late, [Change::Stale; 2]);
}

async fn a_guest_can_come_back_after_an_erasure(db: Db) {
    db.job_in("tok", JobStatus::Failed).await;
    db.write(|tx| Box::pin(guests::erase(tx, MADINA))).await;
    db.session_in("again", SessionStatus::Linked).await;
    assert!(sessions::find(&mut db.store.reader(), "again").await.expect("reads").is_some());
    assert_eq!(audit_log::latest(&mut db.store.reader(), 10).await.expect("reads"), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_truncating_checkpoint_an_erased_name_is_in_no_file() {
    const MARKER: &str = "Zulfiyakhon-the-marker";
    on_fresh_sqlite(|db| async move {
        db.store.migrate().await.expect("migrates");
        for number in 0..200 {
            db.write(move |tx| {
                Box::pin(async move {
                    let mut somebody = guest(MADINA);
                    somebody.first_name = Personal(format!("{MARKER}-{number}"));
                    users::upsert(tx, &somebody, at(0)).await
                })
            })
            .await;
        }
        assert!(copies(&db, MARKER) > 0, "the search finds what is there");
        db.write(|tx| Box::pin(guests::erase(tx, MADINA))).await;
        db.store.checkpoint_truncate().await.expect("nobody reads");
        assert_eq!(copies(&db, MARKER), 0);
        db.store.close().await;
        assert_eq!(copies(&db, MARKER), 0);
    })
    .await;
}

/// How often `needle` stands in the files of the database.
fn copies(db: &Db, needle: &str) -> usize {
    let files = std::fs::read_dir(db.folder()).expect("is there");
    files
        .map(|file| std::fs::read(file.expect("is there").path()).expect("is readable"))
        .map(|bytes| bytes.windows(needle.len()).filter(|window| *window == needle.as_bytes()).count())
        .sum()
}
