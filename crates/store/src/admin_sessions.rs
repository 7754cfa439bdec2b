//! Table `admin_sessions`: who is signed in to the panel. Only hashes of tokens: a copy of the database lets nobody in.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::{Change, Read, Tx};
use domain::Timestamp;

/// Ended sessions that one sign-in takes away; there are rarely more than a few.
const ENDED_AT_ONCE: u32 = 200;

/// A session of the panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdminSession {
    /// Hash of the cookie's token.
    pub token_hash: String,
    /// Who signed in.
    pub login: String,
    /// Hash of the token that forms carry.
    pub csrf_hash: String,
    /// When they signed in.
    pub created_at: Timestamp,
    /// When they last did something.
    pub seen_at: Timestamp,
    /// When it ends whatever they do.
    pub expires_at: Timestamp,
    /// When it was ended before that.
    pub revoked_at: Option<Timestamp>,
}

#[derive(sqlx::FromRow)]
struct SessionRow {
    token_hash: String,
    login: String,
    csrf_hash: String,
    created_at: i64,
    seen_at: i64,
    expires_at: i64,
    revoked_at: Option<i64>,
}

/// The session with this hash.
pub async fn find(on: &mut impl Read, token_hash: &str) -> Result<Option<AdminSession>, StoreError> {
    let row = Query::new(
        "SELECT token_hash, login, csrf_hash, created_at, seen_at, expires_at, revoked_at \
         FROM admin_sessions WHERE token_hash = $1",
    )
    .bind(token_hash)
    .first::<SessionRow>(on)
    .await?;
    Ok(row.map(|row| AdminSession {
        token_hash: row.token_hash,
        login: row.login,
        csrf_hash: row.csrf_hash,
        created_at: Timestamp::from_millis(row.created_at),
        seen_at: Timestamp::from_millis(row.seen_at),
        expires_at: Timestamp::from_millis(row.expires_at),
        revoked_at: row.revoked_at.map(Timestamp::from_millis),
    }))
}

/// Begins a session.
pub async fn insert(tx: &mut Tx, session: &AdminSession) -> Result<(), StoreError> {
    Query::new(
        "INSERT INTO admin_sessions (token_hash, login, csrf_hash, created_at, seen_at, expires_at, revoked_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(session.token_hash.as_str())
    .bind(session.login.as_str())
    .bind(session.csrf_hash.as_str())
    .bind(session.created_at)
    .bind(session.seen_at)
    .bind(session.expires_at)
    .bind(session.revoked_at)
    .run(tx)
    .await
    .map(drop)
}

/// Somebody did something with it. Stale when it was ended meanwhile, or was seen later already.
pub async fn seen(tx: &mut Tx, token_hash: &str, now: Timestamp) -> Result<Change, StoreError> {
    Query::new(
        "UPDATE admin_sessions SET seen_at = $2 WHERE token_hash = $1 AND revoked_at IS NULL AND seen_at < $2",
    )
    .bind(token_hash)
    .bind(now)
    .change(tx)
    .await
}

/// Ends it. Stale when it is ended already.
pub async fn revoke(tx: &mut Tx, token_hash: &str, now: Timestamp) -> Result<Change, StoreError> {
    Query::new("UPDATE admin_sessions SET revoked_at = $2 WHERE token_hash = $1 AND revoked_at IS NULL")
        .bind(token_hash)
        .bind(now)
        .change(tx)
        .await
}

/// Ends all sessions of this login; how many there were.
pub async fn revoke_all(tx: &mut Tx, login: &str, now: Timestamp) -> Result<u64, StoreError> {
    Query::new("UPDATE admin_sessions SET revoked_at = $2 WHERE login = $1 AND revoked_at IS NULL")
        .bind(login)
        .bind(now)
        .run(tx)
        .await
}

/// Takes away rows of sessions whose time was over at `now`; how many went.
pub async fn delete_ended(tx: &mut Tx, now: Timestamp) -> Result<u64, StoreError> {
    Query::new(
        "DELETE FROM admin_sessions WHERE token_hash IN \
         (SELECT token_hash FROM admin_sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
    )
    .bind(now)
    .bind(ENDED_AT_ONCE)
    .run(tx)
    .await
}
