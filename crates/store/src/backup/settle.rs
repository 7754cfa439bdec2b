//! What has to change in a database that was brought back from a copy, before anyone works on it (product.md, "Operations"): nobody is
//! messaged about a night that is over, and no number that was given out since then is given out again.

use crate::dialect::{Engine, POSTGRES_RAISE_JOBS, POSTGRES_RAISE_LEADS, SQLITE_RAISE};
use crate::error::StoreError;
use crate::query::{Number, Query, Word};
use crate::tx::{Read, Tx};
use domain::Timestamp;
use domain::guest::TelegramId;
use domain::job::ACTIVE_JOB_STATUSES;
use domain::lead::LeadId;
use domain::schedule::REMIND_AFTER;

/// What was settled, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// Active jobs that are failed now.
    pub jobs: u64,
    /// Messages that will not be sent.
    pub messages: u64,
    /// Updates of Telegram that will not be handled.
    pub updates: u64,
    /// Pings of waiting leads that count as sent.
    pub reminders: u64,
    /// Requests whose card may be in the group already; they are posted as a possible repeat.
    pub cards: u64,
}

/// Settles it. `digest_day` is today in Tashkent, as the digest notes it.
///
/// # Errors
/// When the database fails; nothing is changed then.
pub async fn settle(
    tx: &mut Tx,
    error: &'static str,
    digest_day: &str,
    now: Timestamp,
) -> Result<Settled, StoreError> {
    let jobs = Query::new(
        "UPDATE jobs SET status = 'failed', error = $1, appearance_json = NULL, lease_owner = NULL, lease_until = NULL, \
         not_before = NULL, updated_at = $2 WHERE status IN ({active})",
    )
    .words("{active}", ACTIVE_JOB_STATUSES.iter().map(|status| status.word()))
    .bind(error)
    .bind(now)
    .run(tx)
    .await?;
    let messages = Query::new(
        "UPDATE outbox SET state = 'dropped', body = '', error = $1, updated_at = $2 WHERE state IN ('pending', 'sending')",
    )
    .bind(error)
    .bind(now)
    .run(tx)
    .await?;
    let updates =
        Query::new("UPDATE updates SET state = 'handled', body = '', ended_at = $1 WHERE state = 'pending'")
            .bind(now)
            .run(tx)
            .await?;
    let reminders = Query::new(
        "UPDATE leads SET reminded_at = $1 WHERE status = 'new' AND erased_at IS NULL AND reminded_at IS NULL \
         AND created_at <= $2",
    )
    .bind(now)
    .bind(now.minus(REMIND_AFTER))
    .run(tx)
    .await?;
    let cards = Query::new(
        "UPDATE leads SET publish_error = 'unknown', next_publish_at = $1 WHERE published_at IS NULL AND erased_at IS NULL",
    )
    .bind(now)
    .run(tx)
    .await?;
    crate::settings::set(tx, "stickers_digest_last", digest_day, now).await?;
    for left in ["DELETE FROM leases", "DELETE FROM admin_sessions"] {
        Query::new(left).run(tx).await?;
    }
    raise_numbers(tx).await?;
    Ok(Settled { jobs, messages, updates, reminders, cards })
}

/// A button on an old card must never change a new lead.
async fn raise_numbers(tx: &mut Tx) -> Result<(), StoreError> {
    let texts: &[&'static str] = match tx.engine() {
        Engine::Sqlite => &SQLITE_RAISE,
        Engine::Postgres => &[POSTGRES_RAISE_LEADS, POSTGRES_RAISE_JOBS],
    };
    for text in texts {
        tx.script(text).await?;
    }
    Ok(())
}

/// Every guest of the database, and since when they are known: an erasure is known by a hash only, so each is compared.
pub async fn guests(on: &mut impl Read) -> Result<Vec<(TelegramId, Timestamp)>, StoreError> {
    #[derive(sqlx::FromRow)]
    struct Known {
        telegram_user_id: i64,
        created_at: i64,
    }
    let rows = Query::new("SELECT telegram_user_id, created_at FROM users ORDER BY telegram_user_id")
        .all::<Known>(on)
        .await?;
    let known = |row: Known| (TelegramId(row.telegram_user_id), Timestamp::from_millis(row.created_at));
    Ok(rows.into_iter().map(known).collect())
}

/// Every lead that was not erased, with its `request_id`.
pub async fn lead_requests(on: &mut impl Read) -> Result<Vec<(LeadId, String)>, StoreError> {
    let ids = Query::new("SELECT id AS value FROM leads WHERE erased_at IS NULL ORDER BY id")
        .all::<Number>(on)
        .await?;
    let requests = Query::new("SELECT request_id AS value FROM leads WHERE erased_at IS NULL ORDER BY id")
        .all::<Word>(on)
        .await?;
    let ids = ids.into_iter().filter_map(|row| row.value).map(LeadId);
    Ok(ids.zip(requests.into_iter().filter_map(|row| row.value)).collect())
}
