//! What was measured, and how it is told.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// One contestant in one round.
pub struct Round {
    /// Times of the requests of the measured part, sorted.
    times: Vec<Duration>,
    measured: Duration,
    /// Requests answered with success, those before and after the measured part too.
    pub answered: u64,
}

impl Round {
    /// A round of these times.
    pub fn new(mut times: Vec<Duration>, measured: Duration, answered: u64) -> Round {
        times.sort_unstable();
        assert!(!times.is_empty(), "nothing was answered");
        Round { times, measured, answered }
    }

    /// Requests a second.
    pub fn per_second(&self) -> f64 {
        self.times.len() as f64 / self.measured.as_secs_f64()
    }

    fn percentile(&self, percent: usize) -> Duration {
        self.times[(self.times.len() * percent / 100).min(self.times.len() - 1)]
    }
}

/// A contestant with its rounds.
pub struct Contest {
    /// What it is called.
    pub name: &'static str,
    /// Its rounds.
    pub rounds: Vec<Round>,
}

impl Contest {
    /// A contestant without a round.
    pub fn new(name: &'static str) -> Contest {
        Contest { name, rounds: Vec::new() }
    }
}

/// The middle one.
fn median<T: PartialOrd + Copy>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<T> = values.collect();
    values.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
    values[values.len() / 2]
}

/// Prints a table, ours first; the ratio of each round is taken within the round, then the median of the rounds.
pub fn print(contests: &[Contest]) {
    println!("| contestant | requests/s | median | p99 | ours by it |\n| --- | --- | --- | --- | --- |");
    let ours = &contests[0];
    for contest in contests {
        let rate = median(contest.rounds.iter().map(Round::per_second));
        let middle = median(contest.rounds.iter().map(|round| round.percentile(50)));
        let p99 = median(contest.rounds.iter().map(|round| round.percentile(99)));
        let pairs = ours.rounds.iter().zip(&contest.rounds);
        let ratio = median(pairs.map(|(ours, other)| ours.per_second() / other.per_second()));
        println!("| {} | {rate:.0} | {middle:.2?} | {p99:.2?} | {ratio:.2} |", contest.name);
    }
}

/// Median time of making 4 KiB durable.
pub fn flush_probe(dir: &Path) -> Duration {
    let mut file = tempfile::tempfile_in(dir).expect("a file");
    let block = [7u8; 4_096];
    median((0..200).map(|_| {
        let start = Instant::now();
        file.seek(SeekFrom::Start(0)).expect("seeks");
        file.write_all(&block).expect("writes");
        file.sync_data().expect("flushes");
        start.elapsed()
    }))
}
