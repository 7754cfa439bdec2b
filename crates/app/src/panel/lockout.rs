//! Five wrong passwords in ten minutes lock an address, and an account, out for ten (product.md, "Decided once").
//!
//! An attempt counts from the moment it begins, so that a hundred sent at once are five tries and not a hundred. Kept in memory: each API
//! process counts for itself, and a restart forgets. Names nobody has are counted like those of accounts.

use domain::Timestamp;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Wrong passwords after which the door is shut.
const WRONG_MAX: usize = 5;
/// How long they are remembered, and how long it stays shut.
const WINDOW: Duration = Duration::from_secs(600);
/// Addresses and names remembered at once; beyond it the one that was wrong the longest ago goes.
const REMEMBERED_MAX: usize = 8_192;

/// Who is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Address(IpAddr),
    /// Hash of the typed name, which may be anything, a password too.
    Name([u8; 32]),
}

/// What was tried for one key.
#[derive(Debug, Default)]
struct Tries {
    /// Tries of the window that were wrong or are under way.
    at: Vec<Timestamp>,
    shut_until: Option<Timestamp>,
}

/// The counts.
#[derive(Debug, Default)]
pub struct Lockout(Mutex<HashMap<Key, Tries>>);

/// A try that was let through; say how it ended.
#[derive(Clone, Copy, Debug)]
pub struct Try {
    keys: [Key; 2],
    at: Timestamp,
}

impl Lockout {
    /// Lets a try through and counts it.
    ///
    /// # Errors
    /// The time until the next one is looked at.
    pub fn begin(&self, address: IpAddr, name: &str, now: Timestamp) -> Result<Try, Duration> {
        let keys = [Key::Address(address), Key::Name(Sha256::digest(name.as_bytes()).into())];
        // Poisoned means that another call panicked in here; the counts are still counts.
        let mut tries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let shut = keys.iter().filter_map(|key| tries.get_mut(key)?.shut_for(now)).max();
        if let Some(wait) = shut {
            return Err(wait);
        }
        make_room(&mut tries, now);
        for key in keys {
            tries.entry(key).or_default().at.push(now);
        }
        Ok(Try { keys, at: now })
    }

    /// The password was wrong.
    pub fn wrong(&self, tried: Try, now: Timestamp) {
        let mut tries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for key in tried.keys {
            if let Some(known) = tries.get_mut(&key).filter(|known| known.at.len() >= WRONG_MAX) {
                known.at.clear();
                known.shut_until = Some(now.plus(WINDOW));
            }
        }
    }

    /// The password was right: the name begins anew, and the address has one try less on its account.
    pub fn right(&self, tried: Try) {
        let mut tries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for key in tried.keys {
            let Some(known) = tries.get_mut(&key) else { continue };
            match key {
                Key::Name(_) => known.at.clear(),
                Key::Address(_) => known.take_back(tried.at),
            }
            if known.is_nothing() {
                tries.remove(&key);
            }
        }
    }
}

impl Lockout {
    /// The password was not looked at: the try never was.
    pub fn withdraw(&self, tried: Try) {
        let mut tries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for key in tried.keys {
            let Some(known) = tries.get_mut(&key) else { continue };
            known.take_back(tried.at);
            if known.is_nothing() {
                tries.remove(&key);
            }
        }
    }
}

impl Tries {
    fn take_back(&mut self, tried: Timestamp) {
        if let Some(own) = self.at.iter().position(|at| *at == tried) {
            self.at.remove(own);
        }
    }

    fn is_nothing(&self) -> bool {
        self.at.is_empty() && self.shut_until.is_none()
    }

    /// How long the door stays shut; also when five tries are under way or were wrong.
    fn shut_for(&mut self, now: Timestamp) -> Option<Duration> {
        if let Some(until) = self.shut_until {
            if until > now {
                return Some(until.since(now));
            }
            self.shut_until = None;
        }
        self.at.retain(|at| now.since(*at) < WINDOW);
        let oldest = self.at.first().copied().filter(|_| self.at.len() >= WRONG_MAX)?;
        Some(WINDOW.saturating_sub(now.since(oldest)))
    }

    fn last(&self) -> Option<Timestamp> {
        self.shut_until.or_else(|| self.at.last().copied())
    }
}

