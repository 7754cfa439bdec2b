//! Guests, newest first, and one of them by username.

use crate::error::StoreError;
use crate::query::{Query, Word};
use crate::tx::Read;
use domain::Timestamp;
use domain::guest::{Personal, TelegramId};

/// A guest as a list shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuestLine {
    /// Telegram id.
    pub id: TelegramId,
    /// As Telegram shows them.
    pub first_name: Personal,
    /// If they have one.
    pub last_name: Option<Personal>,
    /// Without `@`, if they have one.
    pub username: Option<Personal>,
    /// Code of their language.
    pub language: String,
    /// When they agreed.
    pub consented_at: Option<Timestamp>,
    /// Link of their pack.
    pub pack_link: Option<String>,
    /// When they were first seen.
    pub created_at: Timestamp,
    /// How many jobs they have.
    pub jobs: i64,
}

#[derive(sqlx::FromRow)]
struct Row {
    telegram_user_id: i64,
    first_name: String,
    last_name: Option<String>,
    username: Option<String>,
    language: String,
    consented_at: Option<i64>,
    pack_link: Option<String>,
    created_at: i64,
    jobs: i64,
}

impl Row {
    fn into_line(self) -> GuestLine {
        GuestLine {
            id: TelegramId(self.telegram_user_id),
            first_name: Personal(self.first_name),
            last_name: self.last_name.map(Personal),
            username: self.username.map(Personal),
            language: self.language,
            consented_at: self.consented_at.map(Timestamp::from_millis),
            pack_link: self.pack_link,
            created_at: Timestamp::from_millis(self.created_at),
            jobs: self.jobs,
        }
    }
}

const COLUMNS: &str = "telegram_user_id, first_name, last_name, username, language, consented_at, pack_link, created_at, \
    (SELECT COUNT(*) FROM jobs WHERE jobs.telegram_user_id = users.telegram_user_id) AS jobs";

/// Guests first seen before `before` (time and, among those of the same moment, number), newest first.
pub async fn guests(
    on: &mut impl Read,
    before: (Timestamp, TelegramId),
    limit: u32,
) -> Result<Vec<GuestLine>, StoreError> {
    let rows = guests_query(before, limit).all::<Row>(on).await?;
    Ok(rows.into_iter().map(Row::into_line).collect())
}

pub(super) fn guests_query(before: (Timestamp, TelegramId), limit: u32) -> Query {
    Query::new(
        "SELECT {columns} FROM users WHERE (created_at, telegram_user_id) < ($1, $2) \
         ORDER BY created_at DESC, telegram_user_id DESC LIMIT $3",
    )
    .columns(COLUMNS)
    .bind(before.0)
    .bind(before.1)
    .bind(limit)
}

/// The guest with this username, in whatever case it is typed. Telegram gives a name that was given up to somebody else, so there may be
/// two rows: the one seen last counts.
pub async fn guest_by_username(on: &mut impl Read, username: &str) -> Result<Option<TelegramId>, StoreError> {
    let found = username_query(username).number(on).await?;
    Ok(found.map(TelegramId))
}

pub(super) fn username_query(username: &str) -> Query {
    Query::new(
        "SELECT telegram_user_id AS value FROM users WHERE lower(username) = $1 \
         ORDER BY created_at DESC, telegram_user_id DESC LIMIT 1",
    )
    .bind(username.to_ascii_lowercase())
}

/// The guest with this number.
pub async fn guest(on: &mut impl Read, id: TelegramId) -> Result<Option<GuestLine>, StoreError> {
    let query =
        Query::new("SELECT {columns} FROM users WHERE telegram_user_id = $1").columns(COLUMNS).bind(id);
    Ok(query.first::<Row>(on).await?.map(Row::into_line))
}

/// Tokens of this guest's sessions, the last changed first.
pub async fn sessions_of_guest(
    on: &mut impl Read,
    id: TelegramId,
    limit: u32,
) -> Result<Vec<String>, StoreError> {
    let rows = sessions_query(id, limit).all::<Word>(on).await?;
    Ok(rows.into_iter().filter_map(|row| row.value).collect())
}

pub(super) fn sessions_query(id: TelegramId, limit: u32) -> Query {
    Query::new(
        "SELECT session_token AS value FROM sessions WHERE telegram_user_id = $1 ORDER BY updated_at DESC LIMIT $2",
    )
    .bind(id)
    .bind(limit)
}
