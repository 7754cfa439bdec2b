//! Buttons: the status of a lead and its history (seed 001, "Lead", "Status").

use super::{find_locked, time};
use crate::error::StoreError;
use crate::query::Query;
use crate::tx::{Change, Read, Tx};
use domain::Timestamp;
use domain::guest::{Personal, TelegramId};
use domain::lead::{LeadId, LeadStatus, Press, Taken, press};

/// A status that an admin asks for.
#[derive(Clone, Debug)]
pub struct StatusChange {
    /// The lead.
    pub lead: LeadId,
    /// One of the five.
    pub to: LeadStatus,
    /// Who pressed.
    pub user: TelegramId,
    /// Their name, for the card.
    pub user_name: Option<Personal>,
    /// When.
    pub now: Timestamp,
}

/// Changes the status and appends to the history (rows `SetStatus` and `SetSameStatus`), and makes the card dirty; what the press
/// meant. None: there is no such lead.
pub async fn set_status(tx: &mut Tx, change: &StatusChange) -> Result<Option<Press>, StoreError> {
    let Some(lead) = find_locked(tx, change.lead).await? else { return Ok(None) };
    let decided = press(lead.status, lead.erased_at.is_some(), change.to);
    if decided != Press::Change {
        return Ok(Some(decided));
    }
    let moved = Query::new(
        "UPDATE leads SET status = $2, status_at = $3 WHERE id = $1 AND status = $4 AND erased_at IS NULL",
    )
    .bind(change.lead)
    .bind(change.to.word())
    .bind(change.now)
    .bind(lead.status.word())
    .change(tx)
    .await?;
    if moved == Change::Stale {
        // Cannot be: the row is locked. Nothing was written, so the press may come again.
        return Ok(Some(Press::Same));
    }
    Query::new(
        "INSERT INTO lead_status_history (lead_id, from_status, to_status, user_id, user_name, at) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(change.lead)
    .bind(lead.status.word())
    .bind(change.to.word())
    .bind(change.user)
    .bind(change.user_name.as_ref())
    .bind(change.now)
    .run(tx)
    .await?;
    if lead.published_at.is_some() {
        super::mark_dirty(tx, change.lead, change.now).await.map(drop)?;
    }
    Ok(Some(Press::Change))
}

#[derive(sqlx::FromRow)]
struct TakenRow {
    user_name: Option<String>,
    at: i64,
}

/// Who changed the status last.
pub async fn last_change(on: &mut impl Read, lead: LeadId) -> Result<Option<Taken>, StoreError> {
    let row = Query::new(
        "SELECT user_name, at FROM lead_status_history WHERE lead_id = $1 ORDER BY id DESC LIMIT 1",
    )
    .bind(lead)
    .first::<TakenRow>(on)
    .await?;
    Ok(row.and_then(|row| Some(Taken { by: row.user_name.map(Personal), at: time(Some(row.at))? })))
}
