//! `/pause` and `/resume` (seed 001, "Maintenance pause").

use super::actor;
use crate::health::{self, MAINTENANCE};
use crate::{AppError, Ctx};
use domain::guest::TelegramId;
use domain::maintenance::Maintenance;
use domain::{Timestamp, operator};
use store::audit_log::{self, Audit};
use store::{Change, Tx, settings};

/// Pauses the product; what to answer.
///
/// # Errors
/// When the database fails.
pub async fn pause(ctx: &Ctx, by: TelegramId) -> Result<String, AppError> {
    if let Some(already) = health::maintenance(ctx).await? {
        return Ok(operator::paused_already(already));
    }
    let now = ctx.clock.now();
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                // A provider may have run out of funds since the look: that pause stays, because its reason does.
                let stored = settings::get_or_set(tx, MAINTENANCE, Maintenance::Admin.word(), now).await?;
                if stored != Maintenance::Admin.word() {
                    return Ok(operator::paused_already(Maintenance::Auto));
                }
                note(tx, by, "pause", now).await?;
                Ok(operator::PAUSED.to_owned())
            })
        })
        .await
}

/// Lifts the pause `auto` or `admin`; what to answer. That of the environment stays whatever is stored.
///
/// # Errors
/// When the database fails.
pub async fn resume(ctx: &Ctx, by: TelegramId) -> Result<String, AppError> {
    if ctx.settings.maintenance {
        return Ok(operator::ENV_STAYS.to_owned());
    }
    let now = ctx.clock.now();
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                if settings::delete(tx, MAINTENANCE).await? == Change::Stale {
                    return Ok(operator::NOT_PAUSED.to_owned());
                }
                note(tx, by, "resume", now).await?;
                Ok(operator::RESUMED.to_owned())
            })
        })
        .await
}

async fn note(tx: &mut Tx, by: TelegramId, action: &str, at: Timestamp) -> Result<(), AppError> {
    let entry = Audit {
        at,
        actor: actor(by),
        action: action.to_owned(),
        subject: "maintenance".to_owned(),
        details: None,
    };
    Ok(audit_log::insert(tx, &entry).await?)
}
