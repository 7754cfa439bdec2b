//! The way of a card to the group (seed 001, "Publication, reminder and erasure"). The queue is the rows without `published_at`;
//! before a send its intent is stored, so that a crash in between is known as an unknown outcome.

use crate::error::StoreError;
use crate::query::{Number, Query};
use crate::tx::{Change, Read, Tx};
use domain::Timestamp;
use domain::lead::{CardPlace, Lead, LeadId, LeadStatus, UNKNOWN};

/// Numbers of leads whose card is due, longest due first. Only numbers: one row that cannot be read must not hide the others.
pub async fn due(on: &mut impl Read, now: Timestamp, limit: u32) -> Result<Vec<LeadId>, StoreError> {
    let rows = Query::new(
        "SELECT id AS value FROM leads WHERE published_at IS NULL AND erased_at IS NULL \
         AND (next_publish_at IS NULL OR next_publish_at <= $1) \
         ORDER BY COALESCE(next_publish_at, created_at), id LIMIT $2",
    )
    .bind(now)
    .bind(limit)
    .all::<Number>(on)
    .await?;
    Ok(rows.into_iter().filter_map(|row| row.value).map(LeadId).collect())
}

/// Stores that the card of `lead` is about to be sent: from now on its outcome is unknown, and nobody tries again before
/// `again_at`. Stale when it was published, erased or begun by somebody else since it was read, and while it is not due: whoever
/// holds an older list of what is due may read the row after somebody else began it.
pub async fn begin_publish(
    tx: &mut Tx,
    lead: &Lead,
    again_at: Timestamp,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE leads SET publish_error = $3, next_publish_at = $2 WHERE id = $1 AND published_at IS NULL \
         AND erased_at IS NULL AND next_publish_at IS NOT DISTINCT FROM $4 AND publish_attempts = $5 \
         AND (next_publish_at IS NULL OR next_publish_at <= $6)",
    )
    .bind(lead.id)
    .bind(again_at)
    .bind(UNKNOWN)
    .bind(lead.next_publish_at)
    .bind(lead.publish_attempts)
    .bind(now)
    .change(tx)
    .await
}

/// A card that Telegram took, and what it showed.
#[derive(Clone, Copy, Debug)]
pub struct Posted {
    /// The lead.
    pub lead: LeadId,
    /// Where the card stands.
    pub place: CardPlace,
    /// The status that it shows.
    pub status: LeadStatus,
    /// The newest repeat of the lead when it was made: that one and older ones need no notice (row `Absorbed`).
    pub last_repeat: i64,
    /// Whether another card may stand in the group, of an earlier send without an answer.
    pub maybe_twice: bool,
    /// When.
    pub now: Timestamp,
}

/// The card is in the group (row `Publish`). Repeats that it shows are absorbed; a status that changed meanwhile makes it dirty.
/// Stale when the lead was published, erased or deleted meanwhile; the caller then has a message too many.
pub async fn published(tx: &mut Tx, posted: &Posted) -> Result<Change, StoreError> {
    let change = Query::new(
        "UPDATE leads SET published_at = $2, chat_id = $3, message_id = $4, next_publish_at = NULL, publish_error = $5, \
         card_dirty_at = CASE WHEN status = $6 THEN card_dirty_at ELSE $2 END, \
         next_edit_at = CASE WHEN status = $6 THEN next_edit_at ELSE $2 END \
         WHERE id = $1 AND published_at IS NULL AND erased_at IS NULL",
    )
    .bind(posted.lead)
    .bind(posted.now)
    .bind(posted.place.chat_id)
    .bind(posted.place.message_id)
    .bind(posted.maybe_twice.then_some(UNKNOWN))
    .bind(posted.status.word())
    .change(tx)
    .await?;
    if change == Change::Stale {
        return Ok(change);
    }
    // Known already when a press told of it first.
    super::cards::note(tx, posted.lead, posted.place, posted.now).await.map(drop)?;
    Query::new(
        "UPDATE lead_repeats SET notified_at = $2, next_notify_at = NULL WHERE lead_id = $1 AND notified_at IS NULL AND id <= $3",
    )
    .bind(posted.lead)
    .bind(posted.now)
    .bind(posted.last_repeat)
    .run(tx)
    .await?;
    Ok(change)
}

/// A send that failed.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The lead.
    pub lead: LeadId,
    /// Why, or [`UNKNOWN`].
    pub error: String,
    /// When it is tried again.
    pub again_at: Timestamp,
}

/// A send failed (row `PublishFailed`); the failures so far, none when the lead was published or erased meanwhile.
pub async fn publish_failed(tx: &mut Tx, failed: &Failed) -> Result<Option<i64>, StoreError> {
    let row = Query::new(
        "UPDATE leads SET publish_attempts = publish_attempts + 1, next_publish_at = $2, publish_error = $3 \
         WHERE id = $1 AND published_at IS NULL AND erased_at IS NULL RETURNING publish_attempts AS value",
    )
    .bind(failed.lead)
    .bind(failed.again_at)
    .bind(failed.error.as_str())
    .first::<Number>(tx)
    .await?;
    Ok(row.and_then(|row| row.value))
}

/// Makes the card of one lead due now. Stale when it is published or erased, or when a send without an answer may still show up.
pub async fn publish_now(tx: &mut Tx, id: LeadId, now: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE leads SET next_publish_at = $2 WHERE id = $1 AND published_at IS NULL AND erased_at IS NULL \
         AND next_publish_at > $2 AND publish_error IS DISTINCT FROM $3",
    )
    .bind(id)
    .bind(now)
    .bind(UNKNOWN)
    .change(tx)
    .await
}

/// Makes every card due now whose failure is known: the group can be written to again. How many.
pub async fn retry_all(tx: &mut Tx, now: Timestamp) -> Result<u64, StoreError> {
    Query::new(
        "UPDATE leads SET next_publish_at = $1 WHERE published_at IS NULL AND erased_at IS NULL AND next_publish_at > $1 \
         AND publish_error IS DISTINCT FROM $2",
    )
    .bind(now)
    .bind(UNKNOWN)
    .run(tx)
    .await
}
