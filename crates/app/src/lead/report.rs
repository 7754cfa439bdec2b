//! Counts for the digest and `/stickers_stats`, and the list of `/stickers_new`.

use crate::{AppError, Ctx};
use domain::Timestamp;
use domain::guest::TelegramId;
use domain::lead::texts::{self, Digest, Stats};
use domain::schedule;
use std::collections::BTreeSet;
use std::time::Duration;
use store::{Reader, jobs, leads, settings};

/// Key in `settings` of the last day whose digest was sent or empty, `YYYY-MM-DD` (seed 000).
pub const DIGEST_LAST: &str = "stickers_digest_last";

/// Sources listed for a period.
const SOURCES: u32 = 5;
/// Leads looked at for the median of the first answer.
const TOUCHES: u32 = 10_000;

/// The digest that may be sent now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueDigest {
    /// The day to store when it is done.
    pub day: String,
    /// What to say; none when there is nothing to report.
    pub text: Option<String>,
}

/// The digest of today, when its hour has come and it was not done yet.
///
/// # Errors
/// When the database fails.
pub async fn due_digest(ctx: &Ctx) -> Result<Option<DueDigest>, AppError> {
    let now = ctx.clock.now();
    let Some(day) = schedule::digest_day(now) else { return Ok(None) };
    let mut reader = ctx.store.reader();
    if settings::get(&mut reader, DIGEST_LAST).await?.as_deref() == Some(day.as_str()) {
        return Ok(None);
    }
    let (from, to) = schedule::digest_window(now);
    let operators: BTreeSet<i64> = ctx.settings.admin_user_ids.iter().copied().collect();
    let operators: Vec<TelegramId> = operators.into_iter().map(TelegramId).collect();
    let tags = u32::try_from(texts::DIGEST_TAGS).unwrap_or(u32::MAX);
    let digest = Digest {
        window: (from.as_millis(), to.as_millis()),
        new_leads: leads::count_created(&mut reader, from, to).await?,
        without_status: leads::count_waiting(&mut reader).await?,
        oldest: leads::waiting(&mut reader, tags).await?.into_iter().map(|lead| lead.id).collect(),
        packs: jobs::packs_between(&mut reader, from, to, &operators).await?,
    };
    Ok(Some(DueDigest { day, text: texts::digest(&digest) }))
}

/// The digest of this day is done.
///
/// # Errors
/// When the database fails.
pub async fn digest_done(ctx: &Ctx, day: String) -> Result<(), AppError> {
    let now = ctx.clock.now();
    ctx.store
        .write(move |tx| {
            Box::pin(async move { settings::set(tx, DIGEST_LAST, &day, now).await.map_err(AppError::from) })
        })
        .await
}

/// `/stickers_stats`: today, 7 and 30 days.
///
/// # Errors
/// When the database fails.
pub async fn stats(ctx: &Ctx) -> Result<String, AppError> {
    let now = ctx.clock.now();
    let days = |count: u64| now.minus(Duration::from_secs(count * 24 * 3600));
    let mut periods = Vec::new();
    for (title, since) in [("Сегодня", schedule::midnight(now)), ("7 дней", days(7)), ("30 дней", days(30))]
    {
        periods.push((title, stats_since(&mut ctx.store.reader(), since).await?));
    }
    Ok(texts::stats(&periods))
}

async fn stats_since(reader: &mut Reader, since: Timestamp) -> Result<Stats, AppError> {
    let touches = leads::first_touches(reader, since, TOUCHES).await?;
    let median = touches.get(touches.len().saturating_sub(1) / 2).map(|median| (*median, touches.len()));
    Ok(Stats {
        by_status: leads::count_by_status(reader, since).await?,
        by_source: leads::count_by_source(reader, since, SOURCES).await?,
        first_touch: median,
    })
}

/// `/stickers_new`: leads without a status.
///
/// # Errors
/// When the database fails.
pub async fn waiting(ctx: &Ctx) -> Result<String, AppError> {
    let mut reader = ctx.store.reader();
    let count = leads::count_waiting(&mut reader).await?;
    let listed = u32::try_from(texts::NEW_LISTED).unwrap_or(u32::MAX);
    let oldest = leads::waiting(&mut reader, listed).await?;
    Ok(texts::waiting(count, &oldest, ctx.clock.now()))
}
