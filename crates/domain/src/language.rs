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

    /// The language for an IETF tag as Telegram sends it (`en-US`, `uz`); any other and none is Russian.
    pub fn from_telegram(tag: Option<&str>) -> Language {
        let primary = tag.unwrap_or_default().split(['-', '_']).next().unwrap_or_default();
        Language::from_code(&primary.to_ascii_lowercase()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
