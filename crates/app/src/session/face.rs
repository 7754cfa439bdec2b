//! The camera's hint: would the server take this picture? Stores nothing.

use crate::{AppError, Ctx, Refusal};
use bytes::Bytes;
use serde::Serialize;
use std::sync::Arc;
use store::sessions;

/// Answer to a frame of the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FaceAnswer {
    /// Whether the same picture would pass the upload.
    pub ok: bool,
    /// What to do otherwise: `no_face`, `several_faces`, `too_small`, `off_centre` or `dark`.
    pub hint: Option<&'static str>,
}

/// Looks at a frame by the rule of the upload.
///
/// # Errors
/// [`Refusal::UnknownSession`]; [`Refusal::Busy`] when too many frames are being looked at.
pub async fn check_face(ctx: &Ctx, token: &str, frame: Bytes) -> Result<FaceAnswer, Refusal> {
    if sessions::find(&mut ctx.store.reader(), token).await?.is_none() {
        return Err(Refusal::UnknownSession);
    }
    let Ok(_place) = ctx.limits.frames.try_acquire() else {
        return Err(Refusal::Busy);
    };
    let renderer = Arc::clone(&ctx.renderer);
    let answer =
        tokio::task::spawn_blocking(move || renderer.check_frame(&frame)).await.map_err(AppError::from)?;
    Ok(FaceAnswer { ok: answer.ok, hint: answer.hint.map(|hint| hint.code()) })
}
