//! Table `updates`: what Telegram told us, stored before it is acted on, so that a crash loses none and none is acted on
//! twice. The text of an update is emptied when it was handled.

use crate::error::StoreError;
use crate::query::Query;
use crate::settings;
use crate::tx::{Change, Read, Tx};
use domain::Timestamp;
use domain::guest::TelegramId;

/// Key in `settings` of the next update to ask Telegram for.
const OFFSET: &str = "updates_offset";

/// An update as it came.
#[derive(Clone)]
pub struct NewUpdate {
    /// Telegram's number.
    pub update_id: i64,
    /// Who caused it, where that can be told: an erasure of this guest also takes the update.
    pub from: Option<TelegramId>,
    /// Its JSON; personal.
    pub body: String,
}

/// A stored update that waits to be handled.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredUpdate {
    /// Telegram's number.
    pub update_id: i64,
    /// Its JSON; personal.
    pub body: String,
    /// Tries that failed.
    pub attempts: i64,
    /// When it was stored.
    pub received_at: Timestamp,
}

impl std::fmt::Debug for NewUpdate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewUpdate").field("update_id", &self.update_id).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for StoredUpdate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredUpdate")
            .field("update_id", &self.update_id)
            .field("attempts", &self.attempts)
            .finish_non_exhaustive()
    }
}

#[derive(sqlx::FromRow)]
struct UpdateRow {
    update_id: i64,
    body: String,
    attempts: i64,
    received_at: i64,
}

/// Updates that wait, in Telegram's order.
pub async fn pending(on: &mut impl Read, limit: u32) -> Result<Vec<StoredUpdate>, StoreError> {
    let rows = Query::new(
        "SELECT update_id, body, attempts, received_at FROM updates WHERE state = 'pending' \
         ORDER BY update_id LIMIT $1",
    )
    .bind(limit)
    .all::<UpdateRow>(on)
    .await?;
    let stored = |row: UpdateRow| StoredUpdate {
        update_id: row.update_id,
        body: row.body,
        attempts: row.attempts,
        received_at: Timestamp::from_millis(row.received_at),
    };
    Ok(rows.into_iter().map(stored).collect())
}

/// The next update to ask Telegram for, once any was stored.
pub async fn offset(on: &mut impl Read) -> Result<Option<i64>, StoreError> {
    Ok(settings::get(on, OFFSET).await?.and_then(|value| value.parse().ok()))
}

/// Stores a batch and the offset behind it. How many were new: Telegram repeats a batch whose answer it lost.
pub async fn insert_batch(tx: &mut Tx, batch: &[NewUpdate], now: Timestamp) -> Result<u64, StoreError> {
    let mut new = 0;
    for update in batch {
        new += Query::new(
            "INSERT INTO updates (update_id, from_id, body, state, received_at) \
             VALUES ($1, $2, $3, 'pending', $4) ON CONFLICT (update_id) DO NOTHING",
        )
        .bind(update.update_id)
        .bind(update.from)
        .bind(update.body.as_str())
        .bind(now)
        .run(tx)
        .await?;
    }
    if let Some(last) = batch.iter().map(|update| update.update_id).max() {
        // Telegram may start its numbers anew after a week of silence, so the newest batch counts and not the largest number.
        settings::set(tx, OFFSET, &last.saturating_add(1).to_string(), now).await?;
    }
    Ok(new)
}

/// `pending → handled`; the text goes. Call it in the transaction that acts on the update.
pub async fn handled(tx: &mut Tx, update_id: i64, now: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE updates SET state = 'handled', body = '', error = NULL, ended_at = $2 \
         WHERE update_id = $1 AND state = 'pending'",
    )
    .bind(update_id)
    .bind(now)
    .change(tx)
    .await
}

/// A try failed; the update stays and is tried again.
pub async fn retry(tx: &mut Tx, update_id: i64, error: &str) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE updates SET attempts = attempts + 1, error = $2 WHERE update_id = $1 AND state = 'pending'",
    )
    .bind(update_id)
    .bind(error)
    .change(tx)
    .await
}

/// `pending → failed`: it cannot be handled, and must not keep others waiting. The text stays for whoever looks for the
/// reason, as long as the row.
pub async fn failed(tx: &mut Tx, update_id: i64, error: &str, now: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE updates SET state = 'failed', attempts = attempts + 1, error = $2, ended_at = $3 \
         WHERE update_id = $1 AND state = 'pending'",
    )
    .bind(update_id)
    .bind(error)
    .bind(now)
    .change(tx)
    .await
}

/// Deletes updates that were handled, or given up, before `before`, `limit` at most, so that other writes get their turn. How many.
pub async fn delete_handled_before(tx: &mut Tx, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
    Query::new(
        "DELETE FROM updates WHERE update_id IN (SELECT update_id FROM updates WHERE ended_at IS NOT NULL \
         AND ended_at < $1 LIMIT $2)",
    )
    .bind(before)
    .bind(limit)
    .run(tx)
    .await
}
