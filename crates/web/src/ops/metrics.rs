//! `GET /metrics`: figures as Prometheus text.

use crate::WebState;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;

/// The figures of this process.
#[utoipa::path(
    get, path = "/metrics", tag = "ops",
    responses((status = 200, body = String, content_type = "text/plain", description = "Prometheus text"))
)]
pub async fn metrics(State(state): State<WebState>) -> Response {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], (state.options.figures)()).into_response()
}
