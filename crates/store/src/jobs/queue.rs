//! Questions about the queue: how long, who is next, how long it takes, how much of the limit is used.

use super::{COLUMNS, active, many, one, words};
use crate::error::StoreError;
use crate::query::{Number, Query};
use crate::tx::{Read, Tx};
use domain::Timestamp;
use domain::guest::TelegramId;
use domain::job::{Job, JobId, JobStatus, QUOTA_JOB_STATUSES};
use std::time::Duration;

/// The job of this session.
pub async fn of_session(on: &mut impl Read, token: &str) -> Result<Option<Job>, StoreError> {
    let query =
        Query::new("SELECT {columns} FROM jobs WHERE session_token = $1").columns(COLUMNS).bind(token);
    one(query, on).await
}

/// The jobs of this guest, newest first.
pub async fn of_guest(on: &mut impl Read, guest: TelegramId) -> Result<Vec<Job>, StoreError> {
    let query = Query::new(
        "SELECT {columns} FROM jobs WHERE telegram_user_id = $1 ORDER BY created_at DESC, job_id DESC",
    )
    .columns(COLUMNS)
    .bind(guest);
    many(query, on).await
}

/// How many packs of this guest count against `PACK_LIMIT` (`QUOTA_JOB_STATUSES`). Call [`Tx::lock_guest`] before, or another
/// photo of the same guest may be counted at the same moment.
pub async fn count_against_limit(tx: &mut Tx, guest: TelegramId) -> Result<i64, StoreError> {
    let count =
        Query::new("SELECT COUNT(*) AS value FROM jobs WHERE telegram_user_id = $1 AND status IN ({quota})")
            .words("{quota}", words(QUOTA_JOB_STATUSES))
            .bind(guest)
            .number(tx)
            .await?;
    Ok(count.unwrap_or(0))
}

/// Whether a pack of this guest is being made.
pub async fn has_active(on: &mut impl Read, guest: TelegramId) -> Result<bool, StoreError> {
    let found = Query::new(
        "SELECT CAST(1 AS BIGINT) AS value FROM jobs WHERE telegram_user_id = $1 AND status IN ({active}) LIMIT 1",
    )
    .words("{active}", active())
    .bind(guest)
    .number(on)
    .await?;
    Ok(found.is_some())
}

/// Place in the queue: 1 is next, 0 is being worked on, none is ended or unknown.
pub async fn position(on: &mut impl Read, id: JobId) -> Result<Option<u32>, StoreError> {
    let place = Query::new(
        "SELECT CASE WHEN me.status = 'queued' THEN \
         (SELECT COUNT(*) FROM jobs ahead WHERE ahead.status = 'queued' AND (ahead.created_at < me.created_at \
         OR (ahead.created_at = me.created_at AND ahead.job_id <= me.job_id))) ELSE 0 END AS value \
         FROM jobs me WHERE me.job_id = $1 AND me.status IN ({active})",
    )
    .words("{active}", active())
    .bind(id)
    .number(on)
    .await?;
    Ok(place.map(|place| u32::try_from(place).unwrap_or(u32::MAX)))
}

/// From the claim to the link, for the last `limit` finished jobs, newest first.
pub async fn recent_durations(on: &mut impl Read, limit: u32) -> Result<Vec<Duration>, StoreError> {
    let rows = Query::new(
        "SELECT link_sent_at - processing_started_at AS value FROM jobs \
         WHERE status = 'done' AND processing_started_at IS NOT NULL \
         ORDER BY link_sent_at DESC, job_id DESC LIMIT $1",
    )
    .bind(limit)
    .all::<Number>(on)
    .await?;
    let length = |row: Number| Duration::from_millis(row.value.unwrap_or(0).max(0).unsigned_abs());
    Ok(rows.into_iter().map(length).collect())
}

