//! A clock that goes back: what waits for a time of day follows it.

use crate::harness::{Db, at};
use std::time::Duration;
use store::waits;

on_both_engines! {
    what_waits_follows_a_clock_that_goes_back_and_the_rest_stays
    what_was_begun_before_a_clock_goes_back_is_as_old_as_it_was
    a_claim_is_good_for_as_long_as_one_ever_is
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

const GUEST: &str =
    "INSERT INTO users (telegram_user_id, first_name, language, created_at) VALUES (1, 'Lola', 'ru', 0)";

/// Jobs in the statuses of a night, taken 3,000 s after `at(0)`; the last one long before.
const JOBS: &str = "INSERT INTO sessions (session_token, status, telegram_user_id, template_id, language, kiosk_seen_at, created_at, updated_at) VALUES \
     ('s1', 'photo_taken', 1, 'chapan', 'ru', NULL, 1795959000000 + 3000000, 1795959000000 + 3000000), \
     ('s2', 'linked', 1, NULL, 'ru', 1795959000000 + 3590000, 1795959000000 + 3000000, 1795959000000 + 3500000), \
     ('s3', 'idle', NULL, NULL, 'ru', 1795959000000 + 5000, 1795959000000, 1795959000000 + 5000), \
     ('s4', 'photo_taken', 1, 'chapan', 'ru', NULL, 0, 0), ('s5', 'photo_taken', 1, 'chapan', 'ru', NULL, 0, 0), \
     ('s6', 'photo_taken', 1, 'chapan', 'ru', NULL, 0, 0); \
     INSERT INTO jobs (session_token, telegram_user_id, template_id, status, pack_key, created_at, updated_at, lease_owner, lease_until, \
     processing_started_at, pack_name, pack_created_at, link_sent_at) VALUES \
     ('s1', 1, 'chapan', 'queued', 'k1', 1795959000000 + 3000000, 0, NULL, NULL, NULL, NULL, NULL, NULL), \
     ('s4', 1, 'chapan', 'processing', 'k2', 1795959000000 + 3600000, 0, 'a', 1795959000000 + 3660000, 1795959000000 + 3600000, NULL, NULL, NULL), \
     ('s5', 1, 'chapan', 'done', 'k3', 1795959000000 + 3000000, 0, NULL, NULL, 1795959000000 + 3001000, 'p', 1, 1), \
     ('s6', 1, 'chapan', 'processing', 'k4', 1795959000000 + 5000, 0, 'b', 1795959000000 + 65000, 1795959000000 + 6000, NULL, NULL, NULL); \
     INSERT INTO kiosks (kiosk, camera, version, first_seen_at, seen_at) VALUES \
     ('one', 'ok', '1', 0, 1795959000000 + 3595000), ('three', 'ok', '1', 0, 1795959000000 + 3700000), ('two', 'ok', '1', 0, 1795959000000 + 9000)";

async fn what_was_begun_before_a_clock_goes_back_is_as_old_as_it_was(db: Db) {
    db.raw(GUEST).await;
    db.raw(JOBS).await;
    for moved in [8, 0] {
        // It was an hour and five seconds later; the last job was taken since.
        let again = db
            .write(|tx| {
                Box::pin(async move {
                    waits::bring_back(tx, Duration::from_secs(HOUR.unsigned_abs() - 5), at(10)).await
                })
            })
            .await;
        assert_eq!(again, moved, "twice changes nothing more");
        let created = "SELECT CAST(created_at AS TEXT) FROM jobs ORDER BY job_id";
        assert_eq!(times(&db, created).await, [Some(-595), Some(5), Some(3_000), Some(5)]);
        let begun = "SELECT CAST(processing_started_at AS TEXT) FROM jobs ORDER BY job_id";
        assert_eq!(times(&db, begun).await, [None, Some(5), Some(3_001), Some(6)]);
        let sessions = "SELECT CAST(created_at AS TEXT) FROM sessions WHERE session_token <= 's3' ORDER BY session_token";
        assert_eq!(times(&db, sessions).await, [Some(3_000), Some(-595), Some(0)]);
        let changed = "SELECT CAST(updated_at AS TEXT) FROM sessions WHERE session_token <= 's3' ORDER BY session_token";
        assert_eq!(times(&db, changed).await, [Some(3_000), Some(-95), Some(5)]);
        let heard = "SELECT CAST(kiosk_seen_at AS TEXT) FROM sessions WHERE session_token <= 's3' ORDER BY session_token";
        assert_eq!(times(&db, heard).await, [None, Some(-5), Some(5)]);
        let tablets = "SELECT CAST(seen_at AS TEXT) FROM kiosks ORDER BY kiosk";
        assert_eq!(times(&db, tablets).await, [Some(0), Some(10), Some(9)], "never ahead");
    }
}

async fn a_claim_is_good_for_as_long_as_one_ever_is(db: Db) {
    db.raw(GUEST).await;
    db.raw(JOBS).await;
    let cut = db.write(|tx| Box::pin(waits::cut_claims(tx, at(70)))).await;
    assert_eq!(cut, 1);
    let until = "SELECT CAST(lease_until AS TEXT) FROM jobs ORDER BY job_id";
    assert_eq!(times(&db, until).await, [None, Some(70), None, Some(65)]);
}
