//! The rate limit of the form: so many submissions from one address in a sliding window, in memory (seed 003, check 4).

use domain::Timestamp;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Submissions from one address within [`WINDOW`].
const SUBMISSIONS_MAX: usize = 5;
/// The window.
const WINDOW: Duration = Duration::from_secs(600);
/// Addresses that are remembered; beyond it the one that was quiet for the longest time is forgotten.
const ADDRESSES_MAX: usize = 10_000;

/// Who submitted when.
#[derive(Default)]
pub struct Limiter(Mutex<HashMap<IpAddr, VecDeque<Timestamp>>>);

impl Limiter {
    /// Counts a submission, unless there were too many.
    pub fn allows(&self, address: IpAddr, now: Timestamp) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.contains_key(&address) && seen.len() >= ADDRESSES_MAX {
            make_room(&mut seen, now);
        }
        let times = seen.entry(address).or_default();
        while times.front().is_some_and(|time| now.since(*time) >= WINDOW) {
            times.pop_front();
        }
        if times.len() >= SUBMISSIONS_MAX {
            return false;
        }
        times.push_back(now);
        true
    }
}

fn make_room(seen: &mut HashMap<IpAddr, VecDeque<Timestamp>>, now: Timestamp) {
    seen.retain(|_, times| times.back().is_some_and(|last| now.since(*last) < WINDOW));
    if seen.len() >= ADDRESSES_MAX {
        let quiet = seen.iter().min_by_key(|(_, times)| times.back().copied()).map(|(address, _)| *address);
        quiet.map(|address| seen.remove(&address));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millis(second * 1_000)
    }

    fn address(number: u32) -> IpAddr {
        IpAddr::V4(Ipv4Addr::from_bits(number))
    }

    #[test]
    fn five_submissions_in_ten_minutes_and_a_sixth_when_the_first_is_ten_minutes_old() {
        let limiter = Limiter::default();
        for second in 0..5 {
            assert!(limiter.allows(address(1), at(second)));
        }
        assert!(!limiter.allows(address(1), at(5)));
        assert!(limiter.allows(address(2), at(5)), "another address has its own five");
        assert!(!limiter.allows(address(1), at(599)));
        assert!(limiter.allows(address(1), at(600)));
        assert!(!limiter.allows(address(1), at(600)));
    }

    #[test]
    fn a_flood_of_addresses_takes_no_more_memory_and_forgets_the_quietest() {
        let limiter = Limiter::default();
        let count = ADDRESSES_MAX as u32;
        for number in 0..count + 50 {
            // Ten milliseconds apart, so that all are inside the window and one is the quietest.
            assert!(limiter.allows(address(number), Timestamp::from_millis(i64::from(number) * 10)));
        }
        assert_eq!(limiter.0.lock().expect("the map").len(), ADDRESSES_MAX);
        let seen = limiter.0.lock().expect("the map");
        assert!(seen.contains_key(&address(count + 49)) && !seen.contains_key(&address(0)));
    }

    #[test]
    fn addresses_of_an_earlier_window_make_room_first() {
        let limiter = Limiter::default();
        for number in 0..ADDRESSES_MAX as u32 {
            limiter.allows(address(number), at(0));
        }
        limiter.allows(address(u32::MAX), at(600));
        assert_eq!(limiter.0.lock().expect("the map").len(), 1);
    }
}
