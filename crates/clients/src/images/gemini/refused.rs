//! An error answer of Gemini (`google.rpc.Status`). Status alone decides little: 400 covers a wrong key, 429 an empty purse.

use std::time::Duration;

use serde_json::Value;

use crate::images::error::{ErrorKind, ImageError, RETRY_AFTER_MAX};

/// Reads an answer that is not 200. Anything may stand in its body: proxies answer too.
pub(super) fn read(status: u16, body: &[u8]) -> ImageError {
    let json: Value = serde_json::from_slice(body).unwrap_or_default();
    // Some proxies and the streaming form wrap it into an array of one.
    let whole = json.as_array().and_then(|list| list.first()).unwrap_or(&json);
    let error = Status { status, error: &whole["error"] };
    let kind = error.kind();
    // The words of a wrong key may hold it.
    let words = if kind == ErrorKind::InvalidKey { "" } else { error.message() };
    ImageError::new(kind, Some(status), words)
}

struct Status<'a> {
    status: u16,
    error: &'a Value,
}

impl Status<'_> {
    fn message(&self) -> &str {
        self.error["message"].as_str().unwrap_or_default()
    }

    fn says(&self, words: &str) -> bool {
        self.message().to_ascii_lowercase().contains(words)
    }

    /// The entries of `details` whose type ends so.
    fn details(&self, kind: &'static str) -> impl Iterator<Item = &Value> {
        let list = self.error["details"].as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().filter(move |entry| entry["@type"].as_str().is_some_and(|name| name.ends_with(kind)))
    }

    fn violations(&self) -> impl Iterator<Item = &Value> {
        self.details("QuotaFailure").filter_map(|entry| entry["violations"].as_array()).flatten()
    }

    fn kind(&self) -> ErrorKind {
        match self.status {
            400 => self.bad_request(),
            401 => ErrorKind::InvalidKey,
            402 => ErrorKind::OutOfFunds,
            403 if self.says("billing") => ErrorKind::OutOfFunds,
            403 => ErrorKind::Forbidden,
            404 => ErrorKind::ModelGone,
            408 | 504 => ErrorKind::TooSlow,
            429 => self.too_many(),
            499 => ErrorKind::Lost,
            503 => ErrorKind::Overloaded,
            500.. => ErrorKind::ServerTrouble,
            _ => ErrorKind::BadRequest,
        }
    }

    fn bad_request(&self) -> ErrorKind {
        if self.details("ErrorInfo").any(|entry| entry["reason"] == "API_KEY_INVALID") {
            ErrorKind::InvalidKey
        } else if self.error["status"] == "FAILED_PRECONDITION" {
            ErrorKind::Forbidden
        } else {
            ErrorKind::BadRequest
        }
    }

    fn too_many(&self) -> ErrorKind {
        let quota = |part: &str| {
            self.violations().any(|one| one["quotaId"].as_str().is_some_and(|id| id.contains(part)))
        };
        let retry_after = self.retry_after();
        if self.says("prepayment credits are depleted") || self.limit_is_zero() {
            // Image models have no free tier: a limit of 0 asks for billing.
            ErrorKind::OutOfFunds
        } else if quota("PerDay") {
            ErrorKind::DailyQuota
        } else if quota("PerMinute") {
            ErrorKind::RateLimited { retry_after }
        } else if ["spend limit", "spending limit", "spend cap", "spending cap"]
            .iter()
            .any(|words| self.says(words))
        {
            ErrorKind::SpendLimit
        } else {
            ErrorKind::RateLimited { retry_after }
        }
    }

    fn limit_is_zero(&self) -> bool {
        let lower = self.message().to_ascii_lowercase();
        let in_text = lower.match_indices("limit: 0").any(|(at, found)| {
            !lower[at + found.len()..].starts_with(|next: char| next.is_ascii_digit() || next == '.')
        });
        in_text || self.violations().any(|one| one["quotaValue"] == "0")
    }

    /// `RetryInfo`, else the words "retry in 15.0s".
    fn retry_after(&self) -> Option<Duration> {
        let told = self.details("RetryInfo").find_map(|entry| seconds(entry["retryDelay"].as_str()?));
        told.or_else(|| seconds(self.message().to_ascii_lowercase().split_once("retry in ")?.1))
    }
}

