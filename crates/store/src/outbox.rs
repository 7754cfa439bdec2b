//! Table `outbox`: what must reach a guest or an operator. A message is queued in the transaction that decides it, marked
//! `sending` before the call to Telegram, and marked again after the answer; its text is emptied once it is of no more use.
//!
//! `pending → sending → sent | failed`, `sending → pending` for another try, `pending → dropped`.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::{Change, Read, Tx};
use domain::Timestamp;
use domain::guest::TelegramId;
use domain::job::JobId;

/// Kind of the messages that remove what an erased guest's job left in Telegram: they outlive the erasure that queued them.
pub const REMOVE_SETS: &str = "remove_sets";

/// A message to queue.
#[derive(Clone)]
pub struct NewMessage {
    /// Names the occasion, such as `link:<job>:<pack key>`; a second message with the same key is not queued.
    pub key: String,
    /// The chat it goes to.
    pub chat: TelegramId,
    /// What kind of message it is.
    pub kind: String,
    /// What to send, as JSON; personal.
    pub body: String,
    /// The job it is about.
    pub job: Option<JobId>,
    /// When it was decided.
    pub now: Timestamp,
}

/// Where a message stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageState {
    /// Waits for its turn.
    Pending,
    /// Is being sent; if nobody says otherwise, its outcome is unknown.
    Sending,
    /// Telegram took it.
    Sent,
    /// Not needed any more.
    Dropped,
    /// Given up.
    Failed,
}

impl MessageState {
    /// Every state.
    pub const ALL: [MessageState; 5] = [
        MessageState::Pending,
        MessageState::Sending,
        MessageState::Sent,
        MessageState::Dropped,
        MessageState::Failed,
    ];

    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            MessageState::Pending => "pending",
            MessageState::Sending => "sending",
            MessageState::Sent => "sent",
            MessageState::Dropped => "dropped",
            MessageState::Failed => "failed",
        }
    }
}

/// A queued message.
#[derive(Clone, PartialEq, Eq)]
pub struct OutboxMessage {
    /// Its number; messages of one chat are sent in this order.
    pub id: i64,
    /// Names the occasion.
    pub key: String,
    /// The chat it goes to.
    pub chat: TelegramId,
    /// What kind of message it is.
    pub kind: String,
    /// What to send, as JSON; empty once it is of no more use.
    pub body: String,
    /// The job it is about.
    pub job: Option<JobId>,
    /// Where it stands.
    pub state: MessageState,
    /// Tries that failed.
    pub attempts: i64,
    /// Not sent earlier than this.
    pub not_before: Timestamp,
    /// Error of the last try.
    pub error: Option<String>,
    /// When it was decided.
    pub created_at: Timestamp,
    /// When Telegram took it.
    pub sent_at: Option<Timestamp>,
}

impl std::fmt::Debug for NewMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the body, which is personal.
        f.debug_struct("NewMessage").field("key", &self.key).field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for OutboxMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutboxMessage")
            .field("id", &self.id)
            .field("key", &self.key)
            .field("kind", &self.kind)
            .field("state", &self.state)
            .field("attempts", &self.attempts)
            .field("not_before", &self.not_before)
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

const COLUMNS: &str =
    "id, key, chat_id, kind, body, job_id, state, attempts, not_before, error, created_at, sent_at";

#[derive(sqlx::FromRow)]
struct MessageRow {
    id: i64,
    key: String,
    chat_id: i64,
    kind: String,
    body: String,
    job_id: Option<i64>,
    state: String,
    attempts: i64,
    not_before: i64,
    error: Option<String>,
    created_at: i64,
    sent_at: Option<i64>,
}

impl MessageRow {
    fn into_message(self) -> Result<OutboxMessage, StoreError> {
        let Some(state) = MessageState::ALL.into_iter().find(|state| state.word() == self.state) else {
            let key = self.id.to_string();
            return Err(StoreError::BadRow { table: "outbox", column: "state", key, value: self.state });
        };
        Ok(OutboxMessage {
            id: self.id,
            key: self.key,
            chat: TelegramId(self.chat_id),
            kind: self.kind,
            body: self.body,
            job: self.job_id.map(JobId),
            state,
            attempts: self.attempts,
            not_before: Timestamp::from_millis(self.not_before),
            error: self.error,
            created_at: Timestamp::from_millis(self.created_at),
            sent_at: self.sent_at.map(Timestamp::from_millis),
        })
    }
}

/// Whose messages a sender looks after: two senders never take from each other, so each keeps to its own buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chats {
    /// Guests and operators.
    Private,
    /// Groups: their ids are negative.
    Groups,
}

impl Chats {
    fn sql(self) -> &'static str {
        match self {
            Chats::Private => "chat_id > 0",
            Chats::Groups => "chat_id < 0",
        }
    }
}

