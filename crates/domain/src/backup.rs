//! Names, times and rotation of copies of the database (seed 002, "Database backups" and "Automatic copies"). Times are UTC.

use crate::clock::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use std::time::Duration;

/// A copy older than this goes, however few there are (product.md, "Decided once"); the newest good one stays.
pub const KEPT_FOR: Duration = Duration::from_secs(14 * 24 * 3600);
/// A copy made before a guest was reset still holds that guest, and goes after this.
pub const RESET_COPY_KEPT_FOR: Duration = Duration::from_secs(24 * 3600);
/// A night without a good copy is noticed after this: the timer runs once a day, a few minutes late at most.
pub const LATE_AFTER: Duration = Duration::from_secs(26 * 3600);

/// `error` of jobs that were active when the copy was made (product.md, "Operations").
pub const RESTORED: &str = "restored from backup";

const STAMP: &str = "%Y%m%d-%H%M%S";

/// `YYYYmmdd-HHMMSS`.
pub fn stamp(at: Timestamp) -> String {
    civil(at).strftime(STAMP).to_string()
}

/// `YYYY-MM-DD HH:MM:SS UTC`, as each line of the backup's log begins.
pub fn log_time(at: Timestamp) -> String {
    civil(at).strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

fn civil(at: Timestamp) -> DateTime {
    Offset::UTC.to_datetime(jiff::Timestamp::from_millisecond(at.as_millis()).unwrap_or_default())
}

/// What a nightly copy is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A SQLite file, compressed.
    Sqlite,
    /// An archive of `pg_dump`, compressed.
    Postgres,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 2] = [Kind::Sqlite, Kind::Postgres];

    /// End of its files' names.
    pub fn extension(self) -> &'static str {
        match self {
            Kind::Sqlite => ".db.gz",
            Kind::Postgres => ".pgdump.gz",
        }
    }

    /// End of the name of one that is not packed.
    pub fn unpacked_extension(self) -> &'static str {
        match self {
            Kind::Sqlite => ".db",
            Kind::Postgres => ".pgdump",
        }
    }
}

/// `app-<YYYYmmdd-HHMMSS>.db` or `.pgdump`: a copy before it is packed.
pub fn unpacked_name(at: Timestamp, kind: Kind) -> String {
    format!("app-{}{}", stamp(at), kind.unpacked_extension())
}

/// End of the name of an encrypted copy.
pub const ENCRYPTED: &str = ".age";

/// `app-<YYYYmmdd-HHMMSS>.db.gz` (of a server `.pgdump.gz`), with `.age` behind it when encrypted.
pub fn nightly_name(at: Timestamp, kind: Kind, encrypted: bool) -> String {
    format!("app-{}{}{}", stamp(at), kind.extension(), if encrypted { ENCRYPTED } else { "" })
}

/// When a nightly copy of this name was made; none when it is not the name of one.
pub fn nightly_time(name: &str) -> Option<Timestamp> {
    let bare = name.strip_suffix(ENCRYPTED).unwrap_or(name);
    let stem = Kind::ALL.into_iter().find_map(|kind| bare.strip_suffix(kind.extension()))?;
    read_stamp(stem.strip_prefix("app-")?)
}

/// When a copy was made that never got so far as to be packed (`app-<YYYYmmdd-HHMMSS>.db`, of a server `.pgdump`): a damaged one kept for
/// inspection, or what an interrupted run left.
pub fn unpacked_time(name: &str) -> Option<Timestamp> {
    let stem = Kind::ALL.into_iter().find_map(|kind| name.strip_suffix(kind.unpacked_extension()))?;
    read_stamp(stem.strip_prefix("app-")?)
}

/// The day of a log file (`app.log.<YYYY-MM-DD>`), at its beginning; none when it is not the name of one.
pub fn log_day(name: &str) -> Option<Timestamp> {
    let day = DateTime::from(name.strip_prefix("app.log.")?.parse::<jiff::civil::Date>().ok()?);
    Some(Timestamp::from_millis(Offset::UTC.to_timestamp(day).ok()?.as_millisecond()))
}

/// Which automatic copy stands beside the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Automatic {
    /// Before a migration, or `reset-user`.
    Plain,
    /// Before a guest was reset in the panel.
    Reset,
    /// The database that stood there before a restore.
    BeforeRestore,
}

