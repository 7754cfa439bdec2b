//! A bot's queue of updates and the rules of `getUpdates`.

use std::collections::{BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::refusal::Refusal;
use crate::wire::Params;

/// Kinds of updates that the Bot API knows.
const KINDS: [&str; 23] = [
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "business_connection",
    "business_message",
    "edited_business_message",
    "deleted_business_messages",
    "message_reaction",
    "message_reaction_count",
    "inline_query",
    "chosen_inline_result",
    "callback_query",
    "shipping_query",
    "pre_checkout_query",
    "purchased_paid_media",
    "poll",
    "poll_answer",
    "my_chat_member",
    "chat_member",
    "chat_join_request",
    "chat_boost",
    "removed_chat_boost",
];
/// Kinds that come only when asked for by name.
const ONLY_BY_NAME: [&str; 3] = ["chat_member", "message_reaction", "message_reaction_count"];

/// Updates that wait for one bot.
const MOST_WAITING: usize = 100_000;
/// Confirmed updates that can be played again.
const MOST_CONFIRMED: usize = 100;
/// Bytes of one answer.
const MOST_BYTES: usize = 4 << 20;
/// Longest wait of a poll, seconds.
const MOST_TIMEOUT: i64 = 50;
/// An offset further above the newest update than this is not believed.
const FAR_ABOVE: i64 = 10;
/// An offset further below the oldest update than this is not believed.
const FAR_BELOW: i64 = 100_000;
/// Silence after which numbering starts anew.
const NEW_NUMBERS_AFTER_MS: i64 = 7 * 24 * 3_600_000;
/// Pause between two conflicts.
const CONFLICT_PAUSE_MS: i64 = 3_000;

/// How long messages, edits and member changes wait.
pub(crate) const DAY_MS: i64 = 24 * 3_600_000;
/// How long button presses wait.
pub(crate) const PRESS_MS: i64 = 150_000;

/// Another poll took over.
pub(crate) const OTHER_POLL: &str =
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
/// A webhook took over.
pub(crate) const WEBHOOK_CAME: &str = "Conflict: terminated by setWebhook request";
/// A webhook is there already.
pub(crate) const WEBHOOK_ACTIVE: &str = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Update {
    pub id: i64,
    pub kind: String,
    pub body: Value,
    pub expires_ms: i64,
}

impl Update {
    fn show(&self) -> Value {
        let mut value = serde_json::json!({"update_id": self.id});
        value[self.kind.as_str()] = self.body.clone();
        value
    }
}

/// The queue of one bot.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Queue {
    waiting: VecDeque<Update>,
    next_id: i64,
    last_push_ms: i64,
    /// None: the default kinds.
    allowed: Option<BTreeSet<String>>,
    previous_offset: i64,
    previous_at_ms: i64,
    #[serde(skip)]
    confirmed: VecDeque<Update>,
    #[serde(skip)]
    replay: VecDeque<Update>,
    /// Which poll is the current one.
    #[serde(skip)]
    poll: u64,
    #[serde(skip)]
    ended_by: Option<&'static str>,
    #[serde(skip)]
    next_conflict_ms: i64,
}

/// A waiting poll.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Poll {
    number: u64,
    offset: i64,
    limit: usize,
    pub until_ms: i64,
}

/// What a look into the queue says.
#[derive(Debug)]
pub(crate) enum Look {
    Found(Value),
    /// Nothing yet.
    Wait,
    /// Ended by another call; the answer is due at this time.
    Ended(&'static str, i64),
}

impl Queue {
    pub fn starting_at(first_id: i64, now: i64) -> Self {
        Self {
            waiting: VecDeque::new(),
            next_id: first_id,
            last_push_ms: now,
            allowed: None,
            previous_offset: -1,
            previous_at_ms: i64::MIN / 2,
            confirmed: VecDeque::new(),
            replay: VecDeque::new(),
            poll: 0,
            ended_by: None,
            next_conflict_ms: 0,
        }
    }

    /// Number of updates that wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Puts an update in line, unless the bot does not want its kind. `fresh_id` is where numbers go on after a week
    /// of silence.
    pub fn push(&mut self, kind: &str, body: Value, expires_ms: i64, now: i64, fresh_id: i64) {
        let wanted = match &self.allowed {
            Some(kinds) => kinds.contains(kind),
            None => !ONLY_BY_NAME.contains(&kind),
        };
        if wanted {
            self.push_unasked(kind, body, expires_ms, now, fresh_id);
        }
    }

    /// Puts an update in line whatever was asked for: strange kinds are played this way.
    pub fn push_unasked(&mut self, kind: &str, body: Value, expires_ms: i64, now: i64, fresh_id: i64) {
        if self.waiting.len() >= MOST_WAITING {
            tracing::warn!("the queue of updates is full, one more is dropped");
            return;
        }
        if now - self.last_push_ms > NEW_NUMBERS_AFTER_MS {
            self.next_id = fresh_id;
        }
        self.last_push_ms = now;
        self.waiting.push_back(Update { id: self.next_id, kind: kind.to_owned(), body, expires_ms });
        self.next_id += 1;
    }

