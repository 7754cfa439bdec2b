//! `POST /session/{token}/face`: would the server take this picture? Stores nothing.

use super::answers::ErrorAnswer;
use crate::shell::body;
use crate::shell::key::KioskKey;
use crate::{ApiError, WebState};
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use http::HeaderMap;
use serde::Serialize;
use utoipa::ToSchema;

/// The largest frame.
pub const FRAME_MAX: usize = 64 * 1024;

/// What to tell the guest.
#[derive(Debug, Serialize, ToSchema)]
pub struct FaceHint {
    /// Whether the same picture would pass the upload.
    ok: bool,
    /// What to do otherwise: `no_face`, `several_faces`, `too_small`, `off_centre` or `dark`.
    hint: Option<&'static str>,
}

/// Looks at a frame of the camera by the rule of the upload.
#[utoipa::path(
    post, path = "/session/{token}/face", tag = "kiosk",
    request_body(content = Vec<u8>, content_type = "image/jpeg", description = "A JPEG frame of at most 64 KiB"),
    params(
        ("token" = String, Path),
        ("X-Kiosk-Key" = Option<String>, Header, description = "The kiosk key, when one is configured"),
    ),
    responses(
        (status = 200, body = FaceHint),
        (status = 401, body = ErrorAnswer, description = "`kiosk_key`"),
        (status = 404, body = ErrorAnswer, description = "`unknown_session`"),
        (status = 413, body = ErrorAnswer, description = "`body_too_large`: over 64 KiB"),
        (status = 429, body = ErrorAnswer, description = "`busy`: the next frame comes anyway"),
    )
)]
pub async fn face(
    _key: KioskKey,
    State(state): State<WebState>,
    Path(token): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<FaceHint>, ApiError> {
    app::session::face_expected(&state.ctx, &token).await?;
    let frame = body::read(&headers, body, FRAME_MAX).await?;
    let answer = app::session::check_face(&state.ctx, frame).await?;
    Ok(Json(FaceHint { ok: answer.ok, hint: answer.hint }))
}
