//! The leads loop (seed 000, "The loop"): answers commands, publishes cards, tells of repeats, rewrites cards, and once a minute
//! pings, reports and forgets. All that goes to the group goes through here, one message after the other.
//!
//! **Invariant:** a pass never fails: each step has its own guard, and a row that cannot be handled is put off by itself.
//! **Invariant:** a pass with nothing to do writes nothing, because every commit wakes everyone.

mod answers;
mod desk;
mod edits;
mod housekeeping;
mod publish;
mod repeats;

pub use desk::Desk;

use super::lease::Leases;
use crate::lead::forget::erase_expired;
use crate::{AppError, Ctx, LeadsGroup, Outside};
use domain::schedule::HOUSEKEEP_EVERY;
use std::error::Error;
use tokio_util::sync::CancellationToken;

/// The lease of the role.
pub const LEASE: &str = "leads";

/// Logs an error in the words of seed 000, with its causes; the loop goes on.
fn log(words: &'static str, error: &(dyn Error + 'static)) {
    tracing::error!(error, "{words}");
}

/// Runs until `stop`. Without the module only what has to be forgotten is forgotten.
pub(super) async fn run(
    ctx: Ctx,
    outside: Outside,
    leases: Leases,
    stop: CancellationToken,
) -> Result<(), AppError> {
    match ctx.settings.leads.group.clone() {
        Some(group) => leases.while_held(&stop, LEASE, || work(&ctx, &outside, &stop, group.clone())).await,
        None => {
            if ctx.settings.leads.intake.is_some() {
                tracing::warn!(
                    "LEADS_CHAT_ID is not set: requests are stored, and no card is sent until it is"
                );
            }
            leases.while_held(&stop, LEASE, || only_forget(&ctx, &outside, &stop)).await
        }
    }
}

/// One pass after the other: a commit wakes the next one, and so does the time that the last one named.
async fn work(
    ctx: &Ctx,
    outside: &Outside,
    stop: &CancellationToken,
    group: LeadsGroup,
) -> Result<(), AppError> {
    let mut changes = ctx.store.changes();
    let mut desk = Desk::new(ctx.clone(), outside.clone(), group);
    desk.recover().await;
    while !stop.is_cancelled() {
        let wait = desk.tick().await;
        tokio::select! {
            () = stop.cancelled() => {}
            () = changes.changed() => {}
            () = outside.timer.sleep(wait) => {}
        }
    }
    Ok(())
}

/// The database half of the retention, which does not depend on the module (product.md).
async fn only_forget(ctx: &Ctx, outside: &Outside, stop: &CancellationToken) -> Result<(), AppError> {
    while !stop.is_cancelled() {
        if let Err(error) = erase_expired(ctx).await {
            log("LEADS: ошибка шага «сроки хранения»", &error);
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = outside.timer.sleep(HOUSEKEEP_EVERY) => {}
        }
    }
    Ok(())
}
