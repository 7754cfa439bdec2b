//! Table `ai_usage`: every call to an image provider with what it cost. Rows outlive the guest: they hold job numbers only.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::{Change, Read, Tx};
use domain::Timestamp;
use domain::job::JobId;

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// The job it was made for.
    pub job: JobId,
    /// What for: description, anchor, sheet, …
    pub stage: String,
    /// Whom.
    pub provider: String,
    /// Which model.
    pub model: String,
    /// Tokens sent.
    pub input_tokens: i64,
    /// Tokens received.
    pub output_tokens: i64,
    /// Pictures received.
    pub images: i64,
    /// Cost in US dollars.
    pub cost_usd: f64,
    /// When.
    pub at: Timestamp,
}

#[derive(sqlx::FromRow)]
struct Sum {
    value: Option<f64>,
}

/// US dollars spent on a job since `since`, which an admin retry sets anew.
pub async fn spent_on_job(on: &mut impl Read, job: JobId, since: Timestamp) -> Result<f64, StoreError> {
    let sum = Query::new(
        "SELECT CAST(SUM(cost_usd) AS DOUBLE PRECISION) AS value FROM ai_usage WHERE job_id = $1 AND at >= $2",
    )
    .bind(job)
    .bind(since)
    .first::<Sum>(on)
    .await?;
    Ok(sum.and_then(|row| row.value).unwrap_or(0.0))
}

/// US dollars spent since `since`.
pub async fn spent_since(on: &mut impl Read, since: Timestamp) -> Result<f64, StoreError> {
    let sum =
        Query::new("SELECT CAST(SUM(cost_usd) AS DOUBLE PRECISION) AS value FROM ai_usage WHERE at >= $1")
            .bind(since)
            .first::<Sum>(on)
            .await?;
    Ok(sum.and_then(|row| row.value).unwrap_or(0.0))
}

/// Records a call.
pub async fn insert(tx: &mut Tx, usage: &Usage) -> Result<(), StoreError> {
    Query::new(
        "INSERT INTO ai_usage (job_id, stage, provider, model, input_tokens, output_tokens, images, cost_usd, at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(usage.job)
    .bind(usage.stage.as_str())
    .bind(usage.provider.as_str())
    .bind(usage.model.as_str())
    .bind(usage.input_tokens)
    .bind(usage.output_tokens)
    .bind(usage.images)
    .bind(usage.cost_usd)
    .bind(usage.at)
    .run(tx)
    .await
    .map(drop)
}

#[derive(sqlx::FromRow)]
struct Id {
    id: i64,
}

/// Records a call before it is made, with what is set aside for it: a process that dies in between has spent it in all likelihood.
/// Answers the row's id for [`settle`].
pub async fn begin(tx: &mut Tx, usage: &Usage) -> Result<i64, StoreError> {
    let row = Query::new(
        "INSERT INTO ai_usage (job_id, stage, provider, model, input_tokens, output_tokens, images, cost_usd, at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id",
    )
    .bind(usage.job)
    .bind(usage.stage.as_str())
    .bind(usage.provider.as_str())
    .bind(usage.model.as_str())
    .bind(usage.input_tokens)
    .bind(usage.output_tokens)
    .bind(usage.images)
    .bind(usage.cost_usd)
    .bind(usage.at)
    .first::<Id>(tx)
    .await?;
    Ok(row.map_or(0, |row| row.id))
}

/// What a call really took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settled {
    /// Tokens sent.
    pub input_tokens: i64,
    /// Tokens received.
    pub output_tokens: i64,
    /// Pictures received.
    pub images: i64,
    /// Cost in US dollars.
    pub cost_usd: f64,
}

/// Puts what a call really took in place of what was set aside.
pub async fn settle(tx: &mut Tx, id: i64, settled: &Settled) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE ai_usage SET input_tokens = $2, output_tokens = $3, images = $4, cost_usd = $5 WHERE id = $1",
    )
    .bind(id)
    .bind(settled.input_tokens)
    .bind(settled.output_tokens)
    .bind(settled.images)
    .bind(settled.cost_usd)
    .change(tx)
    .await
}

/// Calls of one hour, stage, provider and model. Days of California begin at whole hours of UTC, so hours add up to days.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Hour {
    /// Hours since 1970, UTC.
    pub hour: i64,
    /// What for.
    pub stage: String,
    /// Whom.
    pub provider: String,
    /// Which model.
    pub model: String,
    /// Calls.
    pub calls: i64,
    /// Tokens sent.
    pub input_tokens: i64,
    /// Tokens received.
    pub output_tokens: i64,
    /// Pictures received.
    pub images: i64,
    /// US dollars.
    pub cost_usd: f64,
}

/// Everything since `since`, the oldest first.
pub async fn by_hour(on: &mut impl Read, since: Timestamp) -> Result<Vec<Hour>, StoreError> {
    Query::new(
        "SELECT at / 3600000 AS hour, stage, provider, model, COUNT(*) AS calls, \
         CAST(SUM(input_tokens) AS BIGINT) AS input_tokens, CAST(SUM(output_tokens) AS BIGINT) AS output_tokens, \
         CAST(SUM(images) AS BIGINT) AS images, CAST(SUM(cost_usd) AS DOUBLE PRECISION) AS cost_usd \
         FROM ai_usage WHERE at >= $1 GROUP BY at / 3600000, stage, provider, model \
         ORDER BY at / 3600000, stage, provider, model",
    )
    .bind(since)
    .all::<Hour>(on)
    .await
}
