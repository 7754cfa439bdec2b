//! The worker: a bounded number of slots, each with one claimed job whose lease is renewed while it works.

use super::log_error;
use super::recover::rescue_jobs;
use crate::job::{Attempt, attempt};
use crate::{AppError, Ctx, Outside, health};
use domain::delivery;
use domain::job::{Job, JobId, JobState};
use std::collections::HashMap;
use std::time::Duration;
use store::jobs;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

/// The safety net; a commit wakes it earlier.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How often claims are looked for whose lease has ended.
const RESCUE_EVERY: Duration = Duration::from_secs(15);

/// The slots of this process.
pub struct Worker {
    ctx: Ctx,
    outside: Outside,
    slots: JoinSet<JobId>,
    working: HashMap<JobId, (Job, AbortHandle)>,
}

impl Worker {
    /// A worker with all slots free.
    pub fn new(ctx: Ctx, outside: Outside) -> Self {
        Self { ctx, outside, slots: JoinSet::new(), working: HashMap::new() }
    }

    /// Claims jobs until no slot is free or nothing waits. Claims nothing during maintenance (seed 001).
    ///
    /// # Errors
    /// When the database fails.
    pub async fn tick(&mut self) -> Result<usize, AppError> {
        while let Some(ended) = self.slots.try_join_next() {
            self.free(ended);
        }
        let mut claimed = 0;
        while self.slots.len() < self.ctx.settings.worker_slots as usize {
            if health::maintenance(&self.ctx).await?.is_some() {
                break;
            }
            let Some(job) = self.claim().await? else { break };
            self.spawn(job);
            claimed += 1;
        }
        Ok(claimed)
    }

    /// Looks before it claims: a claim is a write, and every commit wakes whoever waits, so an idle worker must not write.
    async fn claim(&self) -> Result<Option<Job>, AppError> {
        let now = self.ctx.clock.now();
        let due = jobs::next_not_before(&mut self.ctx.store.reader()).await?;
        if due.is_none_or(|due| due > now) {
            return Ok(None);
        }
        // Machines compare leases by the database's clock.
        let until = self.ctx.store.lease_clock(now).await?.plus(delivery::LEASE);
        let owner = self.ctx.settings.process.clone();
        self.ctx
            .store
            .write(move |tx| {
                Box::pin(
                    async move { jobs::claim_next(tx, &owner, until, now).await.map_err(AppError::from) },
                )
            })
            .await
    }

    fn spawn(&mut self, job: Job) {
        let (ctx, outside, claimed) = (self.ctx.clone(), self.outside.clone(), job.clone());
        let id = job.id;
        let handle = self.slots.spawn(async move {
            let outcome = tokio::select! {
                outcome = attempt(&ctx, &outside, &claimed) => outcome,
                // Ends only when the claim is lost; the attempt is dropped then.
                () = keep_lease(&ctx, &outside, &claimed) => Ok(Attempt::Lost),
            };
            match outcome {
                Ok(outcome) => tracing::info!(job_id = id.0, ?outcome, "an attempt ended"),
                Err(error) => log_error("attempt", &error),
            }
            id
        });
        self.working.insert(id, (job, handle));
    }

    fn free(&mut self, ended: Result<JobId, tokio::task::JoinError>) {
        match ended {
            Ok(id) => {
                self.working.remove(&id);
            }
            Err(error) => {
                // A panic inside an attempt: the job stays `processing` until its lease or the start-up finds it.
                self.working.retain(|_, (_, handle)| !handle.is_finished());
                if !error.is_cancelled() {
                    tracing::error!(%error, "an attempt ended abnormally");
                }
            }
        }
    }

    /// Waits for a slot to become free; never resolves when none works.
    pub async fn one_ended(&mut self) {
        match self.slots.join_next().await {
            Some(ended) => self.free(ended),
            None => std::future::pending().await,
        }
    }

    /// Waits until every slot is free.
    pub async fn drain(&mut self) {
        while let Some(ended) = self.slots.join_next().await {
            self.free(ended);
        }
    }

