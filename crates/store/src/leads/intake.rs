//! A request on its way into the tables (seed 003, steps 6 to 10): new, known, over a limit, or the same person again.
//!
//! A write that takes a request calls [`Tx::lock_intake`] first; then what it looked at still holds when it inserts.

use crate::error::StoreError;
use crate::opening::Opening;
use crate::query::Query;
use crate::tx::{Change, Read, Tx};
use domain::guest::Personal;
use domain::lead::LeadId;
use domain::lead_form::{LeadFields, LeadRequest, Utm};
use domain::{Language, Timestamp};
use std::time::Duration;

/// A request with what the server adds to it.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// What the visitor sent.
    pub request: LeadRequest,
    /// Keyed hash of the visitor's address; none when the landing site told none.
    pub ip_hash: Option<String>,
    /// When it arrived.
    pub now: Timestamp,
}

/// What holds a request back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntakeLimits {
    /// Requests of one visitor within `visitor_window`.
    pub visitor: u32,
    /// How far back the requests of a visitor are counted.
    pub visitor_window: Duration,
    /// Requests of all visitors within `hour`.
    pub hourly: u32,
    /// How far back all requests are counted.
    pub hour: Duration,
    /// How far back a lead of the same person makes a request a repeat.
    pub repeat_window: Duration,
}

/// Where a `request_id` was met before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// The lead that it is, or whose repeat it is.
    pub lead: LeadId,
    /// Whether it is a repeat.
    pub repeat: bool,
}

/// A lead of the same person.
#[derive(Clone, Debug)]
pub struct Recent {
    /// Its number.
    pub lead: LeadId,
    /// Its fields.
    pub fields: LeadFields,
}

/// Up to this an hourly limit is compared with a count of rows. A higher one is compared with the span of the numbers given in the hour:
/// found without counting, never less than the rows, more where numbers have gaps.
const COUNTED_MAX: i64 = 1_000;

/// The lead to which a `request_id` belongs.
pub async fn known(on: &mut impl Read, request_id: &str) -> Result<Option<Known>, StoreError> {
    #[derive(sqlx::FromRow)]
    struct Row {
        id: i64,
        repeat: i64,
    }
    let row = Query::new(
        "SELECT id, CAST(0 AS BIGINT) AS repeat FROM leads WHERE request_id = $1 \
         UNION ALL SELECT lead_id, CAST(1 AS BIGINT) FROM lead_repeats WHERE request_id = $1",
    )
    .bind(request_id)
    .first::<Row>(on)
    .await?;
    Ok(row.map(|row| Known { lead: LeadId(row.id), repeat: row.repeat == 1 }))
}

/// Stored requests of a visitor since `since`, leads and repeats; counted up to `limit`.
pub async fn count_of_visitor(
    on: &mut impl Read,
    ip_hash: &str,
    since: Timestamp,
    limit: u32,
) -> Result<u32, StoreError> {
    let count = Query::new(
        "SELECT (SELECT COUNT(*) FROM (SELECT 1 AS one FROM leads WHERE ip_hash = $1 AND created_at > $2 LIMIT $3) AS new) \
         + (SELECT COUNT(*) FROM (SELECT 1 AS one FROM lead_repeats WHERE ip_hash = $1 AND created_at > $2 LIMIT $3) AS again) \
         AS value",
    )
    .bind(ip_hash)
    .bind(since)
    .bind(limit)
    .number(on)
    .await?;
    Ok(within(count, limit))
}

/// Stored requests of all visitors since `since`, leads and repeats; counted up to `limit`.
pub async fn count_all(on: &mut impl Read, since: Timestamp, limit: u32) -> Result<u32, StoreError> {
    let count = Query::new(
        "SELECT (SELECT COUNT(*) FROM (SELECT 1 AS one FROM leads WHERE created_at > $1 LIMIT $2) AS new) \
         + (SELECT COUNT(*) FROM (SELECT 1 AS one FROM lead_repeats WHERE created_at > $1 LIMIT $2) AS again) AS value",
    )
    .bind(since)
    .bind(limit)
    .number(on)
    .await?;
    Ok(within(count, limit))
}

fn within(count: Option<i64>, limit: u32) -> u32 {
    u32::try_from(count.unwrap_or(0)).unwrap_or(u32::MAX).min(limit)
}

