//! Why something that a person wanted to do could not be done.

use std::fmt;

/// A refused action of a person or a test.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Trouble {
    /// A word for programs.
    pub code: &'static str,
    /// A sentence for people.
    pub message: String,
    /// HTTP status on the control API.
    pub status: u16,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl Trouble {
    pub(crate) fn new(status: u16, code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), status }
    }

    pub(crate) fn no_person(id: i64) -> Self {
        Self::new(404, "unknown_person", format!("There is no person {id}."))
    }

    pub(crate) fn no_bot(id: i64) -> Self {
        Self::new(404, "unknown_bot", format!("There is no bot {id}."))
    }

    pub(crate) fn no_chat(id: i64) -> Self {
        Self::new(404, "unknown_chat", format!("There is no chat {id} for this person."))
    }

    pub(crate) fn no_message(id: i64) -> Self {
        Self::new(404, "unknown_message", format!("There is no message {id} in this chat."))
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(422, "invalid", message)
    }
}
