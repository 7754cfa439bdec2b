//! The world's time: real when people use it, virtual when a test decides how long a minute is.

use std::fmt;
use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::watch;

/// A wait that ends at a time of a [`Clock`].
pub type Wait<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Where the world takes its time from.
pub trait Clock: Send + Sync + fmt::Debug {
    /// Milliseconds since 1970, UTC.
    fn now_ms(&self) -> i64;

    /// Ends when [`Clock::now_ms`] has reached `at_ms`.
    fn until(&self, at_ms: i64) -> Wait<'_>;

    /// Moves the time forward. False when this clock goes by itself.
    fn advance(&self, by: Duration) -> bool;
}

/// The machine's clock, for the program that people start by hand.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the world may read the machine's time"
    )]
    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    fn until(&self, at_ms: i64) -> Wait<'_> {
        let left = u64::try_from(at_ms - self.now_ms()).unwrap_or(0);
        Box::pin(tokio::time::sleep(Duration::from_millis(left)))
    }

    fn advance(&self, _by: Duration) -> bool {
        false
    }
}

/// A clock that stands still until somebody advances it.
#[derive(Debug)]
pub struct VirtualClock {
    now: watch::Sender<i64>,
}

impl VirtualClock {
    /// A clock that shows `now_ms`.
    #[must_use]
    pub fn at(now_ms: i64) -> Self {
        Self { now: watch::Sender::new(now_ms) }
    }
}

impl Clock for VirtualClock {
    fn now_ms(&self) -> i64 {
        *self.now.borrow()
    }

    fn until(&self, at_ms: i64) -> Wait<'_> {
        let mut seen = self.now.subscribe();
        Box::pin(async move {
            // The sender lives in `self`, which this wait borrows, so the channel cannot close under it.
            let _ = seen.wait_for(|now| *now >= at_ms).await;
        })
    }

    fn advance(&self, by: Duration) -> bool {
        let step = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        self.now.send_modify(|now| *now = now.saturating_add(step));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_virtual_wait_ends_only_when_the_time_is_reached() {
        let clock = VirtualClock::at(1_000);
        let mut wait = clock.until(3_000);
        assert!(futures::poll!(&mut wait).is_pending());
        clock.advance(Duration::from_secs(1));
        assert!(futures::poll!(&mut wait).is_pending());
        clock.advance(Duration::from_secs(1));
        assert!(futures::poll!(&mut wait).is_ready());
    }

    #[tokio::test]
    async fn the_system_clock_cannot_be_moved() {
        assert!(!SystemClock.advance(Duration::from_secs(60)));
    }
}
