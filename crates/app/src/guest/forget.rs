//! A guest's rows and files go: at `/forget_me`, and when an operator resets a guest.

use super::allowance;
use crate::backup::copies;
use crate::backup::journal::{self, What};
use crate::{AppError, Ctx, outbox};
use domain::Timestamp;
use domain::backup::Automatic;
use domain::guest::TelegramId;
use domain::job::{ACTIVE_JOB_STATUSES, JobStatus};
use domain::names;
use std::path::PathBuf;
use store::Tx;
use store::audit_log::{self, Audit};
use store::guests::{self, Erased};
use store::users;

/// What was erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forgotten {
    /// Whether the guest was known.
    pub known: bool,
    /// Files that went.
    pub files: usize,
    /// The copy of the database that was made before; it still holds the guest and goes after 24 hours.
    pub copy: Option<PathBuf>,
    /// Sessions whose rows and files went.
    pub sessions: usize,
    /// Jobs whose rows went; an active one ends without a message.
    pub jobs: usize,
}

/// Erases a guest who asks for it. The packs they have had count on (product.md, "Guest flow").
///
/// # Errors
/// When the database or the media store fails.
pub async fn forget(ctx: &Ctx, guest: TelegramId) -> Result<Forgotten, AppError> {
    erase(ctx, guest, By::Guest { fresh_key: allowance::new_key(&*ctx.rng) }).await
}

/// Erases a guest because an operator says so (seed 001, row "Operator resets the guest"); they begin anew, their packs count no more.
/// `operator` is the name in the audit log, which keeps the guest's number and the links of their packs (seed 002). The database is copied
/// first, as `app.db.bak-<time>-reset`; the copy goes after 24 hours.
///
/// # Errors
/// When the copy cannot be made, and then nothing is deleted; when the database or the media store fails.
pub async fn reset(ctx: &Ctx, guest: TelegramId, operator: &str) -> Result<Forgotten, AppError> {
    let copy = copy_before(ctx, guest, Automatic::Reset).await?;
    let forgotten = erase(ctx, guest, By::Operator(operator.to_owned())).await?;
    Ok(Forgotten { copy, ..forgotten })
}

/// As [`reset`], for `stickers reset-user`: the copy is called `app.db.bak-<time>` and goes after 24 hours as well; the entry of the audit
/// log names nobody (seed 002: the entry with the number is the panel's).
///
/// # Errors
/// As [`reset`].
pub async fn reset_by_command(ctx: &Ctx, guest: TelegramId) -> Result<Forgotten, AppError> {
    let copy = copy_before(ctx, guest, Automatic::Plain).await?;
    let forgotten = erase(ctx, guest, By::Command).await?;
    Ok(Forgotten { copy, ..forgotten })
}

/// Copies the database before a known guest is reset.
async fn copy_before(ctx: &Ctx, guest: TelegramId, of: Automatic) -> Result<Option<PathBuf>, AppError> {
    let Some(place) = &ctx.settings.backups else { return Ok(None) };
    if users::find(&mut ctx.store.reader(), guest).await?.is_none() {
        return Ok(None);
    }
    Ok(Some(copies::before_reset(ctx.store.source(), place, ctx.clock.now(), of).await?))
}

/// Who wants the guest gone.
pub(crate) enum By {
    /// They do.
    Guest {
        /// A fresh key for the hash that stays of them ([`new_key`](super::new_key)).
        fresh_key: String,
    },
    /// The operator of this name.
    Operator(String),
    /// `stickers reset-user`, or `restore` that erases again.
    Command,
}

