//! One attempt at a claimed job (seed 001, `_process_one_job`).

use super::pack::{self, Order};
use super::{JobError, draw, figure};
use crate::outbox::{self, GuestMessage};
use crate::{AppError, Ctx, Outside, health};
use domain::job::{Claim, Job, JobState};
use domain::{Language, delivery, names, texts};
use store::jobs::{self, Delivery};
use store::{Change, sessions, users};

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// The set exists; the verifier goes on.
    Delivering,
    /// Back in the queue.
    Requeued,
    /// Failed for good; guest and operators will be told.
    Failed,
    /// Somebody else decided about this job meanwhile.
    Lost,
}

/// Makes one attempt and stores how it ended.
///
/// # Errors
/// When even that cannot be stored; the job then stays `processing` until its lease or the start-up finds it.
pub async fn attempt(ctx: &Ctx, outside: &Outside, job: &Job) -> Result<Attempt, AppError> {
    let JobState::Processing(claim) = job.state.clone() else {
        return Ok(Attempt::Lost);
    };
    let ended = match deliver(ctx, outside, job, &claim).await {
        Ok(Change::Changed) => {
            drop_selfie_of(ctx, job).await;
            Ok(Attempt::Delivering)
        }
        Ok(Change::Stale) | Err(JobError::Lost) => Ok(Attempt::Lost),
        Err(error) => store_failure(ctx, job, &claim, error).await,
    };
    leave_nothing_of_an_erased_guest(ctx, job).await?;
    ended
}

/// The guest was erased while their stickers were drawn: whatever was stored after that goes too, and is never seen.
async fn leave_nothing_of_an_erased_guest(ctx: &Ctx, job: &Job) -> Result<(), AppError> {
    if jobs::find(&mut ctx.store.reader(), job.id).await?.is_none() {
        ctx.media.delete_prefix(&names::session_folder(&job.session_token)).await?;
        figure::drop_debug(ctx, job.id).await?;
    }
    Ok(())
}

/// Draws, makes the set and moves the job to `delivering`.
async fn deliver(ctx: &Ctx, outside: &Outside, job: &Job, claim: &Claim) -> Result<Change, JobError> {
    let mut reader = ctx.store.reader();
    let session = sessions::find(&mut reader, &job.session_token).await?;
    let language = session.map_or(Language::default(), |session| session.language);
    let Some(bot) = store::settings::get(&mut reader, health::BOT_USERNAME).await? else {
        return Err(JobError::retry("the bot's username is not known yet"));
    };
    let drawn = draw::stickers(ctx, outside, job, claim, language).await?;
    // Deadline during generation: a job that the sweeper failed, or that a reset removed, makes no set (seed 001).
    if !still_ours(ctx, job, claim).await? {
        return Err(JobError::Lost);
    }
    let user = users::find(&mut reader, job.guest).await?;
    let first_name = user.map(|user| user.guest.first_name.0).unwrap_or_default();
    let outfit = ctx.renderer.templates().get(&job.template_id).map(|template| match language {
        Language::Ru => template.titles.ru.clone(),
        Language::Uz => template.titles.uz.clone(),
        Language::En => template.titles.en.clone(),
    });
    let order = Order {
        user_id: job.guest.0,
        name: names::pack_name(job.id, &job.pack_key, &bot),
        second_name: names::second_pack_name(job.id, &job.pack_key, &bot),
        title: texts::guest(language).pack_title(&first_name, &outfit.unwrap_or_default()),
        stickers: drawn.stickers,
        may_exist: claim.claim_no > 1,
    };
    let pack_name = pack::make(outside, &order).await?;
    let (id, claim_no, now) = (job.id, claim.claim_no, ctx.clock.now());
    let delivery = Delivery {
        pack_name: pack_name.clone(),
        provider_used: drawn.made.provider,
        render_mode: drawn.made.mode,
        now,
    };
    let change = ctx
        .store
        .write(move |tx| {
            Box::pin(async move {
                jobs::start_delivery(tx, id, claim_no, &delivery).await.map_err(JobError::from)
            })
        })
        .await?;
    if change == Change::Stale {
        // Failed by the deadline or erased while Telegram worked: the set must not stay (product.md, Jobs).
        if let Err(error) = outside.telegram.delete_sticker_set(&pack_name).await {
            tracing::warn!(job_id = id.0, description = %error.description, "the set of a job that ended meanwhile is removed later");
            let job = job.clone();
            let later = ctx
                .store
                .write(move |tx| Box::pin(async move { outbox::remove_late_set(tx, &job, now).await }));
            later.await?;
        }
    }
    Ok(change)
}

async fn still_ours(ctx: &Ctx, job: &Job, claim: &Claim) -> Result<bool, JobError> {
    let now = jobs::find(&mut ctx.store.reader(), job.id).await?;
    Ok(now.is_some_and(
        |job| matches!(&job.state, JobState::Processing(held) if held.claim_no == claim.claim_no),
    ))
}

/// The selfie is deleted right after the pack has been created (seed 002). A failure leaves it to the hourly clean-up.
pub(super) async fn drop_selfie_of(ctx: &Ctx, job: &Job) {
    let Some(path) = job.photo_path.clone() else { return };
    if let Err(error) = ctx.media.delete(&path).await {
        tracing::warn!(
            job_id = job.id.0,
            error = &error as &dyn std::error::Error,
            "a selfie stays until the clean-up"
        );
        return;
    }
    let (id, now) = (job.id, ctx.clock.now());
    let cleared = ctx
        .store
        .write(move |tx| {
            Box::pin(async move { jobs::clear_photo(tx, id, now).await.map(drop).map_err(AppError::from) })
        })
        .await;
    if let Err(error) = cleared {
        tracing::warn!(
            job_id = id.0,
            error = &error as &dyn std::error::Error,
            "the path of a deleted selfie stays"
        );
    }
}

