//! Everything in the database that waits for a time of day, or is measured from one. When the clock goes back, those times must follow, or what
//! was due in a moment is due in an hour.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::Tx;
use crate::{jobs, sessions};
use domain::Timestamp;
use std::time::Duration;

/// One statement for each column: `$1` milliseconds that the clock went back, `$2` now.
const SHIFTS: [&str; 6] = [
    "UPDATE outbox SET not_before = CASE WHEN not_before - $1 > $2 THEN not_before - $1 ELSE $2 END \
     WHERE state = 'pending' AND not_before > $2",
    "UPDATE jobs SET not_before = CASE WHEN not_before - $1 > $2 THEN not_before - $1 ELSE $2 END \
     WHERE status = 'queued' AND not_before > $2",
    "UPDATE jobs SET next_verify_at = CASE WHEN next_verify_at - $1 > $2 THEN next_verify_at - $1 ELSE $2 END \
     WHERE status = 'delivering' AND next_verify_at > $2",
    "UPDATE leads SET next_publish_at = CASE WHEN next_publish_at - $1 > $2 THEN next_publish_at - $1 ELSE $2 END \
     WHERE published_at IS NULL AND erased_at IS NULL AND next_publish_at > $2",
    "UPDATE leads SET next_edit_at = CASE WHEN next_edit_at - $1 > $2 THEN next_edit_at - $1 ELSE $2 END \
     WHERE card_dirty_at IS NOT NULL AND next_edit_at > $2",
    "UPDATE lead_repeats SET next_notify_at = CASE WHEN next_notify_at - $1 > $2 THEN next_notify_at - $1 ELSE $2 END \
     WHERE notified_at IS NULL AND next_notify_at > $2",
];

/// Lets what waits follow a clock that went back by `by` and shows `now`; what was due already is due now. Answers how many rows moved.
pub async fn follow_clock(tx: &mut Tx, by: Duration, now: Timestamp) -> Result<u64, StoreError> {
    let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
    let mut moved = 0;
    for shift in SHIFTS {
        moved += Query::new(shift).bind(by).bind(now).run(tx).await?;
    }
    Ok(moved)
}

/// One statement for each time that something is measured from: the deadlines of a job and the estimate of the wait, a session whose tablet is
/// gone, a tablet that is silent. No such time lies ahead, so one that does is of before the clock went back, by `$1` milliseconds to `$2`.
const PASTS: [&str; 6] = [
    "UPDATE jobs SET created_at = CASE WHEN created_at - $1 < $2 THEN created_at - $1 ELSE $2 END \
     WHERE status IN ({active}) AND created_at > $2",
    "UPDATE jobs SET processing_started_at = CASE WHEN processing_started_at - $1 < $2 THEN processing_started_at - $1 ELSE $2 END \
     WHERE status IN ({active}) AND processing_started_at > $2",
    "UPDATE sessions SET created_at = CASE WHEN created_at - $1 < $2 THEN created_at - $1 ELSE $2 END \
     WHERE status IN ({open}) AND created_at > $2",
    "UPDATE sessions SET updated_at = CASE WHEN updated_at - $1 < $2 THEN updated_at - $1 ELSE $2 END \
     WHERE status IN ({open}) AND updated_at > $2",
    "UPDATE sessions SET kiosk_seen_at = CASE WHEN kiosk_seen_at - $1 < $2 THEN kiosk_seen_at - $1 ELSE $2 END \
     WHERE status IN ({open}) AND kiosk_seen_at > $2",
    "UPDATE kiosks SET seen_at = CASE WHEN seen_at - $1 < $2 THEN seen_at - $1 ELSE $2 END WHERE seen_at > $2",
];

/// Brings back what is measured from a time that now lies ahead, by as much as the clock went back: a job that was taken before is as old as it
/// was. Only for a clock that is right now. Never makes anything older than it is, also when it is done twice. What is older than the clock went
/// back cannot be told from what was begun since, and stays: a deadline of 15 minutes is late by less than that. Answers how many rows changed.
pub async fn bring_back(tx: &mut Tx, by: Duration, now: Timestamp) -> Result<u64, StoreError> {
    let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
    let mut moved = 0;
    for past in PASTS {
        let query = match past {
            of_jobs if of_jobs.contains("{active}") => Query::new(past).words("{active}", jobs::active()),
            of_sessions if of_sessions.contains("{open}") => {
                Query::new(past).words("{open}", sessions::open())
            }
            _ => Query::new(past),
        };
        moved += query.bind(by).bind(now).run(tx).await?;
    }
    Ok(moved)
}

/// Ends claims by `longest` at the latest, on [`crate::Store::lease_clock`]: no claim is ever good for longer, so one that says so is of before that
/// clock went back. Whoever works on renews theirs. Answers how many were cut.
pub async fn cut_claims(tx: &mut Tx, longest: Timestamp) -> Result<u64, StoreError> {
    Query::new("UPDATE jobs SET lease_until = $1 WHERE status = 'processing' AND lease_until > $1")
        .bind(longest)
        .run(tx)
        .await
}
