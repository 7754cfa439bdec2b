//! The board of leads: a column a status, the history of one, and looking one up by what its owner typed.

use crate::error::StoreError;
use crate::leads::{COLUMNS, many, status_of};
use crate::query::Query;
use crate::tx::Read;
use domain::Timestamp;
use domain::guest::{Personal, TelegramId};
use domain::lead::{Lead, LeadId, LeadStatus};

/// Leads of this status that still have contacts, with a number below `before`, newest first.
pub async fn leads_by_status(
    on: &mut impl Read,
    status: LeadStatus,
    before: LeadId,
    limit: u32,
) -> Result<Vec<Lead>, StoreError> {
    many(column_query(status, before, limit), on).await
}

pub(super) fn column_query(status: LeadStatus, before: LeadId, limit: u32) -> Query {
    Query::new(
        "SELECT {columns} FROM leads WHERE status || '' = $1 AND erased_at IS NULL AND id < $2 ORDER BY id DESC LIMIT $3",
    )
    .columns(COLUMNS)
    .bind(status.word())
    .bind(before)
    .bind(limit)
}

/// How many there are; [`super::COUNT_MAX`] means so many or more.
pub async fn count_leads(on: &mut impl Read, status: LeadStatus) -> Result<i64, StoreError> {
    Ok(count_query(status).number(on).await?.unwrap_or(0))
}

pub(super) fn count_query(status: LeadStatus) -> Query {
    Query::new(
        "SELECT COUNT(*) AS value FROM \
         (SELECT 1 AS one FROM leads WHERE status || '' = $1 AND erased_at IS NULL LIMIT 1000) AS counted",
    )
    .bind(status.word())
}

/// Leads with this phone (`+` and digits), newest first.
pub async fn leads_by_phone(on: &mut impl Read, phone: &str, limit: u32) -> Result<Vec<Lead>, StoreError> {
    many(phone_query(phone, limit), on).await
}

pub(super) fn phone_query(phone: &str, limit: u32) -> Query {
    Query::new("SELECT {columns} FROM leads WHERE phone = $1 ORDER BY created_at DESC, id DESC LIMIT $2")
        .columns(COLUMNS)
        .bind(phone)
        .bind(limit)
}

/// Leads with this username (with `@`, in whatever case), newest first.
pub async fn leads_by_telegram(
    on: &mut impl Read,
    username: &str,
    limit: u32,
) -> Result<Vec<Lead>, StoreError> {
    many(telegram_query(username, limit), on).await
}

pub(super) fn telegram_query(username: &str, limit: u32) -> Query {
    Query::new(
        "SELECT {columns} FROM leads WHERE telegram_fold = $1 ORDER BY created_at DESC, id DESC LIMIT $2",
    )
    .columns(COLUMNS)
    .bind(username.to_lowercase())
    .bind(limit)
}

/// A change of a lead's status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeadChange {
    /// From this status.
    pub from: LeadStatus,
    /// To this one.
    pub to: LeadStatus,
    /// Who; 0 is somebody in the panel, who has no account in Telegram there.
    pub user: TelegramId,
    /// Their name.
    pub by: Option<Personal>,
    /// When.
    pub at: Timestamp,
}

#[derive(sqlx::FromRow)]
struct ChangeRow {
    from_status: String,
    to_status: String,
    user_id: i64,
    user_name: Option<String>,
    at: i64,
}

/// What happened to a lead, newest first.
pub async fn lead_history(
    on: &mut impl Read,
    lead: LeadId,
    limit: u32,
) -> Result<Vec<LeadChange>, StoreError> {
    let rows = history_query(lead, limit).all::<ChangeRow>(on).await?;
    let change = |row: ChangeRow| {
        Ok(LeadChange {
            from: status_of(&row.from_status, lead.0)?,
            to: status_of(&row.to_status, lead.0)?,
            user: TelegramId(row.user_id),
            by: row.user_name.map(Personal),
            at: Timestamp::from_millis(row.at),
        })
    };
    rows.into_iter().map(change).collect()
}

pub(super) fn history_query(lead: LeadId, limit: u32) -> Query {
    Query::new(
        "SELECT from_status, to_status, user_id, user_name, at FROM lead_status_history WHERE lead_id = $1 \
         ORDER BY id DESC LIMIT $2",
    )
    .bind(lead)
    .bind(limit)
}