/// `app.db.bak-<YYYYmmdd-HHMMSS>[-reset]` or `app.db.before-restore-<YYYYmmdd-HHMMSS>`, beside the database file called `database`.
pub fn automatic_name(database: &str, at: Timestamp, of: Automatic) -> String {
    let stamp = stamp(at);
    match of {
        Automatic::Plain => format!("{database}{BAK}{stamp}"),
        Automatic::Reset => format!("{database}{BAK}{stamp}{RESET}"),
        Automatic::BeforeRestore => format!("{database}{BEFORE_RESTORE}{stamp}"),
    }
}

const BAK: &str = ".bak-";
const RESET: &str = "-reset";
const BEFORE_RESTORE: &str = ".before-restore-";

/// When an automatic copy of any database was made, by its name.
pub fn any_automatic_time(name: &str) -> Option<Timestamp> {
    let database = [BAK, BEFORE_RESTORE].into_iter().find_map(|mark| Some(name.rsplit_once(mark)?.0))?;
    automatic_time(database, name).map(|(at, _)| at)
}

/// When and why an automatic copy of this name was made; none when it is not the name of one.
pub fn automatic_time(database: &str, name: &str) -> Option<(Timestamp, Automatic)> {
    let rest = name.strip_prefix(database)?;
    if let Some(stamp) = rest.strip_prefix(BEFORE_RESTORE) {
        return Some((read_stamp(stamp)?, Automatic::BeforeRestore));
    }
    let rest = rest.strip_prefix(BAK)?;
    match rest.strip_suffix(RESET) {
        Some(stamp) => Some((read_stamp(stamp)?, Automatic::Reset)),
        None => Some((read_stamp(rest)?, Automatic::Plain)),
    }
}

fn read_stamp(text: &str) -> Option<Timestamp> {
    // The parser takes fewer digits than the name has.
    let shape =
        text.len() == 15 && text.bytes().enumerate().all(|(place, byte)| (place == 8) == (byte == b'-'));
    let at = DateTime::strptime(STAMP, text).ok().filter(|_| shape)?;
    let at = Offset::UTC.to_timestamp(at).ok()?;
    Some(Timestamp::from_millis(at.as_millisecond()))
}

/// Which of these nightly copies go: those over `keep` in number, counted from the newest, and those older than [`KEPT_FOR`]. The newest always stays.
pub fn outdated(mut copies: Vec<(Timestamp, String)>, keep: usize, now: Timestamp) -> Vec<String> {
    copies.sort_unstable();
    let newest_first = copies.into_iter().rev().enumerate().skip(1);
    let goes = |(place, (at, _)): &(usize, (Timestamp, String))| *place >= keep || now.since(*at) > KEPT_FOR;
    newest_first.filter(goes).map(|(_, (_, name))| name).collect()
}

/// When a database that a restore left on a server was put aside, by the end of its name.
pub fn left_time(name: &str) -> Option<Timestamp> {
    read_stamp(name.rsplit_once('_')?.1)
}

/// Whether an automatic copy goes.
pub fn automatic_outdated(at: Timestamp, of: Automatic, now: Timestamp) -> bool {
    let kept_for = if of == Automatic::Reset { RESET_COPY_KEPT_FOR } else { KEPT_FOR };
    now.since(at) > kept_for
}