async fn store_failure(ctx: &Ctx, job: &Job, claim: &Claim, error: JobError) -> Result<Attempt, AppError> {
    let (id, claim_no, now) = (job.id, claim.claim_no, ctx.clock.now());
    let words = error.to_string();
    tracing::warn!(job_id = id.0, attempt = job.attempts + 1, error = %words, "an attempt failed");
    match error {
        JobError::Retry { pause, .. } if job.attempts + 1 < delivery::MAX_ATTEMPTS => {
            let not_before = now.plus(pause);
            ctx.store
                .write(move |tx| {
                    Box::pin(async move {
                        jobs::retry_later(tx, id, claim_no, &words, not_before, now)
                            .await
                            .map(drop)
                            .map_err(AppError::from)
                    })
                })
                .await?;
            Ok(Attempt::Requeued)
        }
        JobError::Stopping | JobError::Lost => Ok(Attempt::Lost),
        JobError::OutOfFunds(_) => {
            fail(ctx, job, claim_no, words, FailureWords::TryAgain, Pause::Product).await
        }
        JobError::Refused(_) => {
            fail(ctx, job, claim_no, words, FailureWords::AnotherPhoto, Pause::Nothing).await
        }
        JobError::Retry { .. } | JobError::Permanent(_) => {
            fail(ctx, job, claim_no, words, FailureWords::TryAgain, Pause::Nothing).await
        }
    }
}

/// What a failure stops beside its job.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pause {
    Nothing,
    /// Maintenance `auto` (seed 001): a provider answered "no funds".
    Product,
}

/// Fails the job and, in the same transaction, queues what guest and operators are told, and pauses the product when that is why.
async fn fail(
    ctx: &Ctx,
    job: &Job,
    claim_no: i64,
    words: String,
    told: FailureWords,
    pause: Pause,
) -> Result<Attempt, AppError> {
    let (ctx_in, job, now) = (ctx.clone(), job.clone(), ctx.clock.now());
    let change = ctx
        .store
        .write(move |tx| {
            Box::pin(async move {
                let change = jobs::fail(tx, job.id, claim_no, &words, now).await?;
                if change == Change::Changed {
                    tell_failure(&ctx_in, tx, &job, &words, told).await?;
                    if pause == Pause::Product {
                        health::pause_for_funds(tx, &ctx_in.settings.admin_user_ids, now).await?;
                    }
                }
                Ok::<_, AppError>(change)
            })
        })
        .await?;
    Ok(if change == Change::Changed { Attempt::Failed } else { Attempt::Lost })
}

/// The third return of a stopping bot was the last attempt (product.md, "A third shutdown return").
pub(crate) async fn fail_on_shutdown(
    ctx: &Ctx,
    tx: &mut store::Tx,
    job: &Job,
    claim_no: i64,
) -> Result<(), AppError> {
    let words =
        format!("{} the last attempt did not finish in the grace period", delivery::REQUEUED_ON_SHUTDOWN);
    if jobs::fail(tx, job.id, claim_no, &words, ctx.clock.now()).await? == Change::Changed {
        tell_failure(ctx, tx, job, &words, FailureWords::TryAgain).await?;
    }
    Ok(())
}

/// A job failed at start-up is told to guest and operators as any other.
pub(crate) async fn tell_start_up_failure(
    ctx: &Ctx,
    tx: &mut store::Tx,
    job: &Job,
    words: &str,
) -> Result<(), AppError> {
    tell_failure(ctx, tx, job, words, FailureWords::TryAgain).await
}

/// Which of the two failure texts a guest gets.
#[derive(Clone, Copy)]
pub(super) enum FailureWords {
    /// "You can try again on the tablet."
    TryAgain,
    /// "We will help manually" (seed 001, deadline).
    WeHelp,
    /// "Try another photo": the artist's rules do not allow this one.
    AnotherPhoto,
}

/// Queues the guest's failure message, the removal of what is in Telegram already, and the operators' alert; a delay notice not sent yet is
/// dropped.
pub(super) async fn tell_failure(
    ctx: &Ctx,
    tx: &mut store::Tx,
    job: &Job,
    error: &str,
    words: FailureWords,
) -> Result<(), AppError> {
    let now = ctx.clock.now();
    let _ = store::outbox::drop_pending(tx, &outbox::delay_key(job), now).await?;
    let language = users::find(tx, job.guest).await?.map_or(Language::default(), |user| user.guest.language);
    let text = match words {
        FailureWords::TryAgain => texts::guest(language).failed(),
        FailureWords::WeHelp => texts::guest(language).failed_help(),
        FailureWords::AnotherPhoto => texts::guest(language).photo_refused(),
    };
    let key = outbox::pack_key("failed", job.id, &job.pack_key);
    outbox::queue(tx, &key, job.guest, Some(job.id), &GuestMessage::text(text), now).await?;
    outbox::remove_sets(tx, job, now).await?;
    let alert = format!(
        "⚠️ Задание {} не выполнено: {error}. Гость предупреждён. Что делать: проверить журнал и помочь гостю вручную.",
        job.id
    );
    outbox::alert(tx, &ctx.settings.admin_user_ids, &key, Some(job.id), &alert, now).await
}
