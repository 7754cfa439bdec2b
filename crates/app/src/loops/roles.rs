//! The roles of a bot process: which loops it runs, and that the end of any of them ends the process (interfaces.md, `stickers bot`).

use super::{cleanup, leads, recover, sweeper, updates, verifier, worker};
use crate::{AppError, Ctx, Outside};
use std::fmt;
use std::str::FromStr;
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

/// Runs the picked roles until `stop` is cancelled and each has put its work down.
///
/// # Errors
/// The end of any role before that.
pub async fn bot_run(
    ctx: Ctx,
    outside: Outside,
    roles: Roles,
    stop: CancellationToken,
) -> Result<(), RoleEnded> {
    let mut running: JoinSet<(Role, Result<(), AppError>)> = JoinSet::new();
    if roles.has(Role::Worker) {
        recover::recover_jobs(&ctx).await.map_err(RoleEnded::Recovery)?;
    }
    for role in &roles.0 {
        let (role, ctx, outside, stop) = (*role, ctx.clone(), outside.clone(), stop.clone());
        running.spawn(async move {
            let ended = match role {
                Role::Updates => updates::run(ctx, outside, stop).await,
                Role::Worker => drawing_and_verifying(ctx, outside, stop).await,
                Role::Sweeper => sweeper::run(ctx, outside, stop).await,
                Role::Leads => leads::run(ctx, outside, stop).await,
                Role::Cleanup => cleanup::run(ctx, outside, stop).await,
            };
            (role, ended)
        });
    }
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
}
