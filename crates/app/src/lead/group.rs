//! The team's group: where it is now, whether it may be written to, and what follows when that changes.
//!
//! A basic group becomes a supergroup with a new id whenever Telegram likes. The configured id stays what it is; the id to use
//! stands in `settings` beside it, so that an operator who configures another group is not overruled by an old move.

use crate::outbox;
use crate::{AppError, Ctx, LeadsGroup};
use domain::Timestamp;
use domain::lead::texts;
use std::time::Duration;
use store::{Change, Read, Tx, leads, settings};

/// Key in `settings`: `<configured id>><id now>`.
const CHAT_ID: &str = "leads_chat_id";
/// Key in `settings`: until when nothing goes to the group (milliseconds since 1970).
const QUIET_UNTIL: &str = "leads_quiet_until";
/// After an answer that says that the bot cannot write there, the next try of any message comes after this.
pub const UNREACHABLE_PAUSE: Duration = Duration::from_secs(60);

/// Kind of the alert that the group cannot be written to.
pub const ALERT_GROUP: &str = "leads_group";

/// The id of the group now.
///
/// # Errors
/// When the database fails.
pub async fn chat_id(on: &mut impl Read, group: &LeadsGroup) -> Result<i64, AppError> {
    let stored = settings::get(on, CHAT_ID).await?;
    Ok(stored.as_deref().and_then(|stored| moved_from(stored, group.chat_id)).unwrap_or(group.chat_id))
}

fn moved_from(stored: &str, configured: i64) -> Option<i64> {
    let (from, to) = stored.split_once('>')?;
    (from.parse() == Ok(configured)).then(|| to.parse().ok()).flatten()
}

/// The group `old` is `new` now. Does nothing when it is known already, or is about another group.
///
/// # Errors
/// When the database fails.
pub async fn follow_migration(
    tx: &mut Tx,
    group: &LeadsGroup,
    old: i64,
    new: i64,
    now: Timestamp,
) -> Result<Change, AppError> {
    if chat_id(tx, group).await? != old || old == new {
        return Ok(Change::Stale);
    }
    settings::set(tx, CHAT_ID, &format!("{}>{new}", group.chat_id), now).await?;
    tracing::warn!(old, new, "the leads group became a supergroup: its new id is stored");
    Ok(Change::Changed)
}

/// Until when nothing goes to the group, if it has to rest.
///
/// # Errors
/// When the database fails.
pub async fn quiet_until(on: &mut impl Read) -> Result<Option<Timestamp>, AppError> {
    let stored = settings::get(on, QUIET_UNTIL).await?;
    Ok(stored.and_then(|value| value.parse().ok()).map(Timestamp::from_millis))
}

/// Nothing goes to the group until then. Stored, so that a restart does not forget what Telegram asked for.
///
/// # Errors
/// When the database fails.
pub async fn be_quiet(tx: &mut Tx, until: Timestamp, now: Timestamp) -> Result<(), AppError> {
    Ok(settings::set(tx, QUIET_UNTIL, &until.as_millis().to_string(), now).await?)
}

/// What `my_chat_member` told about the group: when the bot may write again the queue goes on at once, else operators are told.
///
/// # Errors
/// When the database fails.
pub async fn standing_changed(
    ctx: &Ctx,
    chat: i64,
    may_write: bool,
    why: &'static str,
) -> Result<(), AppError> {
    let Some(group) = ctx.settings.leads.group.clone() else { return Ok(()) };
    let (admins, now) = (ctx.settings.admin_user_ids.clone(), ctx.clock.now());
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                if chat_id(tx, &group).await? != chat {
                    return Ok(());
                }
                if may_write {
                    settings::delete(tx, QUIET_UNTIL).await.map(drop)?;
                    leads::retry_all(tx, now).await?;
                    return Ok(());
                }
                outbox::alert_of_kind(tx, &admins, ALERT_GROUP, &texts::alert_group(why), now).await
            })
        })
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_counts_for_the_group_it_started_from_only() {
        assert_eq!(moved_from("-5>-1005", -5), Some(-1005));
        assert_eq!(moved_from("-5>-1005", -6), None);
        for broken in ["", "-5", ">", "-5>x", "x>-1005"] {
            assert_eq!(moved_from(broken, -5), None, "{broken}");
        }
    }
}
