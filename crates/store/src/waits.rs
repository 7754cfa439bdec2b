//! Everything in the database that waits for a time of day. When the clock goes back, those times must follow, or what was due in a moment is
//! due in an hour.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::Tx;
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
