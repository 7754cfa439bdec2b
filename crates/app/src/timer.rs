//! Waiting, passed in: the product sleeps, a test moves its clock instead.

use domain::clock::ManualClock;
use futures::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

/// Something that can wait for a bounded time.
pub trait Timer: Send + Sync {
    /// Resolves when `wait` has passed.
    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()>;

    /// Resolves when `every` has passed while other work went on. A test's clock stands still while work is under way, so there the beat
    /// never comes.
    fn beat(&self, every: Duration) -> BoxFuture<'static, ()> {
        self.sleep(every)
    }
}

/// The runtime's timer.
#[derive(Debug, Default)]
pub struct TokioTimer;

impl Timer for TokioTimer {
    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(wait))
    }
}

/// A timer for tests: every wait moves the manual clock forward and is over at once.
pub struct JumpingTimer(pub Arc<ManualClock>);

impl Timer for JumpingTimer {
    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        let clock = Arc::clone(&self.0);
        Box::pin(async move {
            clock.advance(wait);
            tokio::task::yield_now().await;
        })
    }

    fn beat(&self, _every: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
}
