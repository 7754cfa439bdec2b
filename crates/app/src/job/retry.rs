//! An operator has a failed job made again (seed 001, row 11).

use crate::session::limit_reached;
use crate::{AppError, Ctx};
use domain::job::{JobId, JobStatus};
use domain::rng;
use domain::session::Notice;
use store::audit_log::{self, Audit};
use store::{Change, StoreError, jobs};
use thiserror::Error;

/// Why a job is not made again.
#[derive(Debug, Error)]
pub enum RetryRefusal {
    /// There is no such job.
    #[error("there is no such job")]
    UnknownJob,
    /// It did not fail.
    #[error("the job is {status}")]
    NotFailed {
        /// Where it is.
        status: JobStatus,
    },
    /// The selfie was deleted: by the time to live, or because it is lost.
    #[error("the selfie is gone")]
    PhotoGone,
    /// The guest has had their packs by other jobs.
    #[error("the pack limit would be exceeded")]
    PackLimit(Notice),
    /// Our fault.
    #[error(transparent)]
    Internal(#[from] AppError),
}

impl From<StoreError> for RetryRefusal {
    fn from(error: StoreError) -> Self {
        RetryRefusal::Internal(error.into())
    }
}

/// Queues a failed job again, as a new one: attempts, deadlines and ceiling begin anew, and its pack has new letters, so that it never meets a
/// set of before. `operator` is the name in the audit log.
///
/// # Errors
/// In the order of [`RetryRefusal`].
pub async fn retry(ctx: &Ctx, id: JobId, operator: &str) -> Result<(), RetryRefusal> {
    let job = jobs::find(&mut ctx.store.reader(), id).await?.ok_or(RetryRefusal::UnknownJob)?;
    if job.status() != JobStatus::Failed {
        return Err(RetryRefusal::NotFailed { status: job.status() });
    }
    let there = match &job.photo_path {
        Some(path) => ctx.media.exists(path).await.map_err(AppError::from)?,
        None => false,
    };
    if !there {
        return Err(RetryRefusal::PhotoGone);
    }
    let (limit, now) = (ctx.settings.pack_limit, ctx.clock.now());
    let (letters, operator) = (rng::pack_key(ctx.rng.as_ref()), operator.to_owned());
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                if let Some(notice) = limit_reached(tx, job.guest, limit).await? {
                    return Err(RetryRefusal::PackLimit(notice));
                }
                if jobs::admin_retry(tx, id, &letters, now).await? == Change::Stale {
                    let status = jobs::find(tx, id).await?.ok_or(RetryRefusal::UnknownJob)?.status();
                    return Err(RetryRefusal::NotFailed { status });
                }
                let entry = Audit {
                    at: now,
                    actor: operator,
                    action: "retry_job".to_owned(),
                    subject: format!("job:{id}"),
                    details: job.error,
                };
                Ok(audit_log::insert(tx, &entry).await?)
            })
        })
        .await
}
