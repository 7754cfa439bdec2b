//! What to do now: a matter a line, worst first, at most five. Decided from what the first page has read, so it can be tried without a server.

use super::now::Now;
use crate::trouble::Matter;
use domain::backup::LATE_AFTER;
use domain::maintenance::Maintenance;
use domain::operator::{LOW_BALANCE_USD, TABLET_GONE_AFTER, TABLET_SILENT_AFTER};
use domain::schedule::REMIND_AFTER;
use std::time::Duration;

/// Matters that are shown at once.
const SHOWN_MAX: usize = 5;
/// A bot that was not heard for so long is not running: it tells every few seconds.
const BOT_SILENT_AFTER: Duration = Duration::from_secs(60);
/// A disk is called full from this on, unless there is room for some events all the same.
const DISK_FULL_PERCENT: u64 = 90;
/// That room.
const DISK_ROOM: u64 = 5_000_000_000;

/// A matter.
#[derive(Clone, Debug, PartialEq)]
pub enum Todo {
    /// The machine takes nothing: disk, lock, folder.
    Machine(Matter),
    /// The bot does not run: nothing is drawn and nobody is answered.
    BotSilent(Option<Duration>),
    /// The disk is full or nearly so.
    Disk(u64),
    /// The product is paused.
    Paused(Maintenance),
    /// A tablet is silent.
    TabletSilent(String, Duration),
    /// A tablet has no camera: `lost` or `denied`.
    TabletCamera(String, String),
    /// Files of guests are there past their time.
    PhotosTooOld(Duration),
    /// The last good copy is older than a night.
    CopyLate(Duration),
    /// There is no copy of the database at all.
    NoCopy,
    /// The prepaid balance ends.
    BalanceLow(f64),
    /// Jobs failed in the last hour.
    Failures(i64),
    /// Leads wait for longer than two hours.
    LeadsWait(i64, Duration),
}

/// The matters of what was read; `new_leads` and the age of the oldest of them beside it.
pub fn of(now: &Now, new_leads: i64, oldest_lead: Option<Duration>) -> Vec<Todo> {
    let mut todo: Vec<Todo> = now.troubles.iter().copied().map(Todo::Machine).collect();
    if now.bot_silent.is_none_or(|silent| silent >= BOT_SILENT_AFTER) {
        todo.push(Todo::BotSilent(now.bot_silent));
    }
    todo.extend(disk(now));
    todo.extend(now.pause.map(Todo::Paused));
    for tablet in &now.tablets {
        let silent = now.at.since(tablet.seen_at);
        if silent >= TABLET_GONE_AFTER {
            continue;
        }
        if silent >= TABLET_SILENT_AFTER {
            todo.push(Todo::TabletSilent(tablet.kiosk.clone(), silent));
        } else if tablet.camera != "ok" {
            todo.push(Todo::TabletCamera(tablet.kiosk.clone(), tablet.camera.clone()));
        }
    }
    let ttl = Duration::from_secs(u64::from(now.photo_ttl_hours) * 3_600);
    let oldest = now.server.photos.and_then(|photos| photos.oldest).map(|at| now.at.since(at));
    todo.extend(oldest.filter(|age| *age > ttl).map(Todo::PhotosTooOld));
    todo.extend(copy(now));
    if let Some(left) = now.balance.map(|balance| balance.left()).filter(|left| *left < LOW_BALANCE_USD) {
        todo.push(Todo::BalanceLow(left));
    }
    if now.failed > 0 {
        todo.push(Todo::Failures(now.failed));
    }
    if let Some(age) = oldest_lead.filter(|age| *age >= REMIND_AFTER) {
        todo.push(Todo::LeadsWait(new_leads, age));
    }
    todo.truncate(SHOWN_MAX);
    todo
}

/// Whether the disk ends.
fn disk(now: &Now) -> Option<Todo> {
    let disk = now.server.disk.filter(|disk| disk.free < DISK_ROOM)?;
    (disk.used_percent() >= DISK_FULL_PERCENT).then(|| Todo::Disk(disk.used_percent()))
}

/// What is wrong with the copies. Where none was ever made, that is said once there is something to lose.
fn copy(now: &Now) -> Option<Todo> {
    match now.server.last_copy.map(|at| now.at.since(at)) {
        Some(age) => (age > LATE_AFTER).then_some(Todo::CopyLate(age)),
        None => (now.server.copies.as_ref().is_some_and(Vec::is_empty) && now.packs_today > 0)
            .then_some(Todo::NoCopy),
    }
}

