//! The panel's sessions and lists: what is found, in which order, and where a page ends.

use crate::harness::{Db, at};
use domain::guest::{Guest, Personal, TelegramId};
use domain::job::{JobId, JobStatus};
use domain::lead::{LeadId, LeadStatus};
use domain::{Language, Timestamp};
use std::time::Duration;
use store::admin_sessions::{self, AdminSession};
use store::audit_log::{self, Audit};
use store::{Change, panel, users};

on_both_engines! {
    a_session_is_found_seen_and_ended_once
    all_sessions_of_a_login_end_and_rows_of_ended_ones_go
    jobs_are_listed_newest_first_by_status_and_page
    packs_and_failures_are_counted_by_slot
    what_belongs_to_one_guest_is_listed_and_packs_are_counted_by_how_they_were_drawn
    guests_are_listed_newest_first_and_found_by_name_in_any_case
    leads_are_listed_by_status_and_found_by_what_their_owner_typed
    the_audit_log_is_read_page_by_page_and_by_subject
    calls_and_messages_of_a_job_are_listed
}

fn session(token: &str, login: &str, until: i64) -> AdminSession {
    AdminSession {
        token_hash: token.to_owned(),
        login: login.to_owned(),
        csrf_hash: format!("c-{token}"),
        created_at: at(0),
        seen_at: at(0),
        expires_at: at(until),
        revoked_at: None,
    }
}

async fn begin(db: &Db, token: &'static str, login: &'static str, until: i64) {
    db.write(move |tx| {
        Box::pin(async move { admin_sessions::insert(tx, &session(token, login, until)).await })
    })
    .await;
}

async fn found(db: &Db, token: &str) -> Option<AdminSession> {
    admin_sessions::find(&mut db.store.reader(), token).await.expect("reads")
}

async fn a_session_is_found_seen_and_ended_once(db: Db) {
    begin(&db, "t", "dilnoza", 100).await;
    assert_eq!(found(&db, "t").await, Some(session("t", "dilnoza", 100)));
    assert_eq!(found(&db, "x").await, None);
    let seen = async |second| db.write(move |tx| Box::pin(admin_sessions::seen(tx, "t", at(second)))).await;
    assert_eq!(seen(5).await, Change::Changed);
    assert_eq!(seen(4).await, Change::Stale, "it was seen later already");
    assert_eq!(found(&db, "t").await.map(|session| session.seen_at), Some(at(5)));
    let end = async |second| db.write(move |tx| Box::pin(admin_sessions::revoke(tx, "t", at(second)))).await;
    assert_eq!((end(6).await, end(7).await), (Change::Changed, Change::Stale));
    assert_eq!(seen(8).await, Change::Stale, "an ended one is not seen");
    assert_eq!(found(&db, "t").await.and_then(|session| session.revoked_at), Some(at(6)));
}

async fn all_sessions_of_a_login_end_and_rows_of_ended_ones_go(db: Db) {
    begin(&db, "a", "dilnoza", 10).await;
    begin(&db, "b", "dilnoza", 20).await;
    begin(&db, "c", "bakhtiyor", 10).await;
    assert_eq!(db.write(|tx| Box::pin(admin_sessions::revoke_all(tx, "dilnoza", at(3)))).await, 2);
    assert_eq!(db.write(|tx| Box::pin(admin_sessions::revoke_all(tx, "dilnoza", at(4)))).await, 0);
    assert_eq!(found(&db, "c").await.expect("another login").revoked_at, None);
    assert_eq!(db.write(|tx| Box::pin(admin_sessions::delete_ended(tx, at(10)))).await, 2);
    assert!(
        found(&db, "a").await.is_none() && found(&db, "b").await.is_some() && found(&db, "c").await.is_none()
    );
}

