//! Each list of the panel goes along an index: no plan reads a table from end to end or sorts what it read.

use super::{books, guests, jobs, leads};
use crate::query::Query;
use crate::{Store, StoreOptions};
use domain::Timestamp;
use domain::guest::TelegramId;
use domain::job::{JobId, JobStatus};
use domain::lead::{LeadId, LeadStatus};
use std::time::Duration;

#[derive(sqlx::FromRow)]
struct Step {
    detail: String,
}

fn queries() -> Vec<(&'static str, Query)> {
    let (now, slot) = (Timestamp::from_millis(1_795_959_000_000), Duration::from_secs(600));
    vec![
        ("all jobs", jobs::all_jobs(JobId(i64::MAX), 50)),
        ("jobs of a status", jobs::jobs_of_status(JobStatus::Failed, JobId(i64::MAX), 50)),
        ("active jobs", jobs::active_query(10)),
        ("count of jobs", jobs::count_query(JobStatus::Done)),
        ("packs by slot", jobs::packs_query(now, slot)),
        ("failures by slot", jobs::failures_query(now, slot)),
        ("jobs of a guest", jobs::guest_query(TelegramId(1), 50)),
        ("packs by mode", jobs::modes_query(now)),
        ("sessions of a guest", guests::sessions_query(TelegramId(1), 50)),
        ("guests", guests::guests_query((now, TelegramId(i64::MAX)), 50)),
        ("a username", guests::username_query("Lola")),
        ("a column of leads", leads::column_query(LeadStatus::New, LeadId(i64::MAX), 50)),
        ("count of leads", leads::count_query(LeadStatus::Spam)),
        ("leads of a phone", leads::phone_query("+998901234567", 50)),
        ("leads of a username", leads::telegram_query("@aziz", 50)),
        ("history of a lead", leads::history_query(LeadId(1), 50)),
        ("audit log", books::audit_query((now, i64::MAX), 50)),
        ("audit log of a job", books::audit_of_query("job:1", 50)),
        ("calls of a job", books::calls_query(JobId(1), 50)),
        ("messages of a job", books::messages_query(JobId(1), 50)),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_list_of_the_panel_reads_a_table_from_end_to_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/app.db", folder.path().display());
    let store = Store::open(StoreOptions::new(url)).await.expect("opens");
    store.migrate().await.expect("migrates");
    for (name, query) in queries() {
        let steps = query.explained().all::<Step>(&mut store.reader()).await.expect("a plan");
        let plan = steps.into_iter().map(|step| step.detail).collect::<Vec<_>>().join("\n");
        assert!(plan.contains("SEARCH"), "{name}:\n{plan}");
        for table in
            ["jobs", "users", "leads", "audit_log", "ai_usage", "outbox", "lead_status_history", "sessions"]
        {
            assert!(!plan.contains(&format!("SCAN {table}")), "{name}:\n{plan}");
        }
        // A few rows of the last hours may be grouped in memory; a list may not be sorted.
        let few = name.ends_with("by slot")
            || ["a username", "active jobs", "jobs of a guest", "packs by mode"].contains(&name);
        assert!(few || !plan.contains("TEMP B-TREE"), "{name}:\n{plan}");
    }
    store.close().await;
}

/// What loops and kiosks ask all the time, typed again, and the index that each goes along: an index for a list must not draw them away from it.
const ASKED_ALL_THE_TIME: [(&str, &str); 10] = [
    (
        "SELECT link_sent_at - processing_started_at FROM jobs WHERE status = 'done' \
         AND processing_started_at IS NOT NULL ORDER BY link_sent_at DESC, job_id DESC LIMIT 20",
        "jobs_done",
    ),
    (
        "SELECT job_id FROM jobs WHERE status = 'queued' AND (not_before IS NULL OR not_before <= 1) \
         ORDER BY created_at, job_id LIMIT 1",
        "jobs_queued",
    ),
    ("SELECT COUNT(*) FROM jobs WHERE status = 'queued' AND created_at < 1", "jobs_queued"),
    (
        "SELECT job_id, error FROM jobs WHERE status = 'failed' AND updated_at >= 1 \
         ORDER BY updated_at DESC, job_id DESC LIMIT 5",
        "jobs_by_change",
    ),
    ("SELECT COUNT(*) FROM jobs WHERE status = 'failed' AND updated_at >= 1", "jobs_by_change"),
    ("SELECT COUNT(*) FROM jobs WHERE status = 'done' AND pack_created_at >= 1", "jobs_packs"),
    (
        "SELECT job_id FROM jobs WHERE status = 'delivering' AND next_verify_at <= 1 \
         ORDER BY next_verify_at, job_id LIMIT 10",
        "jobs_delivering",
    ),
    ("SELECT job_id FROM jobs WHERE status = 'processing' AND lease_until < 1", "jobs_processing"),
    (
        "SELECT COUNT(*) FROM jobs WHERE status || '' IN ('queued', 'processing', 'delivering')",
        "jobs_by_status",
    ),
    ("SELECT COUNT(*) FROM users WHERE created_at >= 1", "users_by_time"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_asked_all_the_time_keeps_its_own_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/app.db", folder.path().display());
    let store = Store::open(StoreOptions::new(url)).await.expect("opens");
    store.migrate().await.expect("migrates");
    for (text, index) in ASKED_ALL_THE_TIME {
        let steps = Query::new(text).explained().all::<Step>(&mut store.reader()).await.expect("a plan");
        let plan = steps.into_iter().map(|step| step.detail).collect::<Vec<_>>().join("\n");
        assert!(plan.contains(&format!("INDEX {index}")), "{text}:\n{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{text}:\n{plan}");
    }
    store.close().await;
}
