//! Files of the page, embedded in the binary: styles, script, fonts, pictures. Each address carries a hash of the content and is kept for a year.

use crate::page::missing;
use crate::site::Site;
use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use bytes::Bytes;
use domain::Language;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue};
use rust_embed::{EmbeddedFile, RustEmbed};
use std::borrow::Cow;
use std::collections::HashMap;

/// What `npm run build` made of the page. Allowed to be missing, so that the crate compiles before the pages are built.
#[derive(RustEmbed)]
#[folder = "../../web-ui/landing/dist"]
#[allow_missing = true]
struct Dist;

/// Where the files are served.
pub const PREFIX: &str = "/landing-assets/";

/// Files in this folder have a hash in their name, made by the bundler.
const HASHED: &str = "f/";

/// Addresses of the files.
pub struct Assets {
    /// Address by path inside the folder.
    urls: HashMap<String, String>,
    /// Fonts of the first view, by language.
    fonts: HashMap<Language, Vec<String>>,
}

impl Assets {
    /// The files in this binary; none when it was built without them.
    pub fn embedded() -> Option<Assets> {
        let url = |path: &str| {
            let file = Dist::get(path)?;
            let address = if path.starts_with(HASHED) {
                format!("{PREFIX}{path}")
            } else {
                format!("{PREFIX}{path}?v={}", version(&file))
            };
            Some((path.to_owned(), address))
        };
        let urls: HashMap<_, _> = Dist::iter().filter_map(|path| url(&path)).collect();
        for needed in ["landing.css", "landing.js", "icon.svg"] {
            urls.get(needed)?;
        }
        let fonts = Language::ALL.into_iter().map(|language| (language, fonts(&urls, language))).collect();
        Some(Assets { urls, fonts })
    }

    /// Address of a file; a page of ours never names one that is not there, which a test proves.
    pub fn url(&self, path: &str) -> &str {
        self.urls.get(path).map_or("", String::as_str)
    }

    /// Fonts that the first view of this language needs.
    pub fn fonts(&self, language: Language) -> &[String] {
        self.fonts.get(&language).map_or(&[], Vec::as_slice)
    }
}

fn fonts(urls: &HashMap<String, String>, language: Language) -> Vec<String> {
    let script = match language {
        Language::Ru => "cyrillic",
        Language::Uz | Language::En => "latin",
    };
    let starts = ["600", "900"].map(|weight| format!("{HASHED}nunito-{script}-{weight}-normal"));
    let find = |start: &String| urls.iter().find(|(path, _)| path.starts_with(start.as_str()));
    starts.iter().filter_map(find).map(|(_, url)| url.clone()).collect()
}

/// The first letters of the content's hash.
fn version(file: &EmbeddedFile) -> String {
    file.metadata.sha256_hash().iter().take(5).map(|byte| format!("{byte:02x}")).collect()
}

/// `GET /landing-assets/…`
pub async fn file(
    State(site): State<Site>,
    Path(path): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let Some(file) = Dist::get(&path) else { return missing(&site, &headers) };
    let is_named_by_content =
        path.starts_with(HASHED) || query.is_some_and(|query| query == format!("v={}", version(&file)));
    respond(file, is_named_by_content)
}

/// `GET /favicon.ico`, which browsers ask for unasked.
pub async fn favicon(State(site): State<Site>, headers: HeaderMap) -> Response {
    match Dist::get("favicon.ico") {
        Some(file) => respond(file, false),
        None => missing(&site, &headers),
    }
}

fn respond(file: EmbeddedFile, is_named_by_content: bool) -> Response {
    let mime = match file.metadata.mimetype() {
        "text/css" => "text/css; charset=utf-8",
        "text/javascript" | "application/javascript" => "text/javascript; charset=utf-8",
        other => other,
    };
    let kept =
        if is_named_by_content { "public, max-age=31536000, immutable" } else { "public, max-age=3600" };
    let mime = HeaderValue::from_str(mime).ok();
    let bytes = match file.data {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    };
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    if let Some(mime) = mime {
        headers.insert(CONTENT_TYPE, mime);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(kept));
    // Messengers and search engines show the card on pages of their own.
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("cross-origin"),
    );
    response
}
