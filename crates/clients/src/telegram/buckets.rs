//! How fast the bot may send: one token bucket for each chat and one over all, driven by the caller's clock.
//!
//! Each bucket is kept as the moment at which it will be full again, which is all that has to be known of it. Nothing here
//! waits: the caller is told when to ask again.

use std::collections::HashMap;

/// A private chat: one message a second, three at once.
const PRIVATE: Rate = Rate { interval_ms: 1_000, burst: 3 };
/// A group: one send or edit in three seconds, five at once.
const GROUP: Rate = Rate { interval_ms: 3_000, burst: 5 };
/// Everything together: 25 a second.
const OVERALL: Rate = Rate { interval_ms: 40, burst: 25 };
/// Making and filling sticker sets: Telegram's own limit is unknown, so only its 429 holds an owner back.
const OWNER: Rate = Rate { interval_ms: 0, burst: 1 };

/// Chats remembered at once. Beyond it those with a full bucket, and then those that fill up soonest, are forgotten.
const LANES_MAX: usize = 10_000;

/// What is limited on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Sends and edits in one chat; negative ids are groups.
    Chat(i64),
    /// Sticker sets of one person.
    StickerOwner(i64),
}

/// The buckets of one bot. Polls and answers to pressed buttons do not go through them.
#[derive(Debug, Default)]
pub struct SendBuckets {
    overall: Bucket,
    lanes: HashMap<Lane, Bucket>,
}

impl SendBuckets {
    /// All buckets full.
    pub fn new() -> Self {
        Self::default()
    }

    /// May something go out on this lane now? Then it is counted. `now_ms` is any clock in milliseconds.
    ///
    /// # Errors
    /// The moment, in milliseconds of the same clock, before which asking again is of no use. Nothing is counted then.
    pub fn try_take(&mut self, lane: Lane, now_ms: i64) -> Result<(), i64> {
        self.try_take_many(lane, 1, now_ms)
    }

    /// The same for `count` messages that only make sense together, at most the burst of the lane: all of them or none.
    ///
    /// # Errors
    /// As [`SendBuckets::try_take`].
    pub fn try_take_many(&mut self, lane: Lane, count: u32, now_ms: i64) -> Result<(), i64> {
        let rate = lane.rate();
        let count = i64::from(count).clamp(1, rate.burst);
        let bucket = self.lanes.get(&lane).copied().unwrap_or_default().settled(rate, now_ms);
        let overall = self.overall.settled(OVERALL, now_ms);
        let free_at_ms = bucket.free_at_ms(rate, count).max(overall.free_at_ms(OVERALL, count));
        if free_at_ms > now_ms {
            return Err(free_at_ms);
        }
        self.make_room(lane, now_ms);
        self.lanes.insert(lane, bucket.taken(rate, count, now_ms));
        self.overall = overall.taken(OVERALL, count, now_ms);
        Ok(())
    }

    /// The message that was counted last on this lane is done, answered or not. Telegram counted it somewhere on the way, so the lane
    /// fills up again only from now on: its limit is kept also when one message takes longer than the next.
    pub fn done(&mut self, lane: Lane, now_ms: i64) {
        if let Some(bucket) = self.lanes.get_mut(&lane) {
            let settled = bucket.settled(lane.rate(), now_ms);
            *bucket = Bucket { refill_ms: bucket.refill_ms, ..settled };
        }
    }

    /// Telegram answered 429 here: nothing goes out on this lane for so long. Others go on.
    pub fn block(&mut self, lane: Lane, retry_after_s: u32, now_ms: i64) {
        self.make_room(lane, now_ms);
        let bucket = self.lanes.entry(lane).or_default();
        *bucket = bucket.settled(lane.rate(), now_ms);
        bucket.block_ms = bucket.block_ms.max(i64::from(retry_after_s) * 1_000);
    }

    fn make_room(&mut self, lane: Lane, now_ms: i64) {
        if self.lanes.len() < LANES_MAX || self.lanes.contains_key(&lane) {
            return;
        }
        self.lanes.retain(|lane, bucket| !bucket.settled(lane.rate(), now_ms).is_full());
        while self.lanes.len() >= LANES_MAX {
            let soonest = self.lanes.iter().min_by_key(|(lane, bucket)| bucket.free_at_ms(lane.rate(), 1));
            let Some(soonest) = soonest.map(|(lane, _)| *lane) else { return };
            self.lanes.remove(&soonest);
        }
    }
}

impl Lane {
    fn rate(self) -> Rate {
        match self {
            Self::Chat(id) if id < 0 => GROUP,
            Self::Chat(_) => PRIVATE,
            Self::StickerOwner(_) => OWNER,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Rate {
    interval_ms: i64,
    burst: i64,
}

/// Times are counted from `seen_ms`, so that a clock set back delays nothing by more than the bucket itself.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    /// When this was written down.
    seen_ms: i64,
    /// From then until the bucket is full again.
    refill_ms: i64,
    /// From then until a 429 is over.
    block_ms: i64,
}

impl Bucket {
    /// The same at `now_ms`. A clock that went back counts as no time passed.
    fn settled(self, rate: Rate, now_ms: i64) -> Self {
        let passed = now_ms.saturating_sub(self.seen_ms).max(0);
        Self {
            seen_ms: now_ms,
            refill_ms: self.refill_ms.saturating_sub(passed).clamp(0, rate.interval_ms * rate.burst),
            block_ms: self.block_ms.saturating_sub(passed).max(0),
        }
    }

    /// When `count` more fit in.
    fn free_at_ms(self, rate: Rate, count: i64) -> i64 {
        let refill_ms = self.refill_ms - rate.interval_ms * (rate.burst - count);
        self.seen_ms.saturating_add(refill_ms.max(self.block_ms).max(0))
    }

    fn taken(self, rate: Rate, count: i64, now_ms: i64) -> Self {
        Self { seen_ms: now_ms, refill_ms: self.refill_ms + rate.interval_ms * count, ..self }
    }

    fn is_full(self) -> bool {
        self.refill_ms == 0 && self.block_ms == 0
    }
}

#[cfg(test)]
#[path = "buckets_tests.rs"]
mod tests;
