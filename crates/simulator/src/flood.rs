//! Flood control: token buckets by the world's clock.

use std::collections::BTreeMap;

use crate::refusal::Refusal;
use crate::world::state::ChatKey;

/// How a bucket fills: one more every `every_ms`, at most `burst`.
#[derive(Debug, Clone, Copy)]
struct Rate {
    every_ms: f64,
    burst: f64,
}

const PRIVATE: Rate = Rate { every_ms: 1_000.0, burst: 3.0 };
const GROUP: Rate = Rate { every_ms: 3_000.0, burst: 5.0 };
const OVERALL: Rate = Rate { every_ms: 40.0, burst: 25.0 };
const NEW_SETS: Rate = Rate { every_ms: 10_000.0, burst: 2.0 };

/// Buckets in memory before full ones are thrown away.
const MOST_BUCKETS: usize = 4_096;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Chat(i64, ChatKey),
    Overall(i64),
    NewSets(i64, i64),
}

impl Key {
    fn rate(self) -> Rate {
        match self {
            Self::Chat(_, ChatKey::Private { .. }) => PRIVATE,
            Self::Chat(_, ChatKey::Group(_)) => GROUP,
            Self::Overall(_) => OVERALL,
            Self::NewSets(..) => NEW_SETS,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    tokens: f64,
    at_ms: i64,
}

/// What a call does to the buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Send,
    Edit,
}

/// The buckets of all bots.
#[derive(Debug, Default)]
pub(crate) struct Flood {
    buckets: BTreeMap<Key, Bucket>,
}

impl Flood {
    /// Takes room for one message or edit in a chat.
    pub fn take(&mut self, bot: i64, chat: ChatKey, kind: Kind, now: i64) -> Result<(), Refusal> {
        let counts_in_chat = match (kind, chat) {
            (Kind::Send, _) | (Kind::Edit, ChatKey::Group(_)) => true,
            (Kind::Edit, ChatKey::Private { .. }) => false,
        };
        let keys = [Key::Overall(bot), Key::Chat(bot, chat)];
        self.take_all(if counts_in_chat { &keys } else { &keys[..1] }, now)
    }

    /// Takes room for one new set of an owner.
    pub fn take_set(&mut self, bot: i64, owner: i64, now: i64) -> Result<(), Refusal> {
        self.take_all(&[Key::NewSets(bot, owner)], now)
    }

    /// All buckets or none: a refused call costs nothing.
    fn take_all(&mut self, keys: &[Key], now: i64) -> Result<(), Refusal> {
        let wait_ms = keys.iter().map(|key| self.fill(*key, now)).fold(0.0, f64::max);
        if wait_ms > 0.0 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few seconds")]
            return Err(Refusal::flood((wait_ms / 1_000.0).ceil().max(1.0) as u64));
        }
        for key in keys {
            if let Some(bucket) = self.buckets.get_mut(key) {
                bucket.tokens -= 1.0;
            }
        }
        Ok(())
    }

    /// Brings a bucket up to now; answers the milliseconds until it has room.
    fn fill(&mut self, key: Key, now: i64) -> f64 {
        if self.buckets.len() >= MOST_BUCKETS {
            self.buckets
                .retain(|key, bucket| since(now, bucket.at_ms) < key.rate().every_ms * key.rate().burst);
        }
        let rate = key.rate();
        let bucket = self.buckets.entry(key).or_insert(Bucket { tokens: rate.burst, at_ms: now });
        bucket.tokens = (bucket.tokens + since(now, bucket.at_ms) / rate.every_ms).min(rate.burst);
        bucket.at_ms = now;
        // A hair of slack: adding up thirds must not make a client wait a second more.
        if bucket.tokens >= 1.0 - 1e-6 { 0.0 } else { (1.0 - bucket.tokens) * rate.every_ms }
    }
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of some days fit a double exactly")]
fn since(now: i64, then: i64) -> f64 {
    (now - then).max(0) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERSON: ChatKey = ChatKey::Private { bot: 1, person: 2 };
    const TEAM: ChatKey = ChatKey::Group(-5);

    #[test]
    fn a_private_chat_takes_three_at_once_and_then_one_a_second() {
        let mut flood = Flood::default();
        for _ in 0..3 {
            assert_eq!(flood.take(1, PERSON, Kind::Send, 0), Ok(()));
        }
        assert_eq!(flood.take(1, PERSON, Kind::Send, 0), Err(Refusal::flood(1)));
        assert_eq!(flood.take(1, PERSON, Kind::Send, 1_000), Ok(()));
        assert_eq!(flood.take(1, PERSON, Kind::Send, 1_000), Err(Refusal::flood(1)));
    }

    #[test]
    fn a_group_counts_edits_among_its_twenty_a_minute() {
        let mut flood = Flood::default();
        for _ in 0..5 {
            assert_eq!(flood.take(1, TEAM, Kind::Edit, 0), Ok(()));
        }
        assert_eq!(flood.take(1, TEAM, Kind::Send, 0), Err(Refusal::flood(3)));
        assert_eq!(flood.take(1, TEAM, Kind::Send, 3_000), Ok(()));
    }

    #[test]
    fn edits_in_a_private_chat_cost_nothing_there() {
        let mut flood = Flood::default();
        for _ in 0..10 {
            assert_eq!(flood.take(1, PERSON, Kind::Edit, 0), Ok(()));
        }
    }

    #[test]
    fn all_chats_together_get_twenty_five_a_second() {
        let mut flood = Flood::default();
        for person in 0..25 {
            assert_eq!(flood.take(1, ChatKey::Private { bot: 1, person }, Kind::Send, 0), Ok(()));
        }
        assert_eq!(flood.take(1, PERSON, Kind::Edit, 0), Err(Refusal::flood(1)));
        assert_eq!(flood.take(1, PERSON, Kind::Edit, 40), Ok(()));
    }

    #[test]
    fn the_third_set_of_an_owner_waits_ten_seconds() {
        let mut flood = Flood::default();
        assert_eq!(flood.take_set(1, 9, 0), Ok(()));
        assert_eq!(flood.take_set(1, 9, 0), Ok(()));
        assert_eq!(flood.take_set(1, 9, 0), Err(Refusal::flood(10)));
        assert_eq!(flood.take_set(1, 8, 0), Ok(()));
        assert_eq!(flood.take_set(1, 9, 10_000), Ok(()));
    }
}
