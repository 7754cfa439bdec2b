//! Refusals as answers: `{"error": "<code>", "message": "<for people>"}` plus the fields that interfaces.md names.
//!
//! A handler answers an [`ApiError`] with `?`; `speak`, a layer around all routes, turns it into JSON in the caller's language and
//! logs our own faults once, with their chain. None of the chain reaches a client.

use crate::leads::LeadRefused;
use app::Refusal;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::Language;
use http::header::{ACCEPT_LANGUAGE, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A call that was not done.
#[derive(Clone, Debug)]
pub struct ApiError(Arc<Cause>);

/// Why.
#[derive(Debug)]
enum Cause {
    /// A verb refused.
    Verb(Refusal),
    /// The shell refused before any verb was called.
    Shell(Shell),
    /// A request of the landing site was refused.
    Lead(LeadRefused),
}

/// What the shell refuses by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// The kiosk key is missing or wrong.
    KioskKey,
    /// Too many wrong kiosk keys from this address.
    LockedOut {
        /// When the next try is looked at.
        retry_after_s: u64,
    },
    /// No such address.
    NotFound,
    /// The address exists, not for this method.
    MethodNotAllowed,
    /// The body is over the limit of this call.
    BodyTooLarge,
    /// The same of a photo, where people can do something about it.
    PhotoTooLarge,
    /// The body is not what the call takes.
    BadBody,
    /// Too much at once.
    Busy,
    /// The call took too long.
    TimedOut,
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        Self(Arc::new(Cause::Verb(refusal)))
    }
}

impl From<app::AppError> for ApiError {
    fn from(error: app::AppError) -> Self {
        Refusal::Internal(error).into()
    }
}

impl From<Shell> for ApiError {
    fn from(shell: Shell) -> Self {
        Self(Arc::new(Cause::Shell(shell)))
    }
}

impl From<LeadRefused> for ApiError {
    fn from(refused: LeadRefused) -> Self {
        Self(Arc::new(Cause::Lead(refused)))
    }
}

impl ApiError {
    /// Status of the answer.
    pub fn status(&self) -> StatusCode {
        match &*self.0 {
            Cause::Verb(refusal) => match refusal {
                Refusal::UnknownSession => StatusCode::NOT_FOUND,
                Refusal::Maintenance | Refusal::BotNotReady => StatusCode::SERVICE_UNAVAILABLE,
                Refusal::WrongStatus { .. } | Refusal::PackLimit { .. } => StatusCode::CONFLICT,
                Refusal::UnknownTemplate | Refusal::Photo(_) => StatusCode::UNPROCESSABLE_ENTITY,
                Refusal::Busy => StatusCode::TOO_MANY_REQUESTS,
                Refusal::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
            },
            Cause::Shell(shell) => match shell {
                Shell::KioskKey => StatusCode::UNAUTHORIZED,
                Shell::LockedOut { .. } | Shell::Busy => StatusCode::TOO_MANY_REQUESTS,
                Shell::NotFound => StatusCode::NOT_FOUND,
                Shell::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
                Shell::BodyTooLarge | Shell::PhotoTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
                Shell::BadBody => StatusCode::UNPROCESSABLE_ENTITY,
                Shell::TimedOut => StatusCode::SERVICE_UNAVAILABLE,
            },
            Cause::Lead(refused) => refused.status(),
        }
    }

    /// The code in `error`.
    pub fn code(&self) -> &'static str {
        match &*self.0 {
            Cause::Verb(refusal) => refusal.code(),
            Cause::Shell(shell) => match shell {
                Shell::KioskKey => "kiosk_key",
                Shell::LockedOut { .. } => "locked_out",
                Shell::NotFound => "not_found",
                Shell::MethodNotAllowed => "method_not_allowed",
                Shell::BodyTooLarge | Shell::PhotoTooLarge => "body_too_large",
                Shell::BadBody => "bad_body",
                Shell::Busy => "busy",
                Shell::TimedOut => "timed_out",
            },
            Cause::Lead(refused) => refused.code(),
        }
    }

    fn message(&self, language: Language) -> &'static str {
        let (ru, uz, en) = match &*self.0 {
            Cause::Verb(refusal) => return refusal.message(language),
            Cause::Shell(shell) => shell_messages(*shell),
            Cause::Lead(refused) => refused.messages(),
        };
        match language {
            Language::Ru => ru,
            Language::Uz => uz,
            Language::En => en,
        }
    }

    /// The whole body. Every 409 says where the session stands.
    fn body(&self, language: Language) -> Value {
        let mut body = Map::new();
        body.insert("error".into(), json!(self.code()));
        body.insert("message".into(), json!(self.message(language)));
        match &*self.0 {
            Cause::Verb(Refusal::WrongStatus { status }) => {
                body.insert("status".into(), json!(status.word()));
            }
            Cause::Verb(Refusal::PackLimit { status, notice }) => {
                body.insert("status".into(), json!(status.word()));
                body.insert("notice".into(), json!(notice.word()));
            }
            Cause::Lead(refused) => body.extend(refused.members()),
            _ => {}
        }
        Value::Object(body)
    }

    /// Seconds after which the same call may be tried again, where that is known.
    fn retry_after_s(&self) -> Option<u64> {
        match &*self.0 {
            Cause::Shell(Shell::LockedOut { retry_after_s })
            | Cause::Lead(LeadRefused::LockedOut { retry_after_s }) => Some(*retry_after_s),
            Cause::Shell(Shell::Busy) | Cause::Verb(Refusal::Busy) => Some(1),
            Cause::Verb(Refusal::Maintenance) => Some(15),
            Cause::Verb(Refusal::BotNotReady) => Some(5),
            _ => None,
        }
    }
}

