//! Values of the database as people read them: times on Tashkent's clock, and text that cannot do anything to a terminal.

use crate::clock::Timestamp;
use crate::schedule::TASHKENT;

/// `YYYY-MM-DD HH:MM:SS+05:00`, as the views `…_readable` show times.
pub fn time(at: Timestamp) -> String {
    let at = jiff::Timestamp::from_millisecond(at.as_millis()).unwrap_or_default();
    TASHKENT.to_datetime(at).strftime("%Y-%m-%d %H:%M:%S+05:00").to_string()
}

/// The time that a column of this name holds, when `value` is one: milliseconds between 2001 and 2286.
pub fn time_in(column: &str, value: i64) -> Option<Timestamp> {
    const NAMES: [&str; 4] = ["at", "until", "lease_until", "not_before"];
    const POSSIBLE: std::ops::Range<i64> = 1_000_000_000_000..10_000_000_000_000;
    // A computed column is called by what was computed: `MAX(created_at)`.
    let name = column.trim_end_matches(')');
    let name = name.rsplit(['(', '.']).next().unwrap_or(name).to_ascii_lowercase();
    let named = name.ends_with("_at") || NAMES.contains(&name.as_str());
    (named && POSSIBLE.contains(&value)).then(|| Timestamp::from_millis(value))
}

/// The text on one line, with whatever a terminal would obey told by its number: names come from strangers.
pub fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        // Marks of direction reorder what stands beside them.
        let commands = letter.is_control()
            || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if commands {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_tashkent_and_only_where_a_column_holds_one() {
        let at = 1_795_959_000_000;
        assert_eq!(time(Timestamp::from_millis(at)), "2026-11-29 18:30:00+05:00");
        for column in ["created_at", "at", "lease_until", "not_before", "MAX(created_at)", "j.updated_at"] {
            assert_eq!(time_in(column, at), Some(Timestamp::from_millis(at)), "{column}");
        }
        for column in ["telegram_user_id", "chat_id", "cat", "COUNT(*)", "job_id"] {
            assert_eq!(time_in(column, at), None, "{column}");
        }
        assert_eq!(time_in("created_at", 7), None);
    }

    #[test]
    fn a_name_cannot_clear_the_terminal_or_turn_a_line_around() {
        assert_eq!(plain("Лола\u{1b}[2J\nx\u{202e}y"), "Лола\\u{1b}[2J\\u{a}x\\u{202e}y");
    }
}