    /// Gives running jobs the grace period, then puts the rest back into the queue (seed 001, `_requeue_on_shutdown`).
    pub async fn shut_down(mut self) {
        let grace = self.outside.timer.sleep(delivery::SHUTDOWN_GRACE);
        tokio::select! {
            () = self.drain() => {}
            () = grace => {}
        }
        let unfinished: Vec<Job> = self.working.values().map(|(job, _)| job.clone()).collect();
        self.slots.shutdown().await;
        for job in unfinished {
            if let Err(error) = give_back(&self.ctx, &job).await {
                log_error("shutdown", &error);
            }
        }
    }
}

/// Renews the lease while the job is worked on; returns when the claim is no longer ours.
async fn keep_lease(ctx: &Ctx, outside: &Outside, job: &Job) {
    let JobState::Processing(claim) = &job.state else { return };
    let (id, claim_no) = (job.id, claim.claim_no);
    loop {
        outside.timer.beat(delivery::LEASE_RENEW_EVERY).await;
        match renew(ctx, id, claim_no).await {
            Ok(store::Change::Changed) => {}
            Ok(store::Change::Stale) => {
                // Either lost, or the attempt has just moved the job on and is about to say so.
                outside.timer.sleep(Duration::from_secs(5)).await;
                return;
            }
            // The database hiccuped: the lease is still good for three more tries.
            Err(error) => log_error("lease", &error),
        }
    }
}

async fn renew(ctx: &Ctx, id: JobId, claim_no: i64) -> Result<store::Change, AppError> {
    let now = ctx.clock.now();
    let until = ctx.store.lease_clock(now).await?.plus(delivery::LEASE);
    let write = ctx.store.write(move |tx| {
        Box::pin(async move { jobs::renew(tx, id, claim_no, until, now).await.map_err(AppError::from) })
    });
    write.await
}

/// Returns a job of a stopping bot; the first two returns do not count as an attempt, the third may be the last.
async fn give_back(ctx: &Ctx, job: &Job) -> Result<(), AppError> {
    let JobState::Processing(claim) = &job.state else { return Ok(()) };
    let (id, claim_no, now) = (job.id, claim.claim_no, ctx.clock.now());
    let counts = if job.shutdown_returns < delivery::FREE_SHUTDOWN_RETURNS {
        jobs::Shutdown::Free
    } else {
        jobs::Shutdown::CountsAsAttempt
    };
    let last = counts == jobs::Shutdown::CountsAsAttempt && job.attempts + 1 >= delivery::MAX_ATTEMPTS;
    let (inner, job) = (ctx.clone(), job.clone());
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                if last {
                    return crate::job::fail_on_shutdown(&inner, tx, &job, claim_no).await;
                }
                jobs::return_on_shutdown(tx, id, claim_no, counts, now)
                    .await
                    .map(drop)
                    .map_err(AppError::from)
            })
        })
        .await
}

/// Runs until `stop`, then puts the work down.
pub(super) async fn run(ctx: Ctx, outside: Outside, stop: CancellationToken) -> Result<(), AppError> {
    let mut changes = ctx.store.changes();
    let timer = outside.timer.clone();
    let mut worker = Worker::new(ctx.clone(), outside);
    let mut rescue_at = ctx.clock.now();
    while !stop.is_cancelled() {
        let now = ctx.clock.now();
        // Later than the pause: the clock went back.
        if now >= rescue_at || rescue_at.since(now) > RESCUE_EVERY {
            rescue_at = now.plus(RESCUE_EVERY);
            if let Err(error) = rescue_jobs(&ctx).await {
                log_error("rescue", &error);
            }
        }
        if let Err(error) = worker.tick().await {
            log_error("claim", &error);
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = worker.one_ended() => {}
            () = changes.changed() => {}
            () = timer.sleep(LOOK_EVERY) => {}
        }
    }
    worker.shut_down().await;
    Ok(())
}
