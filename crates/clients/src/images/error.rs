//! What can go wrong with a call to an image provider, sorted by what the caller should do about it.
//!
//! The same sorts for all providers; how each says them stands beside its client. A safety refusal is an answer, not a fault.

use std::fmt;
use std::time::Duration;

use domain::guest::Personal;

use super::orders::Paid;

/// Longer waits are never believed: a daily quota asks for at most a day.
pub const RETRY_AFTER_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The longest text of a provider that is kept, in characters.
const DESCRIPTION_MAX: usize = 300;

/// A call that brought no picture (or no description).
#[derive(Clone, Debug, PartialEq)]
pub struct ImageError {
    /// What it means for the caller.
    pub kind: ErrorKind,
    /// Status of the answer. `None`: there was none.
    pub status: Option<u16>,
    /// The provider's words or ours, at most 300 characters. Never holds a key, an address or what a model wrote.
    pub description: String,
    /// What is billed all the same: a refusal after thinking costs as much as thinking.
    pub paid: Paid,
    /// The provider's number of the request, for its support.
    pub request_id: Option<String>,
    /// What the model wrote instead of drawing. It may describe the guest, so only an operator may see it.
    pub prose: Option<Personal>,
}

/// What an error means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request surely never left: name not found, connection or TLS handshake failed. Nothing is billed.
    NotSent,
    /// The request left and no whole answer came. Billed in all likelihood.
    Lost,
    /// No answer within our time, or the provider gave up (504). Billed in all likelihood.
    TooSlow,
    /// The account has no money or may not spend more. Waiting does not help, paying does.
    OutOfFunds,
    /// Too many requests now.
    RateLimited {
        /// How long to wait, if it was said, at most [`RETRY_AFTER_MAX`].
        retry_after: Option<Duration>,
    },
    /// The requests of this day are used up; the next day begins at midnight in California.
    DailyQuota,
    /// A limit of spending that may be that of ten minutes or that of the month: the text does not tell.
    SpendLimit,
    /// 503: the model is in high demand.
    Overloaded,
    /// Any other 5xx, a page of a proxy.
    ServerTrouble,
    /// The provider will not draw this.
    Refused {
        /// Why, as far as it says.
        why: Refusal,
        /// Another try may pass: what was judged was the drawing, not the photo.
        again: bool,
    },
    /// The model wrote instead of drawing. One more try; then it is a refusal.
    Declined,
    /// An answer without picture and without a reason.
    NoImage,
    /// The answer was cut by a limit of tokens: our configuration.
    Unfinished,
    /// The key is wrong, blocked or expired.
    InvalidKey,
    /// The account or this country may not use it.
    Forbidden,
    /// The model does not exist (any more).
    ModelGone,
    /// The request is wrong: our bug, or a photo that the provider cannot read.
    BadRequest,
    /// A whole answer that cannot be understood.
    Unreadable,
}

/// Why a provider will not draw, as far as it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The person looks like a child.
    Age,
    /// The person looks like somebody famous.
    Celebrity,
    /// The drawing looks like protected work.
    LookAlike,
    /// Any other rule.
    Safety,
}

/// The four classes of product.md, "Rendering".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The same call may succeed later; somebody else may be asked meanwhile.
    Retryable,
    /// This provider will not succeed until somebody acts; somebody else may.
    Permanent,
    /// An answer: nobody else is asked.
    RefusedBySafety,
    /// Pause the provider, tell operators.
    OutOfFunds,
}

impl ImageError {
    /// An error without an answer's details. The description is cut and cleaned.
    pub fn new(kind: ErrorKind, status: Option<u16>, description: &str) -> ImageError {
        let clean = description.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
        ImageError {
            kind,
            status,
            description: clean.take(DESCRIPTION_MAX).collect(),
            paid: Paid::default(),
            request_id: None,
            prose: None,
        }
    }

    /// The request surely never left.
    pub fn not_sent(reason: &str) -> ImageError {
        ImageError::new(ErrorKind::NotSent, None, reason)
    }

    /// What to do, in a word.
    pub fn class(&self) -> Class {
        match self.kind {
            ErrorKind::OutOfFunds => Class::OutOfFunds,
            ErrorKind::Refused { .. } | ErrorKind::Declined => Class::RefusedBySafety,
            ErrorKind::Unfinished
            | ErrorKind::InvalidKey
            | ErrorKind::Forbidden
            | ErrorKind::ModelGone
            | ErrorKind::BadRequest => Class::Permanent,
            ErrorKind::NotSent
            | ErrorKind::Lost
            | ErrorKind::TooSlow
            | ErrorKind::RateLimited { .. }
            | ErrorKind::DailyQuota
            | ErrorKind::SpendLimit
            | ErrorKind::Overloaded
            | ErrorKind::ServerTrouble
            | ErrorKind::NoImage
            | ErrorKind::Unreadable => Class::Retryable,
        }
    }

    /// How often the same call may be made again within one attempt.
    pub fn retries(&self) -> u32 {
        match self.kind {
            ErrorKind::NotSent
            | ErrorKind::RateLimited { .. }
            | ErrorKind::Overloaded
            | ErrorKind::ServerTrouble
            | ErrorKind::NoImage => 2,
            ErrorKind::Lost
            | ErrorKind::TooSlow
            | ErrorKind::SpendLimit
            | ErrorKind::Declined
            | ErrorKind::Unreadable
            | ErrorKind::Refused { again: true, .. } => 1,
            ErrorKind::Refused { again: false, .. }
            | ErrorKind::OutOfFunds
            | ErrorKind::DailyQuota
            | ErrorKind::Unfinished
            | ErrorKind::InvalidKey
            | ErrorKind::Forbidden
            | ErrorKind::ModelGone
            | ErrorKind::BadRequest => 0,
        }
    }

    /// Is the call billed in all likelihood although the answer does not say what it used?
    pub fn maybe_billed(&self) -> bool {
        self.paid.tokens.is_none()
            && matches!(self.kind, ErrorKind::Lost | ErrorKind::TooSlow | ErrorKind::Unreadable)
    }

    /// Does the operator have to do something before this provider draws again?
    pub fn needs_operator(&self) -> bool {
        matches!(self.class(), Class::Permanent | Class::OutOfFunds)
    }
}

impl fmt::Display for ImageError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ErrorKind::NotSent => "not sent",
            ErrorKind::Lost => "the answer was lost",
            ErrorKind::TooSlow => "too slow",
            ErrorKind::OutOfFunds => "out of funds",
            ErrorKind::RateLimited { .. } => "too many requests",
            ErrorKind::DailyQuota => "the daily quota is used up",
            ErrorKind::SpendLimit => "a spending limit is reached",
            ErrorKind::Overloaded => "overloaded",
            ErrorKind::ServerTrouble => "server trouble",
            ErrorKind::Refused { .. } => "refused by safety",
            ErrorKind::Declined => "answered with text instead of a picture",
            ErrorKind::NoImage => "answered without a picture",
            ErrorKind::Unfinished => "cut by a limit of tokens",
            ErrorKind::InvalidKey => "the key is not valid",
            ErrorKind::Forbidden => "not allowed for this account",
            ErrorKind::ModelGone => "no such model",
            ErrorKind::BadRequest => "the request was refused",
            ErrorKind::Unreadable => "unreadable answer",
        };
        out.write_str(kind)?;
        if let Some(status) = self.status {
            write!(out, " ({status})")?;
        }
        if !self.description.is_empty() {
            write!(out, ": {}", self.description)?;
        }
        Ok(())
    }
}

impl std::error::Error for ImageError {}
