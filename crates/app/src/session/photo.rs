//! The kiosk uploads the photo (seed 001, row 6): checked before anything is written, then one transaction moves the session and
//! inserts the job.

use super::view::job_view;
use super::{expects, limit};
use crate::outbox::{self, GuestMessage};
use crate::{AppError, Ctx, Refusal};
use bytes::Bytes;
use domain::job::{JobId, JobStatus};
use domain::session::{Notice, SessionMove, SessionState, SessionStatus};
use domain::{Language, Timestamp, names, rng, texts};
use serde::Serialize;
use std::sync::Arc;
use store::jobs::{self, NewJob};
use store::{Change, Tx, sessions};

/// A job that was just queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Queued {
    /// Its id.
    pub job_id: JobId,
    /// `queued`.
    pub status: JobStatus,
    /// Place in the queue, 1 is next.
    pub position: Option<u32>,
    /// Expected wait in seconds.
    pub eta_seconds: Option<u64>,
}

/// Whether a photo would be taken now; asked before the body is read.
///
/// # Errors
/// Unknown session, maintenance, wrong status, in this order.
pub async fn photo_expected(ctx: &Ctx, token: &str) -> Result<(), Refusal> {
    expects::session_for(ctx, token, SessionMove::TakePhoto).await.map(drop)
}

/// Takes the photo and queues the job.
///
/// # Errors
/// Those of [`photo_expected`], then the photo's own refusals, then the pack limit. A refused photo is not stored and leaves the session
/// where it was, except that the pack limit closes it.
pub async fn submit_photo(ctx: &Ctx, token: &str, photo: Bytes) -> Result<Queued, Refusal> {
    let session = expects::session_for(ctx, token, SessionMove::TakePhoto).await?;
    let jpeg = checked(ctx, photo).await?;
    let SessionState::TemplateChosen { guest, template_id } = session.state else {
        return Err(Refusal::WrongStatus { status: session.status() });
    };
    let now = ctx.clock.now();
    let pack_key = rng::pack_key(ctx.rng.as_ref());
    let photo_path = names::selfie_key(token, &rng::pack_key(ctx.rng.as_ref()));
    // On disk before the row that names it: a job never points at a photo that is not there.
    ctx.media.put(&photo_path, jpeg.into()).await.map_err(AppError::from)?;
    let job = NewJob {
        session_token: token.to_owned(),
        guest,
        template_id,
        photo_path: photo_path.clone(),
        pack_key,
        now,
    };
    let limit = ctx.settings.pack_limit;
    let taken = ctx
        .store
        .write(move |tx| Box::pin(async move { take_photo_and_enqueue(tx, &job, limit, now).await }))
        .await;
    let refusal = match taken {
        Ok(Taken::Queued(id)) => return announce(ctx, id, session.language).await,
        Ok(Taken::Limit(notice)) => Refusal::PackLimit { status: SessionStatus::Expired, notice },
        Ok(Taken::Moved(status)) => Refusal::WrongStatus { status },
        Err(error) => error,
    };
    // A photo rejected at upload (double tap, pack limit) is deleted at once (seed 002, Photo TTL).
    if let Err(error) = ctx.media.delete(&photo_path).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "a refused photo stays until the clean-up");
    }
    Err(refusal)
}

/// Decodes, checks and re-encodes the photo in one of a few places.
async fn checked(ctx: &Ctx, photo: Bytes) -> Result<Vec<u8>, Refusal> {
    let place = tokio::time::timeout(ctx.limits.photo_wait, ctx.limits.photos.acquire()).await;
    let Ok(Ok(_place)) = place else {
        return Err(Refusal::Busy);
    };
    let renderer = Arc::clone(&ctx.renderer);
    tokio::task::spawn_blocking(move || renderer.check_photo(&photo))
        .await
        .map_err(AppError::from)?
        .map(|checked| checked.jpeg)
        .map_err(Refusal::Photo)
}

/// What the deciding transaction found.
enum Taken {
    Queued(JobId),
    Limit(Notice),
    Moved(SessionStatus),
}

/// Status check, pack-limit check, session update, job insert: one transaction (seed 001, `take_photo_and_enqueue`).
async fn take_photo_and_enqueue(
    tx: &mut Tx,
    job: &NewJob,
    limit: u32,
    now: Timestamp,
) -> Result<Taken, Refusal> {
    let status = sessions::find(tx, &job.session_token).await?.ok_or(Refusal::UnknownSession)?.status();
    if !SessionMove::TakePhoto.from().contains(&status) {
        return Ok(Taken::Moved(status));
    }
    if let Some(notice) = limit::reached(tx, job.guest, limit).await? {
        return Ok(
            match sessions::block(tx, &job.session_token, notice, SessionMove::BlockInPhoto, now).await? {
                Change::Changed => {
                    limit::tell(tx, &job.session_token, job.guest, notice, now).await?;
                    Taken::Limit(notice)
                }
                Change::Stale => Taken::Moved(current(tx, &job.session_token).await?),
            },
        );
    }
    match sessions::take_photo(tx, &job.session_token, now).await? {
        Change::Changed => Ok(Taken::Queued(jobs::insert(tx, job).await?)),
        Change::Stale => Ok(Taken::Moved(current(tx, &job.session_token).await?)),
    }
}

async fn current(tx: &mut Tx, token: &str) -> Result<SessionStatus, Refusal> {
    Ok(sessions::find(tx, token).await?.ok_or(Refusal::UnknownSession)?.status())
}

/// Place and expected wait, for the tablet and for the guest's phone. The job is safe by now: when this fails, only the words are late.
async fn announce(ctx: &Ctx, id: JobId, language: Language) -> Result<Queued, Refusal> {
    let job = jobs::find(&mut ctx.store.reader(), id).await?.ok_or(Refusal::UnknownSession)?;
    let view = job_view(ctx, &job).await?;
    if let Some(position) = view.position.filter(|position| *position > 0) {
        let minutes = u32::try_from(view.eta_seconds.unwrap_or(0).div_ceil(60)).unwrap_or(u32::MAX).max(1);
        let message = GuestMessage::text(texts::guest(language).photo_received(position, minutes));
        let (guest, now) = (job.guest, ctx.clock.now());
        let queued = ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    let key = outbox::photo_received_key(id);
                    outbox::queue(tx, &key, guest, Some(id), &message, now).await
                })
            })
            .await;
        if let Err(error) = queued {
            tracing::warn!(
                job_id = id.0,
                error = &error as &dyn std::error::Error,
                "the place in line was not told"
            );
        }
    }
    Ok(Queued { job_id: id, status: view.status, position: view.position, eta_seconds: view.eta_seconds })
}
