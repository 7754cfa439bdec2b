//! Tables `leads`, `lead_status_history`, `lead_repeats` and `lead_cards`: a request from the landing form, what the team did with
//! it, who wrote again, and every message ever posted for it.
//!
//! `intake`: a request on its way in. `publish`: the way of a card to the group. `repeats`: notices about those who wrote again.
//! `cards`: rewriting what stands in the group. `status`: buttons. `schedule`: reminders. `erase`: personal data that has to go.
//! `report`: counts and lists.

mod cards;
mod erase;
pub mod intake;
mod publish;
mod repeats;
mod report;
mod schedule;
mod status;

pub use cards::{
    StandingCard, became_pointer, begin_move, card_moved, clear_dirty, dirty_due, edit_later, forget_place,
    mark_dirty, move_failed, post_again, standing_cards, stands_at,
};
pub use erase::{blank_updates, delete, due_for_erasure, erase, mark_message_erased, record_stray_card};
pub use publish::{Failed, Posted, begin_publish, due, publish_failed, publish_now, published, retry_all};
pub use repeats::{DueRepeat, begin_notify, due as due_repeats, notified, notify_failed, of_lead};
pub use report::{
    count_by_source, count_by_status, count_created, count_waiting, first_touches, latest_unerased, page,
    waiting,
};
pub use schedule::{claim_reminder, due_for_reminder};
pub use status::{StatusChange, last_change, set_status};

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::{Read, Tx};
use domain::Timestamp;
use domain::guest::Personal;
use domain::lead::{CardPlace, Contact, Lead, LeadId, LeadStatus, Repeat};

pub(crate) const COLUMNS: &str = "id, request_id, status, status_at, name, telegram, phone, date, guests, comment, locale, utm_source, \
    utm_medium, utm_campaign, utm_term, utm_content, created_at, published_at, chat_id, message_id, publish_attempts, \
    next_publish_at, publish_error, card_dirty_at, reminded_at, erased_at";

#[derive(sqlx::FromRow)]
struct LeadRow {
    id: i64,
    request_id: String,
    status: String,
    status_at: Option<i64>,
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
    created_at: i64,
    published_at: Option<i64>,
    chat_id: Option<i64>,
    message_id: Option<i64>,
    publish_attempts: i64,
    next_publish_at: Option<i64>,
    publish_error: Option<String>,
    card_dirty_at: Option<i64>,
    reminded_at: Option<i64>,
    erased_at: Option<i64>,
}

fn time(ms: Option<i64>) -> Option<Timestamp> {
    ms.map(Timestamp::from_millis)
}

fn personal(text: Option<String>) -> Option<Personal> {
    text.map(Personal)
}

/// The status of a stored word.
pub(crate) fn status_of(word: &str, id: i64) -> Result<LeadStatus, StoreError> {
    LeadStatus::from_word(word).ok_or_else(|| StoreError::BadRow {
        table: "leads",
        column: "status",
        key: id.to_string(),
        value: word.to_owned(),
    })
}

impl LeadRow {
    fn into_lead(self) -> Result<Lead, StoreError> {
        let status = status_of(&self.status, self.id)?;
        let card =
            self.chat_id.zip(self.message_id).map(|(chat_id, message_id)| CardPlace { chat_id, message_id });
        Ok(Lead {
            id: LeadId(self.id),
            request_id: self.request_id,
            status,
            status_at: time(self.status_at),
            contact: Contact {
                name: personal(self.name),
                telegram: personal(self.telegram),
                phone: personal(self.phone),
                date: personal(self.date),
                guests: personal(self.guests),
                comment: personal(self.comment),
            },
            locale: self.locale,
            utm: [self.utm_source, self.utm_medium, self.utm_campaign, self.utm_term, self.utm_content],
            created_at: Timestamp::from_millis(self.created_at),
            published_at: time(self.published_at),
            card,
            publish_attempts: self.publish_attempts,
            next_publish_at: time(self.next_publish_at),
            publish_error: self.publish_error,
            card_dirty_at: time(self.card_dirty_at),
            reminded_at: time(self.reminded_at),
            erased_at: time(self.erased_at),
        })
    }
}

const REPEAT_COLUMNS: &str =
    "id, lead_id, name, telegram, phone, date, guests, comment, created_at, notified_at, notify_attempts";

#[derive(sqlx::FromRow)]
struct RepeatRow {
    id: i64,
    lead_id: i64,
    name: Option<String>,
    telegram: Option<String>,
    phone: Option<String>,
    date: Option<String>,
    guests: Option<String>,
    comment: Option<String>,
    created_at: i64,
    notified_at: Option<i64>,
    notify_attempts: i64,
}

impl RepeatRow {
    fn into_repeat(self) -> Repeat {
        Repeat {
            id: self.id,
            lead: LeadId(self.lead_id),
            contact: Contact {
                name: personal(self.name),
                telegram: personal(self.telegram),
                phone: personal(self.phone),
                date: personal(self.date),
                guests: personal(self.guests),
                comment: personal(self.comment),
            },
            created_at: Timestamp::from_millis(self.created_at),
            notified_at: time(self.notified_at),
            notify_attempts: self.notify_attempts,
        }
    }
}

/// The lead of a query that finds one at most.
async fn one(query: Query, on: &mut impl Read) -> Result<Option<Lead>, StoreError> {
    query.first::<LeadRow>(on).await?.map(LeadRow::into_lead).transpose()
}

/// The leads of a query.
pub(crate) async fn many(query: Query, on: &mut impl Read) -> Result<Vec<Lead>, StoreError> {
    query.all::<LeadRow>(on).await?.into_iter().map(LeadRow::into_lead).collect()
}

/// The lead with this number.
pub async fn find(on: &mut impl Read, id: LeadId) -> Result<Option<Lead>, StoreError> {
    one(Query::new("SELECT {columns} FROM leads WHERE id = $1").columns(COLUMNS).bind(id), on).await
}

/// The lead with this number, locked until the write ends, so that what was decided by it still holds when it is written.
pub async fn find_locked(tx: &mut Tx, id: LeadId) -> Result<Option<Lead>, StoreError> {
    let query =
        Query::new("SELECT {columns} FROM leads WHERE id = $1 /* for update */").columns(COLUMNS).bind(id);
    one(query, tx).await
}

/// The lead with this `request_id` (lower case), or the lead whose repeat has it.
pub async fn by_request_id(on: &mut impl Read, request_id: &str) -> Result<Option<Lead>, StoreError> {
    let query = Query::new(
        "SELECT {columns} FROM leads WHERE request_id = $1 \
         OR id = (SELECT lead_id FROM lead_repeats WHERE request_id = $1)",
    )
    .columns(COLUMNS)
    .bind(request_id);
    one(query, on).await
}
