//! The server does what a dead tablet would have done (product.md, "Guest flow"): a session that no tablet listens to is closed.

use crate::{AppError, Ctx};
use domain::session::{IDLE_ABANDONED_AFTER, LATER_ABANDONED_AFTER};
use store::sessions::{self, AbandonedSince};

/// Closes the sessions that were left alone. Looks before it writes: every commit wakes whoever waits. Answers how many were closed.
///
/// # Errors
/// When the database fails.
pub async fn close_abandoned(ctx: &Ctx) -> Result<u64, AppError> {
    let now = ctx.clock.now();
    let since =
        AbandonedSince { idle: now.minus(IDLE_ABANDONED_AFTER), later: now.minus(LATER_ABANDONED_AFTER) };
    if sessions::abandoned(&mut ctx.store.reader(), since, 1).await?.is_empty() {
        return Ok(0);
    }
    let closed = ctx
        .store
        .write(move |tx| {
            Box::pin(async move { sessions::close_abandoned(tx, since, now).await.map_err(AppError::from) })
        })
        .await?;
    tracing::info!(closed, "sessions without a tablet were closed");
    Ok(closed)
}
