//! The readiness check: only a set that shows all its stickers becomes `done`, and only then the link goes out (seed 001,
//! `_verify_loop`).

use super::attempt::drop_selfie_of;
use crate::outbox::{self, ButtonBody, GuestMessage};
use crate::{AppError, Ctx, Outside};
use clients::telegram::StickerSet;
use domain::job::{Job, JobState};
use domain::{Language, delivery, names, texts};
use store::{Change, jobs, sessions, users};

/// Jobs looked at per pass.
const BATCH: u32 = 16;

/// Looks at every set that is due, and decides `done` for those that are ready.
///
/// # Errors
/// When the database fails; a set that cannot be read now is looked at again later.
pub async fn verify(ctx: &Ctx, outside: &Outside) -> Result<usize, AppError> {
    let mut done = 0;
    for job in jobs::due_for_verify(&mut ctx.store.reader(), ctx.clock.now(), BATCH).await? {
        match verify_one(ctx, outside, &job).await {
            Ok(true) => done += 1,
            Ok(false) => {}
            // One bad row never stops the others.
            Err(error) => {
                tracing::error!(
                    job_id = job.id.0,
                    error = &error as &dyn std::error::Error,
                    "a set could not be verified"
                );
            }
        }
    }
    Ok(done)
}

async fn verify_one(ctx: &Ctx, outside: &Outside, job: &Job) -> Result<bool, AppError> {
    let JobState::Delivering(pack) = &job.state else { return Ok(false) };
    drop_selfie_of(ctx, job).await;
    let wanted = ctx.renderer.templates().get(&job.template_id).map_or(1, |template| template.slots.len());
    match outside.telegram.get_sticker_set(&pack.name).await {
        Ok(Some(set)) if set.stickers.len() >= wanted => finish(ctx, job, &pack.name, &set).await,
        Ok(_) => look_again(ctx, job, 0).await,
        Err(error) => {
            tracing::warn!(job_id = job.id.0, description = %error.description, "the readiness check got no answer");
            look_again(ctx, job, error.retry_after_s().unwrap_or(0)).await
        }
    }
}

async fn look_again(ctx: &Ctx, job: &Job, at_least_s: u32) -> Result<bool, AppError> {
    let (id, now) = (job.id, ctx.clock.now());
    let pause =
        delivery::verify_pause(job.verify_looks).max(std::time::Duration::from_secs(at_least_s.into()));
    let next_at = now.plus(pause);
    ctx.store
        .write(move |tx| {
            Box::pin(
                async move { jobs::looked(tx, id, next_at, now).await.map(drop).map_err(AppError::from) },
            )
        })
        .await?;
    Ok(false)
}

/// One transaction: `done` with `link_sent_at`, the pack in `users`, and the two messages, the first sticker and the link.
async fn finish(ctx: &Ctx, job: &Job, pack_name: &str, set: &StickerSet) -> Result<bool, AppError> {
    let link = names::pack_link(&ctx.settings.link_url, pack_name);
    let file_id = set.stickers.first().map(|sticker| sticker.file_id.clone());
    let (job, name, now) = (job.clone(), pack_name.to_owned(), ctx.clock.now());
    let change = ctx
        .store
        .write(move |tx| {
            Box::pin(async move {
                if jobs::finish(tx, job.id, now).await? == Change::Stale {
                    return Ok::<_, AppError>(Change::Stale);
                }
                // Stale: the guest was erased meanwhile; the job is gone then too, and `finish` was stale.
                let _ = users::set_pack(tx, job.guest, &name, &link).await?;
                let _ = store::outbox::drop_pending(tx, &outbox::delay_key(&job), now).await?;
                let _ = store::outbox::drop_pending(tx, &outbox::photo_received_key(job.id), now).await?;
                let session = sessions::find(tx, &job.session_token).await?;
                let t = texts::guest(session.map_or(Language::default(), |session| session.language));
                if let Some(file_id) = file_id {
                    let key = outbox::pack_key("sticker", job.id, &job.pack_key);
                    outbox::queue(tx, &key, job.guest, Some(job.id), &GuestMessage::Sticker { file_id }, now)
                        .await?;
                }
                let message =
                    GuestMessage::with_buttons(t.pack_done(), vec![ButtonBody::url(t.open_pack(), link)]);
                let key = outbox::pack_key("link", job.id, &job.pack_key);
                outbox::queue(tx, &key, job.guest, Some(job.id), &message, now).await?;
                Ok(Change::Changed)
            })
        })
        .await?;
    Ok(change == Change::Changed)
}
