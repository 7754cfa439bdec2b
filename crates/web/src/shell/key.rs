//! The kiosk key: every `POST` of a tablet carries it when one is configured.
//!
//! Both sides are hashed first and compared in constant time. An address that shows five *different* wrong keys within ten minutes is
//! guessing and locked out for ten. A tablet with one stale key, which asks every 30 s, counts once: it must not take the other tablets
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
/// Different wrong keys after which an address is locked out.
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
        gate.pass(caller, shown, state.ctx.clock.now()).map(|()| KioskKey).map_err(ApiError::from)
    }
}

/// The configured key and who failed to show it.
pub struct Gate {
    key: Hash,
    failures: Mutex<HashMap<Caller, Failures>>,
}

/// What an address did wrong.
#[derive(Default)]
struct Failures {
    /// Different wrong keys of the window, hashed.
    wrong: Vec<(Hash, Timestamp)>,
    locked_until: Option<Timestamp>,
}

impl Gate {
    /// A gate for this key.
    pub fn new(key: &SecretString) -> Self {
        Self { key: hash(key.expose_secret().as_bytes()), failures: Mutex::default() }
    }

    /// Looks at a key.
    ///
    /// # Errors
    /// 401, or 429 while the address is locked out; then the right key is not looked at either.
    fn pass(&self, caller: Caller, shown: &[u8], now: Timestamp) -> Result<(), Shell> {
        // Poisoned means that another call panicked in here; the counts are still counts.
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(until) =
            failures.get(&caller).and_then(|failed| failed.locked_until).filter(|until| *until > now)
        {
            return Err(Shell::LockedOut { retry_after_s: until.since(now).as_secs() + 1 });
        }
        let shown_hash = hash(shown);
        if bool::from(shown_hash.ct_eq(&self.key)) {
            return Ok(());
        }
        // No key at all is a tablet that was not set up, not a guess.
        if !shown.is_empty() {
            make_room(&mut failures, now);
            failures.entry(caller).or_default().add(shown_hash, now);
        }
        Err(Shell::KioskKey)
    }
}

impl Failures {
    fn add(&mut self, wrong: Hash, now: Timestamp) {
        self.locked_until = None;
        self.wrong.retain(|(known, at)| *known != wrong && now.since(*at) < WINDOW);
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
        Gate::new(&SecretString::from("correct horse"))
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
            assert_eq!(gate.pass(caller(1), wrong, at(0)), Err(Shell::KioskKey));
        }
    }

    #[test]
    fn a_fifth_different_wrong_key_locks_the_address_out_for_ten_minutes_and_no_other_one() {
        let gate = gate();
        for guess in 0..5u8 {
            assert_eq!(gate.pass(caller(1), &[b'a' + guess], at(0)), Err(Shell::KioskKey));
        }
        assert!(matches!(gate.pass(caller(1), RIGHT, at(599)), Err(Shell::LockedOut { retry_after_s: 2 })));
        assert_eq!(gate.pass(caller(2), RIGHT, at(1)), Ok(()));
        assert_eq!(gate.pass(caller(1), RIGHT, at(601)), Ok(()));
    }

    #[test]
    fn one_stale_key_shown_again_and_again_does_not_lock_the_venue_out() {
        let gate = gate();
        for second in 0..100 {
            assert_eq!(gate.pass(caller(1), b"last year's", at(second)), Err(Shell::KioskKey));
        }
        assert_eq!(gate.pass(caller(1), RIGHT, at(101)), Ok(()));
    }

    #[test]
    fn wrong_keys_of_an_earlier_window_are_forgotten() {
        let gate = gate();
        for guess in 0..8u8 {
            assert_eq!(
                gate.pass(caller(1), &[b'a' + guess], at(i64::from(guess) * 200)),
                Err(Shell::KioskKey)
            );
        }
        assert_eq!(gate.pass(caller(1), RIGHT, at(1_500)), Ok(()));
    }

    #[test]
    fn addresses_remembered_are_bounded() {
        let gate = gate();
        for number in 0..5_000u32 {
            let caller = Caller(IpAddr::V4(Ipv4Addr::from_bits(number)));
            assert_eq!(gate.pass(caller, b"wrong", at(0)), Err(Shell::KioskKey));
        }
        assert!(gate.failures.lock().expect("no panic in here").len() <= ADDRESSES_MAX);
    }
}