/// `15.0028s` and what follows, as a wait.
fn seconds(text: &str) -> Option<Duration> {
    let number: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    text[number.len()..].trim_start().starts_with('s').then_some(())?;
    Duration::try_from_secs_f64(number.parse().ok()?).ok().map(|wait| wait.min(RETRY_AFTER_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ErrorKind::*;

    fn kind(status: u16, body: &str) -> ErrorKind {
        read(status, body.as_bytes()).kind
    }

    fn error(code: u16, status: &str, message: &str, details: &str) -> String {
        format!(
            r#"{{"error":{{"code":{code},"status":"{status}","message":"{message}","details":[{details}]}}}}"#
        )
    }

    const KEY: &str = r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}"#;
    const WAIT: &str = r#"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"15.002899939s"}"#;

    fn quota(id: &str, value: &str) -> String {
        format!(
            r#"{{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{{"quotaId":"{id}","quotaValue":"{value}"}}]}}"#
        )
    }

    fn wait_ms(milliseconds: u64) -> ErrorKind {
        RateLimited { retry_after: Some(Duration::from_millis(milliseconds)) }
    }

    #[test]
    fn each_row_of_the_list_has_its_class() {
        let rows = [
            (400, error(400, "INVALID_ARGUMENT", "API key not valid.", KEY), InvalidKey),
            (400, error(400, "INVALID_ARGUMENT", "Unable to process input image", ""), BadRequest),
            (
                400,
                error(400, "FAILED_PRECONDITION", "User location is not supported for the API use.", ""),
                Forbidden,
            ),
            (402, error(402, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.", ""), OutOfFunds),
            (403, error(403, "PERMISSION_DENIED", "The billing account is closed", ""), OutOfFunds),
            (403, error(403, "PERMISSION_DENIED", "Your API key was reported as leaked.", ""), Forbidden),
            (404, error(404, "NOT_FOUND", "models/x is not found for API version v1beta", ""), ModelGone),
            (429, error(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.", ""), OutOfFunds),
            (429, error(429, "RESOURCE_EXHAUSTED", "Quota exceeded, limit: 0, model: x", WAIT), OutOfFunds),
            (
                429,
                error(429, "RESOURCE_EXHAUSTED", "Quota", &quota("GenerateRequestsPerMinute", "0")),
                OutOfFunds,
            ),
            (
                429,
                error(429, "RESOURCE_EXHAUSTED", "Quota", &quota("GenerateRequestsPerDayPerProject", "250")),
                DailyQuota,
            ),
            (
                429,
                error(429, "RESOURCE_EXHAUSTED", "Your project has exceeded its spend limit.", ""),
                SpendLimit,
            ),
            (429, error(429, "RESOURCE_EXHAUSTED", "limit: 10. Please retry in 7.5s.", ""), wait_ms(7_500)),
            (
                429,
                error(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).", ""),
                RateLimited { retry_after: None },
            ),
            (499, error(499, "CANCELLED", "", ""), Lost),
            (500, error(500, "INTERNAL", "An internal error has occurred", ""), ServerTrouble),
            (503, error(503, "UNAVAILABLE", "currently experiencing high demand", ""), Overloaded),
            (503, String::new(), Overloaded),
            (504, error(504, "DEADLINE_EXCEEDED", "", ""), TooSlow),
            (502, "<html>502 Bad Gateway</html>".to_owned(), ServerTrouble),
            (500, "{\"error\":".to_owned(), ServerTrouble),
            (418, String::new(), BadRequest),
        ];
        for (status, body, expected) in rows {
            assert_eq!(kind(status, &body), expected, "{status} {body}");
        }
    }

    #[test]
    fn a_rate_by_the_minute_waits_as_long_as_told() {
        let details = format!("{},{WAIT}", quota("GenerateRequestsPerMinutePerProjectPerModel", "10"));
        let expected = RateLimited { retry_after: Some(Duration::from_nanos(15_002_899_939)) };
        let body = error(
            429,
            "RESOURCE_EXHAUSTED",
            "You exceeded your current quota … limit: 10, model: x",
            &details,
        );
        assert_eq!(kind(429, &body), expected);
        assert_eq!(kind(429, &format!("[{body}]")), expected, "wrapped into an array");
        let far = body.replace("15.002899939s", "999999999s");
        assert_eq!(kind(429, &far), RateLimited { retry_after: Some(RETRY_AFTER_MAX) });
        assert_eq!(kind(429, &body.replace("15.002899939s", "-1s")), RateLimited { retry_after: None });
    }

    #[test]
    fn the_words_of_a_wrong_key_are_not_kept() {
        let body = error(400, "INVALID_ARGUMENT", "API key not valid: secret-key", KEY);
        assert_eq!(read(400, body.as_bytes()).description, "");
    }
}
