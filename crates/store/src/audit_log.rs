//! Table `audit_log`: who did what. Written in the transaction that does it.

use crate::error::StoreError;
use crate::query::Query;
use crate::tx::{Read, Tx};
use domain::Timestamp;

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// When.
    pub at: Timestamp,
    /// Who: a login, `guest:<id>`, `operator:<id>`, or the name of a loop.
    pub actor: String,
    /// What was done.
    pub action: String,
    /// To what: `job:<id>`, `guest:<id>`, …
    pub subject: String,
    /// More, if there is more to say.
    pub details: Option<String>,
}

#[derive(sqlx::FromRow)]
struct AuditRow {
    at: i64,
    actor: String,
    action: String,
    subject: String,
    details: Option<String>,
}

/// The latest entries, newest first.
pub async fn latest(on: &mut impl Read, limit: u32) -> Result<Vec<Audit>, StoreError> {
    let rows = Query::new(
        "SELECT at, actor, action, subject, details FROM audit_log ORDER BY at DESC, id DESC LIMIT $1",
    )
    .bind(limit)
    .all::<AuditRow>(on)
    .await?;
    let entry = |row: AuditRow| Audit {
        at: Timestamp::from_millis(row.at),
        actor: row.actor,
        action: row.action,
        subject: row.subject,
        details: row.details,
    };
    Ok(rows.into_iter().map(entry).collect())
}

/// Adds an entry.
pub async fn insert(tx: &mut Tx, entry: &Audit) -> Result<(), StoreError> {
    Query::new("INSERT INTO audit_log (at, actor, action, subject, details) VALUES ($1, $2, $3, $4, $5)")
        .bind(entry.at)
        .bind(entry.actor.as_str())
        .bind(entry.action.as_str())
        .bind(entry.subject.as_str())
        .bind(entry.details.as_deref())
        .run(tx)
        .await
        .map(drop)
}
