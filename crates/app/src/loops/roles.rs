//! The roles of a bot process: which loops it runs, and that the end of any of them ends the process (interfaces.md, `stickers bot`).

use super::lease::Leases;
use super::{cleanup, leads, recover, sweeper, updates, verifier, worker};
use crate::{AppError, Ctx, Outside, trouble};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// One part of the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Takes updates, sends guest messages and alerts.
    Updates,
    /// Draws packs and verifies its deliveries.
    Worker,
    /// Holds the deadlines.
    Sweeper,
    /// Publishes leads and looks after them.
    Leads,
    /// Deletes what is past its time.
    Cleanup,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 5] = [Role::Updates, Role::Worker, Role::Sweeper, Role::Leads, Role::Cleanup];

    /// Its name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Role::Updates => "updates",
            Role::Worker => "worker",
            Role::Sweeper => "sweeper",
            Role::Leads => "leads",
            Role::Cleanup => "cleanup",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A set of roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles(Vec<Role>);

/// A list of roles that names an unknown one, or none.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("unknown role {0:?}; allowed are updates, worker, sweeper, leads, cleanup, separated by commas")]
pub struct UnknownRole(String);

impl Roles {
    /// All of them.
    pub fn all() -> Roles {
        Roles(Role::ALL.to_vec())
    }

    /// Whether `role` is in the set.
    pub fn has(&self, role: Role) -> bool {
        self.0.contains(&role)
    }
}

impl FromStr for Roles {
    type Err = UnknownRole;

    fn from_str(list: &str) -> Result<Roles, UnknownRole> {
        let mut roles = Vec::new();
        for word in list.split(',').map(str::trim) {
            let role = Role::ALL.into_iter().find(|role| role.word() == word);
            let role = role.ok_or_else(|| UnknownRole(word.to_owned()))?;
            if !roles.contains(&role) {
                roles.push(role);
            }
        }
        Ok(Roles(roles))
    }
}

