//! Compresses text answers for browsers that take it: the page is one request over a phone's network.

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue};
use http_body_util::{BodyExt, Limited};
use std::io::Write;

/// Shorter answers gain nothing.
const LENGTH_MIN: usize = 512;
/// Our own texts are far shorter; anything longer passes as it is.
const LENGTH_MAX: usize = 1024 * 1024;

/// Compresses the answer where that helps.
pub async fn compress(request: Request, next: Next) -> Response {
    let wanted = takes_gzip(request.headers());
    let mut response = next.run(request).await;
    if !is_text(response.headers()) {
        return response;
    }
    response.headers_mut().append(VARY, HeaderValue::from_static("accept-encoding"));
    if wanted { compressed(response).await } else { response }
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
    let mut codings = lines.flat_map(|line| line.split(','));
    codings.any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        name.trim().eq_ignore_ascii_case("gzip")
            && !matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
    })
}

fn is_text(headers: &HeaderMap) -> bool {
    let mime = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    mime.starts_with("text/") || ["image/svg+xml", "application/json", "application/xml"].contains(&mime)
}

async fn compressed(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    // Every text of ours is made in memory, so reading it neither fails nor waits.
    let Ok(whole) = Limited::new(body, LENGTH_MAX).collect().await else {
        return Response::from_parts(parts, Body::empty());
    };
    let plain = whole.to_bytes();
    let squeezed = if plain.len() < LENGTH_MIN { None } else { squeeze(&plain) };
    let Some(squeezed) = squeezed else { return Response::from_parts(parts, Body::from(plain)) };
    parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(squeezed))
}

fn squeeze(plain: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 3), Compression::new(6));
    encoder.write_all(plain).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_browsers_that_take_gzip_get_it() {
        for (header, expected) in [
            ("gzip, deflate, br", true),
            ("br;q=1, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("br", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(header));
            assert_eq!(takes_gzip(&headers), expected, "{header}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