    /// Leaves a gap in the numbers.
    pub fn jump(&mut self, by: i64) {
        self.next_id += by.max(0);
    }

    /// The next answer begins with the last `count` confirmed updates once more.
    pub fn repeat_confirmed(&mut self, count: usize) -> usize {
        let from = self.confirmed.len().saturating_sub(count);
        self.replay = self.confirmed.iter().skip(from).cloned().collect();
        self.replay.len()
    }

    /// Forgets everything that waits.
    pub fn drop_pending(&mut self) {
        self.waiting.clear();
    }

    /// A webhook ends the waiting poll.
    pub fn end_by_webhook(&mut self) {
        self.poll += 1;
        self.ended_by = Some(WEBHOOK_CAME);
    }

    /// A new poll arrives: it ends the one before it and confirms what lies below its offset.
    pub fn begin(&mut self, params: &Params, now: i64, spin_guard: bool) -> Poll {
        self.poll += 1;
        self.ended_by = Some(OTHER_POLL);
        self.remember_kinds(params);
        let offset = params.integer("offset");
        let limit = if params.has("limit") { params.integer("limit").clamp(1, 100) } else { 100 };
        let (mut limit, mut timeout) = (limit, params.integer("timeout").clamp(0, MOST_TIMEOUT));
        if spin_guard && offset == self.previous_offset {
            let since = now - self.previous_at_ms;
            if timeout < 3 && since < 3_000 {
                timeout = 3;
            }
            if since < 500 {
                limit = 1;
            }
        }
        self.previous_offset = offset;
        self.previous_at_ms = now;
        self.expire(now);
        let offset = self.confirm(offset);
        let limit = usize::try_from(limit).unwrap_or(100);
        Poll { number: self.poll, offset, limit, until_ms: now + timeout * 1_000 }
    }

    fn remember_kinds(&mut self, params: &Params) {
        let Some(text) = params.text("allowed_updates") else { return };
        let Ok(Value::Array(names)) = serde_json::from_str(text) else { return };
        let Some(names) = names.iter().map(Value::as_str).collect::<Option<Vec<_>>>() else { return };
        let known: BTreeSet<String> =
            names.iter().filter(|name| KINDS.contains(name)).map(|name| (*name).to_owned()).collect();
        self.allowed = Some(known).filter(|kinds| !kinds.is_empty());
    }

    /// Drops what lies below the offset for good; answers the offset to read from.
    fn confirm(&mut self, offset: i64) -> i64 {
        let oldest = self.waiting.front().map_or(self.next_id, |update| update.id);
        if offset < 0 {
            let keep = usize::try_from(-offset).unwrap_or(usize::MAX);
            while self.waiting.len() > keep {
                self.drop_front();
            }
            return 0;
        }
        if offset > self.next_id - 1 + FAR_ABOVE || offset < oldest - FAR_BELOW {
            return 0;
        }
        while self.waiting.front().is_some_and(|update| update.id < offset) {
            self.drop_front();
        }
        offset
    }

    fn drop_front(&mut self) {
        if let Some(update) = self.waiting.pop_front() {
            self.confirmed.push_back(update);
            if self.confirmed.len() > MOST_CONFIRMED {
                self.confirmed.pop_front();
            }
        }
    }

    fn expire(&mut self, now: i64) {
        self.waiting.retain(|update| update.expires_ms > now);
    }

    /// Looks for what the poll waits for.
    pub fn look(&mut self, poll: &Poll, now: i64) -> Look {
        if poll.number != self.poll {
            let due = now.max(self.next_conflict_ms);
            self.next_conflict_ms = due + CONFLICT_PAUSE_MS;
            return Look::Ended(self.ended_by.unwrap_or(OTHER_POLL), due);
        }
        self.expire(now);
        let replayed: Vec<Update> = self.replay.drain(..).collect();
        let fresh = self.waiting.iter().filter(|update| update.id >= poll.offset);
        let mut bytes = 0;
        let mut found = Vec::new();
        for update in replayed.iter().chain(fresh).take(poll.limit) {
            let update = update.show();
            bytes += update.to_string().len();
            if !found.is_empty() && bytes > MOST_BYTES {
                break;
            }
            found.push(update);
        }
        if found.is_empty() && now < poll.until_ms { Look::Wait } else { Look::Found(Value::Array(found)) }
    }
}

/// The refusal of an ended poll.
pub(crate) fn conflict(words: &str) -> Refusal {
    Refusal::new(409, words)
}

#[cfg(test)]
mod tests;