#[cfg(test)]
mod tests {
    use super::super::server::{Disk, Facts, Photos};
    use super::*;
    use domain::Timestamp;
    use domain::operator::Balance;
    use std::collections::BTreeSet;
    use store::kiosks::Kiosk;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_795_959_000_000 + seconds * 1_000)
    }

    /// A good evening.
    fn good() -> Now {
        let photos = Photos { selfies: 41, files: 300, oldest: Some(at(-9 * 3_600)) };
        Now {
            at: at(0),
            todo: Vec::new(),
            troubles: BTreeSet::new(),
            pause: None,
            bot_silent: Some(Duration::from_secs(5)),
            queued: 3,
            drawing: 2,
            sending: 0,
            wait: Duration::from_secs(240),
            measured: 20,
            failed: 0,
            failures: Vec::new(),
            packs_hour: 31,
            packs_today: 128,
            spent_today: 18.4,
            balance: Some(Balance { typed: 60.0, at: at(-3_600), spent: 18.4 }),
            slots: Vec::new(),
            tablets: vec![tablet("Вход", "ok", 29)],
            active: Vec::new(),
            server: Facts {
                photos: Some(photos),
                copies: Some(Vec::new()),
                last_copy: Some(at(-25 * 3_600)),
                disk: Some(Disk { total: 100, free: 39 }),
            },
            photo_ttl_hours: 72,
        }
    }

    fn tablet(name: &str, camera: &str, silent: i64) -> Kiosk {
        Kiosk {
            kiosk: name.to_owned(),
            camera: camera.to_owned(),
            battery: None,
            version: "1".to_owned(),
            first_seen_at: at(-9_000),
            seen_at: at(-silent),
        }
    }

    #[test]
    fn on_a_good_evening_there_is_nothing_to_do() {
        assert_eq!(of(&good(), 2, Some(Duration::from_secs(7_199))), []);
    }

    #[test]
    fn each_thing_that_is_wrong_is_a_line() {
        let minutes = |count: u64| Duration::from_secs(count * 60);
        type Spoil = fn(&mut Now);
        let full = Matter::Database(store::Trouble::Full);
        let cases: [(Spoil, Todo); 12] = [
            (
                |now| now.troubles = BTreeSet::from([Matter::Database(store::Trouble::Full)]),
                Todo::Machine(full),
            ),
            (|now| now.bot_silent = None, Todo::BotSilent(None)),
            (|now| now.bot_silent = Some(Duration::from_secs(60)), Todo::BotSilent(Some(minutes(1)))),
            (|now| now.server.disk = Some(Disk { total: 100, free: 10 }), Todo::Disk(90)),
            (|now| now.pause = Some(Maintenance::Auto), Todo::Paused(Maintenance::Auto)),
            (
                |now| now.tablets.push(tablet("Сцена", "lost", 180)),
                Todo::TabletSilent("Сцена".into(), minutes(3)),
            ),
            (
                |now| now.tablets.push(tablet("Сцена", "denied", 10)),
                Todo::TabletCamera("Сцена".into(), "denied".into()),
            ),
            (
                |now| {
                    now.server.photos = Some(Photos { selfies: 1, files: 1, oldest: Some(at(-73 * 3_600)) })
                },
                Todo::PhotosTooOld(minutes(73 * 60)),
            ),
            (|now| now.server.last_copy = Some(at(-27 * 3_600)), Todo::CopyLate(minutes(27 * 60))),
            (|now| now.server.last_copy = None, Todo::NoCopy),
            (
                |now| now.balance = Some(Balance { typed: 20.0, at: at(0), spent: 15.5 }),
                Todo::BalanceLow(4.5),
            ),
            (|now| now.failed = 3, Todo::Failures(3)),
        ];
        for (spoil, line) in cases {
            let mut now = good();
            spoil(&mut now);
            assert_eq!(of(&now, 0, None), [line]);
        }
        assert_eq!(of(&good(), 3, Some(minutes(130))), [Todo::LeadsWait(3, minutes(130))]);
    }

    #[test]
    fn a_large_disk_that_is_nearly_full_has_room_all_the_same() {
        let mut now = good();
        now.server.disk = Some(Disk { total: 250_000_000_000, free: 5_000_000_000 });
        assert_eq!(of(&now, 0, None), []);
        now.server.disk = Some(Disk { total: 250_000_000_000, free: 4_999_999_999 });
        assert_eq!(of(&now, 0, None), [Todo::Disk(99)]);
    }

    #[test]
    fn a_tablet_that_was_put_away_is_nobodys_worry() {
        let mut now = good();
        now.tablets.push(tablet("Склад", "lost", 3_600));
        assert_eq!(of(&now, 0, None), []);
    }

    #[test]
    fn the_worst_five_come_first() {
        let mut now = good();
        now.bot_silent = None;
        now.failed = 9;
        now.pause = Some(Maintenance::Admin);
        for name in ["1", "2", "3", "4"] {
            now.tablets.push(tablet(name, "lost", 1));
        }
        let todo = of(&now, 0, None);
        assert_eq!(todo.len(), 5);
        assert_eq!(todo[..2], [Todo::BotSilent(None), Todo::Paused(Maintenance::Admin)]);
    }
}
