//! What a dead process left in `processing` is taken back: at once by the next start on its machine (seed 001), and when its lease has
//! ended by any worker, because a machine may never start again.

use super::{log_error, may_pass};
use crate::job::tell_start_up_failure;
use crate::neighbours::{Life, Neighbours};
use crate::{AppError, Ctx, Outside};
use domain::delivery::MAX_ATTEMPTS;
use std::time::Duration;
use store::jobs::{self, Stale};
use tokio_util::sync::CancellationToken;

/// Error text of a job that killed its process on the last attempt.
const KILLED: &str = "[requeued after restart] the process ended during the last attempt";

/// Pause before a database that cannot be written is asked again.
const AGAIN_AFTER: Duration = Duration::from_secs(5);

/// Start-up, for as long as the database cannot be written: an end of the process would only be the beginning of the next one.
///
/// # Errors
/// Any other fault.
pub(super) async fn recover_at_start(
    ctx: &Ctx,
    outside: &Outside,
    stop: &CancellationToken,
) -> Result<(), AppError> {
    while !stop.is_cancelled() {
        match recover_jobs(ctx, &*outside.neighbours).await {
            Err(error) if may_pass(&error) => log_error("start-up recovery", &error),
            ended => return ended,
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = outside.timer.sleep(AGAIN_AFTER) => {}
        }
    }
    Ok(())
}

/// Start-up: takes back what dead processes left, and fails what would loop. On several machines a process that is not known to be dead
/// keeps its claims until their lease ends; on one machine only a process that is known to live keeps them.
///
/// # Errors
/// When the database fails.
pub async fn recover_jobs(ctx: &Ctx, neighbours: &dyn Neighbours) -> Result<(), AppError> {
    for owner in jobs::owners(&mut ctx.store.reader()).await? {
        let left = match neighbours.life(&owner) {
            Life::Alive => false,
            Life::Dead => true,
            Life::Unknown => !ctx.settings.several_machines,
        };
        if left {
            take_back(ctx, LeftBy::Owner(owner)).await?;
        }
    }
    rescue_jobs(ctx).await
}

/// Takes back jobs whose lease has ended: their worker hangs or died, or the attempt broke down. Writes nothing when there are none.
///
/// # Errors
/// When the database fails.
pub async fn rescue_jobs(ctx: &Ctx) -> Result<(), AppError> {
    let Some(first) = jobs::first_lease_end(&mut ctx.store.reader()).await? else { return Ok(()) };
    let now = ctx.store.lease_clock(ctx.clock.now()).await?;
    if first > now {
        return Ok(());
    }
    take_back(ctx, LeftBy::LeaseEnd(now)).await
}

/// As [`Stale`], owned by a write.
enum LeftBy {
    Owner(String),
    LeaseEnd(domain::Timestamp),
}

async fn take_back(ctx: &Ctx, left: LeftBy) -> Result<(), AppError> {
    let (inner, now) = (ctx.clone(), ctx.clock.now());
    let (failed, requeued) = ctx
        .store
        .write(move |tx| {
            Box::pin(async move {
                let stale = match &left {
                    LeftBy::Owner(owner) => Stale::Of(owner),
                    LeftBy::LeaseEnd(time) => Stale::LeaseEndedBy(*time),
                };
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
