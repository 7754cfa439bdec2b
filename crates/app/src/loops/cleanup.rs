//! Deletes photos and what was made from them, by the age of each file (seed 002, "Photo TTL"), files that no row knows, and rows that are of
//! no more use.

use super::log_error;
use crate::{AppError, Ctx, Outside, backup};
use clients::media::MediaFile;
use domain::names::{self, Owner};
use domain::{Timestamp, job::JobId};
use std::path::Path;
use std::time::Duration;
use store::{Store, jobs, outbox, sessions, updates};
use tokio_util::sync::CancellationToken;

/// Folders whose files have a time to live.
const FOLDERS: [&str; 2] = [names::SESSIONS_FOLDER, names::DEBUG_FOLDER];
/// A file without a row goes when it is older than this (product.md): a younger one may belong to a transaction that is under way.
pub(crate) const ROWLESS_AFTER: Duration = Duration::from_secs(3600);
/// Jobs cleared in one transaction.
const APPEARANCES_AT_ONCE: u32 = 500;
/// Handled updates are kept for this long (interfaces.md, `updates`), and messages that were sent or given up, which hold the guest's number.
pub(crate) const HANDLED_KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// The smaller of one hour and a quarter of the TTL; the pass runs as often (product.md).
pub fn clean_up_margin(ttl_hours: u32) -> Duration {
    Duration::from_secs(3600).min(Duration::from_secs(u64::from(ttl_hours) * 3600 / 4))
}

/// One pass: every file older than the TTL less the margin goes, and every file without a row older than an hour. Answers how many went.
///
/// # Errors
/// When the media store or the database fails.
pub async fn clean_up(ctx: &Ctx) -> Result<usize, AppError> {
    let now = ctx.clock.now();
    let ttl = Duration::from_secs(u64::from(ctx.settings.photo_ttl_hours) * 3600);
    let age = ttl.saturating_sub(clean_up_margin(ctx.settings.photo_ttl_hours));
    let (oldest, settled) = (now.minus(age), now.minus(ROWLESS_AFTER));
    let (mut old, mut rowless) = (0, 0);
    for folder in FOLDERS {
        let mut rows = Rows::new(&ctx.store);
        for file in ctx.media.list(folder).await? {
            let written = Timestamp::from_millis(file.last_modified_ms);
            if written < oldest {
                ctx.media.delete(&file.key).await?;
                old += 1;
            } else if written < settled && !rows.know(&file).await? {
                ctx.media.delete(&file.key).await?;
                rowless += 1;
            }
        }
        // What a killed process left half-written was never in any row.
        rowless += ctx.media.delete_unfinished(folder, oldest.max(settled).as_millis()).await?;
    }
    forget_appearances(ctx).await?;
    forget_handled(ctx, now.minus(HANDLED_KEPT)).await?;
    look_after_copies(ctx).await?;
    if old > 0 {
        let hours = age.as_secs_f64() / 3600.0;
        tracing::info!("storage cleanup: удалено {old} файлов старше {hours:.1}ч");
    }
    if rowless > 0 {
        tracing::warn!(files = rowless, "files without a row were deleted");
    }
    Ok(old + rowless)
}

/// Copies beside the database go when their time is over, and a night without a copy is told.
async fn look_after_copies(ctx: &Ctx) -> Result<(), AppError> {
    backup::late::check(ctx).await?;
    let now = ctx.clock.now();
    if let Some(place) = ctx.settings.backups.clone() {
        let passing = move || {
            if let Err(error) = backup::nightly::clear_unfinished(&place) {
                tracing::error!(%error, "what a killed backup left cannot be deleted");
            }
            backup::nightly::rotate(&place, now)
        };
        match tokio::task::spawn_blocking(passing).await? {
            Ok(0) => {}
            Ok(copies) => tracing::info!(copies, "nightly copies were deleted, their time is over"),
            Err(error) => log_error("old nightly copies cannot be deleted", &error),
        }
    }
    let place = ctx.settings.backups.as_ref();
    let beside =
        place.map(|place| place.automatic(ctx.store.source())).or(ctx.store.file().map(Path::to_owned));
    let Some(beside) = beside else { return Ok(()) };
    match tokio::task::spawn_blocking(move || backup::copies::rotate(&beside, now)).await? {
        Ok(0) => {}
        Ok(files) => tracing::info!(files, "copies beside the database were deleted, their time is over"),
        Err(error) => tracing::error!(%error, "copies beside the database cannot be deleted"),
    }
    Ok(())
}

