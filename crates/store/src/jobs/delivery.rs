//! From the created set to its end: looks, the decision, deadlines, the delay notice, retry by an admin.

use super::{COLUMNS, active, from, many};
use crate::error::StoreError;
use crate::query::Query;
use crate::tx::{Change, Read, Tx};
use domain::Timestamp;
use domain::job::{Job, JobId, JobMove};

/// Jobs whose set is being verified, oldest first.
pub async fn delivering(on: &mut impl Read, limit: u32) -> Result<Vec<Job>, StoreError> {
    let query = Query::new(
        "SELECT {columns} FROM jobs WHERE status = 'delivering' ORDER BY pack_created_at, job_id LIMIT $1",
    )
    .columns(COLUMNS)
    .bind(limit);
    many(query, on).await
}

/// Jobs whose next look at the set is due, longest due first.
pub async fn due_for_verify(on: &mut impl Read, now: Timestamp, limit: u32) -> Result<Vec<Job>, StoreError> {
    let query = Query::new(
        "SELECT {columns} FROM jobs WHERE status = 'delivering' AND next_verify_at <= $1 \
         ORDER BY next_verify_at, job_id LIMIT $2",
    )
    .columns(COLUMNS)
    .bind(now)
    .bind(limit);
    many(query, on).await
}

/// When the next look at any set is due.
pub async fn next_verify(on: &mut impl Read) -> Result<Option<Timestamp>, StoreError> {
    let next = Query::new("SELECT MIN(next_verify_at) AS value FROM jobs WHERE status = 'delivering'")
        .number(on)
        .await?;
    Ok(next.map(Timestamp::from_millis))
}

/// The set was looked at and is not ready: look again at `next_at`.
pub async fn looked(
    tx: &mut Tx,
    id: JobId,
    next_at: Timestamp,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE jobs SET next_verify_at = $2, verify_looks = verify_looks + 1, updated_at = $3 \
         WHERE job_id = $1 AND status = 'delivering'",
    )
    .bind(id)
    .bind(next_at)
    .bind(now)
    .change(tx)
    .await
}

/// The set is ready (row `Finish`). The same transaction gives the pack to the guest and queues the link.
pub async fn finish(tx: &mut Tx, id: JobId, now: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE jobs SET status = 'done', link_sent_at = $2, appearance_json = NULL, error = NULL, \
         next_verify_at = NULL, updated_at = $2 \
         WHERE job_id = $1 AND link_sent_at IS NULL AND status IN ({from})",
    )
    .words("{from}", from(JobMove::Finish))
    .bind(id)
    .bind(now)
    .change(tx)
    .await
}

/// No link in time (row `FailUndelivered`), in whatever active status. A worker that still holds a claim finds out by its
/// next write.
pub async fn fail_undelivered(
    tx: &mut Tx,
    id: JobId,
    error: &str,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE jobs SET status = 'failed', error = $2, appearance_json = NULL, lease_owner = NULL, \
         lease_until = NULL, not_before = NULL, next_verify_at = NULL, updated_at = $3 \
         WHERE job_id = $1 AND link_sent_at IS NULL AND status IN ({from})",
    )
    .words("{from}", from(JobMove::FailUndelivered))
    .bind(id)
    .bind(error)
    .bind(now)
    .change(tx)
    .await
}

/// Active jobs without a link that were created at `created_by` or before, oldest first.
pub async fn due_for_deadline(
    on: &mut impl Read,
    created_by: Timestamp,
    limit: u32,
) -> Result<Vec<Job>, StoreError> {
    let query = Query::new(
        "SELECT {columns} FROM jobs WHERE status IN ({active}) AND link_sent_at IS NULL AND created_at <= $1 \
         ORDER BY created_at, job_id LIMIT $2",
    )
    .columns(COLUMNS)
    .words("{active}", active())
    .bind(created_by)
    .bind(limit);
    many(query, on).await
}

/// Active jobs without a link and without the delay notice that were created at `created_by` or before, oldest first.
pub async fn due_for_delay_notice(
    on: &mut impl Read,
    created_by: Timestamp,
    limit: u32,
) -> Result<Vec<Job>, StoreError> {
    let query = Query::new(
        "SELECT {columns} FROM jobs WHERE status IN ({active}) AND link_sent_at IS NULL \
         AND delay_notice_sent_at IS NULL AND created_at <= $1 ORDER BY created_at, job_id LIMIT $2",
    )
    .columns(COLUMNS)
    .words("{active}", active())
    .bind(created_by)
    .bind(limit);
    many(query, on).await
}

/// Takes the right to send the delay notice: of two sweeps one gets it, once for a job.
pub async fn claim_delay_notice(tx: &mut Tx, id: JobId, now: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE jobs SET delay_notice_sent_at = $2, updated_at = $2 WHERE job_id = $1 \
         AND delay_notice_sent_at IS NULL AND link_sent_at IS NULL AND status IN ({active})",
    )
    .words("{active}", active())
    .bind(id)
    .bind(now)
    .change(tx)
    .await
}

/// The selfie was deleted. Stale when there was none.
pub async fn clear_photo(tx: &mut Tx, id: JobId, now: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE jobs SET photo_path = NULL, updated_at = $2 WHERE job_id = $1 AND photo_path IS NOT NULL",
    )
    .bind(id)
    .bind(now)
    .change(tx)
    .await
}

/// An operator pressed Retry (row `AdminRetry`): as a new job, with new letters for its pack, deadlines from now on. Refused
/// when the selfie is gone; the pack limit is the caller's to check.
pub async fn admin_retry(
    tx: &mut Tx,
    id: JobId,
    pack_key: &str,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE jobs SET status = 'queued', attempts = 0, shutdown_returns = 0, error = NULL, pack_key = $2, \
         pack_name = NULL, pack_created_at = NULL, provider_used = NULL, render_mode = NULL, \
         delay_notice_sent_at = NULL, not_before = NULL, processing_started_at = NULL, next_verify_at = NULL, \
         verify_looks = 0, created_at = $3, updated_at = $3 \
         WHERE job_id = $1 AND photo_path IS NOT NULL AND status IN ({from})",
    )
    .words("{from}", from(JobMove::AdminRetry))
    .bind(id)
    .bind(pack_key)
    .bind(now)
    .change(tx)
    .await
}
