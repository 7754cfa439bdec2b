//! What the site says, in three languages. A word that one language lacks does not compile.
//!
//! Russian says *вы* to a buyer, Uzbek uses its polite forms. Nothing here promises a price, a time or a service that the program does not
//! give by itself; what an owner adds stands in [`crate::content`].

mod en;
mod ru;
mod uz;

use domain::Language;
use domain::lead_form::{Code, Field};

/// A heading with a line under it.
pub struct Said {
    /// The heading.
    pub title: &'static str,
    /// The line.
    pub text: &'static str,
}

/// Words of a field of the form.
pub struct FieldWords {
    /// Above the field.
    pub label: &'static str,
    /// Below it; empty for none.
    pub hint: &'static str,
    /// When it was left empty.
    pub required: &'static str,
    /// When it is too short or not of the form that is wanted.
    pub invalid: &'static str,
    /// When it is too long.
    pub too_long: &'static str,
}

impl FieldWords {
    /// What to do about this code.
    pub fn error(&self, code: Code) -> &'static str {
        match code {
            Code::Required => self.required,
            Code::TooShort | Code::Invalid => self.invalid,
            Code::TooLong => self.too_long,
        }
    }
}

/// A package as it is offered when the owner says nothing else.
pub struct PackageWords {
    /// Its name.
    pub name: &'static str,
    /// For which events.
    pub for_whom: &'static str,
    /// What is in it.
    pub points: [&'static str; 3],
}

/// Everything that the site says in one language.
pub struct Words {
    /// The language's short name in the switch.
    pub short: &'static str,
    /// The language's own name, for screen readers.
    pub own_name: &'static str,
    /// Behind the brand in the title of the page.
    pub page: &'static str,
    /// What search engines and messengers show.
    pub description: &'static str,
    /// For those who read the page with a keyboard.
    pub skip: &'static str,
    /// Name of the menu for screen readers.
    pub menu: &'static str,
    /// Name of the language switch for screen readers.
    pub switch: &'static str,
    /// The menu: how, outfits, packages, questions.
    pub nav: [&'static str; 4],
    /// The menu's button.
    pub nav_button: &'static str,
    /// The headline and the line under it.
    pub hero: Said,
    /// The first view's button.
    pub hero_button: &'static str,
    /// What the stickers of the first view are, for screen readers.
    pub hero_alt: &'static str,
    /// Heading of the three steps.
    pub how: &'static str,
    /// The three steps.
    pub steps: [Said; 3],
    /// What the pictures of the three steps show.
    pub step_alts: [&'static str; 3],
    /// The nine stickers of one guest.
    pub nine: Said,
    /// What each of the nine says, in their order.
    pub nine_alts: [&'static str; 9],
    /// Heading of the outfits.
    pub outfits: &'static str,
    /// The outfits in the order of the page.
    pub outfit_names: [&'static str; 8],
    /// Heading of the packages.
    pub packages: &'static str,
    /// The packages.
    pub package_words: [PackageWords; 3],
    /// A package's button.
    pub package_button: &'static str,
    /// Heading of the questions.
    pub questions: &'static str,
    /// Questions and answers. `{hours}` is how long a photo is kept at most.
    pub question_words: [Said; 4],
    /// Heading and line of the form.
    pub form: Said,
    /// Behind the label of a field that may stay empty.
    pub optional: &'static str,
    /// The fields, in the order of [`FORM_FIELDS`].
    pub fields: [FieldWords; 6],
    /// Label of the field that only robots fill in.
    pub trap: &'static str,
    /// Before the list of fields that need another look.
    pub look_again: &'static str,
    /// The form's button.
    pub send: &'static str,
    /// The same while it works.
    pub sending: &'static str,
    /// Under the button when there is an address with the rules about data: before the link, and the link.
    pub consent: [&'static str; 2],
    /// Under the button when there is none.
    pub consent_plain: &'static str,
    /// Too many requests.
    pub throttled: &'static str,
    /// It did not arrive.
    pub failed: &'static str,
    /// The same of a form that is longer than is read; the end of it is gone.
    pub too_long_form: &'static str,
    /// It arrived.
    pub sent: &'static str,
    /// Where we write, before the username.
    pub sent_to: &'static str,
    /// No second request is needed.
    pub sent_once: &'static str,
    /// The button after that.
    pub sent_button: &'static str,
    /// Link to the rules about data, in the footer.
    pub privacy: &'static str,
    /// Whose face the stickers show.
    pub credit: &'static str,
    /// There is no such page.
    pub missing: Said,
    /// Hours in words, for `{hours}`.
    pub hours: fn(u32) -> String,
}

/// The fields that a visitor sees, in the order of the form.
pub const FORM_FIELDS: [Field; 6] =
    [Field::Name, Field::Telegram, Field::Phone, Field::Date, Field::Guests, Field::Comment];

impl Words {
    /// The words of a language.
    pub fn of(language: Language) -> &'static Words {
        match language {
            Language::Ru => &ru::WORDS,
            Language::Uz => &uz::WORDS,
            Language::En => &en::WORDS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that the site says, in the order of [`Words`]; without what is empty by intent and the names of things.
    fn all(w: &Words) -> Vec<String> {
        let mut texts =
            vec![w.short, w.own_name, w.page, w.description, w.skip, w.menu, w.switch, w.nav_button];
        let said = |said: &Said| [said.title, said.text];
        texts.extend(w.nav);
        texts.extend(said(&w.hero));
        texts.extend([w.hero_button, w.hero_alt, w.how]);
        texts.extend(w.steps.iter().flat_map(said));
        texts.extend(w.step_alts);
        texts.extend(said(&w.nine));
        texts.extend(w.nine_alts);
        texts.push(w.outfits);
        texts.extend(w.outfit_names);
        texts.push(w.packages);
        for package in &w.package_words {
            texts.extend([package.name, package.for_whom]);
            texts.extend(package.points);
        }
        texts.extend([w.package_button, w.questions]);
        texts.extend(w.question_words.iter().flat_map(said));
        texts.extend(said(&w.form));
        texts.push(w.optional);
        for field in &w.fields {
            texts.extend([field.label, field.hint, field.required, field.invalid, field.too_long]);
        }
        texts.extend([w.trap, w.look_again, w.send, w.sending]);
        texts.extend(w.consent);
        texts.extend([w.consent_plain, w.throttled, w.failed, w.too_long_form]);
        texts.extend([w.sent, w.sent_to, w.sent_once, w.sent_button, w.privacy, w.credit]);
        texts.extend(said(&w.missing));
        let hours = [1, 2, 5].map(w.hours);
        texts.into_iter().map(str::to_owned).chain(hours).collect()
    }

    #[test]
    fn english_and_uzbek_have_no_russian_letter_and_no_two_languages_share_a_text() {
        let [ru, uz, en] = Language::ALL.map(|language| all(Words::of(language)));
        assert!(ru.len() == uz.len() && ru.len() == en.len() && ru.len() > 120, "{}", ru.len());
        let cyrillic = |text: &str| text.chars().any(|c| ('\u{400}'..='\u{52f}').contains(&c));
        for ((r, u), e) in ru.iter().zip(&uz).zip(&en) {
            assert!(!cyrillic(u) && !cyrillic(e), "{u} / {e}");
            // The network's own name, and a field that needs no hint.
            if !["Telegram", ""].contains(&r.as_str()) {
                assert!(cyrillic(r), "{r}");
                assert!(r != u && u != e && r != e, "{r}");
            }
        }
    }
}