/// The insert of a new lead, due in the group at once, unless anything stands against it: its `request_id` is known, a limit is reached, or
/// the same person asked lately. One statement, because nearly every request is new; `None` says that something may, and the caller
/// looks what. Where the hour was found to have room after all, the next try says so with an `hourly` of `u32::MAX`.
pub fn new_lead(incoming: &Incoming, limits: &IntakeLimits) -> Opening {
    let Incoming { request, ip_hash, now } = incoming;
    // A conflict alone would use up a number of the lead.
    let insert = Query::new(
        "INSERT INTO leads (request_id, status, name, telegram, telegram_fold, phone, date, guests, comment, locale, \
         utm_source, utm_medium, utm_campaign, utm_term, utm_content, ip_hash, created_at, next_publish_at) \
         SELECT $1, 'new', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16 \
         WHERE NOT EXISTS (SELECT 1 FROM leads WHERE request_id = $1) \
         AND NOT EXISTS (SELECT 1 FROM lead_repeats WHERE request_id = $1) \
         AND NOT EXISTS (SELECT 1 FROM leads WHERE (telegram_fold = $4 OR phone = $5) AND created_at >= $17 \
             AND status <> 'spam' AND erased_at IS NULL) \
         AND ($15 IS NULL OR $18 > \
             (SELECT COUNT(*) FROM (SELECT 1 AS one FROM leads WHERE ip_hash = $15 AND created_at > $19 LIMIT $18) AS new) \
             + (SELECT COUNT(*) FROM (SELECT 1 AS one FROM lead_repeats WHERE ip_hash = $15 AND created_at > $19 LIMIT $18) \
                AS again)) \
         AND $20 > CASE WHEN $20 > $22 THEN \
             COALESCE((SELECT MAX(id) FROM leads) + 1 \
                 - (SELECT id FROM leads WHERE created_at > $21 ORDER BY created_at, id LIMIT 1), 0) \
             + COALESCE((SELECT MAX(id) FROM lead_repeats) + 1 \
                 - (SELECT id FROM lead_repeats WHERE created_at > $21 ORDER BY created_at, id LIMIT 1), 0) \
           ELSE \
             (SELECT COUNT(*) FROM (SELECT 1 AS one FROM leads WHERE created_at > $21 LIMIT $20) AS new) \
             + (SELECT COUNT(*) FROM (SELECT 1 AS one FROM lead_repeats WHERE created_at > $21 LIMIT $20) AS again) END \
         ON CONFLICT (request_id) DO NOTHING RETURNING id AS value",
    )
    .bind(request.request_id.as_str())
    .bind(&request.name)
    .bind(&request.telegram)
    .bind(request.telegram_fold())
    .bind(&request.phone)
    .bind(request.date.as_deref())
    .bind(request.guests.as_deref())
    .bind(request.comment.as_ref())
    .bind(request.locale)
    .bind(request.utm.source.as_deref())
    .bind(request.utm.medium.as_deref())
    .bind(request.utm.campaign.as_deref())
    .bind(request.utm.term.as_deref())
    .bind(request.utm.content.as_deref())
    .bind(ip_hash.as_deref())
    .bind(*now)
    .bind(now.minus(limits.repeat_window))
    .bind(limits.visitor)
    .bind(now.minus(limits.visitor_window))
    .bind(limits.hourly)
    .bind(now.minus(limits.hour))
    .bind(COUNTED_MAX);
    Opening::new(insert)
}

/// Runs [`new_lead`] within a write.
pub async fn insert_new(
    tx: &mut Tx,
    incoming: &Incoming,
    limits: &IntakeLimits,
) -> Result<Option<LeadId>, StoreError> {
    Ok(new_lead(incoming, limits).run(tx).await?.map(LeadId))
}

/// The newest lead since `since` with this username or phone that is neither spam nor erased (seed 003, repeat rule). It is locked: an
/// erasure that comes now waits, and then finds the repeat too.
pub async fn recent_of_person(
    tx: &mut Tx,
    request: &LeadRequest,
    since: Timestamp,
) -> Result<Option<Recent>, StoreError> {
    let row = Query::new(
        "SELECT id, name, telegram, phone, date, guests, comment, locale, utm_source, utm_medium, utm_campaign, utm_term, \
         utm_content FROM leads WHERE (telegram_fold = $1 OR phone = $2) AND created_at >= $3 \
         AND status <> 'spam' AND erased_at IS NULL ORDER BY created_at DESC, id DESC LIMIT 1 /* for update */",
    )
    .bind(request.telegram_fold())
    .bind(&request.phone)
    .bind(since)
    .first::<RecentRow>(tx)
    .await?;
    Ok(row.map(RecentRow::into_recent))
}

/// Inserts a repeat of `lead`: the time and only the fields that changed. Stale when its `request_id` is known.
pub async fn insert_repeat(
    tx: &mut Tx,
    lead: LeadId,
    incoming: &Incoming,
    changes: &LeadFields,
) -> Result<Change, StoreError> {
    Query::new(
        "INSERT INTO lead_repeats (lead_id, request_id, name, telegram, phone, date, guests, comment, locale, utm_source, \
         utm_medium, utm_campaign, utm_term, utm_content, ip_hash, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
         ON CONFLICT (request_id) DO NOTHING",
    )
    .bind(lead)
    .bind(incoming.request.request_id.as_str())
    .bind(changes.name.as_ref())
    .bind(changes.telegram.as_ref())
    .bind(changes.phone.as_ref())
    .bind(changes.date.as_deref())
    .bind(changes.guests.as_deref())
    .bind(changes.comment.as_ref())
    .bind(changes.locale.map(Language::code))
    .bind(changes.utm.source.as_deref())
    .bind(changes.utm.medium.as_deref())
    .bind(changes.utm.campaign.as_deref())
    .bind(changes.utm.term.as_deref())
    .bind(changes.utm.content.as_deref())
    .bind(incoming.ip_hash.as_deref())
    .bind(incoming.now)
    .change(tx)
    .await
}

#[derive(sqlx::FromRow)]
struct RecentRow {
    id: i64,
    name: Option<String>,
    telegram: Option<String>,
    phone: Option<String>,
    date: Option<String>,
    guests: Option<String>,
    comment: Option<String>,
    locale: String,
    utm_source: Option<String>,
    utm_medium: Option<String>,
    utm_campaign: Option<String>,
    utm_term: Option<String>,
    utm_content: Option<String>,
}

impl RecentRow {
    fn into_recent(self) -> Recent {
        Recent {
            lead: LeadId(self.id),
            fields: LeadFields {
                name: self.name.map(Personal),
                telegram: self.telegram.map(Personal),
                phone: self.phone.map(Personal),
                date: self.date,
                guests: self.guests,
                comment: self.comment.map(Personal),
                // A language of a later program differs from whatever is asked in.
                locale: Language::from_code(&self.locale),
                utm: Utm {
                    source: self.utm_source,
                    medium: self.utm_medium,
                    campaign: self.utm_campaign,
                    term: self.utm_term,
                    content: self.utm_content,
                },
            },
        }
    }
}
