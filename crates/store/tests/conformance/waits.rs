//! A clock that goes back: what waits for a time of day follows it.

use crate::harness::{Db, at};
use std::time::Duration;
use store::waits;

on_both_engines! {
    what_waits_follows_a_clock_that_goes_back_and_the_rest_stays
}

const HOUR: i64 = 3_600;

/// The column of every row in order of its key, in seconds since `at(0)`.
async fn times(db: &Db, query: &'static str) -> Vec<Option<i64>> {
    let texts = db.texts(query).await;
    texts
        .into_iter()
        .map(|text| text.map(|text| (text.parse::<i64>().expect("a number") - at(0).as_millis()) / 1_000))
        .collect()
}

async fn what_waits_follows_a_clock_that_goes_back_and_the_rest_stays(db: Db) {
    // It was an hour after `at(0)`: one is due, one waits for a minute, one is sent.
    db.raw(
        "INSERT INTO outbox (key, chat_id, kind, body, state, not_before, created_at, updated_at, sent_at) VALUES \
         ('a', 1, 'text', '', 'pending', 1795959000000 + 3600000, 0, 0, NULL), ('b', 2, 'text', '', 'pending', 1795959000000 + 3660000, 0, 0, NULL), \
         ('c', 3, 'text', '', 'sent', 1795959000000 + 3660000, 0, 0, 1)",
    )
    .await;
    db.raw(
        "INSERT INTO leads (id, request_id, status, locale, created_at, next_publish_at, card_dirty_at, next_edit_at) VALUES \
         (1, 'r1', 'new', 'ru', 0, 1795959000000 + 4500000, 1795959000000 + 3600000, 1795959000000 + 3605000), (2, 'r2', 'new', 'ru', 0, 1795959000000 + 5000, NULL, NULL)",
    )
    .await;
    db.raw(
        "INSERT INTO lead_repeats (lead_id, request_id, created_at, notify_attempts, next_notify_at) \
         VALUES (1, 'r3', 0, 0, 1795959000000 + 3660000)",
    )
    .await;
    let moved = db
        .write(|tx| {
            Box::pin(async move {
                waits::follow_clock(tx, Duration::from_secs(HOUR.unsigned_abs()), at(10)).await
            })
        })
        .await;
    assert_eq!(moved, 5);
    let texts = "SELECT CAST(not_before AS TEXT) FROM outbox ORDER BY id";
    assert_eq!(times(&db, texts).await, [Some(10), Some(60), Some(3_660)]);
    let publish = "SELECT CAST(next_publish_at AS TEXT) FROM leads ORDER BY id";
    assert_eq!(times(&db, publish).await, [Some(900), Some(5)], "one that was due before stays");
    assert_eq!(times(&db, "SELECT CAST(next_edit_at AS TEXT) FROM leads WHERE id = 1").await, [Some(10)]);
    assert_eq!(times(&db, "SELECT CAST(next_notify_at AS TEXT) FROM lead_repeats").await, [Some(60)]);
}
