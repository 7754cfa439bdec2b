//! Figures of every request. The route is named by its pattern: the address itself may hold a session token and reaches no log.

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use std::time::Instant;

/// Counts requests and measures the time to the head of the answer.
pub async fn measure(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let method = request.method().clone();
    let start = Instant::now();
    let response = next.run(request).await;
    let (took, status) = (start.elapsed(), response.status());
    let labels = [
        ("method", known_method(method.as_str())),
        ("route", route.clone()),
        ("status", status.as_u16().to_string()),
    ];
    metrics::counter!("http_requests_total", &labels).increment(1);
    metrics::histogram!("http_request_duration_seconds", "route" => route.clone()).record(took.as_secs_f64());
    tracing::debug!(%method, route, status = status.as_u16(), duration_ms = took.as_millis() as u64, "request");
    response
}

/// A caller may invent methods; a label may not grow with them.
fn known_method(method: &str) -> String {
    let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    if known.contains(&method) { method.to_owned() } else { "other".to_owned() }
}
