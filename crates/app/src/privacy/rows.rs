//! Rows of the database.

use super::{Check, PASS, Scope};
use crate::AppError;
use crate::loops::HANDLED_KEPT;
use domain::{Timestamp, schedule};
use std::time::Duration;
use store::privacy;

/// Steps of the leads loop come once a minute, and edits of cards wait for Telegram.
const LEADS_PASS: Duration = Duration::from_secs(600);

const BOT: &str = "the hourly pass of stickers bot (role cleanup) clears them: is it running? Its log says why a pass failed";
const LEADS: &str = "the leads loop of stickers bot (role leads) does it once a minute: is it running? Its log says why a step failed";

pub(super) async fn checks(scope: &Scope) -> Result<Vec<Check>, AppError> {
    let mut reader = scope.store.reader();
    let on = &mut reader;
    let ended = scope.now.minus(HANDLED_KEPT + PASS);
    let rule = |rule, says: &str, past: i64, advice| Check {
        rule,
        says: says.to_owned(),
        count: past.unsigned_abs(),
        past: past.unsigned_abs(),
        oldest: None,
        advice,
    };
    Ok(vec![
        rule(
            "appearance",
            "descriptions of faces: gone when the job has ended",
            privacy::appearances_of_ended_jobs(on).await?,
            BOT,
        ),
        rule(
            "update_bodies",
            "texts of handled updates: gone when handled",
            privacy::bodies_of_handled_updates(on).await?,
            BOT,
        ),
        rule(
            "updates",
            "updates of Telegram: at most 7 days after they ended",
            privacy::updates_ended_before(on, ended).await?,
            BOT,
        ),
        rule(
            "message_bodies",
            "texts of messages: gone when sent or given up",
            privacy::bodies_of_ended_messages(on).await?,
            BOT,
        ),
        rule(
            "messages",
            "messages to guests and operators: at most 7 days after they ended",
            privacy::messages_ended_before(on, ended).await?,
            BOT,
        ),
        rule(
            "leads",
            "leads: erased 30 days (spam) or 365 days after their last status",
            privacy::leads_past_retention(on, schedule::cutoffs(late(scope.now))).await?,
            LEADS,
        ),
        rule(
            "lead_cards",
            "messages in the leads group: rewritten when their lead is erased",
            privacy::cards_of_erased_leads(on, late(scope.now)).await?,
            LEADS,
        ),
    ])
}

fn late(now: Timestamp) -> Timestamp {
    now.minus(LEADS_PASS)
}
