//! How the server says no.

use serde_json::{Map, Value, json};

/// A refused call: the HTTP status, the words and what a client may read from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// HTTP status and `error_code`.
    pub code: u16,
    /// The words, to the letter.
    pub description: String,
    /// Seconds to wait, of 429.
    pub retry_after: Option<u64>,
    /// Where an upgraded group went.
    pub migrate_to: Option<i64>,
}

impl Refusal {
    /// A refusal with these words.
    #[must_use]
    pub fn new(code: u16, description: impl Into<String>) -> Self {
        Self { code, description: description.into(), retry_after: None, migrate_to: None }
    }

    /// 400, the first letter lowered as the server does it.
    #[must_use]
    pub fn bad(words: impl AsRef<str>) -> Self {
        Self::new(400, format!("Bad Request: {}", lowered(words.as_ref())))
    }

    /// 403, the first letter lowered as the server does it.
    #[must_use]
    pub fn forbidden(words: impl AsRef<str>) -> Self {
        Self::new(403, format!("Forbidden: {}", lowered(words.as_ref())))
    }

    /// 429 with the seconds in words, parameters and header.
    #[must_use]
    pub fn flood(seconds: u64) -> Self {
        Self {
            retry_after: Some(seconds),
            ..Self::new(429, format!("Too Many Requests: retry after {seconds}"))
        }
    }

    /// 400 for a write to a group that was upgraded.
    #[must_use]
    pub fn upgraded(to: i64) -> Self {
        Self { migrate_to: Some(to), ..Self::bad("group chat was upgraded to a supergroup chat") }
    }

    /// The body that goes over the wire.
    #[must_use]
    pub fn body(&self) -> Value {
        let mut body = json!({"ok": false, "error_code": self.code, "description": self.description});
        let mut parameters = Map::new();
        if let Some(seconds) = self.retry_after {
            parameters.insert("retry_after".into(), seconds.into());
        }
        if let Some(chat) = self.migrate_to {
            parameters.insert("migrate_to_chat_id".into(), chat.into());
        }
        if !parameters.is_empty() {
            body["parameters"] = Value::Object(parameters);
        }
        body
    }
}

/// Lowers the first letter unless the second one is a capital or an underscore: codes in capitals stay as they are.
fn lowered(words: &str) -> String {
    let mut letters = words.chars();
    let Some(first) = letters.next() else { return String::new() };
    match letters.clone().next() {
        Some(second) if second.is_ascii_uppercase() || second == '_' => words.to_owned(),
        _ => first.to_ascii_lowercase().to_string() + letters.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_letter_is_lowered_but_not_in_a_code() {
        assert_eq!(Refusal::bad("Message text is empty").description, "Bad Request: message text is empty");
        assert_eq!(Refusal::bad("STICKERSET_INVALID").description, "Bad Request: STICKERSET_INVALID");
        assert_eq!(Refusal::bad("A_B").description, "Bad Request: A_B");
    }

    #[test]
    fn parameters_are_there_only_when_there_are_some() {
        assert!(Refusal::bad("x").body().get("parameters").is_none());
        assert_eq!(Refusal::flood(7).body()["parameters"]["retry_after"], 7);
        assert_eq!(Refusal::upgraded(-100).body()["parameters"]["migrate_to_chat_id"], -100);
    }
}
