//! The deadlines of a job, measured from `created_at` in the database, so that they survive a restart (seed 001).

use super::attempt::{FailureWords, tell_failure};
use crate::outbox::{self, GuestMessage};
use crate::{AppError, Ctx};
use domain::job::Job;
use domain::{Language, delivery, texts};
use store::{Change, jobs, users};

/// Jobs taken per pass.
const BATCH: u32 = 64;

/// Fails what is past fifteen minutes and tells those past five that it takes longer.
///
/// # Errors
/// When the database fails.
pub async fn sweep(ctx: &Ctx) -> Result<(), AppError> {
    let now = ctx.clock.now();
    let mut reader = ctx.store.reader();
    for job in jobs::due_for_deadline(&mut reader, now.minus(delivery::DEADLINE), BATCH).await? {
        log_row(&job, fail_undelivered(ctx, &job).await);
    }
    for job in jobs::due_for_delay_notice(&mut reader, now.minus(delivery::DELAY_NOTICE_AFTER), BATCH).await?
    {
        log_row(&job, delay_notice(ctx, &job).await);
    }
    Ok(())
}

/// One bad row never stops the others.
fn log_row(job: &Job, outcome: Result<Change, AppError>) {
    if let Err(error) = outcome {
        tracing::error!(
            job_id = job.id.0,
            error = &error as &dyn std::error::Error,
            "a deadline could not be handled"
        );
    }
}

async fn fail_undelivered(ctx: &Ctx, job: &Job) -> Result<Change, AppError> {
    let error = format!("{}: no link after 15 minutes, was {}", delivery::UNDELIVERED, job.status());
    let (inner, job, now) = (ctx.clone(), job.clone(), ctx.clock.now());
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                let change = jobs::fail_undelivered(tx, job.id, &error, now).await?;
                if change == Change::Changed {
                    tell_failure(&inner, tx, &job, &error, FailureWords::WeHelp).await?;
                }
                Ok(change)
            })
        })
        .await
}

async fn delay_notice(ctx: &Ctx, job: &Job) -> Result<Change, AppError> {
    let (job, now) = (job.clone(), ctx.clock.now());
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                let change = jobs::claim_delay_notice(tx, job.id, now).await?;
                if change == Change::Changed {
                    let user = users::find(tx, job.guest).await?;
                    let language = user.map_or(Language::default(), |user| user.guest.language);
                    let message = GuestMessage::text(texts::guest(language).delayed());
                    outbox::queue(tx, &outbox::delay_key(&job), job.guest, Some(job.id), &message, now)
                        .await?;
                }
                Ok(change)
            })
        })
        .await
}
