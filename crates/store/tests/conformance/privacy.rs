//! The numbers of the audit: each rule sees what breaks it and nothing else.

use crate::harness::{Db, at};
use crate::stories::MADINA;
use domain::guest::TelegramId;
use domain::job::JobStatus;
use domain::schedule;
use store::privacy::{self, Footprint, Held};

on_both_engines! {
    rows_that_name_a_person_are_counted
    each_rule_sees_what_is_past_its_time
    a_footprint_is_what_an_erasure_would_take
}

async fn rows_that_name_a_person_are_counted(db: Db) {
    db.job_in("a", JobStatus::Done).await;
    db.raw(
        "INSERT INTO leads (request_id, status, locale, created_at, erased_at) VALUES \
         ('a', 'new', 'ru', 1, NULL), ('b', 'new', 'ru', 1, 2); \
         INSERT INTO sessions (session_token, status, language, created_at, updated_at) VALUES ('free', 'idle', 'ru', 1, 1); \
         INSERT INTO erasures (guest_hash, packs, at) VALUES ('x', 1, 1)",
    )
    .await;
    let held = privacy::held(&mut db.store.reader()).await.expect("reads");
    assert_eq!(held, Held { users: 1, sessions: 1, jobs: 1, leads: 1, erasures: 1 });
}

/// What every rule counts, in the order of the audit.
async fn counts(db: &Db) -> [i64; 7] {
    let on = &mut db.store.reader();
    [
        privacy::appearances_of_ended_jobs(on).await.expect("reads"),
        privacy::bodies_of_handled_updates(on).await.expect("reads"),
        privacy::updates_ended_before(on, at(0)).await.expect("reads"),
        privacy::bodies_of_ended_messages(on).await.expect("reads"),
        privacy::messages_ended_before(on, at(0)).await.expect("reads"),
        privacy::leads_past_retention(on, schedule::cutoffs(at(0))).await.expect("reads"),
        privacy::cards_of_erased_leads(on, at(0)).await.expect("reads"),
    ]
}

async fn each_rule_sees_what_is_past_its_time(db: Db) {
    db.job_in("active", JobStatus::Processing).await;
    db.job_in("ended", JobStatus::Failed).await;
    db.raw("UPDATE jobs SET appearance_json = '{}' WHERE session_token = 'active'").await;
    // Young, waiting, erased and rewritten rows break no rule.
    db.raw(
        "INSERT INTO updates (update_id, body, state, received_at, ended_at) VALUES \
         (1, '', 'handled', 1795958999000, 1795959000000), (2, 'words', 'pending', 1, NULL); \
         INSERT INTO outbox (key, chat_id, kind, body, state, not_before, created_at, updated_at, sent_at) VALUES \
         ('a', 41, 'text', 'words', 'pending', 1, 1, 1, NULL), ('b', 41, 'text', '', 'sent', 1, 1, 1795959000000, 1795959000000); \
         INSERT INTO leads (id, request_id, status, status_at, locale, created_at, erased_at) VALUES \
         (1, 'a', 'spam', 1795958000000, 'ru', 1, NULL), (2, 'b', 'deal', NULL, 'ru', 1795000000000, NULL), \
         (3, 'c', 'spam', NULL, 'ru', 1, 1795959000000); \
         INSERT INTO lead_cards (lead_id, chat_id, message_id, posted_at, erased_at) VALUES (1, -5, 1, 1, NULL), \
         (3, -5, 2, 1, NULL), (3, -5, 3, 1, 2)",
    )
    .await;
    assert_eq!(counts(&db).await, [0; 7]);

    db.raw(
        "UPDATE jobs SET appearance_json = '{}' WHERE session_token = 'ended'; \
         INSERT INTO updates (update_id, body, state, received_at, ended_at) VALUES \
         (3, '', 'handled', 1, 1795958999999), (4, 'words', 'failed', 1, 1795958999999); \
         INSERT INTO outbox (key, chat_id, kind, body, state, not_before, created_at, updated_at, sent_at) VALUES \
         ('c', 41, 'text', '', 'failed', 1, 1, 1795958999999, NULL); \
         INSERT INTO leads (id, request_id, status, status_at, locale, created_at, erased_at) VALUES \
         (4, 'd', 'spam', NULL, 'ru', 1793300000000, NULL), (5, 'e', 'refused', 1764000000000, 'ru', 1, NULL), \
         (6, 'f', 'new', NULL, 'ru', 1, 1795958999999); \
         INSERT INTO lead_cards (lead_id, chat_id, message_id, posted_at, erased_at) VALUES (6, -5, 4, 1, NULL)",
    )
    .await;
    // Bodies of what has ended cannot be stored at all: the schema forbids it.
    assert_eq!(counts(&db).await, [1, 0, 2, 0, 1, 2, 1]);
}

async fn a_footprint_is_what_an_erasure_would_take(db: Db) {
    let done = db.job_in("done", JobStatus::Done).await;
    let queued = db.job_in("queued", JobStatus::Queued).await;
    db.meet(TelegramId(7)).await;
    let on = &mut db.store.reader();
    let mut found = privacy::footprint(on, MADINA).await.expect("reads");
    found.jobs.sort_unstable();
    let expected = Footprint {
        users: 1,
        sessions: vec!["done".to_owned(), "queued".to_owned()],
        jobs: vec![done, queued],
        active: 1,
    };
    assert_eq!(found, expected);
    let nobody = privacy::footprint(on, TelegramId(8)).await.expect("reads");
    assert_eq!(nobody, Footprint::default());
}
