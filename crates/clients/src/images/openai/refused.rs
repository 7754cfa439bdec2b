//! An error answer of OpenAI, or of a local server that says it as a plain text. For 400 and 429 the code decides, then the type.

use std::time::Duration;

use serde_json::Value;

use super::answer::request_id;
use crate::images::error::{ErrorKind, ImageError, RETRY_AFTER_MAX, Refusal};
use crate::images::wire::Answer;

/// Codes and types of 429 that ask for money; waiting does not help.
const UNPAID: [&str; 6] = [
    "insufficient_quota",
    "credit_balance_exhausted",
    "organization_spend_limit_exceeded",
    "project_spend_limit_exceeded",
    "organization_usage_limit_exceeded",
    "billing_hard_limit_reached",
];

/// Reads an answer that is not 200. Its content type is not believed.
pub(super) fn read(answer: &Answer) -> ImageError {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let error = Told { answer, error: &body["error"] };
    let kind = error.kind();
    // The words of a wrong key hold a part of it.
    let words = if kind == ErrorKind::InvalidKey { "" } else { error.message() };
    ImageError { request_id: request_id(answer), ..ImageError::new(kind, Some(answer.status), words) }
}

struct Told<'a> {
    answer: &'a Answer,
    error: &'a Value,
}

impl Told<'_> {
    fn field(&self, name: &str) -> &str {
        self.error.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// `{"error": {"message": …}}`, or `{"error": "…"}` of a local server.
    fn message(&self) -> &str {
        self.error.as_str().unwrap_or_else(|| self.field("message"))
    }

    fn is(&self, words: &[&str]) -> bool {
        words.contains(&self.field("code")) || words.contains(&self.field("type"))
    }

    fn kind(&self) -> ErrorKind {
        match self.answer.status {
            400 => self.bad_request(),
            401 => ErrorKind::InvalidKey,
            402 => ErrorKind::OutOfFunds,
            403 => ErrorKind::Forbidden,
            404 => ErrorKind::ModelGone,
            408 | 504 | 524 => ErrorKind::TooSlow,
            429 if self.is(&UNPAID) => ErrorKind::OutOfFunds,
            429 => ErrorKind::RateLimited { retry_after: self.retry_after() },
            503 => ErrorKind::Overloaded,
            500.. => ErrorKind::ServerTrouble,
            _ => ErrorKind::BadRequest,
        }
    }

    fn bad_request(&self) -> ErrorKind {
        let gone = self.message().contains("model") && self.message().contains("does not exist");
        if self.is(&["moderation_blocked", "image_generation_user_error"]) {
            self.moderated()
        } else if self.is(&["content_policy_violation"]) {
            ErrorKind::Refused { why: Refusal::Safety, again: false }
        } else if self.is(&UNPAID) {
            ErrorKind::OutOfFunds
        } else if self.is(&["model_not_found"]) || gone {
            ErrorKind::ModelGone
        } else {
            ErrorKind::BadRequest
        }
    }

    /// Blocked by what was sent: never again. By what was drawn, or unknown: once more.
    fn moderated(&self) -> ErrorKind {
        let details = &self.error["moderation_details"];
        let again = details["moderation_stage"] != "input";
        let categories = details["categories"].as_array().map(Vec::as_slice).unwrap_or_default();
        let minors = |text: &str| text.contains("minor") || text.contains("child");
        let why = if categories.iter().filter_map(Value::as_str).any(minors) {
            Refusal::Age
        } else {
            Refusal::Safety
        };
        ErrorKind::Refused { why, again }
    }

    /// The header, else that of the bucket, else the words "try again in 12s".
    fn retry_after(&self) -> Option<Duration> {
        let header =
            self.answer.header("retry-after").and_then(|text| text.parse().ok()).map(Duration::from_secs);
        let bucket = || self.answer.header("x-ratelimit-reset-requests").and_then(span);
        let words = || span(self.message().split_once("try again in ")?.1);
        header.or_else(bucket).or_else(words).map(|wait| wait.min(RETRY_AFTER_MAX))
    }
}

