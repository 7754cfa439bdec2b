//! Reminders: which leads wait too long, and the one claim of their ping (seed 000, "Reminder").

use crate::error::StoreError;
use crate::query::{Number, Query};
use crate::tx::{Change, Read, Tx};
use domain::Timestamp;
use domain::lead::LeadId;

/// Leads that are `new`, published, not erased, not yet pinged and created by `created_by`, oldest first.
pub async fn due_for_reminder(
    on: &mut impl Read,
    created_by: Timestamp,
    limit: u32,
) -> Result<Vec<LeadId>, StoreError> {
    let rows = Query::new(
        "SELECT id AS value FROM leads WHERE status = 'new' AND erased_at IS NULL AND published_at IS NOT NULL \
         AND reminded_at IS NULL AND created_at <= $1 ORDER BY created_at, id LIMIT $2",
    )
    .bind(created_by)
    .bind(limit)
    .all::<Number>(on)
    .await?;
    Ok(rows.into_iter().filter_map(|row| row.value).map(LeadId).collect())
}

/// Sets `reminded_at` (row `Remind`): whoever gets `Changed` sends the ping, once, whatever comes of it.
pub async fn claim_reminder(
    tx: &mut Tx,
    id: LeadId,
    created_by: Timestamp,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE leads SET reminded_at = $3 WHERE id = $1 AND status = 'new' AND erased_at IS NULL \
         AND published_at IS NOT NULL AND reminded_at IS NULL AND created_at <= $2",
    )
    .bind(id)
    .bind(created_by)
    .bind(now)
    .change(tx)
    .await
}
