//! Secrets that a caller shows in a header: the kiosk key, which every `POST` of a tablet carries when one is configured, and the
//! secret of the landing site.
//!
//! Both sides are hashed first and compared in constant time. An address that is wrong five times within ten minutes is locked out for
//! ten. Of tablets only *different* wrong keys count: one with a stale key, which asks every 30 s, must not take the other tablets
//! behind the same address with it.

use super::caller::Caller;
use super::error::Shell;
use crate::{ApiError, WebState};
use axum::extract::FromRequestParts;
use domain::Timestamp;
use http::request::Parts;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use subtle::ConstantTimeEq;

/// The header.
pub const HEADER: &str = "x-kiosk-key";
/// Wrong secrets after which an address is locked out.
const WRONG_MAX: usize = 5;
/// How long wrong keys are remembered, and how long the lock lasts.
const WINDOW: Duration = Duration::from_secs(600);
/// Addresses remembered at once; beyond it the oldest goes.
const ADDRESSES_MAX: usize = 4_096;

type Hash = [u8; 32];

/// Proof that the caller showed the key, or that none is configured.
#[derive(Clone, Copy, Debug)]
pub struct KioskKey;

impl FromRequestParts<WebState> for KioskKey {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, ApiError> {
        let Some(gate) = &state.key else { return Ok(KioskKey) };
        let Ok(caller) = Caller::from_request_parts(parts, state).await;
        let shown = parts.headers.get(HEADER).map(|value| value.as_bytes()).unwrap_or_default();
        match gate.pass(caller, shown, state.ctx.clock.now()) {
            Ok(()) => Ok(KioskKey),
            Err(Denied::Wrong) => Err(Shell::KioskKey.into()),
            Err(Denied::LockedOut { retry_after_s }) => Err(Shell::LockedOut { retry_after_s }.into()),
        }
    }
}

/// Which wrong secrets count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Each other one once, and none for showing nothing: a tablet that was not set up is no guess.
    Different,
    /// Each attempt.
    Every,
}

/// Why a caller does not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The secret is missing or wrong.
    Wrong,
    /// The address was wrong too often; the secret was not looked at.
    LockedOut {
        /// When the next try is looked at.
        retry_after_s: u64,
    },
}

/// The configured secret and who failed to show it.
pub struct Gate {
    key: Hash,
    counting: Counting,
    failures: Mutex<HashMap<Caller, Failures>>,
}

/// What an address did wrong.
#[derive(Default)]
struct Failures {
    /// Wrong secrets of the window that count, hashed.
    wrong: Vec<(Hash, Timestamp)>,
    locked_until: Option<Timestamp>,
}

impl Gate {
    /// A gate for this secret.
    pub fn new(key: &SecretString, counting: Counting) -> Self {
        Self { key: hash(key.expose_secret().as_bytes()), counting, failures: Mutex::default() }
    }

    /// Looks at a secret.
    ///
    /// # Errors
    /// When it is wrong, or the address is locked out; then the right one is not looked at either.
    pub fn pass(&self, caller: Caller, shown: &[u8], now: Timestamp) -> Result<(), Denied> {
        // Poisoned means that another call panicked in here; the counts are still counts.
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(until) =
            failures.get(&caller).and_then(|failed| failed.locked_until).filter(|until| *until > now)
        {
            return Err(Denied::LockedOut { retry_after_s: until.since(now).as_secs() + 1 });
        }
        let shown_hash = hash(shown);
        if bool::from(shown_hash.ct_eq(&self.key)) {
            return Ok(());
        }
        if self.counting == Counting::Every || !shown.is_empty() {
            make_room(&mut failures, now);
            failures.entry(caller).or_default().add(shown_hash, self.counting, now);
        }
        Err(Denied::Wrong)
    }
}

impl Failures {
    fn add(&mut self, wrong: Hash, counting: Counting, now: Timestamp) {
        self.locked_until = None;
        let repeated = |known: &Hash| counting == Counting::Different && *known == wrong;
        self.wrong.retain(|(known, at)| !repeated(known) && now.since(*at) < WINDOW);
        self.wrong.push((wrong, now));
        if self.wrong.len() >= WRONG_MAX {
            self.wrong.clear();
            self.locked_until = Some(now.plus(WINDOW));
        }
    }

