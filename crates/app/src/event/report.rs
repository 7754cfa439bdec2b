//! The numbers of an event: guests, packs, waiting times, outfits, languages, costs. The operators' own trials do not count.

use crate::AppError;
use domain::guest::TelegramId;
use domain::{Timestamp, schedule};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::event::{self, EventGuest, EventJob, EventSession};
use store::{Store, ai_usage};

/// From its beginning up to but not including its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Period {
    /// Beginning.
    pub from: Timestamp,
    /// End.
    pub to: Timestamp,
}

/// How long guests waited for their pack, from the photo to the message, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Half of them waited no longer.
    pub median_s: u64,
    /// Nine of ten waited no longer.
    pub nine_of_ten_s: u64,
    /// Nobody waited longer.
    pub longest_s: u64,
}

/// What was counted; the lists are ordered, the largest number first, hours by time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Of when.
    pub period: Period,
    /// Guests first seen.
    pub guests: u64,
    /// Those who agreed to the processing of their photo.
    pub agreed: u64,
    /// Taps on Start.
    pub taps: u64,
    /// Taps that a phone followed.
    pub linked: u64,
    /// Photos taken.
    pub photos: u64,
    /// Packs delivered.
    pub packs: u64,
    /// Photos that gave no pack.
    pub failed: u64,
    /// Packs still being made.
    pub active: u64,
    /// Waiting times of the delivered packs.
    pub waiting: Option<Waiting>,
    /// Delivered packs by outfit.
    pub outfits: Vec<(String, u64)>,
    /// Guests by language.
    pub languages: Vec<(String, u64)>,
    /// Delivered packs by the way they were drawn.
    pub modes: Vec<(String, u64)>,
    /// Delivered packs by the hour of their photo, on Tashkent's clock.
    pub hours: Vec<(String, u64)>,
    /// Taps by tablet.
    pub tablets: Vec<(String, u64)>,
    /// Sessions closed before a photo, by reason.
    pub closed: Vec<(String, u64)>,
    /// What image providers cost, in US dollars.
    pub cost_usd: f64,
    /// The same for one delivered pack.
    pub cost_per_pack_usd: Option<f64>,
}

/// Counts. `operators` are left out.
///
/// # Errors
/// When the database fails.
pub async fn figures(store: &Store, period: Period, operators: &[i64]) -> Result<Figures, AppError> {
    let Period { from, to } = period;
    let mut reader = store.reader();
    let own: BTreeSet<TelegramId> = operators.iter().copied().map(TelegramId).collect();
    let mut guests = event::guests(&mut reader, from, to).await?;
    guests.retain(|guest| !own.contains(&guest.id));
    let mut sessions = event::sessions(&mut reader, from, to).await?;
    sessions.retain(|session| session.guest.is_none_or(|guest| !own.contains(&guest)));
    let mut jobs = event::jobs(&mut reader, from, to).await?;
    jobs.retain(|job| !own.contains(&job.guest));
    let until = ai_usage::spent_since(&mut reader, to).await?;
    let spent = ai_usage::spent_since(&mut reader, from).await? - until;
    Ok(counted(period, &guests, &sessions, &jobs, spent.max(0.0)))
}

fn counted(
    period: Period,
    guests: &[EventGuest],
    sessions: &[EventSession],
    jobs: &[EventJob],
    cost_usd: f64,
) -> Figures {
    let done: Vec<&EventJob> = jobs.iter().filter(|job| job.status == "done").collect();
    let failed = jobs.iter().filter(|job| job.status == "failed").count();
    let packs = number(done.len());
    let unnamed = |kiosk: &Option<String>| kiosk.clone().unwrap_or_else(|| "—".to_owned());
    #[expect(clippy::cast_precision_loss, reason = "packs of an event are few")]
    let per_pack = (packs > 0).then(|| cost_usd / packs as f64);
    Figures {
        period,
        guests: number(guests.len()),
        agreed: number(guests.iter().filter(|guest| guest.agreed).count()),
        taps: number(sessions.len()),
        linked: number(sessions.iter().filter(|session| session.guest.is_some()).count()),
        photos: number(jobs.len()),
        packs,
        failed: number(failed),
        active: number(jobs.len() - done.len() - failed),
        waiting: waiting(&done),
        outfits: by_size(done.iter().map(|job| job.template.clone())),
        languages: by_size(guests.iter().map(|guest| guest.language.clone())),
        modes: by_size(done.iter().filter_map(|job| job.mode.clone())),
        hours: by_name(done.iter().map(|job| hour(job.created_at))),
        tablets: by_size(sessions.iter().map(|session| unnamed(&session.kiosk))),
        closed: by_size(sessions.iter().filter_map(|session| session.closed_reason.clone())),
        cost_usd,
        cost_per_pack_usd: per_pack,
    }
}

