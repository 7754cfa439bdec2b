//! The camera's hint: would the server take this picture? Stores nothing.

use super::expects;
use crate::{AppError, Ctx, Refusal};
use bytes::Bytes;
use serde::Serialize;
use std::sync::Arc;

/// Answer to a frame of the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FaceAnswer {
    /// Whether the same picture would pass the upload.
    pub ok: bool,
    /// What to do otherwise: `no_face`, `several_faces`, `too_small`, `off_centre` or `dark`.
    pub hint: Option<&'static str>,
}

/// Whether frames of this session are looked at; asked before the body is read.
///
/// # Errors
/// [`Refusal::UnknownSession`].
pub async fn face_expected(ctx: &Ctx, token: &str) -> Result<(), Refusal> {
    expects::known(ctx, token).await.map(drop)
}

/// Looks at a frame by the rule of the upload.
///
/// # Errors
/// [`Refusal::Busy`] when too many frames are being looked at.
pub async fn check_face(ctx: &Ctx, frame: Bytes) -> Result<FaceAnswer, Refusal> {
    let Ok(_place) = ctx.limits.frames.try_acquire() else {
        return Err(Refusal::Busy);
    };
    let renderer = Arc::clone(&ctx.renderer);
    let answer =
        tokio::task::spawn_blocking(move || renderer.check_frame(&frame)).await.map_err(AppError::from)?;
    Ok(FaceAnswer { ok: answer.ok, hint: answer.hint.map(|hint| hint.code()) })
}
