//! Security headers on every answer, and the content policy of our pages: no inline code, no framing, nothing from elsewhere.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderName, HeaderValue};

/// Policy of answers that are no page: nothing may be loaded or framed.
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Policy of a page of ours: its own files, its own server, pictures made in the page, the camera's stream.
pub const PAGE: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
     connect-src 'self'; font-src 'self'; media-src blob:; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; \
     form-action 'none'";

/// Sets what an answer did not set itself.
pub async fn secure(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let defaults = [
        (CONTENT_SECURITY_POLICY, NOTHING),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(self), microphone=(), geolocation=()"),
        // Answers are about persons or change at once; assets say otherwise themselves.
        (CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in defaults {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
