//! Styles, script and fonts of the panel, embedded in the binary. Each address carries a hash of the content and is kept for a year.

use crate::ApiError;
use crate::shell::error::Shell;
use axum::body::Body;
use axum::extract::{Path, RawQuery};
use axum::response::Response;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use rust_embed::{EmbeddedFile, RustEmbed};
use std::sync::LazyLock;

/// What `npm run build` made of the panel.
#[derive(RustEmbed)]
#[folder = "../../web-ui/panel/dist"]
struct Dist;

/// Files in this folder have a hash in their name, made by the bundler.
const HASHED: &str = "f/";

/// Addresses that every page names.
pub struct Addresses {
    /// Styles.
    pub css: String,
    /// Script.
    pub js: String,
    /// What sets the theme before anything is drawn.
    pub theme: String,
    /// The mark.
    pub icon: String,
}

/// Made once: the files do not change while the program runs.
pub static ADDRESSES: LazyLock<Addresses> = LazyLock::new(|| Addresses {
    css: address("panel.css"),
    js: address("panel.js"),
    theme: address("theme.js"),
    icon: address("icon.svg"),
});

fn address(path: &str) -> String {
    let version = Dist::get(path).map(|file| version(&file)).unwrap_or_default();
    format!("/admin/assets/{path}?v={version}")
}

/// The first letters of the content's hash.
fn version(file: &EmbeddedFile) -> String {
    file.metadata.sha256_hash().iter().take(5).map(|byte| format!("{byte:02x}")).collect()
}

/// `GET /admin/assets/…`: open to all, there is nothing of anybody in it.
pub async fn file(Path(path): Path<String>, RawQuery(query): RawQuery) -> Result<Response, ApiError> {
    let file = Dist::get(&path).ok_or(Shell::NotFound)?;
    let by_content =
        path.starts_with(HASHED) || query.is_some_and(|query| query == format!("v={}", version(&file)));
    let mime = match file.metadata.mimetype() {
        "text/css" => "text/css; charset=utf-8",
        "text/javascript" | "application/javascript" => "text/javascript; charset=utf-8",
        other => other,
    };
    let mime = HeaderValue::from_str(mime).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    let kept = if by_content { "public, max-age=31536000, immutable" } else { "no-cache" };
    let mut response = Response::new(Body::from(file.data.into_owned()));
    response.headers_mut().insert(CONTENT_TYPE, mime);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(kept));
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_a_page_names_is_there() {
        let named = &*ADDRESSES;
        for address in [&named.css, &named.js, &named.theme, &named.icon] {
            let (path, version) = address.split_once("?v=").expect("a version");
            assert_eq!(version.len(), 10, "{address}");
            assert!(Dist::get(path.trim_start_matches("/admin/assets/")).is_some(), "{address}");
        }
    }
}
