//! How much memory API and bot take together, as the system counts it.

use std::fmt;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What was seen. Resident sets, in KiB.
#[derive(Debug, Default)]
pub struct Memory {
    watched: [Option<u32>; 2],
    /// The most that each took, and the most that both took at one moment.
    most: [u64; 2],
    most_together: u64,
}

impl Memory {
    /// From now on these processes are looked at: API and bot.
    pub fn watch(&mut self, ids: [Option<u32>; 2]) {
        self.watched = ids;
    }

    /// Looks until it is aborted.
    pub async fn measure(memory: Arc<Mutex<Memory>>) {
        let mut beat = tokio::time::interval(LOOK_EVERY);
        loop {
            beat.tick().await;
            memory.lock().unwrap_or_else(PoisonError::into_inner).look();
        }
    }

    fn look(&mut self) {
        let now = self.watched.map(|id| id.and_then(resident_kib).unwrap_or(0));
        for (most, now) in self.most.iter_mut().zip(now) {
            *most = (*most).max(now);
        }
        self.most_together = self.most_together.max(now.iter().sum());
    }
}

/// `VmRSS` of a process.
pub fn resident_kib(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |kib: u64| kib as f64 / 1_024.0;
        write!(
            f,
            "most memory: API {:.0} MiB, bot {:.0} MiB, together {:.0} MiB",
            mib(self.most[0]),
            mib(self.most[1]),
            mib(self.most_together)
        )
    }
}
