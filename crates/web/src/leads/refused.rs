//! Refusals of `POST /leads`: `errors` with 422 and `why` with 429, beside the members that every refusal has.

use domain::lead_form::FieldErrors;
use http::StatusCode;
use serde_json::{Map, Value, json};

/// Why a request was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeadRefused {
    /// The secret is missing or wrong.
    Secret,
    /// Too many wrong secrets from this address.
    LockedOut {
        /// When the next try is looked at.
        retry_after_s: u64,
    },
    /// The body is over the limit.
    TooLarge,
    /// The body is no JSON object.
    NotAnObject,
    /// Fields break rules.
    Fields(FieldErrors),
    /// This visitor asked too often.
    Visitor,
    /// Everybody together asked too often.
    Hourly,
}

impl LeadRefused {
    /// Status of the answer.
    pub fn status(&self) -> StatusCode {
        match self {
            LeadRefused::Secret => StatusCode::UNAUTHORIZED,
            LeadRefused::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            LeadRefused::NotAnObject | LeadRefused::Fields(_) => StatusCode::UNPROCESSABLE_ENTITY,
            LeadRefused::LockedOut { .. } | LeadRefused::Visitor | LeadRefused::Hourly => {
                StatusCode::TOO_MANY_REQUESTS
            }
        }
    }

    /// The code in `error`.
    pub fn code(&self) -> &'static str {
        match self {
            LeadRefused::Secret => "leads_secret",
            LeadRefused::LockedOut { .. } => "locked_out",
            LeadRefused::TooLarge => "body_too_large",
            LeadRefused::NotAnObject => "bad_body",
            LeadRefused::Fields(_) => "invalid",
            LeadRefused::Visitor | LeadRefused::Hourly => "throttled",
        }
    }

    /// The members that only this call has.
    pub fn members(&self) -> Map<String, Value> {
        let (name, value) = match self {
            LeadRefused::Secret | LeadRefused::TooLarge => return Map::new(),
            LeadRefused::LockedOut { .. } => ("why", json!("secret")),
            LeadRefused::Visitor => ("why", json!("visitor")),
            LeadRefused::Hourly => ("why", json!("hourly")),
            LeadRefused::NotAnObject => ("errors", json!({ "body": "invalid" })),
            LeadRefused::Fields(errors) => ("errors", json!(errors)),
        };
        Map::from_iter([(name.to_owned(), value)])
    }

    /// Russian, Uzbek, English.
    pub fn messages(&self) -> (&'static str, &'static str, &'static str) {
        match self {
            LeadRefused::Secret => (
                "Нужен верный секрет заявок",
                "Soʻrovlar uchun toʻgʻri maxfiy kalit kerak",
                "The right secret for requests is needed",
            ),
            LeadRefused::LockedOut { .. } => (
                "Слишком много неверных секретов. Попробуйте позже",
                "Notoʻgʻri kalitlar juda koʻp. Keyinroq urinib koʻring",
                "Too many wrong secrets. Try again later",
            ),
            LeadRefused::TooLarge => {
                ("Заявка слишком длинная", "Soʻrov juda uzun", "The request is too long")
            }
            LeadRefused::NotAnObject => {
                ("Запрос не понять", "Soʻrovni tushunib boʻlmadi", "The request cannot be understood")
            }
            LeadRefused::Fields(_) => (
                "Проверьте поля заявки",
                "Soʻrov maydonlarini tekshiring",
                "Please check the fields of the request",
            ),
            LeadRefused::Visitor | LeadRefused::Hourly => (
                "Слишком много запросов. Попробуйте позже",
                "Soʻrovlar juda koʻp. Keyinroq urinib koʻring",
                "Too many requests. Try again later",
            ),
        }
    }
}
