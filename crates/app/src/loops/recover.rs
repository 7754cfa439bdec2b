//! Start-up: what a dead process left in `processing` is taken back at once (seed 001). On several machines only expired claims are.

use crate::job::tell_start_up_failure;
use crate::{AppError, Ctx};
use domain::delivery::MAX_ATTEMPTS;
use store::jobs::{self, Stale};

/// Error text of a job that killed its process on the last attempt.
const KILLED: &str = "[requeued after restart] the process ended during the last attempt";

/// Takes back stale jobs, and fails those that would loop.
///
/// # Errors
/// When the database fails.
pub async fn recover_jobs(ctx: &Ctx) -> Result<(), AppError> {
    let (inner, now) = (ctx.clone(), ctx.clock.now());
    let stale = if ctx.settings.several_machines {
        Stale::LeaseEndedBy(ctx.store.lease_clock(now).await?)
    } else {
        Stale::All
    };
    let (failed, requeued) = ctx
        .store
        .write(move |tx| {
            Box::pin(async move {
                let failed = jobs::fail_stale_over_limit(tx, stale, MAX_ATTEMPTS, KILLED, now).await?;
                for job in &failed {
                    tell_start_up_failure(&inner, tx, job, KILLED).await?;
                }
                let requeued = jobs::requeue_stale(tx, stale, MAX_ATTEMPTS, now).await?;
                Ok::<_, AppError>((failed.len(), requeued.len()))
            })
        })
        .await?;
    if failed + requeued > 0 {
        tracing::warn!(failed, requeued, "jobs of a process that died were taken back");
    }
    Ok(())
}
