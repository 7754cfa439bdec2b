//! The pause (seed 001, "Maintenance pause"): `/pause` and `/resume` of the bot, and the switch of the panel.

use super::actor;
use crate::health::{self, MAINTENANCE};
use crate::{AppError, Ctx};
use domain::guest::TelegramId;
use domain::maintenance::Maintenance;
use domain::{Timestamp, operator};
use store::audit_log::{self, Audit};
use store::{Change, Tx, settings};

/// What came of asking for a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paused {
    /// It is paused now.
    Now,
    /// It was paused already, by this.
    Already(Maintenance),
}

/// What came of lifting it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumed {
    /// It goes on now.
    Now,
    /// It was not paused.
    NotPaused,
    /// The environment pauses it, which nobody lifts from inside.
    EnvStays,
}

/// `/pause`; what to answer.
///
/// # Errors
/// When the database fails.
pub async fn pause(ctx: &Ctx, by: TelegramId) -> Result<String, AppError> {
    Ok(match pause_as(ctx, actor(by)).await? {
        Paused::Now => operator::PAUSED.to_owned(),
        Paused::Already(already) => operator::paused_already(already),
    })
}

/// `/resume`; what to answer.
///
/// # Errors
/// When the database fails.
pub async fn resume(ctx: &Ctx, by: TelegramId) -> Result<String, AppError> {
    let answer = match resume_as(ctx, actor(by)).await? {
        Resumed::Now => operator::RESUMED,
        Resumed::NotPaused => operator::NOT_PAUSED,
        Resumed::EnvStays => operator::ENV_STAYS,
    };
    Ok(answer.to_owned())
}

/// Pauses the product. `actor` is the name in the audit log.
///
/// # Errors
/// When the database fails.
pub async fn pause_as(ctx: &Ctx, actor: String) -> Result<Paused, AppError> {
    if let Some(already) = health::maintenance(ctx).await? {
        return Ok(Paused::Already(already));
    }
    let now = ctx.clock.now();
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                // A provider may have run out of funds since the look: that pause stays, because its reason does.
                let stored = settings::get_or_set(tx, MAINTENANCE, Maintenance::Admin.word(), now).await?;
                if stored != Maintenance::Admin.word() {
                    return Ok(Paused::Already(Maintenance::Auto));
                }
                note(tx, actor, "pause", now).await?;
                Ok(Paused::Now)
            })
        })
        .await
}

/// Lifts the pause `auto` or `admin`. That of the environment stays whatever is stored.
///
/// # Errors
/// When the database fails.
pub async fn resume_as(ctx: &Ctx, actor: String) -> Result<Resumed, AppError> {
    if ctx.settings.maintenance {
        return Ok(Resumed::EnvStays);
    }
    let now = ctx.clock.now();
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                if settings::delete(tx, MAINTENANCE).await? == Change::Stale {
                    return Ok(Resumed::NotPaused);
                }
                note(tx, actor, "resume", now).await?;
                Ok(Resumed::Now)
            })
        })
        .await
}

async fn note(tx: &mut Tx, actor: String, action: &str, at: Timestamp) -> Result<(), AppError> {
    let entry =
        Audit { at, actor, action: action.to_owned(), subject: "maintenance".to_owned(), details: None };
    Ok(audit_log::insert(tx, &entry).await?)
}