/// Russian, Uzbek, English.
fn shell_messages(shell: Shell) -> (&'static str, &'static str, &'static str) {
    match shell {
        Shell::KioskKey => (
            "Планшет не подключён: нужен ключ. Позови сотрудника",
            "Planshet ulanmagan: kalit kerak. Xodimni chaqiring",
            "This tablet is not connected: it needs its key. Ask the staff",
        ),
        Shell::LockedOut { .. } => (
            "Слишком много неверных ключей. Попробуй позже",
            "Notoʻgʻri kalitlar juda koʻp. Keyinroq urinib koʻring",
            "Too many wrong keys. Try again later",
        ),
        Shell::NotFound => ("Здесь ничего нет", "Bu yerda hech narsa yoʻq", "There is nothing here"),
        Shell::MethodNotAllowed => {
            ("Так сюда не обращаются", "Bu manzilga bunday murojaat qilinmaydi", "Not with this method")
        }
        Shell::BodyTooLarge => ("Слишком длинный запрос", "Soʻrov juda uzun", "The request is too long"),
        Shell::PhotoTooLarge => (
            "Слишком большой файл. Сними здесь, на планшете",
            "Fayl juda katta. Shu planshetda oling",
            "The file is too large. Take the photo here on the tablet",
        ),
        Shell::BadBody => {
            ("Запрос не понять", "Soʻrovni tushunib boʻlmadi", "The request cannot be understood")
        }
        Shell::Busy => ("Много запросов сразу", "Soʻrovlar juda koʻp", "Too many requests at once"),
        Shell::TimedOut => (
            "Не успели ответить. Попробуй ещё раз",
            "Javob berishga ulgurmadik. Yana urinib koʻring",
            "That took too long. Try again",
        ),
    }
}

impl IntoResponse for ApiError {
    /// An answer without a body yet: `speak` knows the caller's language.
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        if let Some(seconds) = self.retry_after_s() {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Gives each refusal its body, and logs our own faults.
pub async fn speak(request: Request, next: Next) -> Response {
    let language = browser_language(request.headers());
    let response = next.run(request).await;
    let Some(error) = refusal(&response) else { return response };
    if let Cause::Verb(Refusal::Internal(fault)) = &*error.0 {
        tracing::error!(error = fault as &dyn std::error::Error, "a request failed");
    }
    let (mut parts, _) = response.into_parts();
    parts.status = error.status();
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, Body::from(error.body(language).to_string()))
}

/// The language of messages for people.
fn browser_language(headers: &HeaderMap) -> Language {
    let header = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    Language::from_accept_language(header.unwrap_or_default())
}

/// What was refused. The framework itself answers 400 in plain words when an address cannot be decoded; such an address does not exist.
fn refusal(response: &Response) -> Option<ApiError> {
    let ours = response.extensions().get::<ApiError>().cloned();
    ours.or_else(|| (response.status() == StatusCode::BAD_REQUEST).then(|| Shell::NotFound.into()))
}

/// The answer of an address that does not exist.
pub async fn not_found() -> ApiError {
    Shell::NotFound.into()
}

/// The answer of an address that exists for other methods.
pub async fn method_not_allowed() -> ApiError {
    Shell::MethodNotAllowed.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::session::{Notice, SessionStatus};

    #[test]
    fn every_409_carries_the_status() {
        let wrong = ApiError::from(Refusal::WrongStatus { status: SessionStatus::Linked });
        assert_eq!(
            (wrong.status(), &wrong.body(Language::En)["status"]),
            (StatusCode::CONFLICT, &json!("linked"))
        );
        let limit = Refusal::PackLimit { status: SessionStatus::Expired, notice: Notice::PackReady };
        let body = ApiError::from(limit).body(Language::En);
        assert_eq!((&body["status"], &body["notice"]), (&json!("expired"), &json!("pack_ready")));
    }

    #[test]
    fn messages_of_the_shell_differ_by_language() {
        let shells = [
            Shell::KioskKey,
            Shell::LockedOut { retry_after_s: 1 },
            Shell::NotFound,
            Shell::MethodNotAllowed,
            Shell::BodyTooLarge,
            Shell::PhotoTooLarge,
            Shell::BadBody,
            Shell::Busy,
            Shell::TimedOut,
        ];
        for shell in shells {
            let (ru, uz, en) = shell_messages(shell);
            assert!(ru != uz && uz != en && ru != en, "{shell:?}");
            let cyrillic = |text: &str| text.chars().any(|c| ('\u{400}'..='\u{4ff}').contains(&c));
            assert!(cyrillic(ru) && !cyrillic(uz) && !cyrillic(en), "{shell:?}");
        }
    }
}
