//! What is kept beside the stickers: anchor portrait, sheets and the consistency report under `debug_sheets/job<N>_*` (seed 002), and how a
//! pack was made, for an attempt that finds it drawn. All of it goes with the clean-up, and with the guest.

use super::Order;
use crate::{AppError, Ctx};
use bytes::Bytes;
use clients::images::{Picture, PictureType, ReferencePicture};
use clients::media::MediaError;
use domain::job::{Job, JobId, RenderMode};
use domain::names;
use serde::{Deserialize, Serialize};

const TYPES: [PictureType; 3] = [PictureType::Jpeg, PictureType::Png, PictureType::Webp];

/// How a pack on disk was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Made {
    /// Who drew it.
    pub provider: String,
    /// How.
    pub mode: RenderMode,
}

fn anchor_name(kind: PictureType) -> String {
    format!("anchor.{}", kind.extension())
}

/// The anchor portrait of an earlier attempt.
pub(super) async fn kept_anchor(order: &Order<'_>) -> Result<Option<ReferencePicture>, AppError> {
    for kind in TYPES {
        if let Some(bytes) = order.books.file(&anchor_name(kind)).await? {
            return Ok(ReferencePicture::new(bytes));
        }
    }
    Ok(None)
}

pub(super) async fn keep_anchor(order: &Order<'_>, picture: &Picture) -> Result<(), AppError> {
    order.books.keep(&anchor_name(picture.kind), picture.bytes.clone()).await
}

/// Another attempt draws another one.
pub(super) async fn drop_anchor(order: &Order<'_>) -> Result<(), AppError> {
    for kind in TYPES {
        order.books.drop_file(&anchor_name(kind)).await?;
    }
    Ok(())
}

pub(super) async fn keep_sheet(order: &Order<'_>, round: usize, picture: &Picture) -> Result<(), AppError> {
    let name = format!("a{}_sheet{round}.{}", order.books.attempt(), picture.kind.extension());
    order.books.keep(&name, picture.bytes.clone()).await
}

pub(super) async fn keep_report(order: &Order<'_>, report: &impl Serialize) -> Result<(), AppError> {
    let name = format!("a{}_report.json", order.books.attempt());
    let text = serde_json::to_vec_pretty(report).unwrap_or_default();
    order.books.keep(&name, text.into()).await
}

/// What a model wrote instead of drawing, for operators.
pub(super) async fn keep_prose(order: &Order<'_>, stage: &str, prose: &str) -> Result<(), AppError> {
    let name = format!("a{}_{stage}_answer.txt", order.books.attempt());
    order.books.keep(&name, Bytes::copy_from_slice(prose.as_bytes())).await
}

/// Deletes what was kept of a job. How many files went.
pub(crate) async fn drop_debug(ctx: &Ctx, job: JobId) -> Result<usize, AppError> {
    let prefix = names::debug_key(job, "");
    let mut gone = 0;
    for file in ctx.media.list(names::DEBUG_FOLDER).await? {
        if file.key.starts_with(&prefix) {
            ctx.media.delete(&file.key).await?;
            gone += 1;
        }
    }
    Ok(gone)
}

/// Notes how the stickers that are about to be stored were made.
pub(crate) async fn mark_made(ctx: &Ctx, job: &Job, made: &Made) -> Result<(), AppError> {
    let text = serde_json::to_vec(made).unwrap_or_default();
    Ok(ctx.media.put(&names::made_key(&job.session_token, &job.pack_key), text.into()).await?)
}

/// How the stickers on disk were made; a pack without a note is a composite.
pub(crate) async fn made_as(ctx: &Ctx, job: &Job) -> Result<Made, AppError> {
    let note = match ctx.media.get(&names::made_key(&job.session_token, &job.pack_key)).await {
        Ok(bytes) => Some(bytes),
        Err(MediaError::NotFound { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let read = note.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Ok(read.unwrap_or(Made { provider: "local".to_owned(), mode: RenderMode::Composite }))
}