/// Messages whose turn it is, longest due first. Each chat gives its oldest open message only, and none while that one is
/// being sent or not due: what a guest reads comes in the order in which it was decided.
pub async fn due(
    on: &mut impl Read,
    chats: Chats,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<OutboxMessage>, StoreError> {
    Query::new(
        "SELECT {columns} FROM outbox WHERE state = 'pending' AND not_before <= $1 AND {chats} \
         AND NOT EXISTS (SELECT 1 FROM outbox earlier WHERE earlier.chat_id = outbox.chat_id \
         AND earlier.id < outbox.id AND earlier.state IN ('pending', 'sending')) \
         ORDER BY not_before, id LIMIT $2",
    )
    .columns(COLUMNS)
    .part("{chats}", chats.sql())
    .bind(now)
    .bind(limit)
    .all::<MessageRow>(on)
    .await?
    .into_iter()
    .map(MessageRow::into_message)
    .collect()
}

/// When the next message is due: of each chat its oldest open one counts.
pub async fn next_due(on: &mut impl Read) -> Result<Option<Timestamp>, StoreError> {
    let next = Query::new(
        "SELECT MIN(not_before) AS value FROM outbox WHERE state = 'pending' \
         AND NOT EXISTS (SELECT 1 FROM outbox earlier WHERE earlier.chat_id = outbox.chat_id \
         AND earlier.id < outbox.id AND earlier.state IN ('pending', 'sending'))",
    )
    .number(on)
    .await?;
    Ok(next.map(Timestamp::from_millis))
}

/// The message with this key.
pub async fn find(on: &mut impl Read, key: &str) -> Result<Option<OutboxMessage>, StoreError> {
    Query::new("SELECT {columns} FROM outbox WHERE key = $1")
        .columns(COLUMNS)
        .bind(key)
        .first::<MessageRow>(on)
        .await?
        .map(MessageRow::into_message)
        .transpose()
}

/// When a message of this kind was last queued for this chat.
pub async fn last_of_kind(
    on: &mut impl Read,
    chat: TelegramId,
    kind: &str,
) -> Result<Option<Timestamp>, StoreError> {
    let last = Query::new("SELECT MAX(created_at) AS value FROM outbox WHERE kind = $1 AND chat_id = $2")
        .bind(kind)
        .bind(chat)
        .number(on)
        .await?;
    Ok(last.map(Timestamp::from_millis))
}

/// Messages that wait or are being sent.
pub async fn count_open(on: &mut impl Read) -> Result<i64, StoreError> {
    let count = Query::new("SELECT COUNT(*) AS value FROM outbox WHERE state IN ('pending', 'sending')")
        .number(on)
        .await?;
    Ok(count.unwrap_or(0))
}

/// Queues a message. Stale when one with this key was ever queued.
pub async fn enqueue(tx: &mut Tx, new: &NewMessage) -> Result<Change, StoreError> {
    Query::new(
        "INSERT INTO outbox (key, chat_id, kind, body, job_id, state, not_before, created_at, updated_at) \
         VALUES ($1, $2, $3, $4, $5, 'pending', $6, $6, $6) ON CONFLICT (key) DO NOTHING",
    )
    .bind(new.key.as_str())
    .bind(new.chat)
    .bind(new.kind.as_str())
    .bind(new.body.as_str())
    .bind(new.job)
    .bind(new.now)
    .change(tx)
    .await
}

/// `pending → sending`, before the call: of two senders one gets it.
pub async fn begin_send(tx: &mut Tx, id: i64, now: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE outbox SET state = 'sending', updated_at = $2 WHERE id = $1 AND state = 'pending' AND not_before <= $2",
    )
    .bind(id)
    .bind(now)
    .change(tx)
    .await
}

/// `sending → sent`.
pub async fn sent(tx: &mut Tx, id: i64, now: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE outbox SET state = 'sent', body = '', error = NULL, sent_at = $2, updated_at = $2 \
         WHERE id = $1 AND state = 'sending'",
    )
    .bind(id)
    .bind(now)
    .change(tx)
    .await
}

/// `sending → pending`: another try, not before `not_before`.
pub async fn retry(
    tx: &mut Tx,
    id: i64,
    error: &str,
    not_before: Timestamp,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE outbox SET state = 'pending', attempts = attempts + 1, error = $2, not_before = $3, \
         updated_at = $4 WHERE id = $1 AND state = 'sending'",
    )
    .bind(id)
    .bind(error)
    .bind(not_before)
    .bind(now)
    .change(tx)
    .await
}

/// `sending → failed`: it will never arrive.
pub async fn give_up(tx: &mut Tx, id: i64, error: &str, now: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE outbox SET state = 'failed', attempts = attempts + 1, body = '', error = $2, updated_at = $3 \
         WHERE id = $1 AND state = 'sending'",
    )
    .bind(id)
    .bind(error)
    .bind(now)
    .change(tx)
    .await
}

/// `pending → dropped`: it is not needed any more. Stale when it is on its way, or there is none.
pub async fn drop_pending(tx: &mut Tx, key: &str, now: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE outbox SET state = 'dropped', body = '', updated_at = $2 WHERE key = $1 AND state = 'pending'",
    )
    .bind(key)
    .bind(now)
    .change(tx)
    .await
}

/// `sending → pending` for everything that a dead sender left: its outcome is unknown, so it is sent again from
/// `not_before` on. How many.
pub async fn recover_sending(
    tx: &mut Tx,
    chats: Chats,
    not_before: Timestamp,
    now: Timestamp,
) -> Result<u64, StoreError> {
    Query::new(
        // Twice about the state: SQLite takes the index of open rows only where its condition is repeated.
        "UPDATE outbox SET state = 'pending', attempts = attempts + 1, error = 'unknown', not_before = $1, \
         updated_at = $2 WHERE state IN ('pending', 'sending') AND state = 'sending' AND {chats}",
    )
    .part("{chats}", chats.sql())
    .bind(not_before)
    .bind(now)
    .run(tx)
    .await
}

/// Deletes messages that ended before `before`, `limit` at most, so that other writes get their turn. How many.
pub async fn delete_ended_before(tx: &mut Tx, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
    Query::new(
        "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE state IN ('sent', 'dropped', 'failed') \
         AND updated_at < $1 LIMIT $2)",
    )
    .bind(before)
    .bind(limit)
    .run(tx)
    .await
}
