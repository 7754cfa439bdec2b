//! What was written down: the audit log, the calls to image providers of one job, and the messages about it.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::Read;
use domain::Timestamp;
use domain::job::JobId;

/// An entry of the audit log with its number, by which lists go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLine {
    /// Its number.
    pub id: i64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: String,
    /// What was done.
    pub action: String,
    /// To what.
    pub subject: String,
    /// More.
    pub details: Option<String>,
}

#[derive(sqlx::FromRow)]
struct AuditRow {
    id: i64,
    at: i64,
    actor: String,
    action: String,
    subject: String,
    details: Option<String>,
}

async fn entries(query: Query, on: &mut impl Read) -> Result<Vec<AuditLine>, StoreError> {
    let line = |row: AuditRow| AuditLine {
        id: row.id,
        at: Timestamp::from_millis(row.at),
        actor: row.actor,
        action: row.action,
        subject: row.subject,
        details: row.details,
    };
    Ok(query.all::<AuditRow>(on).await?.into_iter().map(line).collect())
}

/// Entries before `before` (time and, among those of the same moment, number), newest first.
pub async fn audit(
    on: &mut impl Read,
    before: (Timestamp, i64),
    limit: u32,
) -> Result<Vec<AuditLine>, StoreError> {
    entries(audit_query(before, limit), on).await
}

pub(super) fn audit_query(before: (Timestamp, i64), limit: u32) -> Query {
    Query::new(
        "SELECT id, at, actor, action, subject, details FROM audit_log WHERE (at, id) < ($1, $2) \
         ORDER BY at DESC, id DESC LIMIT $3",
    )
    .bind(before.0)
    .bind(before.1)
    .bind(limit)
}

/// Entries about one thing, such as `job:12`, newest first.
pub async fn audit_of(on: &mut impl Read, subject: &str, limit: u32) -> Result<Vec<AuditLine>, StoreError> {
    entries(audit_of_query(subject, limit), on).await
}

pub(super) fn audit_of_query(subject: &str, limit: u32) -> Query {
    Query::new(
        "SELECT id, at, actor, action, subject, details FROM audit_log WHERE subject = $1 ORDER BY id DESC LIMIT $2",
    )
    .bind(subject)
    .bind(limit)
}

/// A call to an image provider.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct JobCall {
    /// What for.
    pub stage: String,
    /// Whom.
    pub provider: String,
    /// Which model.
    pub model: String,
    /// Pictures received.
    pub images: i64,
    /// US dollars.
    pub cost_usd: f64,
    /// When, milliseconds since 1970.
    pub at: i64,
}

/// The calls of a job, the oldest first.
pub async fn calls_of_job(on: &mut impl Read, job: JobId, limit: u32) -> Result<Vec<JobCall>, StoreError> {
    calls_query(job, limit).all::<JobCall>(on).await
}

pub(super) fn calls_query(job: JobId, limit: u32) -> Query {
    Query::new(
        "SELECT stage, provider, model, images, cost_usd, at FROM ai_usage WHERE job_id = $1 ORDER BY at LIMIT $2",
    )
    .bind(job)
    .bind(limit)
}

/// A message about a job, without what it says.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct JobMessage {
    /// What kind of message it is.
    pub kind: String,
    /// `pending`, `sending`, `sent`, `dropped` or `failed`.
    pub state: String,
    /// Tries that failed.
    pub attempts: i64,
    /// When it was decided, milliseconds since 1970.
    pub created_at: i64,
    /// When Telegram took it.
    pub sent_at: Option<i64>,
}

/// The messages about a job, the oldest first; those of a week ago are gone.
pub async fn messages_of_job(
    on: &mut impl Read,
    job: JobId,
    limit: u32,
) -> Result<Vec<JobMessage>, StoreError> {
    messages_query(job, limit).all::<JobMessage>(on).await
}

pub(super) fn messages_query(job: JobId, limit: u32) -> Query {
    Query::new(
        "SELECT kind, state, attempts, created_at, sent_at FROM outbox WHERE job_id = $1 ORDER BY id LIMIT $2",
    )
    .bind(job)
    .bind(limit)
}
