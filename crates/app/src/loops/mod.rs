//! What runs as long as the bot runs. Each loop is ticked: a tick does bounded work, logs its own errors and is safe to run twice; a commit
//! somewhere and a timer lead to the same tick.

mod cleanup;
pub mod leads;
pub mod lease;
mod recover;
mod roles;
mod sweeper;
mod updates;
mod verifier;
mod worker;

pub(crate) use cleanup::{HANDLED_KEPT, ROWLESS_AFTER, Rows};
pub use cleanup::{clean_up, clean_up_margin};
pub use recover::{recover_jobs, rescue_jobs};
pub use roles::{Role, RoleEnded, Roles, bot_run};
pub use updates::{handle_pending, poll_once};
pub use worker::Worker;

use crate::AppError;
use std::error::Error;
use store::{StoreError, Trouble};

/// Whether the database may take the same write later: it is busy, full, locked or away, and nothing is wrong with what was asked.
fn may_pass(error: &AppError) -> bool {
    let AppError::Store(error) = error else { return false };
    matches!(error, StoreError::Busy | StoreError::TimedOut) || Trouble::of(error).is_some()
}

/// Logs an error of a loop with its causes; the loop goes on.
fn log_error(step: &'static str, error: &dyn Error) {
    let mut causes = Vec::new();
    let mut cause = error.source();
    while let Some(inner) = cause {
        causes.push(inner.to_string());
        cause = inner.source();
    }
    tracing::error!(step, %error, causes = causes.join(": "), "a step of a loop failed");
}
