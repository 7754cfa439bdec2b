//! When the leads loop pings, reports and forgets: the time rules of seed 000 as pure functions.
//!
//! All of them count on a fixed UTC+5 ([`TASHKENT`]): there is no daylight-saving change.

use crate::clock::Timestamp;
use jiff::tz::Offset;
use std::time::Duration;

/// The offset of every rule and of every time that people read (seed 000, "The loop").
pub const TASHKENT: Offset = Offset::constant(5);

/// A lead that stays `new` for this long gets its one ping (`REMIND_AFTER`).
pub const REMIND_AFTER: Duration = Duration::from_secs(2 * 3600);
/// Hours of the day in which pings go out: from the first up to but not including the second (`WORK_HOURS`).
pub const WORK_HOURS: (i64, i64) = (9, 21);
/// Days on which pings go out, Monday being 0: Monday to Friday (`WORK_DAYS`).
pub const WORK_DAYS: (i64, i64) = (0, 4);
/// Hour of the digest, and the end of its period (`DIGEST_AT`).
pub const DIGEST_AT: i64 = 10;
/// From this hour on a missed digest is skipped (`DIGEST_LATE_UNTIL`).
pub const DIGEST_LATE_UNTIL: i64 = 12;
/// A spam lead keeps its personal data for this long after its last status change (`SPAM_KEEP`).
pub const SPAM_KEEP: Duration = Duration::from_secs(30 * 24 * 3600);
/// Any other lead keeps them for this long (`LEAD_KEEP`).
pub const LEAD_KEEP: Duration = Duration::from_secs(365 * 24 * 3600);
/// How often the once-a-minute steps run (`HOUSEKEEP_SEC`).
pub const HOUSEKEEP_EVERY: Duration = Duration::from_secs(60);
/// The safety net of the publishing half; a commit wakes it earlier (`PUBLISH_INTERVAL_SEC`).
pub const PUBLISH_EVERY: Duration = Duration::from_secs(2);

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// The first of January 1970 was a Thursday.
const THURSDAY: i64 = 3;

/// A day and a time of day in Tashkent, in whole numbers.
#[derive(Clone, Copy)]
struct Local {
    /// Days since 1970.
    day: i64,
    hour: i64,
}

impl Local {
    fn of(now: Timestamp) -> Local {
        let ms = now.as_millis().saturating_add(offset_ms());
        Local { day: ms.div_euclid(DAY_MS), hour: ms.rem_euclid(DAY_MS) / HOUR_MS }
    }

    /// Monday is 0.
    fn weekday(self) -> i64 {
        (self.day + THURSDAY).rem_euclid(7)
    }

    /// The moment at which this hour of this day begins.
    fn at(self, hour: i64) -> Timestamp {
        let ms = self.day.saturating_mul(DAY_MS).saturating_add(hour * HOUR_MS);
        Timestamp::from_millis(ms.saturating_sub(offset_ms()))
    }
}

fn offset_ms() -> i64 {
    i64::from(TASHKENT.seconds()) * 1_000
}

/// Whether pings may go out now: Monday to Friday, from 09:00 up to but not including 21:00 (seed 000, "Reminder").
pub fn is_work_time(now: Timestamp) -> bool {
    let local = Local::of(now);
    (WORK_DAYS.0..=WORK_DAYS.1).contains(&local.weekday())
        && (WORK_HOURS.0..WORK_HOURS.1).contains(&local.hour)
}

/// Leads created at this moment or before are old enough for their ping.
pub fn remind_created_by(now: Timestamp) -> Timestamp {
    now.minus(REMIND_AFTER)
}

/// Whole hours since the lead was created, as the ping tells them.
pub fn hours_waiting(created_at: Timestamp, now: Timestamp) -> u64 {
    now.since(created_at).as_secs() / 3600
}

/// The day whose digest may be sent now, as `YYYY-MM-DD`: in the hours 10 and 11, on every day of the week.
pub fn digest_day(now: Timestamp) -> Option<String> {
    let local = Local::of(now);
    (DIGEST_AT..DIGEST_LATE_UNTIL).contains(&local.hour).then(|| day(now))
}

/// What the digest of this day covers: from 10:00 yesterday up to but not including 10:00 today.
pub fn digest_window(now: Timestamp) -> (Timestamp, Timestamp) {
    let to = Local::of(now).at(DIGEST_AT);
    (to.minus(Duration::from_millis(DAY_MS.unsigned_abs())), to)
}

