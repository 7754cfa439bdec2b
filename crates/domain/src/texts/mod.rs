//! Everything that is said to a person, one function an occasion, in three languages. A missing translation does not compile:
//! each language implements [`GuestTexts`].
//!
//! Texts quoted in the seeds are used to the letter in Russian. Guests are addressed as *ты* in Russian and politely in Uzbek
//! (design direction, principle 7).

mod en;
mod ru;
mod uz;

use crate::language::Language;

/// What the bot says to a guest. Plain text unless a method says HTML.
pub trait GuestTexts: Sync {
    /// Consent text, version [`crate::consent::VERSION`]: what is done with the photo, for how long, age, and how to take it back.
    fn consent(&self, first_name: &str, event: &str, ttl_hours: u32, privacy_url: Option<&str>) -> String;
    /// Label of the consent button.
    fn consent_button(&self) -> &'static str;
    /// After consent: choose an outfit on the tablet.
    fn consented(&self) -> &'static str;
    /// Late `/start`, consent press on a closed session, unknown token.
    fn session_closed(&self) -> &'static str;
    /// A second phone scanned the QR.
    fn code_taken(&self) -> &'static str;
    /// `/start` again after consent was given and an outfit chosen.
    fn look_at_tablet(&self) -> &'static str;
    /// `/start` again after the photo was taken.
    fn being_made(&self) -> &'static str;
    /// The photo is in: place in the queue and minutes, rounded up.
    fn photo_received(&self, position: u32, minutes: u32) -> String;
    /// The pack limit while a pack is being made.
    fn pack_in_progress(&self) -> &'static str;
    /// The pack limit when a pack exists; goes with the link.
    fn pack_ready(&self) -> &'static str;
    /// The pack limit when the guest had a pack and was erased since: there is no link any more.
    fn pack_forgotten(&self) -> &'static str;
    /// The pack is there; goes with the link.
    fn pack_done(&self) -> &'static str;
    /// Label of the button that opens the set.
    fn open_pack(&self) -> &'static str;
    /// Five minutes without a pack.
    fn delayed(&self) -> &'static str;
    /// The job failed and can be made again on the tablet.
    fn failed(&self) -> &'static str;
    /// The deadline passed: people will help.
    fn failed_help(&self) -> &'static str;
    /// The artist's rules do not allow this photo; another one may do.
    fn photo_refused(&self) -> &'static str;
    /// New sessions are refused.
    fn maintenance(&self) -> &'static str;
    /// `/start` without a token.
    fn welcome(&self) -> &'static str;
    /// `/help`.
    fn help(&self) -> &'static str;
    /// `/mypack` without a pack.
    fn no_pack(&self) -> &'static str;
    /// `/forget_me`: the question.
    fn forget_question(&self) -> &'static str;
    /// Button that erases.
    fn forget_yes(&self) -> &'static str;
    /// Button that keeps.
    fn forget_no(&self) -> &'static str;
    /// After erasure: what is gone, and what stays until when (seed 002, "What remains, and for how long").
    fn forgotten(&self) -> &'static str;
    /// After the other button.
    fn forget_kept(&self) -> &'static str;
    /// Title of the sticker set.
    fn pack_title(&self, first_name: &str, outfit: &str) -> String;
}

/// The texts of a language.
pub fn guest(language: Language) -> &'static dyn GuestTexts {
    match language {
        Language::Ru => &ru::Ru,
        Language::Uz => &uz::Uz,
        Language::En => &en::En,
    }
}

/// Escapes a value for Telegram's HTML and for web pages.
pub fn escape_html(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A set title: trimmed and cut at 64 characters as Telegram would do silently (telegram.md section 7).
fn title(text: &str) -> String {
    text.trim().chars().take(64).collect::<String>().trim_end().to_owned()
}

/// A name inside a sentence, cut so that a long one cannot fill the screen; without a name the greeting stands alone.
fn short_name(name: &str) -> String {
    name.trim().chars().take(32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every text of a language, with example values.
    fn all(language: Language) -> Vec<String> {
        let t = guest(language);
        vec![
            t.consent("Lola", "Fest", 72, None),
            t.consent(" ", "Fest", 1, Some("https://example.org/p")),
            t.consent_button().into(),
            t.consented().into(),
            t.session_closed().into(),
            t.code_taken().into(),
            t.look_at_tablet().into(),
            t.being_made().into(),
            t.photo_received(1, 1),
            t.photo_received(3, 4),
            t.photo_received(30, 11),
            t.pack_title("", "X"),
            t.pack_in_progress().into(),
            t.pack_ready().into(),
            t.pack_forgotten().into(),
            t.pack_done().into(),
            t.open_pack().into(),
            t.delayed().into(),
            t.failed().into(),
            t.failed_help().into(),
            t.photo_refused().into(),
            t.maintenance().into(),
            t.welcome().into(),
            t.help().into(),
            t.no_pack().into(),
            t.forget_question().into(),
            t.forget_yes().into(),
            t.forget_no().into(),
            t.forgotten().into(),
            t.forget_kept().into(),
        ]
    }

    fn cyrillic(text: &str) -> bool {
        text.chars().any(|c| ('\u{400}'..='\u{4ff}').contains(&c))
    }

    #[test]
    fn texts_quoted_in_the_seeds_are_used_to_the_letter() {
        let ru = guest(Language::Ru);
        assert_eq!(ru.consent_button(), "✅ Согласен");
        assert_eq!(ru.session_closed(), "Сессия закрыта, нажми «СТАРТ» на планшете.");
        assert_eq!(ru.pack_in_progress(), "Твой набор уже готовится ⏳…");
        assert_eq!(ru.delayed(), "Дорабатываем детали твоего набора ✨ Скоро пришлю!");
        assert_eq!(ru.code_taken(), "Этот код уже занят, нажми «СТАРТ» на планшете.");
    }

    #[test]
    fn english_and_uzbek_have_no_russian_letter_and_no_two_languages_share_a_text() {
        let (ru, uz, en) = (all(Language::Ru), all(Language::Uz), all(Language::En));
        for ((r, u), e) in ru.iter().zip(&uz).zip(&en) {
            assert!(cyrillic(r), "{r}");
            assert!(!cyrillic(u) && !cyrillic(e), "{u} / {e}");
            assert!(r != u && u != e && r != e, "{r}");
        }
    }

    #[test]
    fn consent_says_use_period_age_and_how_to_take_it_back() {
        let expected = [
            (Language::Ru, ["18", "72", "/forget_me"]),
            (Language::Uz, ["18", "72", "/forget_me"]),
            (Language::En, ["18", "72", "/forget_me"]),
        ];
        for (language, parts) in expected {
            let text = guest(language).consent("Lola", "Fest", 72, Some("https://example.org/p"));
            for part in parts {
                assert!(text.contains(part), "{language:?}: {part}");
            }
            assert!(text.contains("https://example.org/p"));
        }
    }

    #[test]
    fn a_set_title_is_never_empty_and_never_over_64_characters() {
        for language in Language::ALL {
            let long = guest(language).pack_title(&"Ж".repeat(200), "Космонавт");
            assert!(!long.is_empty() && long.chars().count() <= 64, "{long}");
            assert!(!guest(language).pack_title("  ", "Hoodie").is_empty());
        }
    }

    #[test]
    fn markup_in_a_name_is_escaped() {
        assert_eq!(escape_html("<3 \"Tom\" & Co>"), "&lt;3 &quot;Tom&quot; &amp; Co&gt;");
    }
}
