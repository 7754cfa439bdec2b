//! Many at once, in two API processes on one database: what one transaction decides holds all the same.

use crate::stage::{Stage, request, request_with};
use serde_json::{Value, json};
use sqlx::Connection;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Barrier;

on_both_engines! {
    one_request_sent_many_times_at_once_makes_one_lead
    many_requests_of_one_person_at_once_make_one_lead_and_repeats
    the_visitor_limit_holds_however_many_come_at_once
    the_hourly_limit_holds_however_many_come_at_once
}

/// Requests at once.
const MANY: u32 = 24;
/// Longest wait for something that has to come; only a failing test waits that long.
const PATIENCE: Duration = Duration::from_secs(20);

/// Sends them all at once, half to each process, and counts the answers.
async fn at_once(processes: [Stage; 2], requests: Vec<Value>) -> BTreeMap<String, usize> {
    let processes = processes.map(Arc::new);
    let start = Arc::new(Barrier::new(requests.len()));
    let mut sending = tokio::task::JoinSet::new();
    for (place, request) in requests.into_iter().enumerate() {
        let (process, start) = (Arc::clone(&processes[place % 2]), Arc::clone(&start));
        sending.spawn(async move {
            start.wait().await;
            let (status, mut body) = process.submit(request).await.short();
            if let Some(members) = body.as_object_mut() {
                members.remove("id");
            }
            format!("{status} {body}")
        });
    }
    let mut answers = BTreeMap::new();
    while let Some(answer) = sending.join_next().await {
        *answers.entry(answer.expect("answers")).or_default() += 1;
    }
    answers
}

fn counted<const N: usize>(answers: [(&str, usize); N]) -> BTreeMap<String, usize> {
    answers.into_iter().map(|(answer, count)| (answer.to_owned(), count)).collect()
}

const NEW: &str = r#"201 {"duplicate":false}"#;
const KNOWN: &str = r#"200 {"duplicate":true,"repeat":false}"#;
const REPEAT: &str = r#"200 {"duplicate":true,"repeat":true}"#;
const MANY_LESS_ONE: usize = MANY as usize - 1;

async fn one_request_sent_many_times_at_once_makes_one_lead(stage: Stage) {
    let other = stage.another_process(|_| {}).await;
    let watch = stage.with_limits(|_| {});
    let answers = at_once([stage, other], (0..MANY).map(|_| request(1)).collect()).await;
    assert_eq!(answers, counted([(NEW, 1), (KNOWN, MANY_LESS_ONE)]));
    assert_eq!((watch.count("leads").await, watch.count("lead_repeats").await), (1, 0));
}

async fn many_requests_of_one_person_at_once_make_one_lead_and_repeats(stage: Stage) {
    let other = stage.another_process(|_| {}).await;
    let watch = stage.with_limits(|_| {});
    // All of them share a username, and every other one a phone.
    let of_person = |n: u32| {
        let phone =
            if n.is_multiple_of(2) { "+998900000777".to_owned() } else { format!("+9989000008{n:02}") };
        request_with(n, json!({ "telegram": "@the_person", "phone": phone }))
    };
    let answers = at_once([stage, other], (0..MANY).map(of_person).collect()).await;
    assert_eq!(answers, counted([(NEW, 1), (REPEAT, MANY_LESS_ONE)]));
    assert_eq!((watch.count("leads").await, watch.count("lead_repeats").await), (1, MANY_LESS_ONE));
}

async fn the_visitor_limit_holds_however_many_come_at_once(stage: Stage) {
    let other = stage.another_process(|_| {}).await;
    let watch = stage.with_limits(|_| {});
    let of_visitor = |n: u32| request_with(n, json!({ "client_ip": "203.0.113.9" }));
    let answers = at_once([stage, other], (0..MANY).map(of_visitor).collect()).await;
    assert_eq!(answers, counted([(NEW, 5), (r#"429 {"why":"visitor"}"#, MANY as usize - 5)]));
    assert_eq!(watch.count("leads").await, 5);
}

async fn the_hourly_limit_holds_however_many_come_at_once(stage: Stage) {
    let limited = stage.with_limits(|limits| limits.hourly_limit = 7);
    let other = stage.another_process(|limits| limits.hourly_limit = 7).await;
    let answers = at_once([limited, other], (0..MANY).map(request).collect()).await;
    assert_eq!(answers, counted([(NEW, 7), (r#"429 {"why":"hourly"}"#, MANY as usize - 7)]));
    assert_eq!((stage.count("leads").await, stage.count("outbox").await), (7, 1), "one alert");
}

/// PostgreSQL only: SQLite has one writer. An erasure is under way when the same person asks again; the request waits for it and then
/// is a new lead, so that nothing personal comes to stand under an erased one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_meets_an_erasure_waits_for_it() {
    crate::stage::on_postgres(|stage: Stage| async move {
        assert_eq!(stage.submit(request(1)).await.status, 201);
        let mut eraser = stage.stranger().await;
        let begin = "BEGIN; UPDATE leads SET name = NULL, telegram = NULL, telegram_fold = NULL, phone = NULL, \
                     comment = NULL, ip_hash = NULL, erased_at = 1 WHERE id = 1";
        sqlx::raw_sql(begin).execute(&mut eraser).await.expect("erases");
        let stage = Arc::new(stage);
        let asking = tokio::spawn({
            let stage = Arc::clone(&stage);
            async move { stage.submit(request_with(2, json!({ "telegram": "@person_1" }))).await }
        });
        let waits = async {
            while stage.count("pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").await == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, waits).await.expect("waits for the erasure");
        sqlx::raw_sql("COMMIT").execute(&mut eraser).await.expect("commits");
        eraser.close().await.expect("closes");
        let answer = tokio::time::timeout(PATIENCE, asking).await.expect("answers").expect("answers");
        assert_eq!(answer.short(), (201, json!({ "id": 2, "duplicate": false })));
        assert_eq!(stage.count("lead_repeats").await, 0);
    })
    .await;
}
