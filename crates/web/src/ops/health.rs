//! `GET /health`: is it going well.

use crate::WebState;
use axum::Json;
use axum::extract::State;
use domain::maintenance::Maintenance;
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

/// How the product is.
#[derive(Debug, Serialize, ToSchema)]
pub struct HealthAnswer {
    /// False only when the database fails.
    ok: bool,
    /// `ok` or `failed`.
    db: &'static str,
    /// Jobs queued, processing or delivering.
    active_jobs: i64,
    /// Who paused the product: `env`, `auto`, `admin`, or null.
    maintenance: Option<&'static str>,
    /// Seconds since the bot told that it lives; null when it never did.
    bot_seen_seconds: Option<u64>,
    /// Version of the program.
    version: &'static str,
    /// Revision of the source it was built from.
    revision: &'static str,
}

/// Looks at the database and at what the bot told.
#[utoipa::path(
    get, path = "/health", tag = "ops",
    responses(
        (status = 200, body = HealthAnswer),
        (status = 503, body = HealthAnswer, description = "The database fails"),
    )
)]
pub async fn health(State(state): State<WebState>) -> (StatusCode, Json<HealthAnswer>) {
    let health = app::health::look(&state.ctx).await;
    let status = if health.ok { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let answer = HealthAnswer {
        ok: health.ok,
        db: health.db,
        active_jobs: health.active_jobs,
        maintenance: health.maintenance.map(Maintenance::word),
        bot_seen_seconds: health.bot_seen_seconds,
        version: state.options.version,
        revision: state.options.revision,
    };
    (status, Json(answer))
}