/// `YYYY-MM-DD HH:00`.
fn hour(at: Timestamp) -> String {
    let time = schedule::full_time(at);
    format!("{}:00", time.get(..13).unwrap_or(&time))
}

fn waiting(done: &[&EventJob]) -> Option<Waiting> {
    let mut seconds: Vec<u64> = done
        .iter()
        .filter_map(|job| job.link_sent_at.map(|sent| sent.since(job.created_at).as_secs()))
        .collect();
    seconds.sort_unstable();
    // The place of the first one that so many in a hundred do not pass.
    let at = |percent: usize| seconds.get((seconds.len() * percent).div_ceil(100).saturating_sub(1)).copied();
    Some(Waiting { median_s: at(50)?, nine_of_ten_s: at(90)?, longest_s: at(100)? })
}

fn by_name(names: impl Iterator<Item = String>) -> Vec<(String, u64)> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

fn by_size(names: impl Iterator<Item = String>) -> Vec<(String, u64)> {
    let mut counts = by_name(names);
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_795_959_000_000 + seconds * 1_000)
    }

    fn job(status: &str, template: &str, photo: i64, waited: Option<i64>) -> EventJob {
        EventJob {
            guest: TelegramId(1),
            status: status.to_owned(),
            template: template.to_owned(),
            mode: waited.map(|_| "composite".to_owned()),
            created_at: at(photo),
            link_sent_at: waited.map(|waited| at(photo + waited)),
        }
    }

    #[test]
    fn waiting_times_are_those_of_delivered_packs_and_lists_begin_with_the_largest() {
        let guest =
            |language: &str, agreed| EventGuest { id: TelegramId(1), language: language.to_owned(), agreed };
        let session = |guest: Option<i64>, reason: Option<&str>| EventSession {
            guest: guest.map(TelegramId),
            status: "expired".to_owned(),
            closed_reason: reason.map(str::to_owned),
            kiosk: None,
        };
        let mut jobs: Vec<EventJob> =
            (1..=9).map(|waited| job("done", "chapan", 0, Some(waited * 10))).collect();
        jobs.push(job("done", "chef", 3_600, Some(1_000)));
        jobs.push(job("failed", "chef", 0, None));
        jobs.push(job("queued", "chef", 0, None));
        let figures = counted(
            Period { from: at(0), to: at(9_999) },
            &[guest("ru", true), guest("uz", true), guest("uz", false)],
            &[session(Some(1), None), session(None, Some("qr_timeout"))],
            &jobs,
            2.5,
        );
        assert_eq!((figures.guests, figures.agreed, figures.taps, figures.linked), (3, 2, 2, 1));
        assert_eq!((figures.photos, figures.packs, figures.failed, figures.active), (12, 10, 1, 1));
        assert_eq!(figures.waiting, Some(Waiting { median_s: 50, nine_of_ten_s: 90, longest_s: 1_000 }));
        let pairs =
            |list: &[(&str, u64)]| list.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect::<Vec<_>>();
        assert_eq!(figures.outfits, pairs(&[("chapan", 9), ("chef", 1)]));
        assert_eq!(figures.languages, pairs(&[("uz", 2), ("ru", 1)]));
        assert_eq!(figures.hours, pairs(&[("2026-11-29 18:00", 9), ("2026-11-29 19:00", 1)]));
        assert_eq!(figures.closed, pairs(&[("qr_timeout", 1)]));
        assert_eq!(figures.cost_per_pack_usd, Some(0.25));
    }

    #[test]
    fn an_event_without_packs_has_no_waiting_time_and_no_price() {
        let figures = counted(Period { from: at(0), to: at(1) }, &[], &[], &[], 0.0);
        assert_eq!((figures.waiting, figures.cost_per_pack_usd, figures.packs), (None, None, 0));
    }
}