/// Three guests with a job each: 1 is done, 2 failed, 3 waits.
async fn evening(db: &Db) {
    for (number, name, username, second) in
        [(1, "Lola", Some("LolaK"), 1), (2, "Timur", None, 2), (3, "Anya", Some("anya"), 2)]
    {
        db.write(move |tx| {
            Box::pin(async move {
                let guest = Guest {
                    id: TelegramId(number),
                    first_name: Personal(name.to_owned()),
                    last_name: None,
                    username: username.map(|name| Personal(name.to_owned())),
                    language: Language::Ru,
                };
                users::upsert(tx, &guest, at(second)).await
            })
        })
        .await;
    }
    db.raw(
        "INSERT INTO sessions (session_token, status, telegram_user_id, template_id, language, created_at, updated_at) VALUES \
         ('s1', 'photo_taken', 1, 'chef', 'ru', 1, 1), ('s2', 'photo_taken', 2, 'chef', 'ru', 1, 1), ('s3', 'photo_taken', 3, 'hero', 'ru', 1, 1)",
    )
    .await;
    db.raw(
        "INSERT INTO jobs (session_token, telegram_user_id, template_id, status, attempts, error, pack_key, pack_name, pack_created_at, \
         provider_used, render_mode, link_sent_at, processing_started_at, created_at, updated_at) VALUES \
         ('s1', 1, 'chef', 'done', 0, NULL, 'k', 's1_k_by_b', 1200000, 'gemini', 'figure', 1201000, 1100000, 1000000, 1201000), \
         ('s2', 2, 'chef', 'failed', 2, 'no face', 'l', NULL, NULL, NULL, NULL, NULL, 1300000, 1250000, 1900000), \
         ('s3', 3, 'hero', 'queued', 0, NULL, 'm', NULL, NULL, NULL, NULL, NULL, NULL, 1950000, 1950000)",
    )
    .await;
    db.raw(
        "INSERT INTO ai_usage (job_id, stage, provider, model, input_tokens, output_tokens, images, cost_usd, at) VALUES \
         (1, 'sheet', 'gemini', 'm', 1, 1, 1, 0.25, 2000), (1, 'anchor', 'gemini', 'm', 1, 1, 1, 0.5, 1000), (2, 'sheet', 'openai', 'm', 1, 1, 0, 1.0, 3000)",
    )
    .await;
}

fn numbers(lines: &[panel::JobLine]) -> Vec<i64> {
    lines.iter().map(|line| line.id.0).collect()
}

async fn jobs_are_listed_newest_first_by_status_and_page(db: Db) {
    evening(&db).await;
    let list = async |status, before, limit| {
        panel::jobs(&mut db.store.reader(), status, JobId(before), limit).await.expect("reads")
    };
    assert_eq!(numbers(&list(None, i64::MAX, 50).await), [3, 2, 1]);
    assert_eq!(numbers(&list(None, i64::MAX, 2).await), [3, 2]);
    assert_eq!(numbers(&list(None, 2, 2).await), [1]);
    assert_eq!(numbers(&list(Some(JobStatus::Failed), i64::MAX, 50).await), [2]);
    assert_eq!(numbers(&list(Some(JobStatus::Failed), 2, 50).await), [0_i64; 0]);
    assert_eq!(numbers(&panel::active_jobs(&mut db.store.reader(), 10).await.expect("reads")), [3]);
    let one = panel::job(&mut db.store.reader(), JobId(1)).await.expect("reads").expect("is there");
    assert_eq!(
        (one.first_name.0.as_str(), one.cost_usd, one.render_mode.as_deref()),
        ("Lola", 0.75, Some("figure"))
    );
    assert_eq!(one.link_sent_at, Some(Timestamp::from_millis(1_201_000)));
    let waiting = panel::job(&mut db.store.reader(), JobId(3)).await.expect("reads").expect("is there");
    assert_eq!((waiting.cost_usd, waiting.status), (0.0, JobStatus::Queued), "nothing was spent");
    assert_eq!(panel::job(&mut db.store.reader(), JobId(4)).await.expect("reads"), None);
    let count = async |status| panel::count_jobs(&mut db.store.reader(), status).await.expect("reads");
    assert_eq!((count(JobStatus::Done).await, count(JobStatus::Delivering).await), (1, 0));
}

