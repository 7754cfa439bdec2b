//! A call as it comes over HTTP: query string, form, JSON or multipart, also chunked.

use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Query, Request};
use axum::http::{StatusCode, header};
use axum::{Form, body::Body};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;

use super::{Params, Upload};
use crate::refusal::Refusal;

/// Bytes of one call.
pub const MOST_BYTES: usize = 50 * 1024 * 1024;

/// Reads the parameters of a request. Those of the query string come first.
///
/// # Errors
/// 413 for a body that is too big, 400 for one that cannot be read.
pub async fn read(request: Request) -> Result<Params, Refusal> {
    let mut params = Params::new();
    if let Ok(Query(pairs)) = Query::<Vec<(String, String)>>::try_from_uri(request.uri()) {
        put_all(&mut params, pairs);
    }
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().to_ascii_lowercase();
    let (parts, body) = request.into_parts();
    let bytes = whole(body).await?;
    let request = Request::from_parts(parts, Body::from(bytes.clone()));
    if kind.starts_with("application/json") {
        read_json(&mut params, &bytes)?;
    } else if kind.starts_with("multipart/form-data") {
        read_parts(&mut params, request).await?;
    } else if kind.starts_with("application/x-www-form-urlencoded")
        && let Ok(Form(pairs)) = Form::<Vec<(String, String)>>::from_request(request, &()).await
    {
        put_all(&mut params, pairs);
    }
    Ok(params)
}

async fn whole(body: Body) -> Result<bytes::Bytes, Refusal> {
    match Limited::new(body, MOST_BYTES).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large()),
        Err(_) => Err(Refusal::bad("the request body could not be read")),
    }
}

/// The refusal of a body that is too big.
fn too_large() -> Refusal {
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE.as_u16(), "Request Entity Too Large")
}

fn put_all(params: &mut Params, pairs: Vec<(String, String)>) {
    for (name, value) in pairs {
        params.put(&name, &Value::String(value));
    }
}

fn read_json(params: &mut Params, bytes: &[u8]) -> Result<(), Refusal> {
    if bytes.is_empty() {
        return Ok(());
    }
    let Ok(Value::Object(fields)) = serde_json::from_slice(bytes) else {
        return Err(Refusal::bad("can't parse request body as a JSON object"));
    };
    for (name, value) in &fields {
        params.put(name, value);
    }
    Ok(())
}

async fn read_parts(params: &mut Params, mut request: Request) -> Result<(), Refusal> {
    let broken = || Refusal::bad("can't parse multipart/form-data request body");
    // The whole body was counted already; the usual limit of the extractor is smaller.
    DefaultBodyLimit::disable().apply(&mut request);
    let mut parts = Multipart::from_request(request, &()).await.map_err(|_| broken())?;
    while let Some(part) = parts.next_field().await.map_err(|_| broken())? {
        let name = part.name().unwrap_or_default().to_owned();
        let file_name = part.file_name().map(str::to_owned);
        let bytes = part.bytes().await.map_err(|_| broken())?;
        match file_name {
            Some(file_name) => params.put_file(&name, Upload::new(&file_name, bytes)),
            None => {
                let text = String::from_utf8(bytes.to_vec()).map_err(|_| broken())?;
                params.put(&name, &Value::String(text));
            }
        }
    }
    Ok(())
}
