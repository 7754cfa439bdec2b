//! Everything of one guest, over all tables: erasure.

use crate::error::StoreError;
use crate::jobs;
use crate::outbox::REMOVE_SETS;
use crate::query::{Query, Word};
use crate::tx::{Change, Tx};
use domain::guest::TelegramId;
use domain::job::Job;

/// What an erasure took, for whoever deletes files and sets after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// Whether the guest was known.
    pub known: bool,
    /// Tokens of their sessions, which name their folders.
    pub sessions: Vec<String>,
    /// Their jobs as they stood, newest first.
    pub jobs: Vec<Job>,
    /// Names of their sets in Telegram, also of failed jobs.
    pub pack_names: Vec<String>,
}

/// Deletes the guest's rows in whatever status (rows `Reset` of both tables): jobs, sessions, messages to them, updates from
/// them, the guest. An order to remove a set of theirs from Telegram stays until it is carried out. What was spent and what was done (`ai_usage`, `audit_log`) stays. A worker that still holds one of the jobs
/// finds out by its next write. Call [`crate::Store::checkpoint_truncate`] after it: only then is it out of the files.
pub async fn erase(tx: &mut Tx, id: TelegramId) -> Result<Erased, StoreError> {
    let known = tx.lock_guest(id).await? == Change::Changed;
    let jobs = jobs::of_guest(tx, id).await?;
    let pack_names = words(
        tx,
        Query::new(
            "SELECT pack_name AS value FROM jobs WHERE telegram_user_id = $1 AND pack_name IS NOT NULL \
             UNION SELECT pack_name AS value FROM users WHERE telegram_user_id = $1 AND pack_name IS NOT NULL \
             ORDER BY value",
        )
        .bind(id),
    )
    .await?;
    let sessions = words(
        tx,
        Query::new(
            "SELECT session_token AS value FROM sessions WHERE telegram_user_id = $1 \
             ORDER BY created_at, session_token",
        )
        .bind(id),
    )
    .await?;
    // Messages to operators about one of the jobs hold its number and go too: the text may name the guest.
    const DELETIONS: [&str; 5] = [
        "DELETE FROM outbox WHERE (chat_id = $1 AND kind <> '{remove_sets}') \
         OR job_id IN (SELECT job_id FROM jobs WHERE telegram_user_id = $1)",
        "DELETE FROM updates WHERE from_id = $1",
        "DELETE FROM jobs WHERE telegram_user_id = $1",
        "DELETE FROM sessions WHERE telegram_user_id = $1",
        "DELETE FROM users WHERE telegram_user_id = $1",
    ];
    for deletion in DELETIONS {
        Query::new(deletion).part("{remove_sets}", REMOVE_SETS).bind(id).run(tx).await?;
    }
    Ok(Erased { known, sessions, jobs, pack_names })
}

async fn words(tx: &mut Tx, query: Query) -> Result<Vec<String>, StoreError> {
    Ok(query.all::<Word>(tx).await?.into_iter().filter_map(|row| row.value).collect())
}
