//! Where an order is written down: what was spent, the description, the pictures on the way. For a job that is the database and the media
//! store; for an order by hand it is a slip of paper in memory.

use super::Ended;
use crate::{AppError, Ctx, outbox};
use bytes::Bytes;
use clients::images::Appearance;
use clients::media::MediaError;
use domain::job::{Job, JobId, JobState};
use domain::{Timestamp, names};
use std::sync::{Mutex, MutexGuard, PoisonError};
use store::ai_usage::{self, Settled, Usage};

/// The books of one order.
pub(in crate::job) enum Books<'a> {
    /// A claimed job.
    Job { ctx: &'a Ctx, job: &'a Job, claim_no: i64 },
    /// An order by hand.
    Slip(&'a Slip),
}

/// What an order by hand leaves behind.
#[derive(Default)]
pub(crate) struct Slip(Mutex<Written>);

#[derive(Default)]
pub(super) struct Written {
    pub calls: Vec<Usage>,
    pub files: Vec<(String, Bytes)>,
    appearance: Option<Appearance>,
}

impl Slip {
    fn lock(&self) -> MutexGuard<'_, Written> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything that was written down.
    pub(super) fn read(self) -> Written {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Books<'_> {
    /// The job's number; an order by hand has none.
    pub fn job(&self) -> JobId {
        match self {
            Books::Job { job, .. } => job.id,
            Books::Slip(_) => JobId(0),
        }
    }

    /// Which attempt this is, from 1.
    pub fn attempt(&self) -> i64 {
        match self {
            Books::Job { job, .. } => job.attempts + 1,
            Books::Slip(_) => 1,
        }
    }

    /// US dollars spent so far; an error when the job is no longer ours.
    pub async fn spent(&self) -> Result<f64, Ended> {
        match self {
            Books::Job { ctx, job, claim_no } => {
                let mut reader = ctx.store.reader();
                let now = store::jobs::find(&mut reader, job.id).await.map_err(AppError::from)?;
                let held = |state: &JobState| matches!(state, JobState::Processing(claim) if claim.claim_no == *claim_no);
                if !now.is_some_and(|job| held(&job.state)) {
                    return Err(Ended::Lost);
                }
                let spent = ai_usage::spent_on_job(&mut reader, job.id, job.created_at).await;
                Ok(spent.map_err(AppError::from)?)
            }
            Books::Slip(slip) => {
                Ok(domain::cost::sum_usd(slip.lock().calls.iter().map(|call| call.cost_usd)))
            }
        }
    }

    /// Writes a call down before it is made; answers where.
    pub async fn begin(&self, usage: Usage) -> Result<i64, AppError> {
        match self {
            Books::Job { ctx, .. } => {
                let write = ctx.store.write(move |tx| {
                    Box::pin(async move { ai_usage::begin(tx, &usage).await.map_err(AppError::from) })
                });
                write.await
            }
            Books::Slip(slip) => {
                let mut written = slip.lock();
                written.calls.push(usage);
                Ok(i64::try_from(written.calls.len()).unwrap_or(i64::MAX))
            }
        }
    }

    /// Puts what a call really took in place of what was set aside.
    pub async fn settle(&self, row: i64, settled: Settled) -> Result<(), AppError> {
        match self {
            Books::Job { ctx, .. } => {
                let write = ctx.store.write(move |tx| {
                    Box::pin(async move {
                        ai_usage::settle(tx, row, &settled).await.map(drop).map_err(AppError::from)
                    })
                });
                write.await
            }
            Books::Slip(slip) => {
                let place = usize::try_from(row - 1).unwrap_or(usize::MAX);
                if let Some(call) = slip.lock().calls.get_mut(place) {
                    (call.input_tokens, call.output_tokens) = (settled.input_tokens, settled.output_tokens);
                    (call.images, call.cost_usd) = (settled.images, settled.cost_usd);
                }
                Ok(())
            }
        }
    }

    /// The description of an earlier attempt or provider.
    pub async fn appearance(&self) -> Result<Option<Appearance>, AppError> {
        match self {
            Books::Job { ctx, job, .. } => {
                let text = store::jobs::appearance(&mut ctx.store.reader(), job.id).await?;
                Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
            }
            Books::Slip(slip) => Ok(slip.lock().appearance.clone()),
        }
    }

    pub async fn keep_appearance(&self, seen: &Appearance, now: Timestamp) -> Result<(), Ended> {
        match self {
            Books::Job { ctx, job, claim_no } => {
                let (id, claim_no) = (job.id, *claim_no);
                let text = serde_json::to_string(seen).unwrap_or_default();
                let kept = ctx.store.write(move |tx| {
                    Box::pin(async move {
                        store::jobs::set_appearance(tx, id, claim_no, &text, now)
                            .await
                            .map_err(AppError::from)
                    })
                });
                if kept.await? == store::Change::Stale { Err(Ended::Lost) } else { Ok(()) }
            }
            Books::Slip(slip) => {
                slip.lock().appearance = Some(seen.clone());
                Ok(())
            }
        }
    }

    /// A file of an earlier attempt or provider.
    pub async fn file(&self, name: &str) -> Result<Option<Bytes>, AppError> {
        match self {
            Books::Job { ctx, job, .. } => match ctx.media.get(&names::debug_key(job.id, name)).await {
                Ok(bytes) => Ok(Some(bytes)),
                Err(MediaError::NotFound { .. }) => Ok(None),
                Err(error) => Err(error.into()),
            },
            Books::Slip(slip) => {
                let written = slip.lock();
                Ok(written.files.iter().find(|(known, _)| known == name).map(|(_, bytes)| bytes.clone()))
            }
        }
    }

    /// Keeps a file, in place of one of the same name.
    pub async fn keep(&self, name: &str, bytes: Bytes) -> Result<(), AppError> {
        match self {
            Books::Job { ctx, job, .. } => Ok(ctx.media.put(&names::debug_key(job.id, name), bytes).await?),
            Books::Slip(slip) => {
                let mut written = slip.lock();
                written.files.retain(|(known, _)| known != name);
                written.files.push((name.to_owned(), bytes));
                Ok(())
            }
        }
    }

    pub async fn drop_file(&self, name: &str) -> Result<(), AppError> {
        match self {
            Books::Job { ctx, job, .. } => Ok(ctx.media.delete(&names::debug_key(job.id, name)).await?),
            Books::Slip(slip) => {
                slip.lock().files.retain(|(known, _)| known != name);
                Ok(())
            }
        }
    }

    /// Tells operators; who orders by hand sees the error itself.
    pub async fn alert(&self, kind: &'static str, text: String, now: Timestamp) -> Result<(), AppError> {
        match self {
            Books::Job { ctx, .. } => {
                let admins = ctx.settings.admin_user_ids.clone();
                let write = ctx.store.write(move |tx| {
                    Box::pin(async move { outbox::alert_of_kind(tx, &admins, kind, &text, now).await })
                });
                write.await
            }
            Books::Slip(_) => Ok(()),
        }
    }
}
