//! Deletes photos and what was made from them, by the age of each file (seed 002, "Photo TTL").

use super::log_error;
use crate::{AppError, Ctx, Outside};
use domain::Timestamp;
use std::time::Duration;
use store::jobs;
use tokio_util::sync::CancellationToken;

/// Folders whose files have a time to live.
const FOLDERS: [&str; 2] = ["sessions", "debug_sheets"];
/// Jobs cleared in one transaction.
const APPEARANCES_AT_ONCE: u32 = 500;
/// Handled updates are kept for this long (interfaces.md, `updates`).
const UPDATES_KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// The smaller of one hour and a quarter of the TTL; the pass runs as often (product.md).
pub fn clean_up_margin(ttl_hours: u32) -> Duration {
    Duration::from_secs(3600).min(Duration::from_secs(u64::from(ttl_hours) * 3600 / 4))
}

/// One pass: every file older than the TTL less the margin goes. Answers how many went.
///
/// # Errors
/// When the media store or the database fails.
pub async fn clean_up(ctx: &Ctx) -> Result<usize, AppError> {
    let now = ctx.clock.now();
    let ttl = Duration::from_secs(u64::from(ctx.settings.photo_ttl_hours) * 3600);
    let age = ttl.saturating_sub(clean_up_margin(ctx.settings.photo_ttl_hours));
    let oldest = now.minus(age);
    let mut deleted = 0;
    for folder in FOLDERS {
        for file in ctx.media.list(folder).await? {
            if Timestamp::from_millis(file.last_modified_ms) < oldest {
                ctx.media.delete(&file.key).await?;
                deleted += 1;
            }
        }
        deleted += ctx.media.delete_unfinished(folder, oldest.as_millis()).await?;
    }
    forget_appearances(ctx).await?;
    let kept_since = now.minus(UPDATES_KEPT);
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                store::updates::delete_handled_before(tx, kept_since).await.map(drop).map_err(AppError::from)
            })
        })
        .await?;
    if deleted > 0 {
        let hours = age.as_secs_f64() / 3600.0;
        tracing::info!("storage cleanup: удалено {deleted} файлов старше {hours:.1}ч");
    }
    Ok(deleted)
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
pub(super) async fn run(ctx: Ctx, outside: Outside, stop: CancellationToken) -> Result<(), AppError> {
    let every = clean_up_margin(ctx.settings.photo_ttl_hours);
    while !stop.is_cancelled() {
        if let Err(error) = clean_up(&ctx).await {
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
