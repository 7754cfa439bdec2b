//! The body of `POST /leads`: a JSON object that is read as kindly as JSON allows, because a 422 is never sent by another way and so
//! loses the lead (engineering.md).
//!
//! Halves of surrogate pairs, which a browser's string may hold, become U+FFFD, and so do bytes that are no UTF-8. Unknown members are
//! ignored however deep they go; of a member that comes twice the last one counts, as in every browser.

use domain::lead_form::{Field, LeadForm};
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use utoipa::ToSchema;

/// A request of the landing form.
#[derive(Default, ToSchema)]
#[schema(as = LeadRequest)]
pub struct LeadBody {
    /// A UUID, made by the form when it opens and sent with every retry.
    #[schema(value_type = String, example = "0b9e4a1c-7d52-4f3e-9a68-5c2d1e0f7b34")]
    request_id: Entry,
    /// 2 to 80 characters.
    #[schema(value_type = String, example = "Мадина")]
    name: Entry,
    /// Optional `@`, 5 to 32 of `A-Za-z0-9_`.
    #[schema(value_type = String, example = "@madina_k")]
    telegram: Entry,
    /// Spaces, hyphens and brackets are dropped; then `+` and 7 to 15 digits.
    #[schema(value_type = String, example = "+998 90 123-45-67")]
    phone: Entry,
    /// At most 60 characters.
    #[schema(value_type = Option<String>)]
    date: Entry,
    /// At most 40 characters.
    #[schema(value_type = Option<String>)]
    guests: Entry,
    /// At most 1,200 characters.
    #[schema(value_type = Option<String>)]
    comment: Entry,
    /// `ru`, `uz` or `en`; any other is Russian.
    #[schema(value_type = Option<String>)]
    locale: Entry,
    /// Cut at 200 characters, as the other four.
    #[schema(value_type = Option<String>)]
    utm_source: Entry,
    #[schema(value_type = Option<String>)]
    utm_medium: Entry,
    #[schema(value_type = Option<String>)]
    utm_campaign: Entry,
    #[schema(value_type = Option<String>)]
    utm_term: Entry,
    #[schema(value_type = Option<String>)]
    utm_content: Entry,
    /// Address of the visitor. Never stored, only a keyed hash of it; without one the visitor is not limited.
    #[schema(value_type = Option<String>)]
    client_ip: Entry,
}

/// The value of a member.
#[derive(Default, PartialEq, Eq, Debug)]
enum Entry {
    /// Not there, or null.
    #[default]
    Absent,
    /// Text.
    Text(String),
    /// A number, a list, …
    Other,
}

/// The form in a body; `None` when the body is no JSON object.
pub fn parse(body: &[u8]) -> Option<LeadForm> {
    let text = mend_surrogates(String::from_utf8_lossy(body));
    serde_json::from_str::<LeadBody>(&text).ok().map(LeadBody::into_form)
}

impl LeadBody {
    fn slot(&mut self, name: &str) -> Option<&mut Entry> {
        Some(match name {
            "request_id" => &mut self.request_id,
            "name" => &mut self.name,
            "telegram" => &mut self.telegram,
            "phone" => &mut self.phone,
            "date" => &mut self.date,
            "guests" => &mut self.guests,
            "comment" => &mut self.comment,
            "locale" => &mut self.locale,
            "utm_source" => &mut self.utm_source,
            "utm_medium" => &mut self.utm_medium,
            "utm_campaign" => &mut self.utm_campaign,
            "utm_term" => &mut self.utm_term,
            "utm_content" => &mut self.utm_content,
            "client_ip" => &mut self.client_ip,
            _ => return None,
        })
    }

    /// Members that no visitor typed (`locale`, `utm_*`, `client_ip`) count as absent when they are no text: nobody could mend them.
    fn into_form(self) -> LeadForm {
        let typed = [
            (Field::RequestId, &self.request_id),
            (Field::Name, &self.name),
            (Field::Telegram, &self.telegram),
            (Field::Phone, &self.phone),
            (Field::Date, &self.date),
            (Field::Guests, &self.guests),
            (Field::Comment, &self.comment),
        ];
        let not_text =
            typed.iter().filter(|(_, entry)| **entry == Entry::Other).map(|(field, _)| *field).collect();
        LeadForm {
            not_text,
            request_id: self.request_id.text(),
            name: self.name.text(),
            telegram: self.telegram.text(),
            phone: self.phone.text(),
            date: self.date.text(),
            guests: self.guests.text(),
            comment: self.comment.text(),
            locale: self.locale.text(),
            utm_source: self.utm_source.text(),
            utm_medium: self.utm_medium.text(),
            utm_campaign: self.utm_campaign.text(),
            utm_term: self.utm_term.text(),
            utm_content: self.utm_content.text(),
            client_ip: self.client_ip.text(),
        }
    }
}

impl Entry {
    fn text(self) -> Option<String> {
        match self {
            Entry::Text(text) => Some(text),
            Entry::Absent | Entry::Other => None,
        }
    }
}

impl<'de> Deserialize<'de> for LeadBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = LeadBody;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LeadBody, A::Error> {
                let mut body = LeadBody::default();
                while let Some(name) = map.next_key::<String>()? {
                    match body.slot(&name) {
                        Some(slot) => *slot = map.next_value()?,
                        None => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(body)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Entry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_unit<E: Error>(self) -> Result<Entry, E> {
                Ok(Entry::Absent)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Entry, E> {
                Ok(Entry::Text(text.to_owned()))
            }

            fn visit_string<E: Error>(self, text: String) -> Result<Entry, E> {
                Ok(Entry::Text(text))
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<Entry, E> {
                Ok(Entry::Other)
            }

            fn visit_i64<E: Error>(self, _: i64) -> Result<Entry, E> {
                Ok(Entry::Other)
            }

            fn visit_u64<E: Error>(self, _: u64) -> Result<Entry, E> {
                Ok(Entry::Other)
            }

            fn visit_f64<E: Error>(self, _: f64) -> Result<Entry, E> {
                Ok(Entry::Other)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Entry, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Entry::Other)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Entry::Other)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// Writes `\ufffd` over each `\uXXXX` that is half of a surrogate pair without its other half; the length stays. Outside of strings
/// JSON knows no backslash, so none is met there.
fn mend_surrogates(text: Cow<'_, str>) -> Cow<'_, str> {
    let mut alone = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(next) = bytes[at..].iter().position(|byte| *byte == b'\\').map(|found| at + found) {
        match (unit(bytes, next), unit(bytes, next + UNIT)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at = next + 2 * UNIT,
            (Some(0xD800..=0xDFFF), _) => {
                alone.push(next);
                at = next + UNIT;
            }
            // An escape of two characters at least: `\\` must not be taken for the start of the next one.
            _ => at = (next + 2).min(bytes.len()),
        }
    }
    if alone.is_empty() {
        return text;
    }
    let mut mended = text.into_owned();
    for at in alone {
        mended.replace_range(at..at + UNIT, "\\ufffd");
    }
    Cow::Owned(mended)
}

/// Length of `\uXXXX`.
const UNIT: usize = 6;

/// The number in the `\uXXXX` that begins at `at`, if one does.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + UNIT)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0u16, |number, digit| {
        let value = char::from(*digit).to_digit(16)?;
        Some(number << 4 | u16::try_from(value).ok()?)
    })
}

#[cfg(test)]
mod tests;
