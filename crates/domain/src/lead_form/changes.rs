//! What a second request of the same person changes (seed 003, repeat rule: "only the fields that changed").

use super::request::{LeadRequest, Utm};
use crate::guest::Personal;
use crate::language::Language;

/// The fields of a request as they stand in `leads`, or in `lead_repeats`, where `None` means unchanged.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct LeadFields {
    /// `name`
    pub name: Option<Personal>,
    /// `telegram`
    pub telegram: Option<Personal>,
    /// `phone`
    pub phone: Option<Personal>,
    /// `date`
    pub date: Option<String>,
    /// `guests`
    pub guests: Option<String>,
    /// `comment`
    pub comment: Option<Personal>,
    /// `locale`
    pub locale: Option<Language>,
    /// `utm_*`
    pub utm: Utm,
}

impl std::fmt::Debug for LeadFields {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LeadFields(personal)")
    }
}

impl LeadFields {
    /// The fields of `request` that differ from these. A field that was left empty this time says nothing new; usernames that differ
    /// in capitals are the same.
    pub fn changes(&self, request: &LeadRequest) -> LeadFields {
        let same_telegram = self
            .telegram
            .as_ref()
            .is_some_and(|stored| stored.0.to_ascii_lowercase() == request.telegram_fold());
        LeadFields {
            name: differs(&self.name, Some(&request.name)),
            telegram: (!same_telegram).then(|| request.telegram.clone()),
            phone: differs(&self.phone, Some(&request.phone)),
            date: differs(&self.date, request.date.as_ref()),
            guests: differs(&self.guests, request.guests.as_ref()),
            comment: differs(&self.comment, request.comment.as_ref()),
            locale: differs(&self.locale, Some(&request.locale)),
            utm: Utm {
                source: differs(&self.utm.source, request.utm.source.as_ref()),
                medium: differs(&self.utm.medium, request.utm.medium.as_ref()),
                campaign: differs(&self.utm.campaign, request.utm.campaign.as_ref()),
                term: differs(&self.utm.term, request.utm.term.as_ref()),
                content: differs(&self.utm.content, request.utm.content.as_ref()),
            },
        }
    }
}

/// What is said now, when it is not what was stored.
fn differs<T: PartialEq + Clone>(stored: &Option<T>, now: Option<&T>) -> Option<T> {
    now.filter(|now| stored.as_ref() != Some(*now)).cloned()
}