/// Rows go in one transaction; files follow, and whatever a crash leaves of them is taken by the clean-up of files without a row.
async fn erase(ctx: &Ctx, guest: TelegramId, by: By) -> Result<Forgotten, AppError> {
    let what = match by {
        By::Guest { .. } => What::Guest,
        By::Operator(_) | By::Command => What::ResetGuest,
    };
    journal::note(ctx, what, guest.0.to_string()).await?;
    let (now, link_url) = (ctx.clock.now(), ctx.settings.link_url.clone());
    let erased = ctx
        .store
        .write(move |tx| Box::pin(async move { erase_rows(tx, guest, &by, &link_url, now).await }))
        .await?;
    let mut files = 0;
    for token in &erased.sessions {
        files += ctx.media.delete_prefix(&names::session_folder(token)).await?;
    }
    for job in &erased.jobs {
        files += crate::job::figure::drop_debug(ctx, job.id).await?;
    }
    wipe(ctx).await?;
    let (sessions, jobs) = (erased.sessions.len(), erased.jobs.len());
    Ok(Forgotten { known: erased.known, files, copy: None, sessions, jobs })
}

/// The entry of the audit log. That of a guest's own wish names nobody; a reset of somebody unknown is none.
fn audit(by: &By, guest: TelegramId, erased: &Erased, link_url: &str, now: Timestamp) -> Option<Audit> {
    let counts = format!("sessions={} jobs={}", erased.sessions.len(), erased.jobs.len());
    let (actor, action, subject, details) = match by {
        By::Guest { .. } => ("guest".to_owned(), "forget_me", String::new(), counts),
        By::Operator(_) | By::Command if !erased.known => return None,
        By::Command => ("command".to_owned(), "reset_user", String::new(), counts),
        By::Operator(operator) => {
            let packs: Vec<_> =
                erased.pack_names.iter().map(|name| names::pack_link(link_url, name)).collect();
            let details = format!("{counts} packs={}", packs.join(","));
            (operator.clone(), "reset_user", format!("guest:{guest}"), details)
        }
    };
    Some(Audit { at: now, actor, action: action.to_owned(), subject, details: Some(details) })
}

/// The rows of a guest, in one transaction with what stays of them: packs that count, and the note who erased them.
pub(crate) async fn erase_rows(
    tx: &mut Tx,
    guest: TelegramId,
    by: &By,
    link_url: &str,
    now: Timestamp,
) -> Result<Erased, AppError> {
    let erased = guests::erase(tx, guest).await?;
    // No pack will come of an active job, and the set that it may have made already is nobody's.
    for job in erased.jobs.iter().filter(|job| ACTIVE_JOB_STATUSES.contains(&job.status())) {
        outbox::remove_sets(tx, job, now).await?;
    }
    if let By::Guest { fresh_key } = by {
        let packs = erased.jobs.iter().filter(|job| job.status() == JobStatus::Done).count();
        let packs = i64::try_from(packs).unwrap_or(i64::MAX);
        allowance::remember(tx, fresh_key, guest, packs, now).await?;
    }
    if let Some(entry) = audit(by, guest, &erased, link_url, now) {
        audit_log::insert(tx, &entry).await?;
    }
    Ok(erased)
}

/// Takes what was deleted out of the database's files too, for which readers may hold it up for a moment, and shortens the time of automatic
/// copies that still hold it.
pub(crate) async fn wipe(ctx: &Ctx) -> Result<(), AppError> {
    const TRIES: u32 = 20;
    shorten_copies(ctx).await?;
    for _ in 1..TRIES {
        match ctx.store.checkpoint_truncate().await {
            Err(store::StoreError::Busy) => tokio::task::yield_now().await,
            other => return Ok(other?),
        }
    }
    Ok(ctx.store.checkpoint_truncate().await?)
}

/// A folder that cannot be written holds no erasure up: the copies go by their own rule then.
async fn shorten_copies(ctx: &Ctx) -> Result<(), AppError> {
    let Some(place) = &ctx.settings.backups else { return Ok(()) };
    let (beside, now) = (place.automatic(ctx.store.source()), ctx.clock.now());
    match tokio::task::spawn_blocking(move || copies::somebody_was_erased(&beside, now)).await? {
        Ok(0) => {}
        Ok(files) => {
            tracing::info!(files, "copies beside the database that held an erased person were deleted")
        }
        Err(error) => tracing::error!(%error, "copies that hold an erased person keep their time of 14 days"),
    }
    Ok(())
}