async fn packs_and_failures_are_counted_by_slot(db: Db) {
    evening(&db).await;
    let (slot, since) = (Duration::from_secs(600), Timestamp::from_millis(1_200_000));
    let packs = panel::packs_by_slot(&mut db.store.reader(), since, slot).await.expect("reads");
    assert_eq!(packs, [(2, 1)]);
    let failures = panel::failures_by_slot(&mut db.store.reader(), since, slot).await.expect("reads");
    assert_eq!(failures, [(3, 1)]);
    let later = Timestamp::from_millis(1_900_001);
    assert_eq!(panel::packs_by_slot(&mut db.store.reader(), later, slot).await.expect("reads"), []);
    assert_eq!(panel::failures_by_slot(&mut db.store.reader(), later, slot).await.expect("reads"), []);
}

async fn what_belongs_to_one_guest_is_listed_and_packs_are_counted_by_how_they_were_drawn(db: Db) {
    evening(&db).await;
    let own = panel::jobs_of_guest(&mut db.store.reader(), TelegramId(2), 50).await.expect("reads");
    assert_eq!(numbers(&own), [2]);
    let tokens = panel::sessions_of_guest(&mut db.store.reader(), TelegramId(2), 50).await.expect("reads");
    assert_eq!(tokens, ["s2"]);
    let one = async |id| panel::guest(&mut db.store.reader(), TelegramId(id)).await.expect("reads");
    assert_eq!(one(2).await.map(|guest| (guest.first_name.0, guest.jobs)), Some(("Timur".to_owned(), 1)));
    assert_eq!(one(4).await, None);
    db.raw("UPDATE jobs SET pack_name = 'p', pack_created_at = 1300000 WHERE job_id = 2").await;
    let modes = async |ms| {
        panel::packs_by_mode(&mut db.store.reader(), Timestamp::from_millis(ms)).await.expect("reads")
    };
    assert_eq!(modes(1_200_000).await, [("composite".to_owned(), 1), ("figure".to_owned(), 1)]);
    assert_eq!(modes(1_300_001).await, []);
}

async fn guests_are_listed_newest_first_and_found_by_name_in_any_case(db: Db) {
    evening(&db).await;
    let list = async |time, id, limit| {
        let page = panel::guests(&mut db.store.reader(), (time, TelegramId(id)), limit).await.expect("reads");
        page.iter().map(|guest| guest.id.0).collect::<Vec<_>>()
    };
    assert_eq!(list(at(100), 0, 50).await, [3, 2, 1]);
    assert_eq!(list(at(2), 3, 50).await, [2, 1], "the one of the same moment with a lower number comes next");
    assert_eq!(list(at(100), 0, 1).await, [3]);
    let named = async |name| panel::guest_by_username(&mut db.store.reader(), name).await.expect("reads");
    assert_eq!(named("lolak").await, Some(TelegramId(1)));
    assert_eq!(named("LOLAK").await, Some(TelegramId(1)));
    assert_eq!(named("lola").await, None);
    let lola = &panel::guests(&mut db.store.reader(), (at(2), TelegramId(0)), 1).await.expect("reads")[0];
    assert_eq!((lola.id.0, lola.jobs, lola.language.as_str()), (1, 1, "ru"));
}