fn make_room(tries: &mut HashMap<Key, Tries>, now: Timestamp) {
    if tries.len() + 2 <= REMEMBERED_MAX {
        return;
    }
    tries.retain(|_, known| known.last().is_some_and(|at| at > now || now.since(at) < WINDOW));
    while tries.len() + 2 > REMEMBERED_MAX {
        let Some(oldest) = tries.iter().min_by_key(|(_, known)| known.last()).map(|(key, _)| *key) else {
            return;
        };
        tries.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn address(last: u8) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(203, 0, 113, last))
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_795_959_000_000 + seconds * 1_000)
    }

    fn fail(lockout: &Lockout, from: u8, name: &str, second: i64) {
        let tried = lockout.begin(address(from), name, at(second)).expect("is let through");
        lockout.wrong(tried, at(second));
    }

    #[test]
    fn the_fifth_wrong_password_shuts_the_door_for_ten_minutes() {
        let lockout = Lockout::default();
        for second in 0..5 {
            fail(&lockout, 1, "dilnoza", second * 100);
        }
        let wait = lockout.begin(address(1), "dilnoza", at(401)).expect_err("shut");
        assert_eq!(wait.as_secs(), 599, "until ten minutes after the fifth");
        assert!(lockout.begin(address(1), "dilnoza", at(999)).is_err());
        assert!(lockout.begin(address(1), "dilnoza", at(1_000)).is_ok());
    }

    #[test]
    fn an_address_is_counted_over_all_names_and_a_name_over_all_addresses() {
        let lockout = Lockout::default();
        for (second, name) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
            fail(&lockout, 1, name, i64::try_from(second).expect("small"));
        }
        assert!(lockout.begin(address(1), "f", at(10)).is_err(), "the address");
        assert!(lockout.begin(address(2), "f", at(10)).is_ok(), "another address");
        for from in 10..15 {
            fail(&lockout, from, "dilnoza", 20);
        }
        assert!(lockout.begin(address(99), "dilnoza", at(30)).is_err(), "the name");
    }

    #[test]
    fn wrong_passwords_of_an_earlier_window_are_forgotten() {
        let lockout = Lockout::default();
        for second in 0..20 {
            fail(&lockout, 1, "dilnoza", second * 151);
        }
    }

    #[test]
    fn tries_that_are_under_way_count_so_that_many_at_once_are_five() {
        let lockout = Lockout::default();
        let through = (0..100).filter(|_| lockout.begin(address(1), "dilnoza", at(0)).is_ok()).count();
        assert_eq!(through, 5);
    }

    #[test]
    fn the_right_password_takes_the_tries_of_its_name_away_but_not_those_of_its_address() {
        let lockout = Lockout::default();
        for _ in 0..4 {
            fail(&lockout, 1, "dilnoza", 0);
        }
        let tried = lockout.begin(address(1), "dilnoza", at(1)).expect("the fifth");
        lockout.right(tried);
        // Who has one account cannot use it to guess another one for ever.
        fail(&lockout, 1, "bakhtiyor", 2);
        assert!(lockout.begin(address(1), "dilnoza", at(3)).is_err(), "the address was wrong five times");
        assert!(lockout.begin(address(2), "dilnoza", at(3)).is_ok(), "the name was not");
    }

    #[test]
    fn a_try_that_was_not_looked_at_takes_nothing_else_back() {
        let lockout = Lockout::default();
        for _ in 0..4 {
            fail(&lockout, 1, "dilnoza", 0);
        }
        let tried = lockout.begin(address(1), "dilnoza", at(1)).expect("the fifth");
        lockout.withdraw(tried);
        fail(&lockout, 1, "dilnoza", 2);
        assert!(lockout.begin(address(1), "dilnoza", at(3)).is_err(), "five were wrong");
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let lockout = Lockout::default();
        for number in 0..6_000u32 {
            let from = IpAddr::V4(Ipv4Addr::from_bits(number));
            let tried = lockout.begin(from, &number.to_string(), at(0)).expect("each is new");
            lockout.wrong(tried, at(0));
        }
        assert!(lockout.0.lock().expect("no panic in here").len() <= REMEMBERED_MAX);
    }
}
