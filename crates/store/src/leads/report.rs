//! Counts and lists for the digest, the commands and the export.

use super::{COLUMNS, many, status_of};
use crate::error::StoreError;
use crate::query::{Number, Query};
use crate::tx::Read;
use domain::Timestamp;
use domain::lead::texts::Waiting;
use domain::lead::{Lead, LeadId, LeadStatus};
use std::time::Duration;

/// Leads created from `from` up to but not including `to`.
pub async fn count_created(on: &mut impl Read, from: Timestamp, to: Timestamp) -> Result<i64, StoreError> {
    let count = Query::new("SELECT COUNT(*) AS value FROM leads WHERE created_at >= $1 AND created_at < $2")
        .bind(from)
        .bind(to)
        .number(on)
        .await?;
    Ok(count.unwrap_or(0))
}

/// Leads that are `new` and not erased now.
pub async fn count_waiting(on: &mut impl Read) -> Result<i64, StoreError> {
    let count = Query::new("SELECT COUNT(*) AS value FROM leads WHERE status = 'new' AND erased_at IS NULL")
        .number(on)
        .await?;
    Ok(count.unwrap_or(0))
}

#[derive(sqlx::FromRow)]
struct WaitingRow {
    id: i64,
    created_at: i64,
    published_at: Option<i64>,
}

/// The oldest leads that are `new` and not erased.
pub async fn waiting(on: &mut impl Read, limit: u32) -> Result<Vec<Waiting>, StoreError> {
    let rows = Query::new(
        "SELECT id, created_at, published_at FROM leads WHERE status = 'new' AND erased_at IS NULL \
         ORDER BY created_at, id LIMIT $1",
    )
    .bind(limit)
    .all::<WaitingRow>(on)
    .await?;
    let waiting = |row: WaitingRow| Waiting {
        id: LeadId(row.id),
        created_at: Timestamp::from_millis(row.created_at),
        published: row.published_at.is_some(),
    };
    Ok(rows.into_iter().map(waiting).collect())
}

#[derive(sqlx::FromRow)]
struct StatusRow {
    status: String,
    value: i64,
}

/// Leads created since `since`, by the status they have now.
pub async fn count_by_status(
    on: &mut impl Read,
    since: Timestamp,
) -> Result<Vec<(LeadStatus, i64)>, StoreError> {
    let rows =
        Query::new("SELECT status, COUNT(*) AS value FROM leads WHERE created_at >= $1 GROUP BY status")
            .bind(since)
            .all::<StatusRow>(on)
            .await?;
    for row in &rows {
        status_of(&row.status, 0)?;
    }
    let count =
        |status: LeadStatus| rows.iter().find(|row| row.status == status.word()).map_or(0, |row| row.value);
    Ok(LeadStatus::ALL.into_iter().map(|status| (status, count(status))).collect())
}

#[derive(sqlx::FromRow)]
struct SourceRow {
    source: Option<String>,
    value: i64,
}

/// Leads created since `since`, by `utm_source`, most first.
pub async fn count_by_source(
    on: &mut impl Read,
    since: Timestamp,
    limit: u32,
) -> Result<Vec<(Option<String>, i64)>, StoreError> {
    let rows = Query::new(
        "SELECT utm_source AS source, COUNT(*) AS value FROM leads WHERE created_at >= $1 GROUP BY utm_source \
         ORDER BY value DESC, source NULLS LAST LIMIT $2",
    )
    .bind(since)
    .bind(limit)
    .all::<SourceRow>(on)
    .await?;
    Ok(rows.into_iter().map(|row| (row.source, row.value)).collect())
}

/// From creation to the first press, of leads created since `since`, shortest first.
pub async fn first_touches(
    on: &mut impl Read,
    since: Timestamp,
    limit: u32,
) -> Result<Vec<Duration>, StoreError> {
    let rows = Query::new(
        "SELECT MIN(history.at) - leads.created_at AS value FROM leads \
         JOIN lead_status_history history ON history.lead_id = leads.id \
         WHERE leads.created_at >= $1 GROUP BY leads.id, leads.created_at ORDER BY value LIMIT $2",
    )
    .bind(since)
    .bind(limit)
    .all::<Number>(on)
    .await?;
    let length = |row: Number| Duration::from_millis(row.value.unwrap_or(0).max(0).unsigned_abs());
    Ok(rows.into_iter().map(length).collect())
}

/// The newest leads that still have contacts.
pub async fn latest_unerased(on: &mut impl Read, limit: u32) -> Result<Vec<Lead>, StoreError> {
    let query = Query::new("SELECT {columns} FROM leads WHERE erased_at IS NULL ORDER BY id DESC LIMIT $1")
        .columns(COLUMNS)
        .bind(limit);
    many(query, on).await
}

/// Leads with a number above `after`, in order: every lead once, a page at a time.
pub async fn page(on: &mut impl Read, after: LeadId, limit: u32) -> Result<Vec<Lead>, StoreError> {
    let query = Query::new("SELECT {columns} FROM leads WHERE id > $1 ORDER BY id LIMIT $2")
        .columns(COLUMNS)
        .bind(after)
        .bind(limit);
    many(query, on).await
}
