//! Table `ai_usage`: every call to an image provider with what it cost. Rows outlive the guest: they hold job numbers only.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::{Read, Tx};
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
