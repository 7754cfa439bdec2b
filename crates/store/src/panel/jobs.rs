//! Jobs with their guests and what they cost.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::Read;
use domain::Timestamp;
use domain::guest::{Personal, TelegramId};
use domain::job::{ACTIVE_JOB_STATUSES, JobId, JobStatus};
use std::time::Duration;

/// A job as a list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct JobLine {
    /// Its number.
    pub id: JobId,
    /// Where it stands.
    pub status: JobStatus,
    /// Whose it is.
    pub guest: TelegramId,
    /// As Telegram shows them.
    pub first_name: Personal,
    /// If they have one.
    pub last_name: Option<Personal>,
    /// Without `@`, if they have one.
    pub username: Option<Personal>,
    /// The outfit.
    pub template_id: String,
    /// How it was drawn: `figure`, `composite`, `composite_fallback`.
    pub render_mode: Option<String>,
    /// Who drew it.
    pub provider: Option<String>,
    /// Attempts that ended.
    pub attempts: i64,
    /// Last error or marker.
    pub error: Option<String>,
    /// Name of its set in Telegram.
    pub pack_name: Option<String>,
    /// When the photo was accepted, or the last retry.
    pub created_at: Timestamp,
    /// When it was first claimed since then.
    pub started_at: Option<Timestamp>,
    /// When its set was created.
    pub pack_created_at: Option<Timestamp>,
    /// When the guest was told that it takes longer.
    pub delay_notice_at: Option<Timestamp>,
    /// When the link was decided.
    pub link_sent_at: Option<Timestamp>,
    /// Last change.
    pub updated_at: Timestamp,
    /// US dollars, all attempts.
    pub cost_usd: f64,
}

#[derive(sqlx::FromRow)]
struct Row {
    job_id: i64,
    status: String,
    telegram_user_id: i64,
    first_name: String,
    last_name: Option<String>,
    username: Option<String>,
    template_id: String,
    render_mode: Option<String>,
    provider_used: Option<String>,
    attempts: i64,
    error: Option<String>,
    pack_name: Option<String>,
    created_at: i64,
    processing_started_at: Option<i64>,
    pack_created_at: Option<i64>,
    delay_notice_sent_at: Option<i64>,
    link_sent_at: Option<i64>,
    updated_at: i64,
    cost_usd: f64,
}

const COLUMNS: &str = "jobs.job_id, jobs.status, jobs.telegram_user_id, users.first_name, users.last_name, users.username, \
    jobs.template_id, jobs.render_mode, jobs.provider_used, jobs.attempts, jobs.error, jobs.pack_name, jobs.created_at, \
    jobs.processing_started_at, jobs.pack_created_at, jobs.delay_notice_sent_at, jobs.link_sent_at, jobs.updated_at, \
    CAST(COALESCE((SELECT SUM(cost_usd) FROM ai_usage WHERE ai_usage.job_id = jobs.job_id), 0) AS DOUBLE PRECISION) \
    AS cost_usd";

impl Row {
    fn into_line(self) -> Result<JobLine, StoreError> {
        let Some(status) = JobStatus::from_word(&self.status) else {
            let key = self.job_id.to_string();
            return Err(StoreError::BadRow { table: "jobs", column: "status", key, value: self.status });
        };
        let time = |ms: Option<i64>| ms.map(Timestamp::from_millis);
        Ok(JobLine {
            id: JobId(self.job_id),
            status,
            guest: TelegramId(self.telegram_user_id),
            first_name: Personal(self.first_name),
            last_name: self.last_name.map(Personal),
            username: self.username.map(Personal),
            template_id: self.template_id,
            render_mode: self.render_mode,
            provider: self.provider_used,
            attempts: self.attempts,
            error: self.error,
            pack_name: self.pack_name,
            created_at: Timestamp::from_millis(self.created_at),
            started_at: time(self.processing_started_at),
            pack_created_at: time(self.pack_created_at),
            delay_notice_at: time(self.delay_notice_sent_at),
            link_sent_at: time(self.link_sent_at),
            updated_at: Timestamp::from_millis(self.updated_at),
            cost_usd: self.cost_usd,
        })
    }
}

async fn lines(query: Query, on: &mut impl Read) -> Result<Vec<JobLine>, StoreError> {
    query.all::<Row>(on).await?.into_iter().map(Row::into_line).collect()
}

/// Jobs with a number below `before`, newest first; with a status, only those that stand in it.
pub async fn jobs(
    on: &mut impl Read,
    status: Option<JobStatus>,
    before: JobId,
    limit: u32,
) -> Result<Vec<JobLine>, StoreError> {
    let query = match status {
        None => all_jobs(before, limit),
        Some(status) => jobs_of_status(status, before, limit),
    };
    lines(query, on).await
}

pub(super) fn all_jobs(before: JobId, limit: u32) -> Query {
    Query::new(
        "SELECT {columns} FROM jobs JOIN users ON users.telegram_user_id = jobs.telegram_user_id \
         WHERE jobs.job_id < $1 ORDER BY jobs.job_id DESC LIMIT $2",
    )
    .columns(COLUMNS)
    .bind(before)
    .bind(limit)
}

