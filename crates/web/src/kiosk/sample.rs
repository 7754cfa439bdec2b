//! `GET /templates/{id}/stickers/{n}.webp?lang=…`: a sample sticker of an outfit, its caption in a language.

use super::answers::ErrorAnswer;
use crate::shell::assets::{etag, matches};
use crate::shell::error::Shell;
use crate::{ApiError, WebState};
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use domain::Language;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use http::{HeaderMap, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

/// Samples change with the outfit only, and a tablet shows them in a loop.
const KEPT: HeaderValue = HeaderValue::from_static("public, max-age=3600");

/// A sticker that shows what the outfit looks like.
#[utoipa::path(
    get, path = "/templates/{id}/stickers/{file}", tag = "kiosk",
    params(
        ("id" = String, Path), ("file" = String, Path, description = "`0.webp` and so on", example = "0.webp"),
        ("lang" = Option<String>, Query, description = "`ru`, `uz` or `en`; any other is `ru`"),
    ),
    responses(
        (status = 200, body = Vec<u8>, content_type = "image/webp"),
        (status = 404, body = ErrorAnswer, description = "`not_found`"),
    )
)]
pub async fn sample(
    State(state): State<WebState>,
    Path((id, file)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let place = file.strip_suffix(".webp").and_then(|place| place.parse().ok()).ok_or(Shell::NotFound)?;
    let language = query.as_deref().and_then(language).unwrap_or_default();
    let sticker =
        app::kiosk::sample_sticker(&state.ctx, &id, language, place).await?.ok_or(Shell::NotFound)?;
    let tag = etag(&Sha256::digest(&sticker));
    if matches(&headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, [(ETAG, tag), (CACHE_CONTROL, KEPT)]).into_response());
    }
    let webp = HeaderValue::from_static("image/webp");
    Ok(([(CONTENT_TYPE, webp), (ETAG, tag), (CACHE_CONTROL, KEPT)], sticker).into_response())
}

/// The value of `lang`; a picture with a Russian caption is better than none, so what is unknown is not refused.
fn language(query: &str) -> Option<Language> {
    query.split('&').find_map(|pair| pair.strip_prefix("lang=")).and_then(Language::from_code)
}
