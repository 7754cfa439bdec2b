//! A guest as Telegram shows them. Names are personal: their `Debug` prints nothing (quality.md, logs).

use crate::language::Language;
use std::fmt;

/// Telegram id of a person; the private chat with them has the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TelegramId(pub i64);

impl fmt::Display for TelegramId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Text about a person that must never reach a log.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Personal(pub String);

impl fmt::Debug for Personal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(personal)")
    }
}

/// What Telegram tells about a guest with each update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guest {
    /// Telegram id.
    pub id: TelegramId,
    /// First name; Telegram always has one.
    pub first_name: Personal,
    /// Last name, if any.
    pub last_name: Option<Personal>,
    /// Username without `@`, if any.
    pub username: Option<Personal>,
    /// Language of the guest's Telegram.
    pub language: Language,
}

/// Takes NUL and other control characters except tab and line break out of text from outside (engineering.md, SQL table):
/// SQLite stores NUL and PostgreSQL refuses it.
pub fn clean_text(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\t' | '\n')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_never_printed_by_debug() {
        let name = Personal("Мадина".into());
        assert!(!format!("{name:?}").contains("Мадина"));
    }

    #[test]
    fn control_characters_go_and_line_breaks_stay() {
        assert_eq!(clean_text("a\0b\u{7}c\td\ne"), "abc\td\ne");
    }
}
