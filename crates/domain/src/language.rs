//! The three languages of the product.

use serde::{Deserialize, Serialize};

/// A language in which guests are spoken to. Operators and the leads group get Russian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Russian, the default.
    #[default]
    Ru,
    /// Uzbek in Latin script.
    Uz,
    /// English.
    En,
}

impl Language {
    /// Every language, in the order in which switches show them.
    pub const ALL: [Language; 3] = [Language::Ru, Language::Uz, Language::En];

    /// The two letters that are stored and sent (`ru`, `uz`, `en`).
    pub fn code(self) -> &'static str {
        match self {
            Language::Ru => "ru",
            Language::Uz => "uz",
            Language::En => "en",
        }
    }

    /// The language with exactly this code.
    pub fn from_code(code: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.code() == code)
    }

    /// The language of a browser by its `Accept-Language`: of those that we speak the one with the highest weight, of equal ones the
    /// first, else Russian. Its first 16 entries are looked at.
    pub fn from_accept_language(header: &str) -> Language {
        let mut known: Vec<(Language, f32)> =
            header.split(',').take(ENTRIES_MAX).filter_map(accepted).collect();
        // A stable order: what stands first stays first.
        known.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        known.first().map(|(language, _)| *language).unwrap_or_default()
    }

    /// The language for an IETF tag as Telegram sends it (`en-US`, `uz`); any other and none is Russian.
    pub fn from_telegram(tag: Option<&str>) -> Language {
        let primary = tag.unwrap_or_default().split(['-', '_']).next().unwrap_or_default();
        Language::from_code(&primary.to_ascii_lowercase()).unwrap_or_default()
    }
}

/// Entries of `Accept-Language` that are looked at.
const ENTRIES_MAX: usize = 16;

/// A language that we speak, and its weight; one of weight zero is not wanted.
fn accepted(entry: &str) -> Option<(Language, f32)> {
    let (tag, parameters) = entry.split_once(';').unwrap_or((entry, ""));
    let primary = tag.trim().split('-').next().unwrap_or_default();
    let language = Language::from_code(&primary.to_ascii_lowercase())?;
    let weight =
        parameters.trim().strip_prefix("q=").map_or(Some(1.0), |weight| weight.trim().parse().ok())?;
    (weight > 0.0).then_some((language, weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browsers_favourite_language_of_ours_is_taken() {
        let cases = [
            ("de-DE,de;q=0.9,uz;q=0.8,en;q=0.7", Language::Uz),
            ("en;q=0.5, uz-Latn-UZ;q=0.9", Language::Uz),
            ("EN-gb", Language::En),
            ("uz;q=0, en;q=0.1", Language::En),
            ("en;q=nonsense, uz", Language::Uz),
            ("de", Language::Ru),
            ("", Language::Ru),
        ];
        for (header, expected) in cases {
            assert_eq!(Language::from_accept_language(header), expected, "{header}");
        }
    }

    #[test]
    fn telegram_tags_lead_to_a_language_and_unknown_ones_to_russian() {
        let cases = [
            (Some("en-US"), Language::En),
            (Some("EN"), Language::En),
            (Some("uz"), Language::Uz),
            (Some("ru"), Language::Ru),
            (Some("kk"), Language::Ru),
            (Some(""), Language::Ru),
            (None, Language::Ru),
        ];
        for (tag, expected) in cases {
            assert_eq!(Language::from_telegram(tag), expected, "{tag:?}");
        }
    }
}
