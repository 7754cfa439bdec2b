//! From what came over the wire to a result or an error.

use serde_json::Value;

use super::error::{Parameters, TelegramError};

/// What came back after a request left.
pub(super) struct Answer {
    /// HTTP status.
    pub status: u16,
    /// `Retry-After` header, in seconds.
    pub retry_after_s: Option<i64>,
    /// The body, or why it could not be read to its end.
    pub body: Result<Vec<u8>, String>,
}

/// Decides what an answer says.
///
/// An error status is an answer whatever its body: front proxies send 413 and 502 as HTML. Only a status that promises a
/// result, without a readable one, leaves the outcome unknown.
pub(super) fn read(answer: Answer) -> Result<Value, TelegramError> {
    let Answer { status, retry_after_s, body } = answer;
    let json = match &body {
        Ok(bytes) => serde_json::from_slice::<Value>(bytes).ok().filter(|value| value.get("ok").is_some()),
        Err(_) => None,
    };
    match json {
        Some(mut json) if json["ok"] == true && (200..300).contains(&status) => Ok(json["result"].take()),
        Some(json) if json["ok"] == false => Err(refusal(status, retry_after_s, &json)),
        _ if status >= 400 => {
            let parameters = Parameters { retry_after_s, migrate_to_chat_id: None };
            Err(TelegramError::refused(status, format!("HTTP {status} without a Bot API answer"), parameters))
        }
        // Somebody on the way (a wifi's login page) answered instead: the Bot API never redirects.
        _ if (300..400).contains(&status) => {
            Err(TelegramError::refused(status, "redirected away from the Bot API", Parameters::default()))
        }
        _ => Err(TelegramError::unknown(
            body.err().unwrap_or_else(|| format!("HTTP {status} with an unreadable body")),
        )),
    }
}

fn refusal(status: u16, retry_after_s: Option<i64>, json: &Value) -> TelegramError {
    // The two are the same by the documentation; an HTTP 5xx wins, so that a front proxy's trouble is never taken for a refusal.
    let code = match json.get("error_code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok())
    {
        Some(code) if status < 500 && code >= 400 => code,
        _ => status,
    };
    let description = json.get("description").and_then(Value::as_str).unwrap_or("no description");
    let parameter = |name| json.pointer(&format!("/parameters/{name}")).and_then(Value::as_i64);
    let parameters = Parameters {
        retry_after_s: parameter("retry_after").or(retry_after_s),
        migrate_to_chat_id: parameter("migrate_to_chat_id"),
    };
    TelegramError::refused(code, description, parameters)
}

#[cfg(test)]
mod tests {
    use super::{Answer, read};
    use crate::telegram::ErrorKind;

    fn kind(status: u16, body: &str) -> Result<String, ErrorKind> {
        let answer = Answer { status, retry_after_s: None, body: Ok(body.as_bytes().to_vec()) };
        read(answer).map(|value| value.to_string()).map_err(|error| error.kind)
    }

    #[test]
    fn a_success_gives_its_result() {
        assert_eq!(
            kind(200, r#"{"ok":true,"result":true,"description":"Webhook was deleted"}"#),
            Ok("true".into())
        );
    }

    #[test]
    fn an_error_status_is_an_answer_whatever_its_body() {
        for status in [500, 502, 503, 504] {
            assert_eq!(kind(status, "<html>"), Err(ErrorKind::ServerTrouble));
            assert_eq!(kind(status, r#"{"ok":true,"result":1}"#), Err(ErrorKind::ServerTrouble));
        }
        assert_eq!(kind(413, "<html>"), Err(ErrorKind::Permanent));
        assert_eq!(kind(400, "{\"ok\":fal"), Err(ErrorKind::Retryable));
        let cut = Answer { status: 502, retry_after_s: None, body: Err("cut".into()) };
        assert_eq!(read(cut).unwrap_err().kind, ErrorKind::ServerTrouble);
    }

    #[test]
    fn a_good_status_without_a_readable_answer_is_unknown() {
        for body in ["", "<html>", "{\"ok\":tr", "[]", "{}", "{\"ok\":1}"] {
            assert_eq!(kind(200, body), Err(ErrorKind::Unknown), "{body}");
        }
        let cut = Answer { status: 200, retry_after_s: None, body: Err("cut".into()) };
        assert_eq!(read(cut).unwrap_err().description, "cut");
    }

    #[test]
    fn a_redirect_was_not_telegram() {
        assert_eq!(kind(302, ""), Err(ErrorKind::Retryable));
    }

    #[test]
    fn the_code_in_the_body_counts_when_the_status_says_nothing() {
        assert_eq!(
            kind(200, r#"{"ok":false,"error_code":401,"description":"Unauthorized"}"#),
            Err(ErrorKind::Unauthorized)
        );
        assert_eq!(
            kind(502, r#"{"ok":false,"error_code":400,"description":"x"}"#),
            Err(ErrorKind::ServerTrouble)
        );
    }

    #[test]
    fn the_header_says_how_long_when_the_body_does_not() {
        let answer = Answer { status: 429, retry_after_s: Some(7), body: Ok(b"<html>".to_vec()) };
        assert_eq!(read(answer).unwrap_err().kind, ErrorKind::Flood { retry_after_s: 7 });
    }
}