pub(super) fn jobs_of_status(status: JobStatus, before: JobId, limit: u32) -> Query {
    Query::new(
        "SELECT {columns} FROM jobs JOIN users ON users.telegram_user_id = jobs.telegram_user_id \
         WHERE jobs.status || '' = $1 AND jobs.job_id < $2 ORDER BY jobs.job_id DESC LIMIT $3",
    )
    .columns(COLUMNS)
    .bind(status.word())
    .bind(before)
    .bind(limit)
}

/// Jobs that are not ended, newest first.
pub async fn active_jobs(on: &mut impl Read, limit: u32) -> Result<Vec<JobLine>, StoreError> {
    lines(active_query(limit), on).await
}

pub(super) fn active_query(limit: u32) -> Query {
    Query::new(
        "SELECT {columns} FROM jobs JOIN users ON users.telegram_user_id = jobs.telegram_user_id \
         WHERE jobs.status || '' IN ({active}) ORDER BY jobs.job_id DESC LIMIT $1",
    )
    .columns(COLUMNS)
    .words("{active}", ACTIVE_JOB_STATUSES.iter().map(|status| status.word()))
    .bind(limit)
}

/// The job with this number.
pub async fn job(on: &mut impl Read, id: JobId) -> Result<Option<JobLine>, StoreError> {
    let query = Query::new(
        "SELECT {columns} FROM jobs JOIN users ON users.telegram_user_id = jobs.telegram_user_id \
         WHERE jobs.job_id = $1",
    );
    Ok(lines(query.columns(COLUMNS).bind(id), on).await?.into_iter().next())
}

/// How many jobs stand in this status; [`super::COUNT_MAX`] means so many or more.
pub async fn count_jobs(on: &mut impl Read, status: JobStatus) -> Result<i64, StoreError> {
    Ok(count_query(status).number(on).await?.unwrap_or(0))
}

pub(super) fn count_query(status: JobStatus) -> Query {
    Query::new(
        "SELECT COUNT(*) AS value FROM (SELECT 1 AS one FROM jobs WHERE status || '' = $1 LIMIT 1000) AS counted",
    )
    .bind(status.word())
}

#[derive(sqlx::FromRow)]
struct Slot {
    slot: i64,
    value: i64,
}

async fn slots(query: Query, on: &mut impl Read) -> Result<Vec<(i64, i64)>, StoreError> {
    Ok(query.all::<Slot>(on).await?.into_iter().map(|row| (row.slot, row.value)).collect())
}

/// Packs created since `since` by slots of this length: the slot's number since 1970, and how many; the oldest first.
pub async fn packs_by_slot(
    on: &mut impl Read,
    since: Timestamp,
    slot: Duration,
) -> Result<Vec<(i64, i64)>, StoreError> {
    slots(packs_query(since, slot), on).await
}

pub(super) fn packs_query(since: Timestamp, slot: Duration) -> Query {
    Query::new(
        "SELECT pack_created_at / $2 AS slot, COUNT(*) AS value FROM jobs \
         WHERE pack_created_at IS NOT NULL AND pack_created_at >= $1 GROUP BY slot ORDER BY slot",
    )
    .bind(since)
    .bind(millis(slot))
}

/// Jobs that failed since `since`, by slots as in [`packs_by_slot`].
pub async fn failures_by_slot(
    on: &mut impl Read,
    since: Timestamp,
    slot: Duration,
) -> Result<Vec<(i64, i64)>, StoreError> {
    slots(failures_query(since, slot), on).await
}

pub(super) fn failures_query(since: Timestamp, slot: Duration) -> Query {
    Query::new(
        "SELECT updated_at / $2 AS slot, COUNT(*) AS value FROM jobs \
         WHERE status = 'failed' AND updated_at >= $1 GROUP BY slot ORDER BY slot",
    )
    .bind(since)
    .bind(millis(slot))
}

fn millis(slot: Duration) -> i64 {
    i64::try_from(slot.as_millis()).unwrap_or(i64::MAX).max(1)
}

/// Jobs of this guest, newest first.
pub async fn jobs_of_guest(
    on: &mut impl Read,
    guest: TelegramId,
    limit: u32,
) -> Result<Vec<JobLine>, StoreError> {
    lines(guest_query(guest, limit), on).await
}

pub(super) fn guest_query(guest: TelegramId, limit: u32) -> Query {
    Query::new(
        "SELECT {columns} FROM jobs JOIN users ON users.telegram_user_id = jobs.telegram_user_id \
         WHERE jobs.telegram_user_id = $1 ORDER BY jobs.job_id DESC LIMIT $2",
    )
    .columns(COLUMNS)
    .bind(guest)
    .bind(limit)
}

#[derive(sqlx::FromRow)]
struct Mode {
    mode: String,
    value: i64,
}

/// Packs created since `since`, by how they were drawn (`composite` where nothing was noted), by name.
pub async fn packs_by_mode(on: &mut impl Read, since: Timestamp) -> Result<Vec<(String, i64)>, StoreError> {
    let rows = modes_query(since).all::<Mode>(on).await?;
    Ok(rows.into_iter().map(|row| (row.mode, row.value)).collect())
}

pub(super) fn modes_query(since: Timestamp) -> Query {
    Query::new(
        "SELECT COALESCE(render_mode, 'composite') AS mode, COUNT(*) AS value FROM jobs \
         WHERE pack_created_at IS NOT NULL AND pack_created_at >= $1 GROUP BY mode ORDER BY mode",
    )
    .bind(since)
}
