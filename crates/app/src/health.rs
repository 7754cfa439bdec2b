//! Is it going well: the answer of `/health`, and whether the product is paused.

use crate::{AppError, Ctx, outbox};
use domain::Timestamp;
use domain::maintenance::Maintenance;
use serde::Serialize;
use store::{jobs, settings};

/// Key in `settings` under which the bot tells its username; the API never asks Telegram.
pub const BOT_USERNAME: &str = "bot_username";
/// Key in `settings` under which the bot tells that it lives (milliseconds since 1970).
pub const BOT_SEEN_AT: &str = "bot_seen_at";
/// Key in `settings` of the pause.
pub const MAINTENANCE: &str = "maintenance";

/// The answer of `/health`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Health {
    /// False only when the database fails.
    pub ok: bool,
    /// `ok` or `failed`.
    pub db: &'static str,
    /// Jobs queued, processing or delivering.
    pub active_jobs: i64,
    /// Who paused the product, if anybody.
    pub maintenance: Option<Maintenance>,
    /// Seconds since the bot told that it lives; null when it never did.
    pub bot_seen_seconds: Option<u64>,
}

/// Whether the product is paused. `settings.maintenance` holds `auto` or `admin`; the environment comes first, because nobody can lift it
/// from inside.
///
/// # Errors
/// When the database fails.
pub async fn maintenance(ctx: &Ctx) -> Result<Option<Maintenance>, AppError> {
    if ctx.settings.maintenance {
        return Ok(Some(Maintenance::Env));
    }
    let stored = settings::get(&mut ctx.store.reader(), MAINTENANCE).await?;
    Ok(stored.as_deref().and_then(Maintenance::stored))
}

/// Pauses the product because a provider answered "no funds" (`auto`, seed 001), and tells operators. A pause of theirs stays theirs.
///
/// # Errors
/// When the database fails.
pub(crate) async fn pause_for_funds(
    tx: &mut store::Tx,
    admins: &[i64],
    now: Timestamp,
) -> Result<(), AppError> {
    if settings::get(tx, MAINTENANCE).await?.is_some() {
        return Ok(());
    }
    settings::set(tx, MAINTENANCE, Maintenance::Auto.word(), now).await?;
    let text =
        "⚠️ У провайдера кончились деньги: киоск на паузе. Что делать: пополнить счёт и отправить /resume.";
    outbox::alert_of_kind(tx, admins, "maintenance_auto", text, now).await
}

/// Looks at everything that `/health` tells. A failing database is an answer, not an error.
pub async fn look(ctx: &Ctx) -> Health {
    match read(ctx).await {
        Ok(health) => health,
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "the database failed a health check");
            let maintenance = ctx.settings.maintenance.then_some(Maintenance::Env);
            Health { ok: false, db: "failed", active_jobs: 0, maintenance, bot_seen_seconds: None }
        }
    }
}

/// Waits until the bot has told its username: from then on [`crate::session::create`] hands out a QR.
///
/// # Errors
/// When the database fails.
pub async fn bot_known(ctx: &Ctx) -> Result<(), AppError> {
    let mut changes = ctx.store.changes();
    while settings::get(&mut ctx.store.reader(), BOT_USERNAME).await?.is_none() {
        changes.changed().await;
    }
    Ok(())
}

async fn read(ctx: &Ctx) -> Result<Health, AppError> {
    let mut reader = ctx.store.reader();
    let seen = settings::get(&mut reader, BOT_SEEN_AT).await?.and_then(|value| value.parse().ok());
    let bot_seen_seconds = seen.map(|ms| ctx.clock.now().since(Timestamp::from_millis(ms)).as_secs());
    Ok(Health {
        ok: true,
        db: "ok",
        active_jobs: jobs::count_active(&mut reader).await?,
        maintenance: maintenance(ctx).await?,
        bot_seen_seconds,
    })
}
