//! The request of the landing form: its fields and rules as pure functions, the same for the API and the landing site
//! (seed 003, "Checks on the landing side" row 3 and "Steps on the server" row 5; interfaces.md, `POST /leads`).
//!
//! [`LeadForm`] is what arrived, [`LeadForm::check`] makes a [`LeadRequest`] of it or says what is wrong with each field.

mod changes;
mod field;
mod request;
mod text;

pub use changes::LeadFields;
pub use field::{Code, Field, FieldErrors};
pub use request::{LeadRequest, Utm};
pub use text::{is_uuid_v4, uuid, visitor_address};

use std::time::Duration;

/// Shortest name, in Unicode scalar values after trimming.
pub const NAME_MIN: usize = 2;
/// Longest name.
pub const NAME_MAX: usize = 80;
/// Longest date.
pub const DATE_MAX: usize = 60;
/// Longest number of guests.
pub const GUESTS_MAX: usize = 40;
/// Longest comment.
pub const COMMENT_MAX: usize = 1_200;
/// Where a `utm_*` value is cut.
pub const UTM_MAX: usize = 200;

/// How long after a lead the same person makes a repeat instead of a new lead (seed 003, `REPEAT_WINDOW`).
pub const REPEAT_WINDOW: Duration = Duration::from_secs(24 * 60 * 60);
/// How far back `LEADS_HOURLY_LIMIT` counts.
pub const HOUR: Duration = Duration::from_secs(60 * 60);

/// The fields as they arrived, before any rule. Absent and empty mean the same.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct LeadForm {
    /// Made by the form when it opens, sent with every retry.
    pub request_id: Option<String>,
    /// How the visitor wants to be called.
    pub name: Option<String>,
    /// Telegram username.
    pub telegram: Option<String>,
    /// Phone number.
    pub phone: Option<String>,
    /// When the event is, in the visitor's words.
    pub date: Option<String>,
    /// How many guests, in the visitor's words.
    pub guests: Option<String>,
    /// Anything else.
    pub comment: Option<String>,
    /// Language of the page.
    pub locale: Option<String>,
    /// Where the visitor came from.
    pub utm_source: Option<String>,
    /// By which kind of link.
    pub utm_medium: Option<String>,
    /// In which campaign.
    pub utm_campaign: Option<String>,
    /// With which search word.
    pub utm_term: Option<String>,
    /// From which variant.
    pub utm_content: Option<String>,
    /// Address of the visitor, as the landing site saw it.
    pub client_ip: Option<String>,
    /// Fields that arrived as something else than text: each is `invalid`.
    pub not_text: Vec<Field>,
}

impl std::fmt::Debug for LeadForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Everything here is about a person.
        f.write_str("LeadForm(personal)")
    }
}

impl LeadForm {
    /// Applies the rules.
    ///
    /// # Errors
    /// Every field that breaks one, with the first rule it breaks, in the order of the form.
    pub fn check(&self) -> Result<LeadRequest, FieldErrors> {
        request::check(self)
    }
}

#[cfg(test)]
mod tests;
