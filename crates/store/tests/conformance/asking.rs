//! Questions of an engineer to the live database: answered, bounded, and never able to change anything.

use crate::harness::{Db, on_sqlite};
use domain::job::JobStatus;
use std::time::Duration;
use store::ask::{self, Answer, AskError, Bounds, Cell};

on_both_engines! {
    a_question_is_answered_with_names_and_typed_values
    an_answer_without_rows_still_has_its_columns
    rows_over_the_bound_are_left_out_and_that_is_told
    a_question_without_an_end_is_stopped
    a_write_is_refused_by_the_engine_itself_and_changes_nothing
    a_wrong_statement_is_told_on_one_line
}

const BOUNDS: Bounds = Bounds { rows: 100, time: Duration::from_secs(60) };

async fn asked(db: &Db, text: &str) -> Result<Answer, AskError> {
    ask::ask(db.url(), text, BOUNDS).await
}

async fn a_question_is_answered_with_names_and_typed_values(db: Db) {
    db.job_in("a", JobStatus::Done).await;
    db.job_in("b", JobStatus::Queued).await;
    let answer =
        asked(&db, "SELECT status, COUNT(*) AS n, NULL AS void FROM jobs GROUP BY status ORDER BY status")
            .await
            .expect("answers");
    let row = |status: &str| vec![Cell::Text(status.to_owned()), Cell::Int(1), Cell::Null];
    assert_eq!(answer.columns, ["status", "n", "void"]);
    assert_eq!((answer.rows, answer.cut), (vec![row("done"), row("queued")], false));
    let views = asked(&db, "SELECT created_at FROM jobs_readable LIMIT 1").await.expect("answers");
    let Cell::Text(time) = &views.rows[0][0] else { panic!("{views:?}") };
    assert!(time.starts_with("2026-11-29 18:") && time.ends_with("+05:00"), "{time}");
    let fraction = asked(&db, "SELECT cost_usd FROM ai_usage UNION ALL SELECT 0.25").await.expect("answers");
    assert_eq!(fraction.rows, [[Cell::Real(0.25)]]);
}

async fn an_answer_without_rows_still_has_its_columns(db: Db) {
    let answer = asked(&db, "SELECT job_id, status FROM jobs;").await.expect("answers");
    assert_eq!((answer.columns.len(), answer.rows.len(), answer.cut), (2, 0, false));
}

async fn rows_over_the_bound_are_left_out_and_that_is_told(db: Db) {
    let all = "SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 3";
    for (rows, cut) in [(2, true), (3, false), (4, false)] {
        let answer = ask::ask(db.url(), all, Bounds { rows, ..BOUNDS }).await.expect("answers");
        assert_eq!((answer.rows.len(), answer.cut), (rows.min(3), cut));
    }
}

async fn a_question_without_an_end_is_stopped(db: Db) {
    let endless =
        "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT (x + 1) % 1000 FROM n) SELECT COUNT(*) FROM n";
    let bounds = Bounds { time: Duration::from_millis(200), ..BOUNDS };
    let outcome = ask::ask(db.url(), endless, bounds).await;
    assert!(matches!(outcome, Err(AskError::TooLong(_))), "{outcome:?}");
    db.job_in("still", JobStatus::Queued).await;
}

async fn a_write_is_refused_by_the_engine_itself_and_changes_nothing(db: Db) {
    db.job_in("a", JobStatus::Done).await;
    // They begin as a question does, so that only the engine can refuse them.
    for text in
        ["WITH x AS (SELECT 1) DELETE FROM jobs", "WITH x AS (SELECT 1) UPDATE users SET first_name = 'x'"]
    {
        let outcome = asked(&db, text).await;
        let Err(AskError::Refused(said)) = &outcome else { panic!("{text}: {outcome:?}") };
        assert!(said.contains("readonly") || said.contains("read-only"), "{said}");
    }
    let outcome = asked(&db, "DELETE FROM jobs").await;
    assert!(matches!(outcome, Err(AskError::NotRead(_))), "{outcome:?}");
    let left = asked(&db, "SELECT COUNT(*) FROM jobs").await.expect("answers");
    assert_eq!(left.rows, [[Cell::Int(1)]]);
}

async fn a_wrong_statement_is_told_on_one_line(db: Db) {
    let outcome = asked(&db, "SELECT x FROM nowhere").await;
    let Err(AskError::Refused(said)) = outcome else { panic!("{outcome:?}") };
    assert!(said.contains("nowhere") && !said.contains('\n'), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_makes_no_database_and_waits_for_no_writer() {
    on_sqlite(|db| async move {
        let nowhere = db.folder().join("nowhere.db");
        let outcome = ask::ask(&format!("sqlite://{}", nowhere.display()), "SELECT 1", BOUNDS).await;
        assert!(matches!(outcome, Err(AskError::NoDatabase(_))), "{outcome:?}");
        assert!(!nowhere.exists());
        let lock = db.lock().await;
        let answer = asked(&db, "SELECT COUNT(*) FROM users").await.expect("answers");
        assert_eq!(answer.rows, [[Cell::Int(0)]]);
        lock.release().await;
    })
    .await;
}
