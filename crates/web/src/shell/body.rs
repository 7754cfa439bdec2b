//! Request bodies, bounded while they are read.

use super::error::Shell;
use crate::ApiError;
use axum::body::Body;
use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use http_body_util::{BodyExt, Limited};
use serde::de::DeserializeOwned;

/// The longest JSON body of a kiosk call.
pub const JSON_MAX: usize = 4 * 1024;

/// A whole body of at most `max` bytes. A longer one is refused from its announced length, or as soon as it passes the limit.
///
/// # Errors
/// [`Shell::BodyTooLarge`]; [`Shell::BadBody`] when the caller breaks off.
pub async fn read(headers: &HeaderMap, body: Body, max: usize) -> Result<Bytes, Shell> {
    if announced(headers).is_some_and(|length| length > max as u64) {
        return Err(Shell::BodyTooLarge);
    }
    match Limited::new(body, max).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => Err(Shell::BodyTooLarge),
        Err(_) => Err(Shell::BadBody),
    }
}

/// A JSON object; an empty body is the default of `T`, because `POST /session` needs none.
///
/// # Errors
/// 413 over [`JSON_MAX`], 422 when it is not what the call takes.
pub async fn json_or_default<T: DeserializeOwned + Default>(
    headers: &HeaderMap,
    body: Body,
) -> Result<T, ApiError> {
    let bytes = read(headers, body, JSON_MAX).await?;
    if bytes.iter().all(u8::is_ascii_whitespace) { Ok(T::default()) } else { parse(&bytes) }
}

/// A JSON object.
///
/// # Errors
/// 413 over [`JSON_MAX`], 422 when it is not what the call takes.
pub async fn json<T: DeserializeOwned>(headers: &HeaderMap, body: Body) -> Result<T, ApiError> {
    parse(&read(headers, body, JSON_MAX).await?)
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(bytes).map_err(|_| Shell::BadBody.into())
}

/// The length that the caller announced.
pub fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
