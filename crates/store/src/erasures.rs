//! Table `erasures`: keyed hashes of erased guests with the packs they had, until the event is closed. Without them an erasure
//! would be a free second pack.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::{Read, Tx};
use domain::Timestamp;

/// Packs that an erased guest had, over all of their erasures.
pub async fn packs(on: &mut impl Read, guest_hash: &str) -> Result<i64, StoreError> {
    let packs = Query::new("SELECT packs AS value FROM erasures WHERE guest_hash = $1")
        .bind(guest_hash)
        .number(on)
        .await?;
    Ok(packs.unwrap_or(0))
}

/// Remembers an erasure; a second one of the same guest adds its packs.
pub async fn record(tx: &mut Tx, guest_hash: &str, packs: i64, now: Timestamp) -> Result<(), StoreError> {
    Query::new(
        "INSERT INTO erasures (guest_hash, packs, at) VALUES ($1, $2, $3) \
         ON CONFLICT (guest_hash) DO UPDATE SET packs = erasures.packs + excluded.packs, at = excluded.at",
    )
    .bind(guest_hash)
    .bind(packs)
    .bind(now)
    .run(tx)
    .await
    .map(drop)
}

/// Forgets all of them: the event is closed. How many.
pub async fn clear(tx: &mut Tx) -> Result<u64, StoreError> {
    Query::new("DELETE FROM erasures").run(tx).await
}
