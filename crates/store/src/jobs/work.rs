//! Moves of whoever holds a claim. Each says `processing` and the claim number: an older claim changes nothing.

use super::{COLUMNS, active, from, one};
use crate::error::StoreError;
use crate::query::{Number, Query, Word};
use crate::tx::{Change, Read, Tx};
use domain::Timestamp;
use domain::delivery::REQUEUED_ON_SHUTDOWN;
use domain::job::{Job, JobId, JobMove, RenderMode};

/// Claims the oldest queued job whose pause is over (row `Claim`). Two workers never get the same one.
pub async fn claim_next(
    tx: &mut Tx,
    owner: &str,
    until: Timestamp,
    now: Timestamp,
) -> Result<Option<Job>, StoreError> {
    let query = Query::new(
        "UPDATE jobs SET status = 'processing', claim_no = claim_no + 1, lease_owner = $1, lease_until = $2, \
         not_before = NULL, processing_started_at = $3, updated_at = $3 \
         WHERE job_id = (SELECT job_id FROM jobs WHERE status = 'queued' \
         AND (not_before IS NULL OR not_before <= $3) ORDER BY created_at, job_id LIMIT 1 /* skip locked */) \
         AND status IN ({from}) RETURNING {columns}",
    )
    .words("{from}", from(JobMove::Claim))
    .columns(COLUMNS)
    .bind(owner)
    .bind(until)
    .bind(now);
    one(query, tx).await
}

/// Keeps a claim while the work goes on.
pub async fn renew(
    tx: &mut Tx,
    id: JobId,
    claim_no: i64,
    until: Timestamp,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE jobs SET lease_until = $3, updated_at = $4 \
         WHERE job_id = $1 AND status = 'processing' AND claim_no = $2",
    )
    .bind(id)
    .bind(claim_no)
    .bind(until)
    .bind(now)
    .change(tx)
    .await
}

/// Keeps the description of the guest's looks for the next attempt; erased when the job ends.
pub async fn set_appearance(
    tx: &mut Tx,
    id: JobId,
    claim_no: i64,
    appearance_json: &str,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE jobs SET appearance_json = $3, updated_at = $4 \
         WHERE job_id = $1 AND status = 'processing' AND claim_no = $2",
    )
    .bind(id)
    .bind(claim_no)
    .bind(appearance_json)
    .bind(now)
    .change(tx)
    .await
}

/// The description of the guest's looks that an earlier attempt kept.
pub async fn appearance(on: &mut impl Read, id: JobId) -> Result<Option<String>, StoreError> {
    let query = Query::new("SELECT appearance_json AS value FROM jobs WHERE job_id = $1").bind(id);
    Ok(query.first::<Word>(on).await?.and_then(|row| row.value))
}

/// A created sticker set.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Its name in Telegram.
    pub pack_name: String,
    /// Who drew it.
    pub provider_used: String,
    /// How.
    pub render_mode: RenderMode,
    /// When it was created.
    pub now: Timestamp,
}

/// The set was created (row `StartDelivery`); it is due to be verified at once.
pub async fn start_delivery(
    tx: &mut Tx,
    id: JobId,
    claim_no: i64,
    delivery: &Delivery,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE jobs SET status = 'delivering', pack_name = $3, pack_created_at = $4, provider_used = $5, \
         render_mode = $6, lease_owner = NULL, lease_until = NULL, error = NULL, next_verify_at = $4, \
         verify_looks = 0, updated_at = $4 \
         WHERE job_id = $1 AND claim_no = $2 AND status IN ({from})",
    )
    .words("{from}", from(JobMove::StartDelivery))
    .bind(id)
    .bind(claim_no)
    .bind(delivery.pack_name.as_str())
    .bind(delivery.now)
    .bind(delivery.provider_used.as_str())
    .bind(delivery.render_mode.word())
    .change(tx)
    .await
}

/// Ended jobs that still hold a description of a guest. There should be none: the statements that end a job clear it.
pub async fn with_appearance_left(on: &mut impl Read, limit: u32) -> Result<Vec<JobId>, StoreError> {
    let rows = Query::new(
        // Not the two words of the ended ones: SQLite would read all of those by the index of statuses.
        "SELECT job_id AS value FROM jobs WHERE appearance_json IS NOT NULL AND status NOT IN ({active}) \
         ORDER BY job_id LIMIT $1",
    )
    .words("{active}", active())
    .bind(limit)
    .all::<Number>(on)
    .await?;
    Ok(rows.into_iter().filter_map(|row| row.value.map(JobId)).collect())
}

/// Clears the description that an ended job still holds. Stale when it is active again, or holds none.
pub async fn clear_appearance(tx: &mut Tx, id: JobId) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE jobs SET appearance_json = NULL \
         WHERE job_id = $1 AND appearance_json IS NOT NULL AND status IN ('done', 'failed')",
    )
    .bind(id)
    .change(tx)
    .await
}

/// The attempt failed and another is left (row `RetryLater`): back to the queue, not before `not_before`.
pub async fn retry_later(
    tx: &mut Tx,
    id: JobId,
    claim_no: i64,
    error: &str,
    not_before: Timestamp,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE jobs SET status = 'queued', attempts = attempts + 1, error = $3, not_before = $4, \
         lease_owner = NULL, lease_until = NULL, updated_at = $5 \
         WHERE job_id = $1 AND claim_no = $2 AND status IN ({from})",
    )
    .words("{from}", from(JobMove::RetryLater))
    .bind(id)
    .bind(claim_no)
    .bind(error)
    .bind(not_before)
    .bind(now)
    .change(tx)
    .await
}

/// The last attempt failed, or the error is permanent (row `Fail`).
pub async fn fail(
    tx: &mut Tx,
    id: JobId,
    claim_no: i64,
    error: &str,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE jobs SET status = 'failed', attempts = attempts + 1, error = $3, appearance_json = NULL, \
         lease_owner = NULL, lease_until = NULL, updated_at = $4 \
         WHERE job_id = $1 AND claim_no = $2 AND status IN ({from})",
    )
    .words("{from}", from(JobMove::Fail))
    .bind(id)
    .bind(claim_no)
    .bind(error)
    .bind(now)
    .change(tx)
    .await
}

/// Whether a return by a stopping bot ends an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    /// One of the first returns, which are free.
    Free,
    /// A later one.
    CountsAsAttempt,
}

/// The bot stops before the job is ready (row `ReturnOnShutdown`): back to the queue, with the marker.
pub async fn return_on_shutdown(
    tx: &mut Tx,
    id: JobId,
    claim_no: i64,
    counts: Shutdown,
    now: Timestamp,
) -> Result<Change, StoreError> {
    let attempt: i64 = match counts {
        Shutdown::Free => 0,
        Shutdown::CountsAsAttempt => 1,
    };
    Query::new(
        "UPDATE jobs SET status = 'queued', attempts = attempts + $3, shutdown_returns = shutdown_returns + 1, \
         error = $4, lease_owner = NULL, lease_until = NULL, updated_at = $5 \
         WHERE job_id = $1 AND claim_no = $2 AND status IN ({from})",
    )
    .words("{from}", from(JobMove::ReturnOnShutdown))
    .bind(id)
    .bind(claim_no)
    .bind(attempt)
    .bind(REQUEUED_ON_SHUTDOWN)
    .bind(now)
    .change(tx)
    .await
}
