//! The first page: is something to be done, how long do guests wait, what fails, how are tablets and server.

use super::server::{Facts, Server};
use super::todo::{self, Todo};
use crate::trouble::{self, Matter};
use crate::{AppError, Ctx, health, operator};
use domain::guest::TelegramId;
use domain::job::{JobId, JobStatus};
use domain::lead::LeadStatus;
use domain::maintenance::Maintenance;
use domain::operator::Balance;
use domain::{Timestamp, schedule, wait};
use std::collections::BTreeSet;
use std::time::Duration;
use store::kiosks::{self, Kiosk};
use store::panel::{self, JobLine};
use store::{Reader, ai_usage, jobs, leads};

const HOUR: Duration = Duration::from_secs(3_600);
/// A bar of the chart.
pub const SLOT: Duration = Duration::from_secs(600);
/// Bars of the chart: three hours.
pub const SLOTS: u32 = 18;
/// Failures that are listed with their reasons.
const FAILURES_LISTED: u32 = 5;
/// Jobs that are listed.
const ACTIVE_LISTED: u32 = 10;
/// Tablets that were not heard for longer are not listed.
const TABLETS_LISTED_FOR: Duration = Duration::from_secs(24 * 3_600);
/// Waiting leads that are looked at for the oldest one.
const LEADS_LOOKED_AT: u32 = 1;

/// A bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// When it begins.
    pub from: Timestamp,
    /// Packs created in it.
    pub packs: i64,
    /// Jobs that failed in it.
    pub failed: i64,
}

/// An active job with its place in the queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Active {
    /// The job.
    pub job: JobLine,
    /// 1 is next; 0 is being made.
    pub position: u32,
}

/// Everything that the page shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Now {
    /// When it was read.
    pub at: Timestamp,
    /// What to do, worst first.
    pub todo: Vec<Todo>,
    /// What this process cannot write to.
    pub troubles: BTreeSet<Matter>,
    /// Whether the product is paused.
    pub pause: Option<Maintenance>,
    /// Time since the bot told that it lives; none when it never did.
    pub bot_silent: Option<Duration>,
    /// Jobs that wait.
    pub queued: i64,
    /// Jobs that are drawn.
    pub drawing: i64,
    /// Jobs that are on their way.
    pub sending: i64,
    /// What a guest who comes now would wait.
    pub wait: Duration,
    /// Of how many jobs that was measured.
    pub measured: usize,
    /// Jobs that failed in the last hour.
    pub failed: i64,
    /// The newest of them, with their errors.
    pub failures: Vec<(JobId, String)>,
    /// Packs of the last hour.
    pub packs_hour: i64,
    /// Packs since midnight.
    pub packs_today: i64,
    /// US dollars since midnight.
    pub spent_today: f64,
    /// The prepaid balance, where somebody typed one.
    pub balance: Option<Balance>,
    /// Packs and failures of three hours.
    pub slots: Vec<Slot>,
    /// Tablets heard within a day.
    pub tablets: Vec<Kiosk>,
    /// What is made now.
    pub active: Vec<Active>,
    /// Copies, disk, photos.
    pub server: Facts,
    /// Hours until photos are deleted.
    pub photo_ttl_hours: u32,
}

