//! What stands in the group for a lead, and rewriting it. `card_dirty_at` says since when the group is behind the row; the card
//! itself, pointers where it stood before, and stubs of an erased lead all hang on it.

use crate::error::StoreError;
use crate::query::{Number, Query};
use crate::tx::{Change, Read, Tx};
use domain::Timestamp;
use domain::lead::{CardPlace, Lead, LeadId, UNKNOWN};

/// A message of a lead that is still in the group with its own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandingCard {
    /// Its row.
    pub id: i64,
    /// Where it stands.
    pub place: CardPlace,
    /// Whether it is a pointer already.
    pub moved: bool,
}

#[derive(sqlx::FromRow)]
struct CardRow {
    id: i64,
    chat_id: i64,
    message_id: i64,
    moved_at: Option<i64>,
}

/// Remembers a message of a lead; known ones are left alone.
pub(super) async fn note(
    tx: &mut Tx,
    lead: LeadId,
    place: CardPlace,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "INSERT INTO lead_cards (lead_id, chat_id, message_id, posted_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (chat_id, message_id) DO NOTHING",
    )
    .bind(lead)
    .bind(place.chat_id)
    .bind(place.message_id)
    .bind(now)
    .change(tx)
    .await
}

/// Messages of a lead that were neither rewritten without personal data nor deleted, oldest first.
pub async fn standing_cards(on: &mut impl Read, lead: LeadId) -> Result<Vec<StandingCard>, StoreError> {
    let rows = Query::new(
        "SELECT id, chat_id, message_id, moved_at FROM lead_cards WHERE lead_id = $1 AND erased_at IS NULL ORDER BY id",
    )
    .bind(lead)
    .all::<CardRow>(on)
    .await?;
    let card = |row: CardRow| StandingCard {
        id: row.id,
        place: CardPlace { chat_id: row.chat_id, message_id: row.message_id },
        moved: row.moved_at.is_some(),
    };
    Ok(rows.into_iter().map(card).collect())
}

/// Whether a message is one of this lead's.
pub async fn stands_at(on: &mut impl Read, lead: LeadId, place: CardPlace) -> Result<bool, StoreError> {
    let found = Query::new(
        "SELECT id AS value FROM lead_cards WHERE lead_id = $1 AND chat_id = $2 AND message_id = $3",
    )
    .bind(lead)
    .bind(place.chat_id)
    .bind(place.message_id)
    .number(on)
    .await?;
    Ok(found.is_some())
}

/// Numbers of leads with something to rewrite whose time has come, longest waiting first.
pub async fn dirty_due(on: &mut impl Read, now: Timestamp, limit: u32) -> Result<Vec<LeadId>, StoreError> {
    let rows = Query::new(
        "SELECT id AS value FROM leads WHERE card_dirty_at IS NOT NULL AND next_edit_at <= $1 \
         ORDER BY next_edit_at, id LIMIT $2",
    )
    .bind(now)
    .bind(limit)
    .all::<Number>(on)
    .await?;
    Ok(rows.into_iter().filter_map(|row| row.value).map(LeadId).collect())
}

/// The group is behind this row from now on. One that waits for its next try keeps waiting.
pub async fn mark_dirty(tx: &mut Tx, lead: LeadId, now: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE leads SET next_edit_at = CASE WHEN card_dirty_at IS NULL THEN $2 ELSE COALESCE(next_edit_at, $2) END, \
         card_dirty_at = $2 WHERE id = $1",
    )
    .bind(lead)
    .bind(now)
    .change(tx)
    .await
}

/// The group shows the row as it was when `dirty_at` was read. Stale when it changed since: then it stays dirty.
pub async fn clear_dirty(tx: &mut Tx, lead: LeadId, dirty_at: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE leads SET card_dirty_at = NULL, next_edit_at = NULL WHERE id = $1 AND card_dirty_at = $2",
    )
    .bind(lead)
    .bind(dirty_at)
    .change(tx)
    .await
}

/// Rewriting failed: not tried again before `again_at`. Stale when it is clean, and when a send without an answer has it wait longer.
pub async fn edit_later(tx: &mut Tx, lead: LeadId, again_at: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE leads SET next_edit_at = $2 WHERE id = $1 AND card_dirty_at IS NOT NULL \
         AND NOT (publish_error IS NOT DISTINCT FROM $3 AND COALESCE(next_edit_at, $2) > $2)",
    )
    .bind(lead)
    .bind(again_at)
    .bind(UNKNOWN)
    .change(tx)
    .await
}

