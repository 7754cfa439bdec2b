//! What comes back from a call, also when it is not an answer.

use std::time::Duration;

use serde_json::{Value, json};

use crate::refusal::Refusal;

/// What a client gets for a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// A JSON answer.
    Json {
        /// HTTP status.
        status: u16,
        /// Body.
        body: Value,
        /// The `Retry-After` header.
        retry_after: Option<u64>,
    },
    /// A page of a proxy on the way.
    Html {
        /// HTTP status.
        status: u16,
        /// Body.
        body: String,
    },
    /// The connection closes without a byte.
    Closed,
    /// Nothing comes for this long, then the connection closes.
    Silent(Duration),
    /// The body stops in the middle and the connection closes.
    Half {
        /// HTTP status.
        status: u16,
        /// The body that would have come.
        body: Value,
    },
}

impl Reply {
    /// The answer to a call that was carried out. A method that adds words to its result answers `(result, words)`.
    #[must_use]
    pub fn done(result: Value, words: Option<&str>) -> Self {
        let mut body = json!({"ok": true, "result": result});
        if let Some(words) = words {
            body["description"] = words.into();
        }
        Self::Json { status: 200, body, retry_after: None }
    }

    /// Status and body as a caller sees them; a lost answer is status 0 and null.
    #[must_use]
    pub fn seen(self) -> (u16, Value) {
        match self {
            Self::Json { status, body, .. } => (status, body),
            Self::Html { status, body } => (status, Value::String(body)),
            Self::Closed | Self::Silent(_) | Self::Half { .. } => (0, Value::Null),
        }
    }

    /// The status for the list of calls; 0 when no whole answer left.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Self::Json { status, .. } | Self::Html { status, .. } => *status,
            Self::Closed | Self::Silent(_) | Self::Half { .. } => 0,
        }
    }
}

impl From<Refusal> for Reply {
    fn from(refusal: Refusal) -> Self {
        Self::Json { status: refusal.code, body: refusal.body(), retry_after: refusal.retry_after }
    }
}
