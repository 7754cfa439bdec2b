//! `/stats` and `/admin_stats`: counts, never a person. The operators' own trials do not count.

use crate::{AppError, Ctx, health};
use domain::guest::TelegramId;
use domain::operator::{self, Count, FAILURES_LISTED, Failure, Report, Stats, Tablet};
use domain::{Timestamp, schedule, wait};
use std::collections::BTreeSet;
use std::time::Duration;
use store::{Reader, ai_usage, jobs, kiosks, users};

const HOUR: Duration = Duration::from_secs(3_600);
/// Tablets that were not heard for longer are not listed.
const LISTED_FOR: Duration = Duration::from_secs(24 * 3_600);

/// The answer of `/stats`: guests and packs, today and in all.
///
/// # Errors
/// When the database fails.
pub async fn stats(ctx: &Ctx) -> Result<String, AppError> {
    let now = ctx.clock.now();
    let operators: BTreeSet<i64> = ctx.settings.admin_user_ids.iter().copied().collect();
    let operators: Vec<TelegramId> = operators.into_iter().map(TelegramId).collect();
    let mut reader = ctx.store.reader();
    let midnight = schedule::midnight(now);
    let stats = Stats {
        guests: Count {
            today: guests(&mut reader, midnight, &operators).await?,
            all: guests(&mut reader, Timestamp::from_millis(0), &operators).await?,
        },
        packs: Count {
            today: packs(&mut reader, midnight, now, &operators).await?,
            all: packs(&mut reader, Timestamp::from_millis(0), now, &operators).await?,
        },
    };
    Ok(operator::stats(&stats))
}

async fn guests(reader: &mut Reader, since: Timestamp, without: &[TelegramId]) -> Result<i64, AppError> {
    let mut count = users::count_since(reader, since).await?;
    for operator in without {
        let own = users::find(reader, *operator).await?;
        count -= i64::from(own.is_some_and(|user| user.created_at >= since));
    }
    Ok(count)
}

async fn packs(
    reader: &mut Reader,
    since: Timestamp,
    now: Timestamp,
    without: &[TelegramId],
) -> Result<i64, AppError> {
    let until = now.plus(Duration::from_millis(1));
    Ok(jobs::packs_between(reader, since, until, without).await?)
}

/// The answer of `/admin_stats`: jobs by status, waiting time, failures of the last hour, spend, pause, tablets.
///
/// # Errors
/// When the database fails.
pub async fn report(ctx: &Ctx) -> Result<String, AppError> {
    let now = ctx.clock.now();
    let mut reader = ctx.store.reader();
    let waiting = u32::try_from(jobs::count_active(&mut reader).await?).unwrap_or(u32::MAX);
    let recent = jobs::recent_durations(&mut reader, wait::RECENT_JOBS).await?;
    let hour_ago = now.minus(HOUR);
    let failures = jobs::failed_since(&mut reader, hour_ago, FAILURES_LISTED).await?;
    let tablets = kiosks::list(&mut reader).await?;
    let tablets = tablets.into_iter().map(|kiosk| Tablet {
        name: kiosk.kiosk,
        camera: kiosk.camera,
        silent: now.since(kiosk.seen_at),
    });
    let report = Report {
        jobs: jobs::count_by_status(&mut reader).await?,
        wait: wait::expected(&recent, waiting.saturating_add(1), ctx.settings.worker_slots),
        failed: jobs::count_failed_since(&mut reader, hour_ago).await?,
        failures: failures.into_iter().map(|(job, error)| Failure { job, error }).collect(),
        spent_today: ai_usage::spent_since(&mut reader, schedule::midnight(now)).await?,
        spent: ai_usage::spent_since(&mut reader, Timestamp::from_millis(0)).await?,
        pause: health::maintenance(ctx).await?,
        tablets: tablets.filter(|tablet| tablet.silent < LISTED_FOR).collect(),
    };
    Ok(operator::report(&report))
}
