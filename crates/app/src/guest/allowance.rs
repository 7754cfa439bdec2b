//! What an erasure leaves of a guest: a keyed hash of the id with the packs they had, so that it is no free second pack (product.md, "Guest
//! flow"). The key is drawn once for a database; hash and key go when the event is closed.

use crate::AppError;
use domain::guest::TelegramId;
use domain::{Rng, Timestamp};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use store::{Read, StoreError, Tx, erasures, settings};

/// Key of the hashes, in `settings`.
pub(crate) const KEY: &str = "erasure_key";
/// Its length in bytes, as long as the hash.
const KEY_BYTES: usize = 32;

/// A fresh key; the first one of a database stays.
pub(crate) fn new_key(rng: &dyn Rng) -> String {
    let mut bytes = [0; KEY_BYTES];
    rng.fill(&mut bytes);
    hex(&bytes)
}

/// Remembers that an erased guest had so many packs.
pub(super) async fn remember(
    tx: &mut Tx,
    fresh_key: &str,
    guest: TelegramId,
    packs: i64,
    now: Timestamp,
) -> Result<(), AppError> {
    if packs == 0 {
        return Ok(());
    }
    let key = settings::get_or_set(tx, KEY, fresh_key, now).await?;
    Ok(erasures::record(tx, &hash(&key, guest), packs, now).await?)
}

/// Packs that this guest had before they were erased.
pub(crate) async fn packs_before(on: &mut impl Read, guest: TelegramId) -> Result<i64, StoreError> {
    match settings::get(on, KEY).await? {
        Some(key) => erasures::packs(on, &hash(&key, guest)).await,
        // Nobody was erased who had a pack.
        None => Ok(0),
    }
}

fn hash(key: &str, guest: TelegramId) -> String {
    // A key of any length is taken, so this cannot fail.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key.as_bytes()) else { return String::new() };
    mac.update(guest.0.to_string().as_bytes());
    hex(&mac.finalize().into_bytes())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