/// A size for people, as `ls -h` shows it.
pub fn size(bytes: u64) -> String {
    const STEP: u64 = 1024;
    let (mut unit, mut whole) = (0, 1_u64);
    const UNITS: [&str; 5] = ["B", "K", "M", "G", "T"];
    while bytes / whole >= STEP && unit + 1 < UNITS.len() {
        whole *= STEP;
        unit += 1;
    }
    if unit == 0 || bytes / whole >= 10 {
        return format!("{}{}", bytes.div_ceil(whole), UNITS[unit]);
    }
    let tenths = (bytes * 10).div_ceil(whole);
    format!("{}.{}{}", tenths / 10, tenths % 10, UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::from_millis(text.parse::<jiff::Timestamp>().expect("a time").as_millisecond())
    }

    #[test]
    fn row_002_backup_4_names_hold_the_time_in_utc_and_are_read_back() {
        let night = at("2026-11-28T03:30:05Z");
        assert_eq!(nightly_name(night, Kind::Sqlite, false), "app-20261128-033005.db.gz");
        assert_eq!(nightly_name(night, Kind::Sqlite, true), "app-20261128-033005.db.gz.age");
        assert_eq!(nightly_name(night, Kind::Postgres, false), "app-20261128-033005.pgdump.gz");
        for kind in Kind::ALL {
            for encrypted in [false, true] {
                assert_eq!(nightly_time(&nightly_name(night, kind, encrypted)), Some(night));
            }
        }
        assert_eq!(automatic_name("app.db", night, Automatic::Plain), "app.db.bak-20261128-033005");
        assert_eq!(automatic_name("app.db", night, Automatic::Reset), "app.db.bak-20261128-033005-reset");
        assert_eq!(
            automatic_name("app.db", night, Automatic::BeforeRestore),
            "app.db.before-restore-20261128-033005"
        );
        for of in [Automatic::Plain, Automatic::Reset, Automatic::BeforeRestore] {
            let name = automatic_name("app.db", night, of);
            assert_eq!(automatic_time("app.db", &name), Some((night, of)));
            assert_eq!(any_automatic_time(&name), Some(night));
        }
        assert_eq!(log_time(night), "2026-11-28 03:30:05 UTC");
    }

    #[test]
    fn other_files_are_never_taken_for_copies() {
        for name in [
            "app.db",
            "app-2026.db.gz",
            "app-20261328-033005.db.gz",
            "app-20261128-033005.db",
            "app-20261128-033005.pgdump",
            "app-20261128x033005.db.gz",
            "app-20261128-33005.db.gz",
            "notes.db.gz",
            "app-20261128-033005.db.gz.part",
            "",
        ] {
            assert_eq!(nightly_time(name), None, "{name}");
        }
        for kind in Kind::ALL {
            let night = at("2026-11-28T03:30:05Z");
            assert_eq!(unpacked_time(&unpacked_name(night, kind)), Some(night), "{kind:?}");
        }
        for name in ["app.db", "app-20261128-033005.db.gz", "app-2026.db"] {
            assert_eq!(unpacked_time(name), None, "{name}");
        }
        assert_eq!(log_day("app.log.2026-11-28"), Some(at("2026-11-28T00:00:00Z")));
        for name in ["app.log", "app.log.2026-13-01", "app.log.old", "other.log.2026-11-28"] {
            assert_eq!(log_day(name), None, "{name}");
        }
        for name in [
            "app.db",
            "app.db.bak-",
            "app.db.bak-x-reset",
            "app.db.before-restore-",
            "app.db.before-restore-20261128-033005-reset",
            "other.db.bak-20261128-033005",
        ] {
            assert_eq!(automatic_time("app.db", name), None, "{name}");
        }
    }

    #[test]
    fn row_002_backup_5_the_fourteen_newest_stay_unless_they_are_older_than_fourteen_days_and_the_newest_always()
     {
        let now = at("2026-11-29T04:00:00Z");
        let day = |days: u64| now.minus(Duration::from_secs(days * 24 * 3600 + 60));
        let copy = |days: u64| (day(days), nightly_name(day(days), Kind::Sqlite, false));
        let hours = |hours: u64| now.minus(Duration::from_secs(hours * 3600));
        let by_hand: Vec<_> = (0..16).map(|hour| (hours(hour), format!("{hour:02}"))).collect();
        assert_eq!(outdated(by_hand, 14, now), ["14", "15"]);
        let names = |days: &[u64]| days.iter().map(|day| copy(*day).1).collect::<Vec<_>>();
        assert_eq!(outdated(vec![copy(13), copy(0), copy(14), copy(30)], 14, now), names(&[14, 30]));
        assert_eq!(outdated(vec![copy(40), copy(41)], 14, now), names(&[41]));
        assert_eq!(outdated(Vec::new(), 14, now), Vec::<String>::new());
    }

    #[test]
    fn copies_before_a_reset_go_after_a_day_and_others_after_fourteen() {
        let now = at("2026-11-29T04:00:00Z");
        let ago = |seconds: u64| now.minus(Duration::from_secs(seconds));
        let day = 24 * 3600;
        for (of, kept) in
            [(Automatic::Reset, day), (Automatic::Plain, 14 * day), (Automatic::BeforeRestore, 14 * day)]
        {
            assert!(!automatic_outdated(ago(kept), of, now), "{of:?}");
            assert!(automatic_outdated(ago(kept + 1), of, now), "{of:?}");
        }
    }

    #[test]
    fn a_database_left_by_a_restore_tells_by_its_name_since_when() {
        assert_eq!(left_time("kiosk_before_restore_20261128-033005"), Some(at("2026-11-28T03:30:05Z")));
        assert_eq!(left_time("kiosk_restoring"), None);
    }

    #[test]
    fn sizes_are_short() {
        for (bytes, shown) in
            [(0, "0B"), (1023, "1023B"), (1024, "1.0K"), (1500, "1.5K"), (20_480, "20K"), (5_000_000, "4.8M")]
        {
            assert_eq!(size(bytes), shown, "{bytes}");
        }
    }
}
