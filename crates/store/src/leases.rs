//! Table `leases`: roles that only one process may have. Times are on [`crate::Store::lease_clock`].

use crate::error::StoreError;
use crate::query::{Query, Word};
use crate::tx::{Change, Read, Tx};
use domain::Timestamp;

/// Who holds a lease now.
pub async fn holder(on: &mut impl Read, name: &str, now: Timestamp) -> Result<Option<String>, StoreError> {
    let row = Query::new("SELECT owner AS value FROM leases WHERE name = $1 AND until > $2")
        .bind(name)
        .bind(now)
        .first::<Word>(on)
        .await?;
    Ok(row.and_then(|row| row.value))
}

/// Takes or keeps a lease until `until`: when nobody has it, its time is over, or it is one's own. Whether one has it now.
pub async fn acquire(
    tx: &mut Tx,
    name: &str,
    owner: &str,
    until: Timestamp,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let rows = Query::new(
        "INSERT INTO leases (name, owner, until) VALUES ($1, $2, $3) \
         ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until \
         WHERE leases.owner = excluded.owner OR leases.until <= $4",
    )
    .bind(name)
    .bind(owner)
    .bind(until)
    .bind(now)
    .run(tx)
    .await?;
    Ok(rows > 0)
}

/// Gives a lease back. Stale when it is somebody else's.
pub async fn release(tx: &mut Tx, name: &str, owner: &str) -> Result<Change, StoreError> {
    Query::new("DELETE FROM leases WHERE name = $1 AND owner = $2").bind(name).bind(owner).change(tx).await
}

/// Hands the lease of an owner that is known to be dead to another one. Stale when it is not (any more) the dead one's.
pub async fn pass_on(
    tx: &mut Tx,
    name: &str,
    dead: &str,
    owner: &str,
    until: Timestamp,
) -> Result<Change, StoreError> {
    Query::new("UPDATE leases SET owner = $3, until = $4 WHERE name = $1 AND owner = $2")
        .bind(name)
        .bind(dead)
        .bind(owner)
        .bind(until)
        .change(tx)
        .await
}
