//! A night without a good copy is told to the operators (product.md, "Operations").

use crate::{AppError, Ctx, outbox};
use domain::{Timestamp, backup};
use store::{Store, settings};

/// Key in `settings` of the last good copy; its value is the file's name, its time is when it was made.
const LAST: &str = "backup_last_ok";

/// Notes a good copy.
///
/// # Errors
/// When the database fails.
pub async fn note(store: &Store, name: String, at: Timestamp) -> Result<(), AppError> {
    store.write(move |tx| Box::pin(async move { Ok(settings::set(tx, LAST, &name, at).await?) })).await
}

/// When the last good copy was made; none before the first one.
///
/// # Errors
/// When the database fails.
pub async fn last(store: &Store) -> Result<Option<Timestamp>, AppError> {
    Ok(settings::updated_at(&mut store.reader(), LAST).await?)
}

/// What operators hear of a copy that failed: the line of its log, and what to do.
pub(super) fn failed_words(line: &str) -> String {
    format!(
        "⚠️ Резервная копия базы не сделана: {line}. Что делать: проверить место на диске и права на папку, затем запустить stickers backup."
    )
}

/// Operators hear when the last good copy is older than a night. Nothing is said where copies were never made.
///
/// # Errors
/// When the database fails.
pub async fn check(ctx: &Ctx) -> Result<(), AppError> {
    let now = ctx.clock.now();
    let Some(last) = last(&ctx.store).await? else { return Ok(()) };
    if now.since(last) <= backup::LATE_AFTER {
        return Ok(());
    }
    let hours = now.since(last).as_secs() / 3600;
    let text = format!(
        "⚠️ Последней резервной копии базы {hours} ч. Что делать: посмотреть таймер sticker-backup и запустить stickers backup."
    );
    let admins = ctx.settings.admin_user_ids.clone();
    ctx.store
        .write(move |tx| {
            Box::pin(async move { outbox::alert_of_kind(tx, &admins, "backup_late", &text, now).await })
        })
        .await
}
