//! Commands of guests that change nothing.

use super::{Receipt, say};
use crate::outbox::{ButtonBody, GuestMessage};
use crate::{AppError, Ctx, guest as verbs};
use domain::guest::Guest;
use domain::texts;

/// `/mypack`: the link again.
pub(super) async fn my_pack(ctx: &Ctx, receipt: Receipt, guest: Guest) -> Result<(), AppError> {
    let t = texts::guest(guest.language);
    let message = match verbs::my_pack(ctx, guest.id).await? {
        Some(link) => GuestMessage::with_buttons(t.pack_ready(), vec![ButtonBody::url(t.open_pack(), link)]),
        None => GuestMessage::text(t.no_pack()),
    };
    say(ctx, receipt, guest, message).await
}

/// `/help`, and whatever else a guest writes.
pub(super) async fn help(ctx: &Ctx, receipt: Receipt, guest: Guest) -> Result<(), AppError> {
    let text = texts::guest(guest.language).help();
    say(ctx, receipt, guest, GuestMessage::text(text)).await
}
