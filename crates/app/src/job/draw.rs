//! The nine stickers of a job, on disk before Telegram hears of them: drawn by a provider, or here.

use super::{JobError, figure};
use crate::captions::caption_language;
use crate::{AppError, Ctx, Outside, outbox};
use bytes::Bytes;
use clients::media::MediaError;
use clients::telegram::InputSticker;
use domain::job::{Claim, Job, RenderMode};
use domain::{Language, names};
use figure::Made;
use render::CompositeError;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc;

/// Finished stickers that wait to be stored.
const IN_HAND: usize = 2;

/// The stickers of a pack and how they were made.
pub(super) struct Drawn {
    pub stickers: Vec<InputSticker>,
    pub made: Made,
}

/// The stickers of the job: those on disk when an earlier attempt drew them, else drawn now.
pub(super) async fn stickers(
    ctx: &Ctx,
    outside: &Outside,
    job: &Job,
    claim: &Claim,
    language: Language,
) -> Result<Drawn, JobError> {
    let Some(template) = ctx.renderer.templates().get(&job.template_id) else {
        return Err(JobError::Permanent(format!("there is no template {}", job.template_id)));
    };
    let emoji: Vec<String> = template.slots.iter().map(|slot| slot.emoji.clone()).collect();
    let pictures = match on_disk(ctx, job, emoji.len()).await? {
        Some(pictures) => pictures,
        None => draw(ctx, outside, job, claim, language).await?,
    };
    let stickers =
        pictures.into_iter().zip(emoji).map(|(webp, emoji)| InputSticker { webp, emoji }).collect();
    Ok(Drawn { stickers, made: figure::made_as(ctx, job).await? })
}

/// The stickers of an earlier attempt, when all of them are there.
async fn on_disk(ctx: &Ctx, job: &Job, count: usize) -> Result<Option<Vec<Bytes>>, JobError> {
    let mut pictures = Vec::with_capacity(count);
    for place in 0..count {
        match ctx.media.get(&names::sticker_key(&job.session_token, &job.pack_key, place)).await {
            Ok(bytes) => pictures.push(bytes),
            Err(MediaError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(AppError::from(error).into()),
        }
    }
    Ok(Some(pictures))
}

async fn draw(
    ctx: &Ctx,
    outside: &Outside,
    job: &Job,
    claim: &Claim,
    language: Language,
) -> Result<Vec<Bytes>, JobError> {
    let Some(path) = &job.photo_path else {
        return Err(JobError::Permanent("the photo was deleted".to_owned()));
    };
    let photo = match ctx.media.get(path).await {
        Ok(photo) => photo,
        Err(MediaError::NotFound { .. }) => {
            return Err(JobError::Permanent("the photo is missing".to_owned()));
        }
        Err(error) => return Err(AppError::from(error).into()),
    };
    if outside.providers.list.is_empty() {
        return composite(ctx, job, photo, language).await;
    }
    match by_provider(ctx, outside, job, claim, photo.clone(), language).await? {
        Some(pictures) => Ok(pictures),
        None => composite(ctx, job, photo, language).await,
    }
}

/// The stickers of a provider; none when there are none and the composite may stand in for them.
async fn by_provider(
    ctx: &Ctx,
    outside: &Outside,
    job: &Job,
    claim: &Claim,
    selfie: Bytes,
    language: Language,
) -> Result<Option<Vec<Bytes>>, JobError> {
    let Some(template) = ctx.renderer.templates().get(&job.template_id) else {
        return Err(JobError::Permanent(format!("there is no template {}", job.template_id)));
    };
    let language = caption_language(language);
    let order = figure::Order {
        renderer: &ctx.renderer,
        clock: &*ctx.clock,
        timer: &*outside.timer,
        providers: &outside.providers,
        books: figure::Books::Job { ctx, job, claim_no: claim.claim_no },
        selfie,
        template,
        language,
    };
    match figure::draw(&order).await {
        Ok(figures) => {
            let made = Made { provider: figures.provider.to_owned(), mode: RenderMode::Figure };
            figure::mark_made(ctx, job, &made).await?;
            let pictures: Vec<Bytes> =
                figures.stickers.into_iter().map(|sticker| Bytes::from(sticker.webp)).collect();
            for (place, bytes) in pictures.iter().enumerate() {
                let key = names::sticker_key(&job.session_token, &job.pack_key, place);
                ctx.media.put(&key, bytes.clone()).await.map_err(AppError::from)?;
            }
            Ok(Some(pictures))
        }
        Err(ended @ (figure::Ended::Lost | figure::Ended::Ours(_))) => Err(ended.into_job_error()),
        Err(ended) if outside.providers.local => {
            let words = ended.words();
            tracing::warn!(job_id = job.id.0, error = %words, "the composite stands in for the provider");
            tell_fallback(ctx, job, &words).await?;
            let made = Made { provider: "local".to_owned(), mode: RenderMode::CompositeFallback };
            figure::mark_made(ctx, job, &made).await?;
            Ok(None)
        }
        Err(ended) => Err(ended.into_job_error()),
    }
}

/// Operators hear that guests get composites.
async fn tell_fallback(ctx: &Ctx, job: &Job, words: &str) -> Result<(), AppError> {
    let (admins, now) = (ctx.settings.admin_user_ids.clone(), ctx.clock.now());
    let text = format!(
        "⚠️ Задание {}: набор собран без нейросети ({words}). Гость получит стикеры. Что делать: проверить провайдера, если это повторяется.",
        job.id
    );
    let write = ctx.store.write(move |tx| {
        Box::pin(async move { outbox::alert_of_kind(tx, &admins, "fallback", &text, now).await })
    });
    write.await
}

async fn composite(ctx: &Ctx, job: &Job, photo: Bytes, language: Language) -> Result<Vec<Bytes>, JobError> {
    let (renderer, template_id) = (Arc::clone(&ctx.renderer), job.template_id.clone());
    // Dropped together with this future, so that a stopping bot does not wait for a pack nobody will send.
    let wanted = Wanted(Arc::new(AtomicBool::new(true)));
    let flag = Arc::clone(&wanted.0);
    let (finished, mut stickers) = mpsc::channel::<(usize, Bytes)>(IN_HAND);
    let drawing = tokio::task::spawn_blocking(move || {
        renderer.composite(&photo, &template_id, caption_language(language), &mut |place, sticker| {
            let bytes = Bytes::copy_from_slice(&sticker.webp);
            let taken = flag.load(Ordering::Relaxed) && finished.blocking_send((place, bytes)).is_ok();
            if taken { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    });
    let mut pictures = Vec::new();
    while let Some((place, bytes)) = stickers.recv().await {
        let key = names::sticker_key(&job.session_token, &job.pack_key, place);
        ctx.media.put(&key, bytes.clone()).await.map_err(AppError::from)?;
        pictures.push(bytes);
    }
    match drawing.await.map_err(AppError::from)? {
        Ok(_) => Ok(pictures),
        // The same photo was accepted at upload: a refusal now will be one again.
        Err(CompositeError::Photo(refusal)) => {
            Err(JobError::Permanent(format!("the photo was refused: {}", refusal.code())))
        }
        Err(CompositeError::Cancelled) => Err(JobError::Stopping),
        Err(other) => Err(JobError::retry(other)),
    }
}

/// Takes the wish for a pack back when it is dropped.
struct Wanted(Arc<AtomicBool>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
