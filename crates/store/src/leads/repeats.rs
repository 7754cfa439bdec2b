//! Notices about those who wrote again (seed 001, "Repeat contacts").

use super::{REPEAT_COLUMNS, RepeatRow};
use crate::error::StoreError;
use crate::query::Query;
use crate::tx::{Change, Read, Tx};
use domain::Timestamp;
use domain::lead::{LeadId, Repeat, UNKNOWN};

/// A notice whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueRepeat {
    /// The repeat.
    pub id: i64,
    /// Its lead.
    pub lead: LeadId,
    /// Notices that failed.
    pub attempts: i64,
    /// When it became due.
    pub due_at: Timestamp,
}

#[derive(sqlx::FromRow)]
struct DueRow {
    id: i64,
    lead_id: i64,
    notify_attempts: i64,
    due_at: i64,
}

/// The repeats of a lead, newest first.
pub async fn of_lead(on: &mut impl Read, lead: LeadId, limit: u32) -> Result<Vec<Repeat>, StoreError> {
    let rows = Query::new("SELECT {columns} FROM lead_repeats WHERE lead_id = $1 ORDER BY id DESC LIMIT $2")
        .columns(REPEAT_COLUMNS)
        .bind(lead)
        .bind(limit)
        .all::<RepeatRow>(on)
        .await?;
    Ok(rows.into_iter().map(RepeatRow::into_repeat).collect())
}

/// Notices that are due, of leads whose card was published or that need none any more.
pub async fn due(on: &mut impl Read, now: Timestamp, limit: u32) -> Result<Vec<DueRepeat>, StoreError> {
    let rows = Query::new(
        "SELECT lead_repeats.id, lead_id, notify_attempts, COALESCE(next_notify_at, lead_repeats.created_at) AS due_at \
         FROM lead_repeats JOIN leads ON leads.id = lead_repeats.lead_id \
         WHERE notified_at IS NULL AND (next_notify_at IS NULL OR next_notify_at <= $1) \
         AND (published_at IS NOT NULL OR erased_at IS NOT NULL OR status = 'spam') \
         ORDER BY COALESCE(next_notify_at, lead_repeats.created_at), lead_repeats.id LIMIT $2",
    )
    .bind(now)
    .bind(limit)
    .all::<DueRow>(on)
    .await?;
    let due = |row: DueRow| DueRepeat {
        id: row.id,
        lead: LeadId(row.lead_id),
        attempts: row.notify_attempts,
        due_at: Timestamp::from_millis(row.due_at),
    };
    Ok(rows.into_iter().map(due).collect())
}

/// Stores that the group is about to be told: nobody tries again before `again_at`. Stale when somebody else began.
pub async fn begin_notify(
    tx: &mut Tx,
    repeat: &DueRepeat,
    again_at: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE lead_repeats SET notify_error = $3, next_notify_at = $2 WHERE id = $1 AND notified_at IS NULL \
         AND notify_attempts = $4 AND COALESCE(next_notify_at, created_at) = $5",
    )
    .bind(repeat.id)
    .bind(again_at)
    .bind(UNKNOWN)
    .bind(repeat.attempts)
    .bind(repeat.due_at)
    .change(tx)
    .await
}

/// The group was told, or need not be, or (with `error`) never will be (rows `Notified`, `Failed` after the last try).
pub async fn notified(
    tx: &mut Tx,
    id: i64,
    error: Option<&str>,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE lead_repeats SET notified_at = $2, notify_error = $3, next_notify_at = NULL, \
         notify_attempts = notify_attempts + CASE WHEN CAST($3 AS TEXT) IS NULL THEN 0 ELSE 1 END \
         WHERE id = $1 AND notified_at IS NULL",
    )
    .bind(id)
    .bind(now)
    .bind(error)
    .change(tx)
    .await
}

/// A notice failed (row `Failed`).
pub async fn notify_failed(
    tx: &mut Tx,
    id: i64,
    error: &str,
    again_at: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE lead_repeats SET notify_attempts = notify_attempts + 1, next_notify_at = $2, notify_error = $3 \
         WHERE id = $1 AND notified_at IS NULL",
    )
    .bind(id)
    .bind(again_at)
    .bind(error)
    .change(tx)
    .await
}
