//! Table `users`: guests as Telegram shows them, their consent and their pack.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::{Change, Read, Tx};
use domain::guest::{Guest, Personal, TelegramId};
use domain::{Language, Timestamp};

/// A guest with what we know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// As Telegram shows them.
    pub guest: Guest,
    /// When they agreed.
    pub consented_at: Option<Timestamp>,
    /// To which version of the text.
    pub consent_version: Option<i64>,
    /// Name of their pack in Telegram.
    pub pack_name: Option<String>,
    /// Link to it.
    pub pack_link: Option<String>,
    /// When they were first seen.
    pub created_at: Timestamp,
}

#[derive(sqlx::FromRow)]
struct UserRow {
    telegram_user_id: i64,
    first_name: String,
    last_name: Option<String>,
    username: Option<String>,
    language: String,
    consented_at: Option<i64>,
    consent_version: Option<i64>,
    pack_name: Option<String>,
    pack_link: Option<String>,
    created_at: i64,
}

impl UserRow {
    fn into_user(self) -> Result<User, StoreError> {
        let Some(language) = Language::from_code(&self.language) else {
            let key = self.telegram_user_id.to_string();
            return Err(StoreError::BadRow { table: "users", column: "language", key, value: self.language });
        };
        Ok(User {
            guest: Guest {
                id: TelegramId(self.telegram_user_id),
                first_name: Personal(self.first_name),
                last_name: self.last_name.map(Personal),
                username: self.username.map(Personal),
                language,
            },
            consented_at: self.consented_at.map(Timestamp::from_millis),
            consent_version: self.consent_version,
            pack_name: self.pack_name,
            pack_link: self.pack_link,
            created_at: Timestamp::from_millis(self.created_at),
        })
    }
}

/// The guest with this id.
pub async fn find(on: &mut impl Read, id: TelegramId) -> Result<Option<User>, StoreError> {
    Query::new(
        "SELECT telegram_user_id, first_name, last_name, username, language, consented_at, consent_version, \
         pack_name, pack_link, created_at FROM users WHERE telegram_user_id = $1",
    )
    .bind(id)
    .first::<UserRow>(on)
    .await?
    .map(UserRow::into_user)
    .transpose()
}

/// How many guests were first seen since `since`.
pub async fn count_since(on: &mut impl Read, since: Timestamp) -> Result<i64, StoreError> {
    let count = Query::new("SELECT COUNT(*) AS value FROM users WHERE created_at >= $1")
        .bind(since)
        .number(on)
        .await?;
    Ok(count.unwrap_or(0))
}

/// Stores a guest as Telegram shows them now. Consent and pack of a known one stay.
pub async fn upsert(tx: &mut Tx, guest: &Guest, now: Timestamp) -> Result<(), StoreError> {
    Query::new(
        "INSERT INTO users (telegram_user_id, first_name, last_name, username, language, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (telegram_user_id) DO UPDATE SET first_name = excluded.first_name, \
         last_name = excluded.last_name, username = excluded.username, language = excluded.language",
    )
    .bind(guest.id)
    .bind(&guest.first_name)
    .bind(guest.last_name.as_ref())
    .bind(guest.username.as_ref())
    .bind(guest.language)
    .bind(now)
    .run(tx)
    .await
    .map(drop)
}

/// What Telegram shows of a known guest now. Stale for a stranger, who is not stored for a word to the bot.
pub async fn refresh(tx: &mut Tx, guest: &Guest) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE users SET first_name = $2, last_name = $3, username = $4, language = $5 \
         WHERE telegram_user_id = $1",
    )
    .bind(guest.id)
    .bind(&guest.first_name)
    .bind(guest.last_name.as_ref())
    .bind(guest.username.as_ref())
    .bind(guest.language)
    .change(tx)
    .await
}

/// Forgets a guest who has nothing here: no session, no job, no consent, no pack. Stale for anybody else.
pub async fn forget_stranger(tx: &mut Tx, id: TelegramId) -> Result<Change, StoreError> {
    Query::new(
        "DELETE FROM users WHERE telegram_user_id = $1 AND consented_at IS NULL AND pack_name IS NULL \
         AND NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.telegram_user_id = users.telegram_user_id) \
         AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.telegram_user_id = users.telegram_user_id)",
    )
    .bind(id)
    .change(tx)
    .await
}

/// The guest agreed to this version of the text. Stale when the guest is unknown.
pub async fn record_consent(
    tx: &mut Tx,
    id: TelegramId,
    version: i64,
    now: Timestamp,
) -> Result<Change, StoreError> {
    Query::new("UPDATE users SET consented_at = $2, consent_version = $3 WHERE telegram_user_id = $1")
        .bind(id)
        .bind(now)
        .bind(version)
        .change(tx)
        .await
}

/// The guest has this pack now. Stale when the guest is unknown, for instance erased meanwhile.
pub async fn set_pack(
    tx: &mut Tx,
    id: TelegramId,
    pack_name: &str,
    pack_link: &str,
) -> Result<Change, StoreError> {
    Query::new("UPDATE users SET pack_name = $2, pack_link = $3 WHERE telegram_user_id = $1")
        .bind(id)
        .bind(pack_name)
        .bind(pack_link)
        .change(tx)
        .await
}
