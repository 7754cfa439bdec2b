//! No request may take for ever: each route has a bound until the head of its answer.

use super::error::Shell;
use crate::ApiError;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::time::Duration;

/// Ordinary calls.
pub const CALL: Duration = Duration::from_secs(30);
/// A photo over a slow network, with its decoding.
pub const UPLOAD: Duration = Duration::from_secs(120);

/// Ends an ordinary call that takes too long. What it wrote to the database stays whole: writes do not end with the request.
pub async fn call(request: Request, next: Next) -> Response {
    within(CALL, request, next).await
}

/// Ends an upload that takes too long.
pub async fn upload(request: Request, next: Next) -> Response {
    within(UPLOAD, request, next).await
}

async fn within(limit: Duration, request: Request, next: Next) -> Response {
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => ApiError::from(Shell::TimedOut).into_response(),
    }
}
