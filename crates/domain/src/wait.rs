//! Expected waiting time, from measured recent jobs (product.md, "Decided once").

use std::time::Duration;

/// How many of the last finished jobs are looked at.
pub const RECENT_JOBS: u32 = 20;

/// What one job is taken to last when none has finished yet.
pub const DEFAULT_JOB: Duration = Duration::from_secs(90);

/// Median of `recent` durations x place / slots. `position` 1 is next; 0 slots count as one.
pub fn expected(recent: &[Duration], position: u32, slots: u32) -> Duration {
    median(recent).unwrap_or(DEFAULT_JOB) * position.max(1) / slots.max(1)
}

/// Median of `durations`; of an even number the lower middle, so that the answer is a duration somebody waited.
fn median(durations: &[Duration]) -> Option<Duration> {
    let mut sorted = durations.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len().saturating_sub(1) / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_finished_jobs_a_job_takes_ninety_seconds() {
        assert_eq!(expected(&[], 1, 1), Duration::from_secs(90));
        assert_eq!(expected(&[], 4, 2), Duration::from_secs(180));
    }

    #[test]
    fn the_median_and_not_the_slowest_job_decides() {
        let recent = [10, 12, 600].map(Duration::from_secs);
        assert_eq!(expected(&recent, 3, 2), Duration::from_secs(18));
    }
}