/// The card shall be posted anew (row `MoveCard`, first half): it stands nowhere until then, and old messages become pointers.
/// Stale when it was never published, is erased, or is on its way already without an answer.
pub async fn post_again(tx: &mut Tx, lead: LeadId, now: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE leads SET chat_id = NULL, message_id = NULL, card_dirty_at = $2, next_edit_at = $2 \
         WHERE id = $1 AND published_at IS NOT NULL AND erased_at IS NULL \
         AND NOT (message_id IS NULL AND publish_error IS NOT DISTINCT FROM $3 AND COALESCE(next_edit_at, $2) > $2)",
    )
    .bind(lead)
    .bind(now)
    .bind(UNKNOWN)
    .change(tx)
    .await
}

/// Stores that the card of `lead` is about to be posted anew: from now on its outcome is unknown, and nobody tries again before
/// `again_at`. Stale when it was erased or moved since it was read, and while an earlier send has no answer.
pub async fn begin_move(
    tx: &mut Tx,
    lead: &Lead,
    again_at: Timestamp,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE leads SET publish_error = $5, next_edit_at = $4, card_dirty_at = COALESCE(card_dirty_at, $6) \
         WHERE id = $1 AND published_at IS NOT NULL AND erased_at IS NULL \
         AND (message_id IS NULL OR chat_id = $2 AND message_id = $3) \
         AND NOT (publish_error IS NOT DISTINCT FROM $5 AND COALESCE(next_edit_at, $6) > $6)",
    )
    .bind(lead.id)
    .bind(lead.card.map(|place| place.chat_id))
    .bind(lead.card.map(|place| place.message_id))
    .bind(again_at)
    .bind(UNKNOWN)
    .bind(now)
    .change(tx)
    .await
}

/// The card was not posted anew, that much is known: what was on record before stands again.
pub async fn move_failed(tx: &mut Tx, lead: &Lead) -> Result<Change, StoreError> {
    Query::new("UPDATE leads SET publish_error = $2 WHERE id = $1 AND erased_at IS NULL")
        .bind(lead.id)
        .bind(lead.publish_error.as_deref())
        .change(tx)
        .await
}

/// The card stands here now (row `MoveCard`); `maybe_twice` when another one may stand in the group, of an earlier send without an
/// answer. Stale when it was erased meanwhile: see [`super::record_stray_card`].
pub async fn card_moved(
    tx: &mut Tx,
    lead: LeadId,
    place: CardPlace,
    maybe_twice: bool,
    now: Timestamp,
) -> Result<Change, StoreError> {
    // What changed while it was sent is rewritten now, and not when the send would have been tried again.
    let change = Query::new(
        "UPDATE leads SET chat_id = $2, message_id = $3, publish_error = $4, \
         next_edit_at = CASE WHEN card_dirty_at IS NULL THEN next_edit_at ELSE $5 END \
         WHERE id = $1 AND published_at IS NOT NULL AND erased_at IS NULL",
    )
    .bind(lead)
    .bind(place.chat_id)
    .bind(place.message_id)
    .bind(maybe_twice.then_some(UNKNOWN))
    .bind(now)
    .change(tx)
    .await?;
    if change.happened() {
        note(tx, lead, place, now).await.map(drop)?;
    }
    Ok(change)
}

/// A message became a pointer to where the card is now.
pub async fn became_pointer(tx: &mut Tx, card: i64, now: Timestamp) -> Result<Change, StoreError> {
    Query::new("UPDATE lead_cards SET moved_at = $2 WHERE id = $1 AND moved_at IS NULL")
        .bind(card)
        .bind(now)
        .change(tx)
        .await
}

/// The card cannot be rewritten where it stands: it is gone, as far as anybody can tell, and is to be posted anew. Stale when it
/// moved meanwhile.
pub async fn forget_place(tx: &mut Tx, lead: LeadId, place: CardPlace) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE leads SET chat_id = NULL, message_id = NULL WHERE id = $1 AND chat_id = $2 AND message_id = $3",
    )
    .bind(lead)
    .bind(place.chat_id)
    .bind(place.message_id)
    .change(tx)
    .await
}
