//! The money that providers were paid in advance: no provider tells it, so an operator types it and what was spent since is taken off.

use super::actor;
use crate::{AppError, Ctx};
use domain::guest::TelegramId;
use domain::operator::Balance;
use store::audit_log::{self, Audit};
use store::{Read, ai_usage, settings};

/// Key in `settings` of the typed amount in US dollars; when it was typed is in `updated_at`.
pub const BALANCE_OVERRIDE: &str = "balance_override";

/// What should be left; none when nobody typed an amount yet.
///
/// # Errors
/// When the database fails.
pub async fn balance(on: &mut impl Read) -> Result<Option<Balance>, AppError> {
    let typed = settings::get(on, BALANCE_OVERRIDE).await?.and_then(|value| value.parse().ok());
    let (Some(typed), Some(at)) = (typed, settings::updated_at(on, BALANCE_OVERRIDE).await?) else {
        return Ok(None);
    };
    Ok(Some(Balance { typed, at, spent: ai_usage::spent_since(on, at).await? }))
}

/// Stores the amount that an operator typed to the bot.
///
/// # Errors
/// When the database fails.
pub async fn set_balance(ctx: &Ctx, by: TelegramId, amount: f64) -> Result<Balance, AppError> {
    set_balance_as(ctx, actor(by), amount).await
}

/// Stores the amount that somebody typed. `actor` is the name in the audit log.
///
/// # Errors
/// When the database fails.
pub async fn set_balance_as(ctx: &Ctx, actor: String, amount: f64) -> Result<Balance, AppError> {
    let now = ctx.clock.now();
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                settings::set(tx, BALANCE_OVERRIDE, &amount.to_string(), now).await?;
                let entry = Audit {
                    at: now,
                    actor,
                    action: "balance".to_owned(),
                    subject: "providers".to_owned(),
                    details: Some(format!("{amount:.2} USD")),
                };
                audit_log::insert(tx, &entry).await?;
                Ok(Balance { typed: amount, at: now, spent: 0.0 })
            })
        })
        .await
}
