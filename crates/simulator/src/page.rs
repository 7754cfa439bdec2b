//! The chat page: a phone in a browser tab.

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rust_embed::RustEmbed;

use crate::world::World;

/// The built page. It may be missing while the page is being worked on.
#[derive(RustEmbed)]
#[folder = "../../web-ui/chat/dist"]
#[allow_missing = true]
struct Dist;

const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                   font-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; \
                   form-action 'none'; frame-ancestors 'none'";

const NOT_BUILT: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
    <title>Chat page</title>\n<h1>The chat page is not built</h1>\n\
    <p>Run <code>npm ci</code> and <code>npm run build</code> in <code>web-ui</code>, then load this page again.</p>\n";

pub(crate) fn routes() -> Router<World> {
    Router::new()
        .route("/", get(index))
        .route("/chat", get(index))
        .route("/addstickers/{name}", get(index))
        .route("/chat-assets/{*path}", get(asset))
}

/// `/{bot_username}` is the page too, whatever the query says.
pub(crate) fn by_path(world: &World, path: &str) -> Option<Response> {
    let name = path.trim_matches('/');
    let bots = world.bots();
    let known = bots["bots"].as_array()?.iter().filter_map(|bot| bot["username"].as_str());
    let found = known.into_iter().any(|known| known.eq_ignore_ascii_case(name));
    found.then(page)
}

async fn index() -> Response {
    page()
}

fn page() -> Response {
    let body = Dist::get("index.html").map_or(NOT_BUILT.as_bytes().to_vec(), |file| file.data.into_owned());
    let mut headers = safe_headers("text/html; charset=utf-8");
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    (headers, body).into_response()
}

async fn asset(Path(path): Path<String>) -> Response {
    let Some(file) = Dist::get(&path) else { return StatusCode::NOT_FOUND.into_response() };
    let mut headers = safe_headers(file.metadata.mimetype());
    // The build puts a hash into the names below this folder.
    let lasting =
        if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(lasting));
    (headers, file.data.into_owned()).into_response()
}

/// Headers of everything that a browser shows.
pub(crate) fn safe_headers(kind: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let kind = HeaderValue::from_str(kind).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CSP));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers
}
