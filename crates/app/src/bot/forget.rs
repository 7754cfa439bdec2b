//! `/forget_me`: one question, then erasure (product.md, "Guest flow").

use super::{Receipt, say};
use crate::outbox::{ButtonBody, GuestMessage};
use crate::{AppError, Ctx, guest as verbs, outbox};
use domain::guest::Guest;
use domain::texts;

/// Asks once.
pub(super) async fn ask(ctx: &Ctx, receipt: Receipt, guest: Guest) -> Result<(), AppError> {
    let t = texts::guest(guest.language);
    let buttons = vec![
        ButtonBody::callback(t.forget_yes(), "forget:yes"),
        ButtonBody::callback(t.forget_no(), "forget:no"),
    ];
    say(ctx, receipt, guest, GuestMessage::with_buttons(t.forget_question(), buttons)).await
}

/// Erases, then says so. The answer names nobody and is the only thing of the guest that is written afterwards.
pub(super) async fn confirmed(ctx: &Ctx, receipt: Receipt, guest: Guest) -> Result<(), AppError> {
    verbs::forget(ctx, guest.id).await?;
    let text = texts::guest(guest.language).forgotten();
    let now = ctx.clock.now();
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                let key = format!("reply:{}", receipt.update_id);
                outbox::queue(tx, &key, guest.id, None, &GuestMessage::text(text), now).await
            })
        })
        .await
}

/// Keeps everything.
pub(super) async fn kept(ctx: &Ctx, receipt: Receipt, guest: Guest) -> Result<(), AppError> {
    let text = texts::guest(guest.language).forget_kept();
    say(ctx, receipt, guest, GuestMessage::text(text)).await
}
