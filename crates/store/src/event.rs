//! What an event was, as rows that are counted and never shown: guests, taps, jobs. Within a period, which includes its beginning and not its
//! end.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::{Read, Tx};
use domain::Timestamp;
use domain::guest::TelegramId;
use domain::job::ACTIVE_JOB_STATUSES;

/// Rows that one report looks at; an event is far smaller.
const ROWS_MAX: u32 = 500_000;

/// A guest as far as they are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventGuest {
    /// Who, to leave operators out.
    pub id: TelegramId,
    /// Their language.
    pub language: String,
    /// Whether they agreed.
    pub agreed: bool,
}

/// A tap on Start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventSession {
    /// Whose it became.
    pub guest: Option<TelegramId>,
    /// Where it stands.
    pub status: String,
    /// Why it was closed.
    pub closed_reason: Option<String>,
    /// On which tablet.
    pub kiosk: Option<String>,
}

/// A job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventJob {
    /// Whose.
    pub guest: TelegramId,
    /// Where it stands.
    pub status: String,
    /// The outfit.
    pub template: String,
    /// How it was drawn.
    pub mode: Option<String>,
    /// When the photo came.
    pub created_at: Timestamp,
    /// When the guest was told of the pack.
    pub link_sent_at: Option<Timestamp>,
}

/// Guests first seen in the period.
pub async fn guests(
    on: &mut impl Read,
    from: Timestamp,
    to: Timestamp,
) -> Result<Vec<EventGuest>, StoreError> {
    #[derive(sqlx::FromRow)]
    struct Guest {
        telegram_user_id: i64,
        language: String,
        consented_at: Option<i64>,
    }
    let rows = Query::new(
        "SELECT telegram_user_id, language, consented_at FROM users WHERE created_at >= $1 AND created_at < $2 LIMIT $3",
    )
    .bind(from)
    .bind(to)
    .bind(ROWS_MAX)
    .all::<Guest>(on)
    .await?;
    let guest = |row: Guest| EventGuest {
        id: TelegramId(row.telegram_user_id),
        language: row.language,
        agreed: row.consented_at.is_some(),
    };
    Ok(rows.into_iter().map(guest).collect())
}

/// Sessions begun in the period.
pub async fn sessions(
    on: &mut impl Read,
    from: Timestamp,
    to: Timestamp,
) -> Result<Vec<EventSession>, StoreError> {
    #[derive(sqlx::FromRow)]
    struct Session {
        telegram_user_id: Option<i64>,
        status: String,
        closed_reason: Option<String>,
        kiosk: Option<String>,
    }
    let rows = Query::new(
        "SELECT telegram_user_id, status, closed_reason, kiosk FROM sessions \
         WHERE created_at >= $1 AND created_at < $2 LIMIT $3",
    )
    .bind(from)
    .bind(to)
    .bind(ROWS_MAX)
    .all::<Session>(on)
    .await?;
    let session = |row: Session| EventSession {
        guest: row.telegram_user_id.map(TelegramId),
        status: row.status,
        closed_reason: row.closed_reason,
        kiosk: row.kiosk,
    };
    Ok(rows.into_iter().map(session).collect())
}

/// Jobs of photos that came in the period.
pub async fn jobs(on: &mut impl Read, from: Timestamp, to: Timestamp) -> Result<Vec<EventJob>, StoreError> {
    #[derive(sqlx::FromRow)]
    struct Row {
        telegram_user_id: i64,
        status: String,
        template_id: String,
        render_mode: Option<String>,
        created_at: i64,
        link_sent_at: Option<i64>,
    }
    let rows = Query::new(
        "SELECT telegram_user_id, status, template_id, render_mode, created_at, link_sent_at FROM jobs \
         WHERE created_at >= $1 AND created_at < $2 ORDER BY job_id LIMIT $3",
    )
    .bind(from)
    .bind(to)
    .bind(ROWS_MAX)
    .all::<Row>(on)
    .await?;
    let job = |row: Row| EventJob {
        guest: TelegramId(row.telegram_user_id),
        status: row.status,
        template: row.template_id,
        mode: row.render_mode,
        created_at: Timestamp::from_millis(row.created_at),
        link_sent_at: row.link_sent_at.map(Timestamp::from_millis),
    };
    Ok(rows.into_iter().map(job).collect())
}

/// When a guest was last here: a photo, or any step of a session that has a guest.
pub async fn last_guest(on: &mut impl Read) -> Result<Option<Timestamp>, StoreError> {
    // An expiry by the server moves `updated_at` of a session too, which makes this later and never earlier.
    let last = Query::new(
        "SELECT MAX(value) AS value FROM (SELECT MAX(created_at) AS value FROM jobs \
         UNION ALL SELECT MAX(updated_at) AS value FROM sessions WHERE telegram_user_id IS NOT NULL) AS steps",
    )
    .number(on)
    .await?;
    Ok(last.map(Timestamp::from_millis))
}

/// Jobs that are being made, and failed ones.
pub async fn open_jobs(on: &mut impl Read) -> Result<(i64, i64), StoreError> {
    let active = Query::new("SELECT COUNT(*) AS value FROM jobs WHERE status IN ({active})")
        .words("{active}", ACTIVE_JOB_STATUSES.iter().map(|status| status.word()));
    let active = active.number(on).await?.unwrap_or(0);
    let failed = Query::new("SELECT COUNT(*) AS value FROM jobs WHERE status = 'failed'");
    Ok((active, failed.number(on).await?.unwrap_or(0)))
}

/// Forgets which guests were erased and the key of their hashes: the event is closed, and the pack limit of the next one begins anew. How many.
pub async fn forget_erased(tx: &mut Tx, key: &'static str) -> Result<u64, StoreError> {
    let gone = crate::erasures::clear(tx).await?;
    let _ = crate::settings::delete(tx, key).await?;
    Ok(gone)
}
