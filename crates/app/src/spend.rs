//! What image providers cost, by day of California (their bills and quotas count so) and by stage.

use crate::AppError;
use domain::Timestamp;
use domain::cost::{pacific_day, pacific_midnight, sum_usd};
use serde::Serialize;
use std::collections::BTreeMap;
use store::{Store, ai_usage};

/// Calls of one day, stage, provider and model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// `YYYY-MM-DD` in California.
    pub day: String,
    /// What for: `describe`, `anchor`, `sheet`, `redo`.
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

/// All of them, the oldest day first.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// By day, stage, provider, model.
    pub rows: Vec<Row>,
}

impl Report {
    /// US dollars in all.
    pub fn total_usd(&self) -> f64 {
        sum_usd(self.rows.iter().map(|row| row.cost_usd))
    }

    /// US dollars of each day.
    pub fn by_day(&self) -> BTreeMap<&str, f64> {
        let mut days = BTreeMap::new();
        for row in &self.rows {
            *days.entry(row.day.as_str()).or_insert(0.0) += row.cost_usd;
        }
        days
    }
}

/// The last `days` days, today included.
///
/// # Errors
/// When the database fails.
pub async fn report(store: &Store, now: Timestamp, days: u16) -> Result<Report, AppError> {
    let since = pacific_midnight(now, i32::from(days) - 1);
    let mut rows: BTreeMap<(String, String, String, String), Row> = BTreeMap::new();
    for hour in ai_usage::by_hour(&mut store.reader(), since).await? {
        let day = pacific_day(Timestamp::from_millis(hour.hour.saturating_mul(3_600_000)));
        let key = (day.clone(), hour.stage.clone(), hour.provider.clone(), hour.model.clone());
        let row = rows.entry(key).or_insert_with(|| Row {
            day,
            stage: hour.stage,
            provider: hour.provider,
            model: hour.model,
            calls: 0,
            input_tokens: 0,
            output_tokens: 0,
            images: 0,
            cost_usd: 0.0,
        });
        row.calls += hour.calls;
        row.input_tokens += hour.input_tokens;
        row.output_tokens += hour.output_tokens;
        row.images += hour.images;
        row.cost_usd += hour.cost_usd;
    }
    Ok(Report { rows: rows.into_values().collect() })
}