/// `12s`, `1m0s`, `80ms`, `6m0.5s` and what follows, as a wait.
fn span(text: &str) -> Option<Duration> {
    let (mut rest, mut seconds, mut found) = (text, 0.0, false);
    loop {
        let number: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let Ok(value) = number.trim_end_matches('.').parse::<f64>() else { break };
        rest = &rest[number.len()..];
        let unit: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
        let factor = match unit.as_str() {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3_600.0,
            _ => break,
        };
        rest = &rest[unit.len()..];
        seconds += value * factor;
        found = true;
    }
    if found { Duration::try_from_secs_f64(seconds).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ErrorKind::*;
    use reqwest::header::{HeaderMap, HeaderName};

    fn answer(status: u16, body: &str, headers: &[(&'static str, &str)]) -> Answer {
        let pairs = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), value.parse().expect("a value")));
        Answer { status, headers: HeaderMap::from_iter(pairs), body: body.as_bytes().to_vec() }
    }

    fn error(code: &str, kind: &str, message: &str) -> String {
        format!(r#"{{"error":{{"message":"{message}","type":"{kind}","param":null,"code":"{code}"}}}}"#)
    }

    fn wait(milliseconds: u64) -> ErrorKind {
        RateLimited { retry_after: Some(Duration::from_millis(milliseconds)) }
    }

    #[test]
    fn each_row_of_the_list_has_its_class() {
        let again = Refused { why: Refusal::Safety, again: true };
        let never = Refused { why: Refusal::Safety, again: false };
        let rows = [
            (400, error("moderation_blocked", "image_generation_user_error", "safety_violations=[x]"), again),
            (400, error("content_policy_violation", "invalid_request_error", ""), never),
            (
                400,
                error("billing_hard_limit_reached", "billing_limit_user_error", "Billing hard limit"),
                OutOfFunds,
            ),
            (
                400,
                error("unknown_parameter", "invalid_request_error", "Unknown parameter: 'response_format'."),
                BadRequest,
            ),
            (400, error("invalid_value", "invalid_request_error", "The model 'x' does not exist"), ModelGone),
            (404, error("model_not_found", "invalid_request_error", ""), ModelGone),
            (401, error("invalid_api_key", "invalid_request_error", "Incorrect API key"), InvalidKey),
            (402, String::new(), OutOfFunds),
            (403, error("", "", "Your organization must be verified"), Forbidden),
            (429, error("insufficient_quota", "insufficient_quota", ""), OutOfFunds),
            (429, error("credit_balance_exhausted", "x", ""), OutOfFunds),
            (429, error("organization_spend_limit_exceeded", "x", ""), OutOfFunds),
            (429, error("project_spend_limit_exceeded", "x", ""), OutOfFunds),
            (429, error("new_code", "insufficient_quota", ""), OutOfFunds),
            (
                429,
                error("rate_limit_exceeded", "input-images", "Limit: 5/1min. Please try again in 12s."),
                wait(12_000),
            ),
            (429, error("slow_down", "requests", ""), RateLimited { retry_after: None }),
            (429, String::new(), RateLimited { retry_after: None }),
            (500, error("", "server_error", ""), ServerTrouble),
            (502, "<html>".to_owned(), ServerTrouble),
            (503, String::new(), Overloaded),
            (504, String::new(), TooSlow),
            (520, String::new(), ServerTrouble),
            (524, String::new(), TooSlow),
        ];
        for (status, body, expected) in rows {
            assert_eq!(read(&answer(status, &body, &[])).kind, expected, "{status} {body}");
        }
    }

    #[test]
    fn what_was_sent_is_never_judged_twice() {
        let body = r#"{"error":{"message":"x","type":"image_generation_user_error","code":"moderation_blocked",
            "moderation_details":{"moderation_stage":"input","categories":["sexual/minors"]}}}"#;
        assert_eq!(read(&answer(400, body, &[])).kind, Refused { why: Refusal::Age, again: false });
    }

    #[test]
    fn a_wait_is_read_from_headers_before_words() {
        let body = error("rate_limit_exceeded", "requests", "Please try again in 1m0s.");
        let kind = |headers: &[(&'static str, &str)]| read(&answer(429, &body, headers)).kind;
        assert_eq!(kind(&[("retry-after", "7"), ("x-ratelimit-reset-requests", "80ms")]), wait(7_000));
        assert_eq!(kind(&[("x-ratelimit-reset-requests", "80ms")]), wait(80));
        assert_eq!(kind(&[]), wait(60_000));
        assert_eq!(kind(&[("retry-after", "9999999")]), RateLimited { retry_after: Some(RETRY_AFTER_MAX) });
    }

    #[test]
    fn a_local_servers_error_is_a_text() {
        let error = read(&answer(400, r#"{"error":"prompt required"}"#, &[("x-request-id", "req_9")]));
        assert_eq!((error.kind, error.description.as_str()), (BadRequest, "prompt required"));
        assert_eq!(error.request_id.as_deref(), Some("req_9"));
    }
}
