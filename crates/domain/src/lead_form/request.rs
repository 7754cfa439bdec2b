//! A request that keeps every rule, in the form in which it is stored.

use super::field::{Code, Field, FieldErrors};
use super::text::{cut, tidy, uuid, visitor_address};
use super::{COMMENT_MAX, DATE_MAX, GUESTS_MAX, LeadForm, NAME_MAX, NAME_MIN, UTM_MAX};
use crate::guest::Personal;
use crate::language::Language;
use std::net::IpAddr;

/// A request that keeps every rule. Trimmed, cleaned and normalised; an optional field that is empty is `None`.
#[derive(Clone, PartialEq, Eq)]
pub struct LeadRequest {
    /// The UUID of the form, lower case.
    pub request_id: String,
    /// 2 to 80 characters.
    pub name: Personal,
    /// With `@`, in the visitor's capitals.
    pub telegram: Personal,
    /// `+` and 7 to 15 digits.
    pub phone: Personal,
    /// At most 60 characters.
    pub date: Option<String>,
    /// At most 40 characters.
    pub guests: Option<String>,
    /// At most 1,200 characters.
    pub comment: Option<Personal>,
    /// Language of the page; an unknown one is Russian.
    pub locale: Language,
    /// Where the visitor came from.
    pub utm: Utm,
    /// Address of the visitor, when the landing site told one. Never stored: see `app::lead`.
    pub visitor: Option<IpAddr>,
}

/// The `utm_*` values, each cut at 200 characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Utm {
    /// `utm_source`
    pub source: Option<String>,
    /// `utm_medium`
    pub medium: Option<String>,
    /// `utm_campaign`
    pub campaign: Option<String>,
    /// `utm_term`
    pub term: Option<String>,
    /// `utm_content`
    pub content: Option<String>,
}

impl std::fmt::Debug for LeadRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Only what logs may hold.
        f.debug_struct("LeadRequest").field("request_id", &self.request_id).finish_non_exhaustive()
    }
}

impl LeadRequest {
    /// The username by which repeats are found: lower case, because Telegram's usernames ignore case.
    pub fn telegram_fold(&self) -> String {
        self.telegram.0.to_ascii_lowercase()
    }
}

pub(super) fn check(form: &LeadForm) -> Result<LeadRequest, FieldErrors> {
    let mut checker = Checker { form, errors: FieldErrors::default() };
    // In the order of the form: the errors come out in it.
    let request_id = checker.required(Field::RequestId, &form.request_id, |text| uuid(&text));
    let name = checker.name();
    let telegram = checker.required(Field::Telegram, &form.telegram, |text| telegram(&text));
    let phone = checker.required(Field::Phone, &form.phone, |text| phone(&text));
    let date = checker.optional(Field::Date, &form.date, DATE_MAX);
    let guests = checker.optional(Field::Guests, &form.guests, GUESTS_MAX);
    let comment = checker.optional(Field::Comment, &form.comment, COMMENT_MAX);
    let utm =
        |value: &Option<String>| tidy(value.as_deref()).and_then(|text| tidy(Some(cut(&text, UTM_MAX))));
    match (request_id, name, telegram, phone) {
        (Some(request_id), Some(name), Some(telegram), Some(phone)) if checker.errors.is_empty() => {
            Ok(LeadRequest {
                request_id,
                name: Personal(name),
                telegram: Personal(telegram),
                phone: Personal(phone),
                date,
                guests,
                comment: comment.map(Personal),
                locale: locale(form.locale.as_deref()),
                utm: Utm {
                    source: utm(&form.utm_source),
                    medium: utm(&form.utm_medium),
                    campaign: utm(&form.utm_campaign),
                    term: utm(&form.utm_term),
                    content: utm(&form.utm_content),
                },
                visitor: form.client_ip.as_deref().and_then(visitor_address),
            })
        }
        _ => Err(checker.errors),
    }
}

/// Looks at one field after the other and gathers what is wrong.
struct Checker<'f> {
    form: &'f LeadForm,
    errors: FieldErrors,
}

impl Checker<'_> {
    /// The tidied text of a field; `None` with an error noted when it is not text.
    fn text(&mut self, field: Field, value: &Option<String>) -> Result<Option<String>, ()> {
        if self.form.not_text.contains(&field) {
            self.errors.push(field, Code::Invalid);
            return Err(());
        }
        Ok(tidy(value.as_deref()))
    }

    /// A field that must be there and be read by `read`.
    fn required<T>(
        &mut self,
        field: Field,
        value: &Option<String>,
        read: impl FnOnce(String) -> Option<T>,
    ) -> Option<T> {
        let Some(text) = self.text(field, value).ok()? else {
            self.errors.push(field, Code::Required);
            return None;
        };
        let read = read(text);
        if read.is_none() {
            self.errors.push(field, Code::Invalid);
        }
        read
    }

    fn name(&mut self) -> Option<String> {
        let form = self.form;
        let name = self.required(Field::Name, &form.name, Some)?;
        let code = match name.chars().count() {
            length if length < NAME_MIN => Code::TooShort,
            length if length > NAME_MAX => Code::TooLong,
            _ => return Some(name),
        };
        self.errors.push(Field::Name, code);
        None
    }

    /// A field that may be empty and has a longest length.
    fn optional(&mut self, field: Field, value: &Option<String>, longest: usize) -> Option<String> {
        let text = self.text(field, value).ok()??;
        if text.chars().count() > longest {
            self.errors.push(field, Code::TooLong);
            return None;
        }
        Some(text)
    }
}

/// Optional `@`, then 5 to 32 of `A-Za-z0-9_`; stored with the `@`.
fn telegram(text: &str) -> Option<String> {
    let name = text.strip_prefix('@').unwrap_or(text);
    let fits = (5..=32).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    fits.then(|| format!("@{name}"))
}

/// Spaces, hyphens and brackets dropped, also those that a word processor puts in; then `+` and 7 to 15 digits.
fn phone(text: &str) -> Option<String> {
    let dropped = |c: &char| {
        !(c.is_whitespace()
            || matches!(c, '-' | '(' | ')' | '[' | ']' | '\u{2010}'..='\u{2015}' | '\u{2212}'))
    };
    let plain: String = text.chars().filter(dropped).collect();
    let digits = plain.strip_prefix('+')?;
    let fits = (7..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    fits.then_some(plain)
}

fn locale(value: Option<&str>) -> Language {
    let code = value.unwrap_or_default().trim().to_ascii_lowercase();
    Language::from_code(&code).unwrap_or_default()
}
