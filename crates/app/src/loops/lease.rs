//! A role that only one process may have holds a lease in the database: another one on the same database says so and waits, and
//! takes over within seconds when the holder dies.

use super::log_error;
use crate::{AppError, Ctx, Outside};
use std::time::Duration;
use store::leases;
use tokio_util::sync::CancellationToken;

/// How long a lease is good without renewal: what a take-over after a death waits for.
const HELD_FOR: Duration = Duration::from_secs(8);
/// How often the holder renews it.
const RENEW_EVERY: Duration = Duration::from_secs(3);
/// How often one that waits looks.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Who has a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// This process.
    Me,
    /// Another one.
    Other(String),
}

/// Takes or renews the lease `name`, when nobody else has it. One that waits only reads.
///
/// # Errors
/// When the database fails.
pub async fn take_lease(ctx: &Ctx, name: &'static str) -> Result<Holder, AppError> {
    let me = ctx.settings.process.clone();
    let now = ctx.store.lease_clock(ctx.clock.now()).await?;
    if let Some(other) =
        leases::holder(&mut ctx.store.reader(), name, now).await?.filter(|owner| *owner != me)
    {
        return Ok(Holder::Other(other));
    }
    let owner = me.clone();
    let taken = ctx
        .store
        .write(move |tx| {
            Box::pin(async move {
                leases::acquire(tx, name, &owner, now.plus(HELD_FOR), now).await.map_err(AppError::from)
            })
        })
        .await?;
    if taken {
        return Ok(Holder::Me);
    }
    let other = leases::holder(&mut ctx.store.reader(), name, now).await?;
    Ok(Holder::Other(other.unwrap_or_default()))
}

/// Runs `duty` whenever this process has the lease, until `stop`. A duty whose lease is lost is dropped where it stands.
pub(super) async fn while_held<F: Future<Output = ()>>(
    ctx: &Ctx,
    outside: &Outside,
    stop: &CancellationToken,
    name: &'static str,
    duty: impl Fn() -> F,
) {
    let mut told: Option<String> = None;
    while !stop.is_cancelled() {
        match take_lease(ctx, name).await {
            Ok(Holder::Me) => {
                told = None;
                tokio::select! {
                    () = duty() => {}
                    () = keep(ctx, outside, name) => {}
                }
                give_back(ctx, name).await;
                continue;
            }
            Ok(Holder::Other(owner)) => {
                if told.as_ref() != Some(&owner) {
                    tracing::warn!(lease = name, holder = %owner, "another bot on this database has this role; waiting for it");
                    told = Some(owner);
                }
            }
            Err(error) => log_error("lease", &error),
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = outside.timer.sleep(LOOK_EVERY) => {}
        }
    }
}

/// Renews the lease; returns when it is lost, or could not be renewed for as long as it is good.
async fn keep(ctx: &Ctx, outside: &Outside, name: &'static str) {
    let mut good_until = ctx.clock.now().plus(HELD_FOR);
    loop {
        outside.timer.beat(RENEW_EVERY).await;
        match take_lease(ctx, name).await {
            Ok(Holder::Me) => good_until = ctx.clock.now().plus(HELD_FOR),
            Ok(Holder::Other(owner)) => {
                tracing::warn!(lease = name, holder = %owner, "the role was taken over by another bot");
                return;
            }
            Err(error) => {
                log_error("lease", &error);
                if ctx.clock.now() >= good_until {
                    return;
                }
            }
        }
    }
}

async fn give_back(ctx: &Ctx, name: &'static str) {
    let me = ctx.settings.process.clone();
    let given = ctx
        .store
        .write(move |tx| {
            Box::pin(async move {
                // Stale: it is somebody else's by now.
                leases::release(tx, name, &me).await.map(drop).map_err(AppError::from)
            })
        })
        .await;
    if let Err(error) = given {
        log_error("lease", &error);
    }
}
