//! A role that only one process may have holds a lease in the database: another one on the same database says so and waits, and
//! takes over within seconds when the holder dies, at once when it died on this machine.

use super::log_error;
use crate::neighbours::Life;
use crate::{AppError, Ctx, Outside};
use domain::Timestamp;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::time::Duration;
use store::{Change, leases};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How long a lease is good without renewal: what a take-over after the death of another machine waits for.
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
    if renew(ctx, vec![name], now).await?.contains(&name) {
        return Ok(Holder::Me);
    }
    let other = leases::holder(&mut ctx.store.reader(), name, now).await?;
    Ok(Holder::Other(other.unwrap_or_default()))
}

/// Takes the lease of a process that is known to be dead. False when somebody was faster.
async fn inherit(ctx: &Ctx, name: &'static str, dead: String) -> Result<bool, AppError> {
    let me = ctx.settings.process.clone();
    let until = ctx.store.lease_clock(ctx.clock.now()).await?.plus(HELD_FOR);
    let taken = ctx.store.write(move |tx| {
        Box::pin(async move { leases::pass_on(tx, name, &dead, &me, until).await.map_err(AppError::from) })
    });
    Ok(taken.await? == Change::Changed)
}

/// Takes or renews these leases in one transaction; answers those that this process has now.
async fn renew(ctx: &Ctx, names: Vec<&'static str>, now: Timestamp) -> Result<Vec<&'static str>, AppError> {
    let owner = ctx.settings.process.clone();
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                let mut mine = Vec::new();
                for name in names {
                    if leases::acquire(tx, name, &owner, now.plus(HELD_FOR), now).await? {
                        mine.push(name);
                    }
                }
                Ok(mine)
            })
        })
        .await
}

/// The leases of one process. Each role takes and gives back its own; one beat renews them together, so that four roles cost one commit.
#[derive(Clone)]
pub struct Leases {
    ctx: Ctx,
    outside: Outside,
    /// Until when each lease that this process holds is good without renewal, by this process' clock.
    held: watch::Sender<BTreeMap<&'static str, Timestamp>>,
}

impl Leases {
    /// Holds none yet.
    pub fn new(ctx: Ctx, outside: Outside) -> Leases {
        Leases { ctx, outside, held: watch::Sender::default() }
    }

    /// Renews what is held, for as long as anything of this process runs.
    pub(super) async fn keep(&self) -> Infallible {
        loop {
            self.outside.timer.beat(RENEW_EVERY).await;
            let names: Vec<&'static str> = self.held.borrow().keys().copied().collect();
            if !names.is_empty() {
                self.keep_these(names).await;
            }
        }
    }

    async fn keep_these(&self, names: Vec<&'static str>) {
        let asked = self.ctx.clock.now();
        let kept = match self.ctx.store.lease_clock(asked).await {
            Ok(now) => renew(&self.ctx, names.clone(), now).await,
            Err(error) => Err(error.into()),
        };
        match kept {
            Ok(kept) => self.held.send_modify(|held| {
                held.retain(|name, _| kept.contains(name) || !names.contains(name));
                held.iter_mut()
                    .filter(|(name, _)| kept.contains(name))
                    .for_each(|(_, until)| *until = asked.plus(HELD_FOR));
            }),
            Err(error) => {
                log_error("lease", &error);
                // Good for as long as nobody else may take it.
                let now = self.ctx.clock.now();
                self.held.send_modify(|held| held.retain(|_, until| *until > now));
            }
        }
    }

    /// Runs `duty` as soon as this process has the lease `name`; answers how it ended. A duty whose lease is lost is dropped where it stands
    /// and begun anew when the lease comes back.
    ///
    /// # Errors
    /// Those of `duty`.
    pub async fn while_held<F>(
        &self,
        stop: &CancellationToken,
        name: &'static str,
        duty: impl Fn() -> F,
    ) -> Result<(), AppError>
    where
        F: Future<Output = Result<(), AppError>>,
    {
        let mut told: Option<String> = None;
        while !stop.is_cancelled() {
            match self.take(name).await {
                Ok(Holder::Me) => {
                    if told.take().is_some() {
                        tracing::warn!(lease = name, "this bot takes the role over");
                    }
                    let ended = tokio::select! {
                        ended = duty() => Some(ended),
                        () = self.lost(name) => None,
                    };
                    self.give_back(name).await;
                    match ended {
                        Some(ended) => return ended,
                        None => tracing::warn!(
                            lease = name,
                            "the role was lost to another bot, or could not be kept"
                        ),
                    }
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
                () = self.outside.timer.sleep(LOOK_EVERY) => {}
            }
        }
        Ok(())
    }

    /// Takes a lease that is free, or that a dead process of this machine left.
    async fn take(&self, name: &'static str) -> Result<Holder, AppError> {
        let asked = self.ctx.clock.now();
        let mut holder = take_lease(&self.ctx, name).await?;
        if let Holder::Other(owner) = &holder
            && self.outside.neighbours.life(owner) == Life::Dead
            && inherit(&self.ctx, name, owner.clone()).await?
        {
            tracing::info!(lease = name, dead = %owner, "the role of a bot that died here is taken over");
            holder = Holder::Me;
        }
        if holder == Holder::Me {
            self.held.send_modify(|held| {
                held.insert(name, asked.plus(HELD_FOR));
            });
        }
        Ok(holder)
    }

    /// Returns when the lease is no longer held.
    async fn lost(&self, name: &'static str) {
        let mut held = self.held.subscribe();
        // An error would mean that the sender is gone, and it stands in `self`.
        let _ = held.wait_for(|held| !held.contains_key(name)).await;
    }

    async fn give_back(&self, name: &'static str) {
        self.held.send_modify(|held| {
            held.remove(name);
        });
        let me = self.ctx.settings.process.clone();
        let given = self.ctx.store.write(move |tx| {
            Box::pin(async move {
                // Stale: it is somebody else's by now.
                leases::release(tx, name, &me).await.map(drop).map_err(AppError::from)
            })
        });
        if let Err(error) = given.await {
            log_error("lease", &error);
        }
    }
}