/// How many jobs are active.
pub async fn count_active(on: &mut impl Read) -> Result<i64, StoreError> {
    // By the index of the panel's lists (migration 9), so that old rows are not read.
    let count = Query::new("SELECT COUNT(*) AS value FROM jobs WHERE status || '' IN ({active})")
        .words("{active}", active())
        .number(on)
        .await?;
    Ok(count.unwrap_or(0))
}

#[derive(sqlx::FromRow)]
struct StatusCount {
    status: String,
    value: i64,
}

/// How many jobs stand in each status; every status is listed.
pub async fn count_by_status(on: &mut impl Read) -> Result<Vec<(JobStatus, i64)>, StoreError> {
    let rows = Query::new("SELECT status, COUNT(*) AS value FROM jobs GROUP BY status ORDER BY status")
        .all::<StatusCount>(on)
        .await?;
    let count =
        |status: JobStatus| rows.iter().find(|row| row.status == status.word()).map_or(0, |row| row.value);
    Ok(JobStatus::ALL.into_iter().map(|status| (status, count(status))).collect())
}

#[derive(sqlx::FromRow)]
struct FailedRow {
    job_id: i64,
    error: Option<String>,
}

/// Jobs that failed since `since` with their errors, newest first.
pub async fn failed_since(
    on: &mut impl Read,
    since: Timestamp,
    limit: u32,
) -> Result<Vec<(JobId, String)>, StoreError> {
    let rows = Query::new(
        "SELECT job_id, error FROM jobs WHERE status = 'failed' AND updated_at >= $1 \
         ORDER BY updated_at DESC, job_id DESC LIMIT $2",
    )
    .bind(since)
    .bind(limit)
    .all::<FailedRow>(on)
    .await?;
    Ok(rows.into_iter().map(|row| (JobId(row.job_id), row.error.unwrap_or_default())).collect())
}

/// How many jobs failed since `since`.
pub async fn count_failed_since(on: &mut impl Read, since: Timestamp) -> Result<i64, StoreError> {
    let count = Query::new("SELECT COUNT(*) AS value FROM jobs WHERE status = 'failed' AND updated_at >= $1")
        .bind(since)
        .number(on)
        .await?;
    Ok(count.unwrap_or(0))
}

/// How many packs were created since `since`.
pub async fn packs_since(on: &mut impl Read, since: Timestamp) -> Result<i64, StoreError> {
    let count =
        Query::new("SELECT COUNT(*) AS value FROM jobs WHERE status = 'done' AND pack_created_at >= $1")
            .bind(since)
            .number(on)
            .await?;
    Ok(count.unwrap_or(0))
}

/// How many packs were created from `from` up to but not including `to`, without those of the guests in `without`.
pub async fn packs_between(
    on: &mut impl Read,
    from: Timestamp,
    to: Timestamp,
    without: &[TelegramId],
) -> Result<i64, StoreError> {
    let count =
        Query::new("SELECT COUNT(*) AS value FROM jobs WHERE pack_created_at >= $1 AND pack_created_at < $2")
            .bind(from)
            .bind(to)
            .number(on)
            .await?;
    let mut count = count.unwrap_or(0);
    for guest in without {
        let own = Query::new(
            "SELECT COUNT(*) AS value FROM jobs WHERE telegram_user_id = $3 AND pack_created_at >= $1 AND pack_created_at < $2",
        )
        .bind(from)
        .bind(to)
        .bind(*guest)
        .number(on)
        .await?;
        count -= own.unwrap_or(0);
    }
    Ok(count)
}

/// When the next queued job may be claimed: a time in the past when one waits now, none when the queue is empty.
pub async fn next_not_before(on: &mut impl Read) -> Result<Option<Timestamp>, StoreError> {
    let first =
        Query::new("SELECT MIN(COALESCE(not_before, created_at)) AS value FROM jobs WHERE status = 'queued'")
            .number(on)
            .await?;
    Ok(first.map(Timestamp::from_millis))
}