/// The beginning of today.
pub fn midnight(now: Timestamp) -> Timestamp {
    Local::of(now).at(0)
}

/// A day.
pub const DAY: Duration = Duration::from_millis(DAY_MS.unsigned_abs());
/// The shortest time that is stored: what happened just now lies before the end of a period that ends so much later.
pub const MOMENT: Duration = Duration::from_millis(1);

/// The beginning of the day `YYYY-MM-DD`; none when there is no such day.
pub fn beginning_of(day: &str) -> Option<Timestamp> {
    // The parser takes more than a bare date.
    let bare = day.len() == 10 && day.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let day: jiff::civil::Date = day.parse().ok().filter(|_| bare)?;
    let at = TASHKENT.to_timestamp(jiff::civil::DateTime::from(day)).ok()?;
    Some(Timestamp::from_millis(at.as_millisecond()))
}

/// Leads whose clock started at these moments or before have to be forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cutoffs {
    /// For leads that are spam.
    pub spam: Timestamp,
    /// For any status.
    pub any: Timestamp,
}

/// The retention periods counted back from `now` (seed 000, "Scheduled anonymisation"). The clock of a lead starts at its last
/// status change, or at its creation when the status never changed.
pub fn cutoffs(now: Timestamp) -> Cutoffs {
    Cutoffs { spam: now.minus(SPAM_KEEP), any: now.minus(LEAD_KEEP) }
}

/// `YYYY-MM-DD`.
pub fn day(at: Timestamp) -> String {
    shown(at, "%Y-%m-%d")
}

/// `dd.mm HH:MM`, as people read every time of a lead.
pub fn short_time(at: Timestamp) -> String {
    shown(at, "%d.%m %H:%M")
}

/// `dd.mm.yyyy`, as it stands on erased cards.
pub fn date(at: Timestamp) -> String {
    shown(at, "%d.%m.%Y")
}

/// `YYYY-MM-DD HH:MM:SS`, for tables that are sorted.
pub fn full_time(at: Timestamp) -> String {
    shown(at, "%Y-%m-%d %H:%M:%S")
}

