//! `/start`, with the token of a QR and without.

use super::{Receipt, say};
use crate::outbox::{ButtonBody, GuestMessage};
use crate::session::{LinkAnswer, limit_message, link};
use crate::{AppError, Ctx, health};
use domain::guest::Guest;
use domain::session::SessionStatus;
use domain::texts;
use store::{Tx, sessions, users};

/// The guest opened the deep link of a QR.
pub(super) async fn with_token(
    ctx: &Ctx,
    receipt: Receipt,
    guest: Guest,
    token: String,
) -> Result<(), AppError> {
    let (inner, now) = (ctx.clone(), ctx.clock.now());
    let paused = health::maintenance(ctx).await?.is_some();
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                if paused && waits_for_a_phone(tx, &token).await? {
                    // Neither outfit nor photo would be taken now (seed 001): the guest is told here too, and may scan again.
                    let message = GuestMessage::text(texts::guest(guest.language).maintenance());
                    let _ = users::refresh(tx, &guest).await?;
                    return receipt.reply(tx, &guest, &message, now).await;
                }
                let answer = link(&inner, tx, &token, &guest, now).await?;
                let message = words(&inner, tx, &guest, &token, answer).await?;
                receipt.reply(tx, &guest, &message, now).await
            })
        })
        .await
}

async fn waits_for_a_phone(tx: &mut Tx, token: &str) -> Result<bool, AppError> {
    let session = sessions::find(tx, token).await?;
    Ok(session.is_some_and(|session| session.status() == SessionStatus::Idle))
}

async fn words(
    ctx: &Ctx,
    tx: &mut Tx,
    guest: &Guest,
    token: &str,
    answer: LinkAnswer,
) -> Result<GuestMessage, AppError> {
    let t = texts::guest(guest.language);
    Ok(match answer {
        LinkAnswer::Linked => {
            let settings = &ctx.settings;
            let text = t.consent(
                &guest.first_name.0,
                &settings.event_name,
                settings.photo_ttl_hours,
                settings.privacy_url.as_deref(),
            );
            GuestMessage::with_buttons(
                text,
                vec![ButtonBody::callback(t.consent_button(), format!("consent:{token}"))],
            )
        }
        LinkAnswer::AlreadyAtTablet => GuestMessage::text(t.look_at_tablet()),
        LinkAnswer::BeingMade => GuestMessage::text(t.being_made()),
        LinkAnswer::Taken => GuestMessage::text(t.code_taken()),
        LinkAnswer::Closed => GuestMessage::text(t.session_closed()),
        LinkAnswer::Limit(notice) => limit_message(tx, guest.id, guest.language, notice).await?,
    })
}

/// The guest came without a QR.
pub(super) async fn without_token(ctx: &Ctx, receipt: Receipt, guest: Guest) -> Result<(), AppError> {
    let text = texts::guest(guest.language).welcome();
    say(ctx, receipt, guest, GuestMessage::text(text)).await
}
