//! `/forget_me`: erases the guest's rows and files.

use super::allowance;
use crate::{AppError, Ctx};
use domain::guest::TelegramId;
use domain::job::{Job, JobStatus};
use domain::names;
use store::audit_log::{self, Audit};
use store::guests;

/// What was erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forgotten {
    /// Sessions whose rows and files went.
    pub sessions: usize,
    /// Jobs whose rows went; an active one ends without a message.
    pub jobs: usize,
}

/// Erases a guest. Rows go in one transaction; files follow, and whatever a crash leaves of them is taken by the clean-up of files without
/// a row.
///
/// # Errors
/// When the database or the media store fails.
pub async fn forget(ctx: &Ctx, guest: TelegramId) -> Result<Forgotten, AppError> {
    let (now, fresh_key) = (ctx.clock.now(), allowance::new_key(ctx));
    let erased = ctx
        .store
        .write(move |tx| {
            Box::pin(async move {
                let erased = guests::erase(tx, guest).await?;
                // A job that had not made its set yet never will.
                let had = |job: &&Job| matches!(job.status(), JobStatus::Delivering | JobStatus::Done);
                let packs = i64::try_from(erased.jobs.iter().filter(had).count()).unwrap_or(i64::MAX);
                allowance::remember(tx, &fresh_key, guest, packs, now).await?;
                let details = format!("sessions={} jobs={}", erased.sessions.len(), erased.jobs.len());
                let audit = Audit {
                    at: now,
                    actor: "guest".to_owned(),
                    action: "forget_me".to_owned(),
                    subject: String::new(),
                    details: Some(details),
                };
                audit_log::insert(tx, &audit).await?;
                Ok::<_, AppError>(erased)
            })
        })
        .await?;
    for token in &erased.sessions {
        ctx.media.delete_prefix(&names::session_folder(token)).await?;
    }
    for job in &erased.jobs {
        crate::job::figure::drop_debug(ctx, job.id).await?;
    }
    wipe(ctx).await?;
    Ok(Forgotten { sessions: erased.sessions.len(), jobs: erased.jobs.len() })
}

/// Takes what was deleted out of the database's files too; readers may hold it up for a moment.
pub(crate) async fn wipe(ctx: &Ctx) -> Result<(), AppError> {
    const TRIES: u32 = 20;
    for _ in 1..TRIES {
        match ctx.store.checkpoint_truncate().await {
            Err(store::StoreError::Busy) => tokio::task::yield_now().await,
            other => return Ok(other?),
        }
    }
    Ok(ctx.store.checkpoint_truncate().await?)
}
