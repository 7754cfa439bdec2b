//! What operators are told unasked: a tablet that is silent or lost its camera, a prepaid balance that ends. Looked at by the sweeper.

use super::balance;
use crate::outbox::alert_of_kind;
use crate::{AppError, Ctx};
use domain::Timestamp;
use domain::guest::TelegramId;
use domain::operator::{
    LOW_BALANCE_USD, TABLET_GONE_AFTER, TABLET_SILENT_AFTER, low_balance, tablet_camera, tablet_silent,
};
use store::kiosks::{self, Kiosk};
use store::outbox;

/// Looks once. Each alert comes at most once per 30 minutes, that of a silence once in all.
///
/// # Errors
/// When the database fails.
pub async fn watch(ctx: &Ctx) -> Result<(), AppError> {
    if ctx.settings.admin_user_ids.is_empty() {
        return Ok(());
    }
    let now = ctx.clock.now();
    for kiosk in kiosks::list(&mut ctx.store.reader()).await? {
        if let Some((kind, text, since)) = trouble(&kiosk, now) {
            tell(ctx, kind, text, since).await?;
        }
    }
    if let Some(known) = balance(&mut ctx.store.reader()).await?
        && known.left() < LOW_BALANCE_USD
    {
        // A new amount is a new matter.
        tell(ctx, "balance_low".to_owned(), low_balance(known.left()), None).await?;
    }
    Ok(())
}

/// The alert's kind, its words, and the time before which it was about something else.
fn trouble(kiosk: &Kiosk, now: Timestamp) -> Option<(String, String, Option<Timestamp>)> {
    // The kind of a row is what stands before the first colon of its key.
    let name = kiosk.kiosk.replace(':', "_");
    let silent = now.since(kiosk.seen_at);
    if silent >= TABLET_GONE_AFTER {
        return None;
    }
    if silent >= TABLET_SILENT_AFTER {
        let text = tablet_silent(&kiosk.kiosk, silent);
        return Some((format!("tablet_silent_{name}"), text, Some(kiosk.seen_at)));
    }
    let text = tablet_camera(&kiosk.kiosk, &kiosk.camera);
    (kiosk.camera != "ok").then(|| (format!("tablet_camera_{name}"), text, None))
}

/// Tells every operator who was not told of this since `since`. Reads first: nearly always there is nothing to write.
async fn tell(ctx: &Ctx, kind: String, text: String, since: Option<Timestamp>) -> Result<(), AppError> {
    let now = ctx.clock.now();
    let mut reader = ctx.store.reader();
    let mut admins = Vec::new();
    for admin in &ctx.settings.admin_user_ids {
        let last = outbox::last_of_kind(&mut reader, TelegramId(*admin), &kind).await?;
        let told = last.is_some_and(|last| {
            now.since(last) < crate::outbox::ALERT_EVERY || since.is_some_and(|since| last >= since)
        });
        if !told {
            admins.push(*admin);
        }
    }
    if admins.is_empty() {
        return Ok(());
    }
    ctx.store
        .write(move |tx| Box::pin(async move { alert_of_kind(tx, &admins, &kind, &text, now).await }))
        .await
}