/// Looks files up in the database. A listing is ordered by key, so the files of one owner come together and their row is read once.
pub(crate) struct Rows<'s> {
    store: &'s Store,
    session: Option<(String, Session)>,
    job: Option<(JobId, bool)>,
}

/// What the database knows of a session's files.
enum Session {
    Gone,
    /// It is there; the selfie that its job names.
    There(Option<String>),
}

impl<'s> Rows<'s> {
    pub(crate) fn new(store: &'s Store) -> Self {
        Self { store, session: None, job: None }
    }

    /// Whether a row knows this file.
    pub(crate) async fn know(&mut self, file: &MediaFile) -> Result<bool, AppError> {
        match names::owner(&file.key) {
            Owner::Nobody => Ok(false),
            Owner::Job(id) => self.job(id).await,
            Owner::Session(token) => Ok(match self.session(token).await? {
                Session::Gone => false,
                // A photo whose transaction never came to an end: the process died between the two.
                Session::There(named) if names::is_selfie(&file.key) => {
                    named.as_deref() == Some(file.key.as_str())
                }
                Session::There(_) => true,
            }),
        }
    }

    async fn session(&mut self, token: &str) -> Result<&Session, AppError> {
        if self.session.as_ref().is_none_or(|(known, _)| known != token) {
            let mut reader = self.store.reader();
            let found = match sessions::find(&mut reader, token).await? {
                None => Session::Gone,
                Some(_) => {
                    let job = jobs::of_session(&mut reader, token).await?;
                    Session::There(job.and_then(|job| job.photo_path))
                }
            };
            self.session = Some((token.to_owned(), found));
        }
        Ok(self.session.as_ref().map_or(&Session::Gone, |(_, found)| found))
    }

    async fn job(&mut self, id: JobId) -> Result<bool, AppError> {
        if let Some((known, there)) = self.job
            && known == id
        {
            return Ok(there);
        }
        let there = jobs::find(&mut self.store.reader(), id).await?.is_some();
        self.job = Some((id, there));
        Ok(there)
    }
}

/// Rows of a table that one write deletes: whoever wants to write waits for no more than that.
const DELETED_AT_ONCE: u32 = 200;
/// Such writes in one pass; what is left after a long rest of the bot goes with the next ones.
const DELETIONS_MAX: u32 = 500;

/// Handled updates and ended messages of a week ago.
async fn forget_handled(ctx: &Ctx, before: Timestamp) -> Result<(), AppError> {
    for _ in 0..DELETIONS_MAX {
        let deleted: Result<u64, AppError> = ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    let updates = updates::delete_handled_before(tx, before, DELETED_AT_ONCE).await?;
                    Ok(updates + outbox::delete_ended_before(tx, before, DELETED_AT_ONCE).await?)
                })
            })
            .await;
        if deleted? == 0 {
            break;
        }
    }
    Ok(())
}

/// The safety pass over descriptions of guests (seed 002, `appearance_json`): an ended job holds none.
async fn forget_appearances(ctx: &Ctx) -> Result<(), AppError> {
    let left = jobs::with_appearance_left(&mut ctx.store.reader(), APPEARANCES_AT_ONCE).await?;
    if left.is_empty() {
        return Ok(());
    }
    tracing::warn!(jobs = left.len(), "descriptions of guests were left in ended jobs; they are cleared now");
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                for id in left {
                    // Stale: an operator began it again, or somebody else was faster.
                    let _ = jobs::clear_appearance(tx, id).await?;
                }
                Ok(())
            })
        })
        .await
}

/// Once at start, then as often as the margin says, until `stop`.
pub(super) async fn run(ctx: &Ctx, outside: &Outside, stop: &CancellationToken) -> Result<(), AppError> {
    let every = clean_up_margin(ctx.settings.photo_ttl_hours);
    while !stop.is_cancelled() {
        if let Err(error) = clean_up(ctx).await {
            log_error("Ошибка TTL-очистки", &error);
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = outside.timer.sleep(every) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_an_hour_and_a_quarter_of_a_short_ttl() {
        assert_eq!(clean_up_margin(72).as_secs(), 3600);
        assert_eq!(clean_up_margin(4).as_secs(), 3600);
        assert_eq!(clean_up_margin(1).as_secs(), 900);
    }
}
