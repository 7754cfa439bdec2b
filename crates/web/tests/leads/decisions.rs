//! Decisions of seed 004 that are the API's, and what the landing site makes of answers (seed 003, "Status code mapping").

use crate::stage::{CREATED, LANDING, SECRET, Stage, call, request};
use futures::FutureExt;
use serde_json::json;
use std::pin::pin;
use tower::ServiceExt;

on_both_engines! {
    a_lead_is_stored_and_due_while_no_bot_runs
    the_same_request_id_creates_nothing_and_returns_the_number
    a_database_that_fails_is_5xx_so_that_the_landing_site_falls_back
    a_caller_who_hangs_up_leaves_a_whole_lead_or_none
}

/// ADR-012: the API stores and answers; the rows without `published_at` are the outbox.
async fn a_lead_is_stored_and_due_while_no_bot_runs(stage: Stage) {
    assert_eq!(stage.submit(request(1)).await.status, CREATED);
    let due = stage
        .text(
            "SELECT CAST(next_publish_at AS TEXT) FROM leads WHERE published_at IS NULL AND publish_attempts = 0 \
             AND publish_error IS NULL AND message_id IS NULL",
        )
        .await;
    assert_eq!(due.as_deref(), Some("1795959000000"));
    assert_eq!(stage.count("lead_cards").await, 0);
    assert_eq!(stage.count("outbox").await, 0, "nothing is sent by the API");
}

async fn the_same_request_id_creates_nothing_and_returns_the_number(stage: Stage) {
    assert_eq!(stage.submit(request(1)).await.body["id"], 1);
    for _ in 0..3 {
        let again = stage.submit(request(1)).await;
        assert_eq!(
            (again.status, &again.body),
            (200, &json!({ "id": 1, "duplicate": true, "repeat": false }))
        );
    }
    assert_eq!((stage.count("leads").await, stage.count("lead_repeats").await), (1, 0));
}

async fn a_database_that_fails_is_5xx_so_that_the_landing_site_falls_back(stage: Stage) {
    stage.ctx.store.close().await;
    let answer = stage.submit(request(1)).await;
    assert_eq!((answer.status, &answer.body["error"]), (500, &json!("internal")));
}

/// The request is dropped after each number of steps that it may take, as a server does when the connection breaks.
async fn a_caller_who_hangs_up_leaves_a_whole_lead_or_none(stage: Stage) {
    for steps in 0..12u32 {
        let n = 100 + steps;
        {
            let mut answering =
                pin!(stage.router().oneshot(call(LANDING, Some(SECRET), request(n).to_string())));
            for _ in 0..steps {
                if answering.as_mut().now_or_never().is_some() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        // Sent again, it is taken or known; never lost, never there twice.
        let again = stage.submit(request(n)).await;
        assert!(matches!(again.status, 200 | 201), "{again:?}");
        assert_eq!(again.body.get("repeat").unwrap_or(&json!(false)), &json!(false), "after {steps} steps");
        let query = format!("leads WHERE request_id = '00000000-0000-4000-8000-{n:012}'");
        assert_eq!(stage.count(&query).await, 1, "after {steps} steps");
    }
}
