//! What alarms ask of the product as a whole, whichever process answers: the numbers of `/metrics` that stand in the database. Each is read by an
//! index, so that asking every few seconds costs nothing, whatever the age of the tables.

use crate::backup::late;
use crate::{AppError, Ctx, health};
use domain::Timestamp;
use domain::maintenance::Maintenance;
use std::time::Duration;
use store::{jobs, leads, outbox, settings};

/// Failures are counted for this long.
pub const FAILED_WITHIN: Duration = Duration::from_secs(3_600);
/// Cards that are due are counted up to this number: more is not worse.
pub const CARDS_COUNTED: u32 = 100;

/// The numbers of one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Jobs queued, processing or delivering.
    pub active_jobs: i64,
    /// Jobs that failed within [`FAILED_WITHIN`].
    pub failed_jobs: i64,
    /// Messages that wait for Telegram or are being sent.
    pub messages_waiting: i64,
    /// Cards of leads that are due and not in the group, at most [`CARDS_COUNTED`].
    pub cards_due: usize,
    /// Leads that nobody has taken.
    pub leads_waiting: i64,
    /// Who paused the product, if anybody.
    pub maintenance: Option<Maintenance>,
    /// Since when the bot has not told that it lives; none when it never did.
    pub bot_seen: Option<Duration>,
    /// Age of the last good copy of the database; none before the first one.
    pub backup_age: Option<Duration>,
}

/// Reads them.
///
/// # Errors
/// When the database fails.
pub async fn look(ctx: &Ctx) -> Result<Figures, AppError> {
    let now = ctx.clock.now();
    let mut reader = ctx.store.reader();
    let seen = settings::get(&mut reader, health::BOT_SEEN_AT).await?.and_then(|value| value.parse().ok());
    Ok(Figures {
        active_jobs: jobs::count_active(&mut reader).await?,
        failed_jobs: jobs::count_failed_since(&mut reader, now.minus(FAILED_WITHIN)).await?,
        messages_waiting: outbox::count_open(&mut reader).await?,
        cards_due: leads::due(&mut reader, now, CARDS_COUNTED).await?.len(),
        leads_waiting: leads::count_waiting(&mut reader).await?,
        maintenance: health::maintenance(ctx).await?,
        bot_seen: seen.map(|ms| now.since(Timestamp::from_millis(ms))),
        backup_age: late::last(&ctx.store).await?.map(|at| now.since(at)),
    })
}
