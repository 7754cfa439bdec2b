//! Files of the web pages, embedded in the binary: names with a hash are kept for a year, the page itself is asked for each time.

use super::error::Shell;
use super::headers::PAGE;
use crate::ApiError;
use axum::body::Body;
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, StatusCode};
use rust_embed::{EmbeddedFile, RustEmbed};
use std::fmt::Write;

/// Characters of the hash that Vite puts between a name and its ending: `index-CTiMx2jm.css`.
const HASH_LENGTH: usize = 8;

/// The page of an embedded folder.
///
/// # Errors
/// 404 when the folder has no `index.html`.
pub fn page<Folder: RustEmbed>(headers: &HeaderMap) -> Result<Response, ApiError> {
    file::<Folder>(headers, "index.html")
}

/// A file of an embedded folder.
///
/// # Errors
/// 404 when there is none of this name.
pub fn file<Folder: RustEmbed>(headers: &HeaderMap, path: &str) -> Result<Response, ApiError> {
    let file = Folder::get(path).ok_or(Shell::NotFound)?;
    let tag = etag(&file.metadata.sha256_hash());
    let kept = if has_hash(path) {
        "public, max-age=31536000, immutable"
    } else if path.ends_with(".html") {
        "no-cache"
    } else {
        "public, max-age=3600"
    };
    let known = matches(headers, &tag);
    let mut response = whole(file, tag, kept);
    if known {
        // The headers stay: a browser takes those of this answer for the page it kept, the content policy too.
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
    }
    Ok(response)
}

/// Whether the name carries a hash of the content, so that this name never means other bytes.
fn has_hash(path: &str) -> bool {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let Some(cut) = stem.len().checked_sub(HASH_LENGTH).filter(|cut| stem.is_char_boundary(*cut)) else {
        return false;
    };
    let (name, hash) = stem.split_at(cut);
    // A word of eight small letters is a word; a hash of only small letters is so rare that asking again costs nothing.
    name.ends_with('-')
        && hash.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        && hash.bytes().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
}

fn whole(file: EmbeddedFile, tag: HeaderValue, kept: &'static str) -> Response {
    let mime = file.metadata.mimetype();
    let mut response = Response::new(Body::from(file.data.into_owned()));
    let headers = response.headers_mut();
    if mime == "text/html" {
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE));
    }
    let with_charset = match mime {
        "text/html" => "text/html; charset=utf-8",
        "text/css" => "text/css; charset=utf-8",
        "text/javascript" | "application/javascript" => "text/javascript; charset=utf-8",
        other => other,
    };
    if let Ok(value) = HeaderValue::from_str(with_charset) {
        headers.insert(CONTENT_TYPE, value);
    }
    headers.insert(ETAG, tag);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(kept));
    response
}

/// A quoted tag of a content hash.
pub fn etag(hash: &[u8]) -> HeaderValue {
    let mut tag = String::from("\"");
    for byte in hash.iter().take(16) {
        // Writing to a String cannot fail.
        let _ = write!(tag, "{byte:02x}");
    }
    tag.push('"');
    HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Whether the caller has this version already.
pub fn matches(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let (Some(known), Ok(tag)) =
        (headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok()), tag.to_str())
    else {
        return false;
    };
    known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_with_a_hash_are_kept_for_ever() {
        for hashed in ["index-CTiMx2jm.css", "ikat--wYPtt-v.svg", "assets/index-D6AOvnAB.js"] {
            assert!(has_hash(hashed), "{hashed}");
        }
        for plain in ["index.html", "icon-portrait.svg", "icon.svg", "a", "ж-CTiMx2j.css", ""] {
            assert!(!has_hash(plain), "{plain}");
        }
    }

    #[derive(RustEmbed)]
    #[folder = "../../web-ui/kiosk/dist"]
    struct Kiosk;

    #[test]
    fn a_page_that_did_not_change_keeps_its_content_policy() {
        let whole = page::<Kiosk>(&HeaderMap::new()).expect("the page");
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, whole.headers()[ETAG].clone());
        let known = page::<Kiosk>(&headers).expect("the page");
        assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
        for name in [CONTENT_SECURITY_POLICY, ETAG, CACHE_CONTROL] {
            assert_eq!(known.headers().get(&name), whole.headers().get(&name), "{name}");
        }
    }

    #[test]
    fn a_known_version_is_recognised_among_several_and_when_it_is_weak() {
        let tag = etag(&[7; 32]);
        let text = tag.to_str().expect("ASCII").to_owned();
        for (header, known) in
            [(text.clone(), true), (format!("\"other\", W/{text}"), true), ("\"other\"".to_owned(), false)]
        {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, HeaderValue::try_from(header.clone()).expect("ASCII"));
            assert_eq!(matches(&headers, &tag), known, "{header}");
        }
        assert!(!matches(&HeaderMap::new(), &tag));
    }
}