async fn leads_are_listed_by_status_and_found_by_what_their_owner_typed(db: Db) {
    db.raw(
        "INSERT INTO leads (request_id, status, name, telegram, telegram_fold, phone, locale, created_at, erased_at) VALUES \
         ('r1', 'new', 'Aziz', '@Aziz_Toy', '@aziz_toy', '+998901234567', 'ru', 1, NULL), \
         ('r2', 'deal', 'Olga', '@olga', '@olga', '+998901234567', 'ru', 2, NULL), \
         ('r3', 'new', NULL, NULL, NULL, NULL, 'ru', 3, 9), \
         ('r4', 'new', 'Sam', '@sam', '@sam', '+998907654321', 'ru', 4, NULL)",
    )
    .await;
    db.raw(
        "INSERT INTO lead_status_history (lead_id, from_status, to_status, user_id, user_name, at) VALUES \
         (2, 'new', 'in_work', 7, '@bakhtiyor', 10), (2, 'in_work', 'deal', 0, 'dilnoza', 20)",
    )
    .await;
    let ids = |leads: Vec<domain::lead::Lead>| leads.into_iter().map(|lead| lead.id.0).collect::<Vec<_>>();
    let column = async |status, before| {
        ids(panel::leads_by_status(&mut db.store.reader(), status, LeadId(before), 50).await.expect("reads"))
    };
    assert_eq!(column(LeadStatus::New, i64::MAX).await, [4, 1], "one without contacts is no work");
    assert_eq!(column(LeadStatus::New, 4).await, [1]);
    assert_eq!(column(LeadStatus::Spam, i64::MAX).await, [0_i64; 0]);
    let count = panel::count_leads(&mut db.store.reader(), LeadStatus::New).await.expect("reads");
    assert_eq!(count, 2);
    let phone = panel::leads_by_phone(&mut db.store.reader(), "+998901234567", 50).await.expect("reads");
    assert_eq!(ids(phone), [2, 1]);
    let name = panel::leads_by_telegram(&mut db.store.reader(), "@AZIZ_toy", 50).await.expect("reads");
    assert_eq!(ids(name), [1]);
    let history = panel::lead_history(&mut db.store.reader(), LeadId(2), 50).await.expect("reads");
    let told: Vec<_> = history.iter().map(|change| (change.to, change.user.0)).collect();
    assert_eq!(told, [(LeadStatus::Deal, 0), (LeadStatus::InWork, 7)]);
}

async fn the_audit_log_is_read_page_by_page_and_by_subject(db: Db) {
    for (second, subject) in [(1, "job:1"), (2, "job:2"), (2, "job:1")] {
        db.write(move |tx| {
            Box::pin(async move {
                let entry = Audit {
                    at: at(second),
                    actor: "dilnoza".to_owned(),
                    action: "retry_job".to_owned(),
                    subject: subject.to_owned(),
                    details: None,
                };
                audit_log::insert(tx, &entry).await
            })
        })
        .await;
    }
    let page =
        async |before, limit| panel::audit(&mut db.store.reader(), before, limit).await.expect("reads");
    let first = page((at(100), i64::MAX), 2).await;
    let ids = |lines: &[panel::AuditLine]| lines.iter().map(|line| line.id).collect::<Vec<_>>();
    assert_eq!(ids(&first), [3, 2]);
    let last = first.last().expect("a line");
    assert_eq!(ids(&page((last.at, last.id), 2).await), [1]);
    let of = panel::audit_of(&mut db.store.reader(), "job:1", 50).await.expect("reads");
    assert_eq!(ids(&of), [3, 1]);
}

async fn calls_and_messages_of_a_job_are_listed(db: Db) {
    evening(&db).await;
    db.raw(
        "INSERT INTO outbox (key, chat_id, kind, body, job_id, state, not_before, created_at, updated_at, sent_at) VALUES \
         ('link:1', 1, 'link', '', 1, 'sent', 1, 5, 6, 7), ('alert:1', 9, 'alert', 'x', 1, 'pending', 1, 8, 8, NULL), \
         ('link:2', 2, 'link', 'x', 2, 'pending', 1, 8, 8, NULL)",
    )
    .await;
    let calls = panel::calls_of_job(&mut db.store.reader(), JobId(1), 50).await.expect("reads");
    let told: Vec<_> = calls.iter().map(|call| (call.stage.as_str(), call.cost_usd)).collect();
    assert_eq!(told, [("anchor", 0.5), ("sheet", 0.25)]);
    let messages = panel::messages_of_job(&mut db.store.reader(), JobId(1), 50).await.expect("reads");
    let told: Vec<_> = messages
        .iter()
        .map(|message| (message.kind.as_str(), message.state.as_str(), message.sent_at))
        .collect();
    assert_eq!(told, [("link", "sent", Some(7)), ("alert", "pending", None)]);
}