fn shown(at: Timestamp, format: &str) -> String {
    match jiff::Timestamp::from_millisecond(at.as_millis()) {
        Ok(time) => TASHKENT.to_datetime(time).strftime(format).to_string(),
        // Beyond the calendar: no time of ours, and not worth a failure.
        Err(_) => at.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A time of day in Tashkent, typed as people say it.
    fn tashkent(text: &str) -> Timestamp {
        let time: jiff::Timestamp = format!("{text}+05:00").parse().expect("a time");
        Timestamp::from_millis(time.as_millisecond())
    }

    const DAY: Duration = Duration::from_secs(24 * 3600);

    #[test]
    fn row_000_loop_2_times_are_a_fixed_five_hours_ahead_in_summer_and_winter() {
        for month in ["01", "07"] {
            let utc: jiff::Timestamp = format!("2026-{month}-15T06:30:00Z").parse().expect("a time");
            let at = Timestamp::from_millis(utc.as_millisecond());
            assert_eq!(short_time(at), format!("15.{month} 11:30"));
            assert_eq!(full_time(at), format!("2026-{month}-15 11:30:00"));
        }
    }

    #[test]
    fn row_000_reminder_1_a_lead_is_old_enough_at_exactly_two_hours() {
        let created = tashkent("2026-11-25T10:00:00");
        let old_enough = |now: &str| created <= remind_created_by(tashkent(now));
        assert!(!old_enough("2026-11-25T11:59:59.999"));
        assert!(old_enough("2026-11-25T12:00:00"));
    }

    #[test]
    fn row_000_reminder_2_pings_go_out_from_nine_to_before_twenty_one_from_monday_to_friday() {
        // 23 November 2026 was a Monday.
        for (day, works) in
            [(23, true), (24, true), (25, true), (26, true), (27, true), (28, false), (29, false)]
        {
            for (time, within) in [
                ("00:00:00", false),
                ("08:59:59.999", false),
                ("09:00:00", true),
                ("12:00:00", true),
                ("20:59:59.999", true),
                ("21:00:00", false),
                ("23:59:59", false),
            ] {
                let now = tashkent(&format!("2026-11-{day}T{time}"));
                assert_eq!(is_work_time(now), works && within, "{now}");
            }
        }
    }

    #[test]
    fn row_000_reminder_2_a_lead_of_friday_night_is_pinged_on_monday_at_nine() {
        let created = tashkent("2026-11-27T20:30:00");
        let due = |now: Timestamp| created <= remind_created_by(now) && is_work_time(now);
        let mut now = created;
        while !due(now) {
            now = now.plus(Duration::from_secs(60));
        }
        assert_eq!(now, tashkent("2026-11-30T09:00:00"));
        assert_eq!(hours_waiting(created, now), 60);
    }

    #[test]
    fn row_000_reminder_3_the_hours_are_whole_ones() {
        let created = tashkent("2026-11-25T10:00:00");
        for (now, hours) in
            [("2026-11-25T12:00:00", 2), ("2026-11-25T12:59:59", 2), ("2026-11-25T13:00:00", 3)]
        {
            assert_eq!(hours_waiting(created, tashkent(now)), hours, "{now}");
        }
    }

    #[test]
    fn row_000_digest_1_it_goes_out_in_the_hours_ten_and_eleven() {
        for (time, sends) in [
            ("09:59:59.999", false),
            ("10:00:00", true),
            ("11:30:00", true),
            ("11:59:59.999", true),
            ("12:00:00", false),
            ("12:05:00", false),
        ] {
            assert_eq!(digest_day(tashkent(&format!("2026-11-25T{time}"))).is_some(), sends, "{time}");
        }
    }

    #[test]
    fn row_000_digest_2_the_day_is_named_by_its_date_in_tashkent() {
        assert_eq!(digest_day(tashkent("2026-11-25T10:00:00")).as_deref(), Some("2026-11-25"));
        assert_eq!(digest_day(tashkent("2027-01-01T11:59:59")).as_deref(), Some("2027-01-01"));
        // In UTC it is still yesterday.
        assert_eq!(day(tashkent("2027-01-01T04:00:00")), "2027-01-01");
    }

    #[test]
    fn row_000_digest_3_it_covers_ten_yesterday_to_ten_today_also_over_the_end_of_a_year() {
        for now in ["2026-11-29T10:00:00", "2026-11-29T11:59:59"] {
            let window = digest_window(tashkent(now));
            assert_eq!(window, (tashkent("2026-11-28T10:00:00"), tashkent("2026-11-29T10:00:00")));
        }
        let window = digest_window(tashkent("2027-01-01T10:20:00"));
        assert_eq!(window, (tashkent("2026-12-31T10:00:00"), tashkent("2027-01-01T10:00:00")));
        let leap = digest_window(tashkent("2028-03-01T10:00:00"));
        assert_eq!(leap.0, tashkent("2028-02-29T10:00:00"));
    }

    #[test]
    fn row_000_digest_4_every_day_has_one_weekends_included() {
        for day in 23..=29 {
            assert!(digest_day(tashkent(&format!("2026-11-{day}T10:00:00"))).is_some(), "{day}");
        }
    }

    #[test]
    fn rows_000_erase_1_and_2_thirty_days_for_spam_and_three_hundred_and_sixty_five_for_any() {
        let now = tashkent("2026-11-29T12:00:00");
        assert_eq!(cutoffs(now).spam.plus(DAY * 30), now);
        assert_eq!(cutoffs(now).any.plus(DAY * 365), now);
        let at_the_edge = tashkent("2026-10-30T12:00:00");
        assert!(at_the_edge <= cutoffs(now).spam);
        assert!(at_the_edge.plus(Duration::from_millis(1)) > cutoffs(now).spam);
        assert!(tashkent("2025-11-29T12:00:00") <= cutoffs(now).any);
        assert!(tashkent("2025-11-29T12:00:00.001") > cutoffs(now).any);
    }

    #[test]
    fn dates_are_written_as_the_interface_page_says() {
        let at = tashkent("2026-11-05T07:08:09");
        assert_eq!((short_time(at).as_str(), date(at).as_str()), ("05.11 07:08", "05.11.2026"));
        assert_eq!(midnight(at), tashkent("2026-11-05T00:00:00"));
    }

    #[test]
    fn a_time_beyond_the_calendar_is_no_failure() {
        for ms in [i64::MIN, i64::MAX] {
            let at = Timestamp::from_millis(ms);
            assert!(!short_time(at).is_empty());
            let _ = (is_work_time(at), digest_day(at), digest_window(at), cutoffs(at), midnight(at));
        }
    }
}