/// Reads it.
///
/// # Errors
/// When the database fails.
pub async fn now(ctx: &Ctx, server: &Server) -> Result<Now, AppError> {
    let at = ctx.clock.now();
    let mut reader = ctx.store.reader();
    let (hour_ago, midnight) = (at.minus(HOUR), schedule::midnight(at));
    let count = async |status| panel::count_jobs(&mut ctx.store.reader(), status).await;
    let (queued, drawing, sending) = (
        count(JobStatus::Queued).await?,
        count(JobStatus::Processing).await?,
        count(JobStatus::Delivering).await?,
    );
    let recent = jobs::recent_durations(&mut reader, wait::RECENT_JOBS).await?;
    let position = u32::try_from(queued + drawing + sending + 1).unwrap_or(u32::MAX);
    let mut found = Now {
        at,
        todo: Vec::new(),
        troubles: trouble::known(ctx).await,
        pause: health::maintenance(ctx).await?,
        bot_silent: health::look(ctx).await.bot_seen_seconds.map(Duration::from_secs),
        queued,
        drawing,
        sending,
        wait: wait::expected(&recent, position, ctx.settings.worker_slots),
        measured: recent.len(),
        failed: jobs::count_failed_since(&mut reader, hour_ago).await?,
        failures: jobs::failed_since(&mut reader, hour_ago, FAILURES_LISTED).await?,
        packs_hour: packs(ctx, &mut reader, hour_ago, at).await?,
        packs_today: packs(ctx, &mut reader, midnight, at).await?,
        spent_today: ai_usage::spent_since(&mut reader, midnight).await?,
        balance: operator::balance(&mut reader).await?,
        slots: slots(&mut reader, at).await?,
        tablets: tablets(&mut reader, at).await?,
        active: active(&mut reader).await?,
        server: server.facts(ctx).await?,
        photo_ttl_hours: ctx.settings.photo_ttl_hours,
    };
    let waiting = leads::waiting(&mut reader, LEADS_LOOKED_AT).await?;
    let oldest_lead = waiting.first().map(|lead| at.since(lead.created_at));
    found.todo = todo::of(&found, new_leads(ctx).await?, oldest_lead);
    Ok(found)
}

/// Leads that nobody took, for the rail; [`panel::COUNT_MAX`] is so many or more.
///
/// # Errors
/// When the database fails.
pub async fn new_leads(ctx: &Ctx) -> Result<i64, AppError> {
    Ok(panel::count_leads(&mut ctx.store.reader(), LeadStatus::New).await?)
}

/// Packs of guests: the operators' own trials do not count.
async fn packs(ctx: &Ctx, reader: &mut Reader, since: Timestamp, at: Timestamp) -> Result<i64, AppError> {
    let operators: BTreeSet<i64> = ctx.settings.admin_user_ids.iter().copied().collect();
    let operators: Vec<_> = operators.into_iter().map(TelegramId).collect();
    let until = at.plus(Duration::from_millis(1));
    Ok(jobs::packs_between(reader, since, until, &operators).await?)
}

async fn slots(reader: &mut Reader, at: Timestamp) -> Result<Vec<Slot>, AppError> {
    let length = i64::try_from(SLOT.as_millis()).unwrap_or(i64::MAX);
    let last = at.as_millis().div_euclid(length);
    let first = last - i64::from(SLOTS) + 1;
    let since = Timestamp::from_millis(first.saturating_mul(length));
    let packs = panel::packs_by_slot(reader, since, SLOT).await?;
    let failed = panel::failures_by_slot(reader, since, SLOT).await?;
    let of = |counts: &[(i64, i64)], slot| counts.iter().find(|(at, _)| *at == slot).map_or(0, |(_, n)| *n);
    let slot = |number: i64| Slot {
        from: Timestamp::from_millis(number.saturating_mul(length)),
        packs: of(&packs, number),
        failed: of(&failed, number),
    };
    Ok((first..=last).map(slot).collect())
}

async fn tablets(reader: &mut Reader, at: Timestamp) -> Result<Vec<Kiosk>, AppError> {
    let mut tablets = kiosks::list(reader).await?;
    tablets.retain(|tablet| at.since(tablet.seen_at) < TABLETS_LISTED_FOR);
    Ok(tablets)
}

async fn active(reader: &mut Reader) -> Result<Vec<Active>, AppError> {
    let mut active = Vec::new();
    for job in panel::active_jobs(reader, ACTIVE_LISTED).await? {
        let position = jobs::position(reader, job.id).await?.unwrap_or(0);
        active.push(Active { job, position });
    }
    Ok(active)
}
