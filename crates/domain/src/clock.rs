//! Time as the product stores it, and the clock that is passed in wherever "now" is needed.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// A point in time: milliseconds since 1970, UTC, which is what both database engines store without rounding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The time that lies `ms` milliseconds after 1970, UTC.
    pub const fn from_millis(ms: i64) -> Self {
        Self(ms)
    }

    /// Milliseconds since 1970, UTC.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Time passed since `earlier`; zero when the clock went back.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0).max(0).unsigned_abs())
    }

    /// This time and `by` more.
    pub fn plus(self, by: Duration) -> Timestamp {
        Self(self.0.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
    }

    /// This time less `by`.
    pub fn minus(self, by: Duration) -> Timestamp {
        Self(self.0.saturating_sub(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC, or the bare number where the calendar ends.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(time) => write!(f, "{time}"),
            Err(_) => write!(f, "{} ms", self.0),
        }
    }
}

/// Where "now" comes from. Passed in, never reached for.
pub trait Clock: Send + Sync {
    /// The present time.
    fn now(&self) -> Timestamp;
}

/// A clock that moves only when it is told to. For tests and simulations.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that stands at `start`.
    pub fn new(start: Timestamp) -> Self {
        Self(AtomicI64::new(start.as_millis()))
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX), Ordering::SeqCst);
    }
}

impl ManualClock {
    /// Puts the clock to a time, back too: to where something that another clock stamped is as old as a test wants it.
    pub fn set(&self, to: Timestamp) {
        self.0.store(to.as_millis(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_went_back_gives_no_negative_age() {
        let now = Timestamp::from_millis(1_000);
        assert_eq!(now.since(Timestamp::from_millis(5_000)), Duration::ZERO);
        assert_eq!(now.since(Timestamp::from_millis(400)), Duration::from_millis(600));
    }

    #[test]
    fn a_time_is_shown_as_rfc_3339() {
        assert_eq!(Timestamp::from_millis(1_795_959_000_000).to_string(), "2026-11-29T13:30:00Z");
    }
}
