//! One job from the claim to the link: draw the stickers, make the set, verify it, decide `done`.

mod attempt;
mod draw;
pub(crate) mod figure;
mod pack;
mod retry;
mod sweep;
mod verify;

pub use attempt::{Attempt, attempt};
pub(crate) use attempt::{fail_on_shutdown, tell_start_up_failure};
pub use figure::{ByHand, HandMade, NotMade, draw_by_hand};
pub use retry::{RetryRefusal, retry};
pub use sweep::sweep;
pub use verify::verify;

use crate::AppError;
use clients::telegram::TelegramError;
use std::time::Duration;
use thiserror::Error;

/// Why an attempt failed, and so what happens next.
#[derive(Debug, Error)]
pub enum JobError {
    /// Another attempt may succeed; not before `pause` has passed.
    #[error("{error}")]
    Retry {
        /// What is stored in `jobs.error`.
        error: String,
        /// Pause before the next attempt.
        pause: Duration,
    },
    /// No attempt can succeed (`PermanentJobError`, seed 001).
    #[error("{0}")]
    Permanent(String),
    /// No provider has money (`BillingExhausted`, seed 001): permanent, and the product pauses.
    #[error("BillingExhausted: {0}")]
    OutOfFunds(String),
    /// A provider's rules of safety do not allow this photo: permanent, with kind words.
    #[error("refused by safety: {0}")]
    Refused(String),
    /// The claim was lost or the job ended meanwhile: nothing more is to be done.
    #[error("the job is no longer ours")]
    Lost,
    /// The bot is stopping.
    #[error("the bot is stopping")]
    Stopping,
}

impl JobError {
    fn retry(error: impl ToString) -> Self {
        JobError::Retry { error: error.to_string(), pause: domain::delivery::RETRY_DELAY }
    }
}

impl From<AppError> for JobError {
    fn from(error: AppError) -> Self {
        JobError::retry(chain(&error))
    }
}

impl From<store::StoreError> for JobError {
    fn from(error: store::StoreError) -> Self {
        AppError::from(error).into()
    }
}

impl From<TelegramError> for JobError {
    /// Flood control is honoured for as long as it asks; what Telegram calls permanent or our bug ends the job (product.md).
    fn from(error: TelegramError) -> Self {
        if let Some(seconds) = error.retry_after_s() {
            let pause = Duration::from_secs(seconds.into()).max(domain::delivery::RETRY_DELAY);
            return JobError::Retry { error: error.to_string(), pause };
        }
        if error.is_retryable() || error.may_have_applied() {
            return JobError::retry(error);
        }
        JobError::Permanent(error.to_string())
    }
}

/// An error with its causes, for `jobs.error`.
fn chain(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        words.push_str(": ");
        words.push_str(&inner.to_string());
        cause = inner.source();
    }
    words
}
