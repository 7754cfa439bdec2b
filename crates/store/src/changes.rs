//! The wake-up: tells whoever waits that something was committed, here or in another process. It only makes news arrive
//! sooner; what happened stands in the rows, and everyone also looks from time to time.

use tokio::sync::watch;

/// Where commits are announced.
#[derive(Clone, Debug)]
pub(crate) struct Signal(watch::Sender<u64>);

impl Signal {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    /// Something was committed.
    pub(crate) fn announce(&self) {
        self.0.send_modify(|count| *count = count.wrapping_add(1));
    }

    pub(crate) fn subscribe(&self) -> Changes {
        Changes(self.0.subscribe())
    }
}

/// Waits for commits. One that happened after the last [`Changes::changed`] is never missed: the next call returns at once.
/// Several commits may be one wake-up, and a wake-up may be about anything.
#[derive(Clone, Debug)]
pub struct Changes(watch::Receiver<u64>);

impl Changes {
    /// Returns after the next commit of this or another process. Once the store is gone it never returns, so a bound of the
    /// caller still decides.
    pub async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
