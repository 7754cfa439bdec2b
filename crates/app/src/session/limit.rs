//! The pack limit, looked at in three places: `/start`, the outfit and the photo transaction, which decides.

use crate::guest::packs_before;
use domain::guest::TelegramId;
use domain::session::Notice;
use store::{StoreError, Tx, jobs};

/// Whether `guest` has had their packs, and what to tell them. Takes the guest's lock: until this transaction ends nobody else counts
/// the same guest's jobs.
pub(super) async fn reached(
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
