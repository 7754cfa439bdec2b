//! Table `settings`: single values that outlive a process, such as `maintenance` and `bot_username`.

use crate::error::StoreError;
use crate::query::{Query, Word};
use crate::tx::{Change, Read, Tx};
use domain::Timestamp;

/// The value of a key.
pub async fn get(on: &mut impl Read, key: &str) -> Result<Option<String>, StoreError> {
    let row = Query::new("SELECT value FROM settings WHERE key = $1").bind(key).first::<Word>(on).await?;
    Ok(row.and_then(|row| row.value))
}

/// When a key was last set.
pub async fn updated_at(on: &mut impl Read, key: &str) -> Result<Option<Timestamp>, StoreError> {
    let at =
        Query::new("SELECT updated_at AS value FROM settings WHERE key = $1").bind(key).number(on).await?;
    Ok(at.map(Timestamp::from_millis))
}

/// Sets a key.
pub async fn set(tx: &mut Tx, key: &str, value: &str, now: Timestamp) -> Result<(), StoreError> {
    Query::new(
        "INSERT INTO settings (key, value, updated_at) VALUES ($1, $2, $3) \
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
    )
    .bind(key)
    .bind(value)
    .bind(now)
    .run(tx)
    .await
    .map(drop)
}

/// The value of a key, which is set to `value` when it has none.
pub async fn get_or_set(tx: &mut Tx, key: &str, value: &str, now: Timestamp) -> Result<String, StoreError> {
    Query::new(
        "INSERT INTO settings (key, value, updated_at) VALUES ($1, $2, $3) ON CONFLICT (key) DO NOTHING",
    )
    .bind(key)
    .bind(value)
    .bind(now)
    .run(tx)
    .await?;
    Ok(get(tx, key).await?.unwrap_or_else(|| value.to_owned()))
}

/// Removes a key. Stale when it was not set.
pub async fn delete(tx: &mut Tx, key: &str) -> Result<Change, StoreError> {
    Query::new("DELETE FROM settings WHERE key = $1").bind(key).change(tx).await
}
