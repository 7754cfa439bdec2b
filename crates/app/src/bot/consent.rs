//! The consent button.

use super::Receipt;
use crate::outbox::GuestMessage;
use crate::session::{ConsentAnswer, consent};
use crate::{AppError, Ctx};
use domain::guest::Guest;
use domain::texts;

/// `consent:<token>` was pressed.
pub(super) async fn pressed(
    ctx: &Ctx,
    receipt: Receipt,
    guest: &Guest,
    token: String,
) -> Result<(), AppError> {
    let (guest, now) = (guest.clone(), ctx.clock.now());
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                let t = texts::guest(guest.language);
                let text = match consent(tx, &token, &guest, now).await? {
                    ConsentAnswer::Consented => t.consented(),
                    ConsentAnswer::AlreadyAtTablet => t.look_at_tablet(),
                    ConsentAnswer::BeingMade => t.being_made(),
                    ConsentAnswer::Taken => t.code_taken(),
                    ConsentAnswer::Closed => t.session_closed(),
                };
                receipt.reply(tx, &guest, &GuestMessage::text(text), now).await
            })
        })
        .await
}