/// A role ended although nobody asked it to.
#[derive(Debug, Error)]
pub enum RoleEnded {
    /// It returned or failed.
    #[error("the role {role} ended")]
    Ended {
        /// Which.
        role: Role,
        /// Why, when it told.
        source: Option<AppError>,
    },
    /// It panicked.
    #[error("a role ended abnormally")]
    Panicked(#[from] tokio::task::JoinError),
    /// The start-up could not take back what a dead process left.
    #[error("the start-up recovery failed")]
    Recovery(#[source] AppError),
}

/// Runs the picked roles until `stop` is cancelled and each has put its work down. Those that only one process may have work while it has
/// their lease, and wait for it otherwise.
///
/// # Errors
/// The end of any role before that.
pub async fn bot_run(
    ctx: Ctx,
    outside: Outside,
    roles: Roles,
    stop: CancellationToken,
) -> Result<(), RoleEnded> {
    // Who sends alerts also tells of what cannot be queued.
    let telegram = roles.has(Role::Updates).then(|| Arc::clone(&outside.telegram));
    let watching = trouble::watch(ctx.clone(), telegram, Arc::clone(&outside.timer));
    tokio::select! {
        ended = run_roles(ctx, outside, roles, stop) => ended,
        never = watching => match never {},
    }
}

async fn run_roles(
    ctx: Ctx,
    outside: Outside,
    roles: Roles,
    stop: CancellationToken,
) -> Result<(), RoleEnded> {
    if roles.has(Role::Worker) {
        recover::recover_at_start(&ctx, &outside, &stop).await.map_err(RoleEnded::Recovery)?;
    }
    let leases = Leases::new(ctx.clone(), outside.clone());
    let mut running: Running = JoinSet::new();
    for role in &roles.0 {
        let one = run_role(*role, ctx.clone(), outside.clone(), leases.clone(), stop.clone());
        let role = *role;
        running.spawn(async move { (role, one.await) });
    }
    // Renewed until the last role has put its work down, the grace of a shutdown included.
    tokio::select! {
        ended = all_ended(running, &stop) => ended,
        never = leases.keep() => match never {},
    }
}

/// What runs side by side.
type Running = JoinSet<(Role, Result<(), AppError>)>;

async fn run_role(
    role: Role,
    ctx: Ctx,
    outside: Outside,
    leases: Leases,
    stop: CancellationToken,
) -> Result<(), AppError> {
    let (name, held) = (role.word(), &leases);
    match role {
        Role::Worker => drawing_and_verifying(ctx, outside, stop).await,
        Role::Leads => leads::run(ctx, outside, leases, stop).await,
        Role::Updates => held.while_held(&stop, name, || updates::run(&ctx, &outside, &stop)).await,
        Role::Sweeper => held.while_held(&stop, name, || sweeper::run(&ctx, &outside, &stop)).await,
        Role::Cleanup => held.while_held(&stop, name, || cleanup::run(&ctx, &outside, &stop)).await,
    }
}

/// Waits until every role has ended. The first that ends unasked stops the others and is the answer.
async fn all_ended(mut running: Running, stop: &CancellationToken) -> Result<(), RoleEnded> {
    let mut first: Option<RoleEnded> = None;
    while let Some(ended) = running.join_next().await {
        let asked = stop.is_cancelled();
        let why = match ended {
            Ok((_, Ok(()))) if asked => continue,
            Ok((role, ended)) => RoleEnded::Ended { role, source: ended.err() },
            Err(error) => RoleEnded::Panicked(error),
        };
        tracing::error!(error = &why as &dyn std::error::Error, "a role ended, the others are stopped");
        first.get_or_insert(why);
        stop.cancel();
    }
    first.map_or(Ok(()), Err)
}

/// The worker role also verifies its deliveries, so that a process that draws can also finish.
async fn drawing_and_verifying(ctx: Ctx, outside: Outside, stop: CancellationToken) -> Result<(), AppError> {
    tokio::try_join!(
        worker::run(ctx.clone(), outside.clone(), stop.clone()),
        verifier::run(ctx, outside, stop)
    )
    .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_read_from_a_list_and_unknown_ones_are_named() {
        let roles: Roles = "updates, worker,updates".parse().expect("known roles");
        assert_eq!(roles, Roles(vec![Role::Updates, Role::Worker]));
        let error = "worker,cook".parse::<Roles>().expect_err("no such role");
        assert!(error.to_string().contains("\"cook\""), "{error}");
        assert!("".parse::<Roles>().is_err());
    }

    /// Roles of which one ends as told while the others wait to be stopped.
    async fn ended_by(
        first: impl Future<Output = Result<(), AppError>> + Send + 'static,
    ) -> (Result<(), RoleEnded>, bool) {
        let stop = CancellationToken::new();
        let mut running: Running = JoinSet::new();
        running.spawn(async move { (Role::Sweeper, first.await) });
        for role in [Role::Updates, Role::Worker] {
            let stop = stop.clone();
            running.spawn(async move {
                stop.cancelled().await;
                (role, Ok(()))
            });
        }
        let ended = all_ended(running, &stop).await;
        (ended, stop.is_cancelled())
    }

    #[tokio::test]
    async fn the_end_of_any_role_stops_the_others_and_is_told() {
        let (ended, stopped) = ended_by(async { Ok(()) }).await;
        assert!(matches!(ended, Err(RoleEnded::Ended { role: Role::Sweeper, source: None })), "{ended:?}");
        assert!(stopped);
        let (ended, stopped) = ended_by(async { Err(AppError::Store(store::StoreError::Closed)) }).await;
        assert!(matches!(ended, Err(RoleEnded::Ended { role: Role::Sweeper, source: Some(_) })), "{ended:?}");
        assert!(stopped);
        let (ended, stopped) = ended_by(async { panic!("a bug") }).await;
        assert!(matches!(ended, Err(RoleEnded::Panicked(_))), "{ended:?}");
        assert!(stopped);
    }
}
