//! `POST /session/{token}/photo`: the selfie. Whether it would be taken at all is decided before a byte of it is read.

use super::answers::{self, ErrorAnswer};
use crate::shell::body::announced;
use crate::shell::error::Shell;
use crate::shell::key::KioskKey;
use crate::{ApiError, WebState};
use axum::Json;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Path, Request, State};
use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http_body_util::Limited;
use serde::Serialize;
use std::time::Duration;
use utoipa::ToSchema;

/// The largest photo.
pub const PHOTO_MAX: usize = 10 * 1024 * 1024;
/// The photo with the boundaries and headers around it.
const FORM_MAX: usize = PHOTO_MAX + 64 * 1024;
/// How long an upload waits for a place.
const PLACE_WAIT: Duration = Duration::from_secs(20);

/// A photo that became a job.
#[derive(Debug, Serialize, ToSchema)]
pub struct QueuedAnswer {
    /// Number of the job.
    job_id: i64,
    /// `queued`.
    #[schema(schema_with = answers::job_status)]
    status: &'static str,
    /// Place in the queue, 1 is next.
    position: Option<u32>,
    /// Expected wait in seconds.
    eta_seconds: Option<u64>,
}

/// The form.
#[derive(ToSchema)]
#[expect(dead_code, reason = "the shape of the form for the description; the handler reads it as a stream")]
pub struct PhotoForm {
    /// JPEG, PNG or WEBP of at most 10 MiB and 40 megapixels.
    #[schema(value_type = String, format = Binary)]
    photo: Vec<u8>,
}

/// Takes the photo and queues the job.
#[utoipa::path(
    post, path = "/session/{token}/photo", tag = "kiosk",
    request_body(content = PhotoForm, content_type = "multipart/form-data"),
    params(
        ("token" = String, Path),
        ("X-Kiosk-Key" = Option<String>, Header, description = "The kiosk key, when one is configured"),
    ),
    responses(
        (status = 202, body = QueuedAnswer),
        (status = 401, body = ErrorAnswer, description = "`kiosk_key`"),
        (status = 404, body = ErrorAnswer, description = "`unknown_session`"),
        (status = 409, body = ErrorAnswer, description = "`wrong_status`; `pack_limit` with `notice`"),
        (status = 413, body = ErrorAnswer, description = "`body_too_large`: over 10 MiB"),
        (status = 422, body = ErrorAnswer,
         description = "`bad_body`, `not_an_image`, `heic`, `too_large`, `too_small`, `no_face`, `several_faces`"),
        (status = 429, body = ErrorAnswer, description = "`busy`"),
        (status = 503, body = ErrorAnswer, description = "`maintenance`"),
    )
)]
pub async fn photo(
    _key: KioskKey,
    State(state): State<WebState>,
    Path(token): Path<String>,
    request: Request,
) -> Result<(StatusCode, Json<QueuedAnswer>), ApiError> {
    app::session::photo_expected(&state.ctx, &token).await?;
    if announced(request.headers()).is_some_and(|length| length > FORM_MAX as u64) {
        return Err(Shell::PhotoTooLarge.into());
    }
    let place = tokio::time::timeout(PLACE_WAIT, state.uploads.acquire()).await;
    let Ok(Ok(_place)) = place else { return Err(Shell::Busy.into()) };
    let photo = read(request).await?;
    let queued = app::session::submit_photo(&state.ctx, &token, photo).await?;
    let answer = QueuedAnswer {
        job_id: queued.job_id.0,
        status: queued.status.word(),
        position: queued.position,
        eta_seconds: queued.eta_seconds,
    };
    Ok((StatusCode::ACCEPTED, Json(answer)))
}

/// The field `photo` of the form; other fields are skipped within the limit of the whole form.
async fn read(request: Request) -> Result<Bytes, ApiError> {
    let request = request.map(|body| axum::body::Body::new(Limited::new(body, FORM_MAX)));
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| Shell::BadBody)?;
    while let Some(field) = form.next_field().await.map_err(refused)? {
        if field.name() == Some("photo") {
            return whole(field).await;
        }
    }
    Err(Shell::BadBody.into())
}

async fn whole(mut field: Field<'_>) -> Result<Bytes, ApiError> {
    let mut bytes = BytesMut::new();
    while let Some(chunk) = field.chunk().await.map_err(refused)? {
        if bytes.len() + chunk.len() > PHOTO_MAX {
            return Err(Shell::PhotoTooLarge.into());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.freeze())
}

/// The limit of the form shows as an error of its stream, somewhere down the chain.
fn refused(error: MultipartError) -> ApiError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = cause {
        if inner.is::<http_body_util::LengthLimitError>() {
            return Shell::PhotoTooLarge.into();
        }
        cause = inner.source();
    }
    Shell::BadBody.into()
}