    fn last(&self) -> Option<Timestamp> {
        self.locked_until.or_else(|| self.wrong.last().map(|(_, at)| *at))
    }
}

/// Forgets addresses whose window is over, and when that is not enough the one that was wrong the longest ago.
fn make_room(failures: &mut HashMap<Caller, Failures>, now: Timestamp) {
    if failures.len() < ADDRESSES_MAX {
        return;
    }
    failures.retain(|_, failed| failed.last().is_some_and(|at| at > now || now.since(at) < WINDOW));
    if failures.len() >= ADDRESSES_MAX
        && let Some(oldest) =
            failures.iter().min_by_key(|(_, failed)| failed.last()).map(|(caller, _)| *caller)
    {
        failures.remove(&oldest);
    }
}

fn hash(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};

    const RIGHT: &[u8] = b"correct horse";

    fn gate() -> Gate {
        Gate::new(&SecretString::from("correct horse"), Counting::Different)
    }

    fn caller(last: u8) -> Caller {
        Caller(IpAddr::V4(Ipv4Addr::new(203, 0, 113, last)))
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1_000)
    }

    #[test]
    fn the_right_key_passes_and_a_wrong_or_missing_one_does_not() {
        let gate = gate();
        assert_eq!(gate.pass(caller(1), RIGHT, at(0)), Ok(()));
        for wrong in [&b""[..], b"correct horsE", b"correct hors", b"correct horse "] {
            assert_eq!(gate.pass(caller(1), wrong, at(0)), Err(Denied::Wrong));
        }
    }

    #[test]
    fn a_fifth_different_wrong_key_locks_the_address_out_for_ten_minutes_and_no_other_one() {
        let gate = gate();
        for guess in 0..5u8 {
            assert_eq!(gate.pass(caller(1), &[b'a' + guess], at(0)), Err(Denied::Wrong));
        }
        assert!(matches!(gate.pass(caller(1), RIGHT, at(599)), Err(Denied::LockedOut { retry_after_s: 2 })));
        assert_eq!(gate.pass(caller(2), RIGHT, at(1)), Ok(()));
        assert_eq!(gate.pass(caller(1), RIGHT, at(601)), Ok(()));
    }

    #[test]
    fn one_stale_key_shown_again_and_again_does_not_lock_the_venue_out() {
        let gate = gate();
        for second in 0..100 {
            assert_eq!(gate.pass(caller(1), b"last year's", at(second)), Err(Denied::Wrong));
        }
        assert_eq!(gate.pass(caller(1), RIGHT, at(101)), Ok(()));
    }

    /// Seed 003, step 2, and interfaces.md: until ten minutes after the fifth wrong one.
    #[test]
    fn where_every_attempt_counts_the_fifth_locks_out_also_when_they_are_equal_or_empty() {
        let gate = Gate::new(&SecretString::from("correct horse"), Counting::Every);
        for (second, shown) in [(0, &b"wrong"[..]), (100, b"wrong"), (200, b""), (300, b"wrong"), (400, b"")]
        {
            assert_eq!(gate.pass(caller(1), shown, at(second)), Err(Denied::Wrong));
        }
        assert_eq!(gate.pass(caller(1), RIGHT, at(401)), Err(Denied::LockedOut { retry_after_s: 600 }));
        assert_eq!(gate.pass(caller(1), b"wrong", at(999)), Err(Denied::LockedOut { retry_after_s: 2 }));
        assert_eq!(gate.pass(caller(1), RIGHT, at(1_000)), Ok(()));
    }

    #[test]
    fn wrong_keys_of_an_earlier_window_are_forgotten() {
        let gate = gate();
        for guess in 0..8u8 {
            assert_eq!(gate.pass(caller(1), &[b'a' + guess], at(i64::from(guess) * 200)), Err(Denied::Wrong));
        }
        assert_eq!(gate.pass(caller(1), RIGHT, at(1_500)), Ok(()));
    }

    #[test]
    fn addresses_remembered_are_bounded() {
        let gate = gate();
        for number in 0..5_000u32 {
            let caller = Caller(IpAddr::V4(Ipv4Addr::from_bits(number)));
            assert_eq!(gate.pass(caller, b"wrong", at(0)), Err(Denied::Wrong));
        }
        assert!(gate.failures.lock().expect("no panic in here").len() <= ADDRESSES_MAX);
    }
}
