//! Personal data that has to go: on request, by retention, and whole test leads (seed 000, "Scheduled anonymisation"; seed 002,
//! "Deleting a lead's data on request"). Call [`crate::Store::checkpoint_truncate`] afterwards: only then is it out of the files.

use super::cards;
use crate::error::StoreError;
use crate::query::{Number, Query};
use crate::tx::{Change, Read, Tx};
use domain::Timestamp;
use domain::lead::{CardPlace, LeadId};
use domain::schedule::Cutoffs;

/// Leads past their period: spam whose clock started by the one moment, any other by the other.
pub async fn due_for_erasure(
    on: &mut impl Read,
    cutoffs: Cutoffs,
    limit: u32,
) -> Result<Vec<LeadId>, StoreError> {
    // Two looks into the index, status by status: an OR over both periods would look at every row that is kept.
    let rows = Query::new(
        "SELECT id AS value FROM leads WHERE erased_at IS NULL AND status = 'spam' \
         AND COALESCE(status_at, created_at) <= $1 \
         UNION ALL SELECT id AS value FROM leads WHERE erased_at IS NULL \
         AND status IN ('new', 'in_work', 'contacted', 'deal', 'refused') \
         AND COALESCE(status_at, created_at) <= $2 LIMIT $3",
    )
    .bind(cutoffs.spam)
    .bind(cutoffs.any)
    .bind(limit)
    .all::<Number>(on)
    .await?;
    let mut ids: Vec<LeadId> = rows.into_iter().filter_map(|row| row.value).map(LeadId).collect();
    ids.sort_unstable();
    Ok(ids)
}

/// Erases a lead (rows `EraseOnRequest`, `EraseByRetention`): what a person could be known by goes from the lead and its repeats,
/// the rest stays, and every message in the group is to be rewritten. Stale when it was erased before, or there is none.
pub async fn erase(tx: &mut Tx, id: LeadId, now: Timestamp) -> Result<Change, StoreError> {
    let change = Query::new(
        "UPDATE leads SET name = NULL, telegram = NULL, telegram_fold = NULL, phone = NULL, comment = NULL, ip_hash = NULL, \
         erased_at = $2, next_publish_at = NULL, \
         card_dirty_at = CASE WHEN EXISTS (SELECT 1 FROM lead_cards WHERE lead_id = $1 AND lead_cards.erased_at IS NULL) \
         THEN $2 END, next_edit_at = $2 \
         WHERE id = $1 AND erased_at IS NULL",
    )
    .bind(id)
    .bind(now)
    .change(tx)
    .await?;
    if change == Change::Stale {
        return Ok(change);
    }
    Query::new(
        "UPDATE lead_repeats SET name = NULL, telegram = NULL, phone = NULL, comment = NULL, ip_hash = NULL WHERE lead_id = $1",
    )
    .bind(id)
    .run(tx)
    .await?;
    blank_updates(tx, id).await?;
    Ok(change)
}

/// Empties stored updates that quote a card of this lead: a press and a reply carry its text. One that still waits is not emptied,
/// it is handled, and emptied then.
pub async fn blank_updates(tx: &mut Tx, id: LeadId) -> Result<u64, StoreError> {
    Query::new(
        "UPDATE updates SET body = '' WHERE state = 'failed' AND body <> '' AND (body LIKE $1 OR body LIKE $2)",
    )
    .bind(format!("%stickers_lead:{id}:%"))
    .bind(format!("%#stickers_{id}%"))
    .run(tx)
    .await
}

/// Removes a lead with its history, repeats and cards (row `Delete`); the caller knows that it is a test lead and has seen to its
/// messages. Stale when there is none.
pub async fn delete(tx: &mut Tx, id: LeadId) -> Result<Change, StoreError> {
    for children in [
        "DELETE FROM lead_status_history WHERE lead_id = $1",
        "DELETE FROM lead_repeats WHERE lead_id = $1",
        "DELETE FROM lead_cards WHERE lead_id = $1",
    ] {
        Query::new(children).bind(id).run(tx).await?;
    }
    blank_updates(tx, id).await?;
    Query::new("DELETE FROM leads WHERE id = $1").bind(id).change(tx).await
}

/// A message was rewritten without personal data, or is gone.
pub async fn mark_message_erased(
    tx: &mut Tx,
    place: CardPlace,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE lead_cards SET erased_at = $3 WHERE chat_id = $1 AND message_id = $2 AND erased_at IS NULL",
    )
    .bind(place.chat_id)
    .bind(place.message_id)
    .bind(now)
    .change(tx)
    .await
}

/// A message of a lead that is not its card: it reached the group while the lead was erased or published otherwise, or a press
/// showed that it is there. It is rewritten with the rest. Stale when the lead is gone: the caller takes the message away.
pub async fn record_stray_card(
    tx: &mut Tx,
    lead: LeadId,
    place: CardPlace,
    now: Timestamp,
) -> Result<Change, StoreError> {
    let there = Query::new("SELECT id AS value FROM leads WHERE id = $1 /* for update */")
        .bind(lead)
        .number(tx)
        .await?;
    if there.is_none() {
        return Ok(Change::Stale);
    }
    if cards::note(tx, lead, place, now).await?.happened() {
        cards::mark_dirty(tx, lead, now).await.map(drop)?;
    }
    Ok(Change::Changed)
}
