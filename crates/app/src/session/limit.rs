//! The pack limit, looked at in three places: `/start`, the outfit and the photo transaction, which decides.

use crate::AppError;
use crate::guest::packs_before;
use crate::outbox::{self, ButtonBody, GuestMessage};
use domain::guest::TelegramId;
use domain::session::Notice;
use domain::{Language, Timestamp, texts};
use store::{StoreError, Tx, jobs, users};

/// Whether `guest` has had their packs, and what to tell them. Takes the guest's lock: until this transaction ends nobody else counts
/// the same guest's jobs.
pub(crate) async fn reached(
    tx: &mut Tx,
    guest: TelegramId,
    limit: u32,
) -> Result<Option<Notice>, StoreError> {
    // Stale only for a guest who was erased meanwhile: then there is nothing to count either.
    let _ = tx.lock_guest(guest).await?;
    let packs = jobs::count_against_limit(tx, guest).await? + packs_before(tx, guest).await?;
    if packs < i64::from(limit) {
        return Ok(None);
    }
    Ok(Some(if jobs::has_active(tx, guest).await? { Notice::PackInProgress } else { Notice::PackReady }))
}

/// What the bot says when the limit stopped a session: the link of the pack again, or that it is being made (seed 001, `notice`).
pub(crate) async fn message(
    tx: &mut Tx,
    guest: TelegramId,
    language: Language,
    notice: Notice,
) -> Result<GuestMessage, StoreError> {
    let t = texts::guest(language);
    if notice == Notice::PackInProgress {
        return Ok(GuestMessage::text(t.pack_in_progress()));
    }
    Ok(match users::find(tx, guest).await?.and_then(|user| user.pack_link) {
        Some(link) => GuestMessage::with_buttons(t.pack_ready(), vec![ButtonBody::url(t.open_pack(), link)]),
        // Erased since: whoever asks to be forgotten is.
        None => GuestMessage::text(t.pack_forgotten()),
    })
}

/// Queues that message for a session that was stopped at the tablet, where the guest reads that the bot tells more.
pub(super) async fn tell(
    tx: &mut Tx,
    token: &str,
    guest: TelegramId,
    notice: Notice,
    now: Timestamp,
) -> Result<(), AppError> {
    let language = users::find(tx, guest).await?.map_or(Language::default(), |user| user.guest.language);
    let message = message(tx, guest, language, notice).await?;
    outbox::queue(tx, &format!("limit:{token}"), guest, None, &message, now).await
}
