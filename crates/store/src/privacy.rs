//! What personal data the rows hold now, and what of it is past its time: numbers for `stickers privacy-audit`, never a person.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::Read;
use domain::Timestamp;
use domain::guest::TelegramId;
use domain::job::{ACTIVE_JOB_STATUSES, JobId};
use domain::schedule::Cutoffs;

/// Rows that name a person, or may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Rows of `users`.
    pub users: i64,
    /// Rows of `sessions` that a guest is linked to.
    pub sessions: i64,
    /// Rows of `jobs`.
    pub jobs: i64,
    /// Leads that were not erased.
    pub leads: i64,
    /// Keyed hashes of erased guests, which go when the event is closed.
    pub erasures: i64,
}

/// Counts them.
pub async fn held(on: &mut impl Read) -> Result<Held, StoreError> {
    Ok(Held {
        users: count(on, Query::new("SELECT COUNT(*) AS value FROM users")).await?,
        sessions: count(
            on,
            Query::new("SELECT COUNT(*) AS value FROM sessions WHERE telegram_user_id IS NOT NULL"),
        )
        .await?,
        jobs: count(on, Query::new("SELECT COUNT(*) AS value FROM jobs")).await?,
        leads: count(on, Query::new("SELECT COUNT(*) AS value FROM leads WHERE erased_at IS NULL")).await?,
        erasures: count(on, Query::new("SELECT COUNT(*) AS value FROM erasures")).await?,
    })
}

/// Descriptions of faces in jobs that have ended.
pub async fn appearances_of_ended_jobs(on: &mut impl Read) -> Result<i64, StoreError> {
    let query = Query::new(
        "SELECT COUNT(*) AS value FROM jobs WHERE appearance_json IS NOT NULL AND status NOT IN ({active})",
    )
    .words("{active}", ACTIVE_JOB_STATUSES.iter().map(|status| status.word()));
    count(on, query).await
}

/// Handled updates of Telegram that still hold their text.
pub async fn bodies_of_handled_updates(on: &mut impl Read) -> Result<i64, StoreError> {
    count(on, Query::new("SELECT COUNT(*) AS value FROM updates WHERE state = 'handled' AND body <> ''"))
        .await
}

/// Updates that ended before `before`, handled or given up, and are still there.
pub async fn updates_ended_before(on: &mut impl Read, before: Timestamp) -> Result<i64, StoreError> {
    let query =
        Query::new("SELECT COUNT(*) AS value FROM updates WHERE ended_at IS NOT NULL AND ended_at < $1");
    count(on, query.bind(before)).await
}

/// Messages that were sent or given up and still hold their text.
pub async fn bodies_of_ended_messages(on: &mut impl Read) -> Result<i64, StoreError> {
    let query = Query::new(
        "SELECT COUNT(*) AS value FROM outbox WHERE state IN ('sent', 'dropped', 'failed') AND body <> ''",
    );
    count(on, query).await
}

/// Messages that ended before `before` and are still there.
pub async fn messages_ended_before(on: &mut impl Read, before: Timestamp) -> Result<i64, StoreError> {
    let query = Query::new(
        "SELECT COUNT(*) AS value FROM outbox WHERE state IN ('sent', 'dropped', 'failed') AND updated_at < $1",
    );
    count(on, query.bind(before)).await
}

/// Leads past their retention that were not erased.
pub async fn leads_past_retention(on: &mut impl Read, cutoffs: Cutoffs) -> Result<i64, StoreError> {
    let query = Query::new(
        "SELECT COUNT(*) AS value FROM leads WHERE erased_at IS NULL \
         AND ((status = 'spam' AND COALESCE(status_at, created_at) <= $1) \
         OR (status <> 'spam' AND COALESCE(status_at, created_at) <= $2))",
    );
    count(on, query.bind(cutoffs.spam).bind(cutoffs.any)).await
}

/// Messages in the leads group that still show a lead which was erased before `before`.
pub async fn cards_of_erased_leads(on: &mut impl Read, before: Timestamp) -> Result<i64, StoreError> {
    let query = Query::new(
        "SELECT COUNT(*) AS value FROM lead_cards JOIN leads ON leads.id = lead_cards.lead_id \
         WHERE leads.erased_at < $1 AND lead_cards.erased_at IS NULL",
    );
    count(on, query.bind(before)).await
}

/// What the rows hold of one guest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Rows of `users`: one, or none for an unknown id.
    pub users: i64,
    /// Tokens of their sessions.
    pub sessions: Vec<String>,
    /// Their jobs.
    pub jobs: Vec<JobId>,
    /// Those of them that are still being made.
    pub active: i64,
}

/// What an erasure of this guest would take.
pub async fn footprint(on: &mut impl Read, guest: TelegramId) -> Result<Footprint, StoreError> {
    #[derive(sqlx::FromRow)]
    struct Token {
        session_token: String,
    }
    let users = Query::new("SELECT COUNT(*) AS value FROM users WHERE telegram_user_id = $1").bind(guest);
    let users = count(on, users).await?;
    let sessions =
        Query::new("SELECT session_token FROM sessions WHERE telegram_user_id = $1 ORDER BY session_token")
            .bind(guest)
            .all::<Token>(on)
            .await?;
    let jobs = crate::jobs::of_guest(on, guest).await?;
    let active = jobs.iter().filter(|job| ACTIVE_JOB_STATUSES.contains(&job.status())).count();
    Ok(Footprint {
        users,
        sessions: sessions.into_iter().map(|row| row.session_token).collect(),
        jobs: jobs.iter().map(|job| job.id).collect(),
        active: i64::try_from(active).unwrap_or(i64::MAX),
    })
}

async fn count(on: &mut impl Read, query: Query) -> Result<i64, StoreError> {
    Ok(query.number(on).await?.unwrap_or(0))
}
