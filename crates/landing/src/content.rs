//! What the owner decides: packages, questions, and the promise at the form. The neutral words hold where a file says nothing.

use crate::words::Words;
use domain::Language;
use serde::Deserialize;

/// Packages on the page.
const PACKAGES_MAX: usize = 6;
/// Points of a package.
const POINTS_MAX: usize = 8;
/// Questions on the page.
const QUESTIONS_MAX: usize = 12;
/// Characters of one text.
const TEXT_MAX: usize = 500;

/// What the owner decides, in three languages.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// What is promised at the form: when and where an answer comes.
    promise: Option<InThree<String>>,
    /// The packages; an empty list means the neutral ones.
    #[serde(default)]
    packages: Vec<PackageOf>,
    /// The questions; an empty list means the neutral ones.
    #[serde(default)]
    questions: Vec<QuestionOf>,
}

/// The same thing in three languages.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InThree<T> {
    ru: T,
    uz: T,
    en: T,
}

impl<T> InThree<T> {
    fn of(&self, language: Language) -> &T {
        match language {
            Language::Ru => &self.ru,
            Language::Uz => &self.uz,
            Language::En => &self.en,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PackageOf {
    /// Whether it stands out.
    #[serde(default)]
    accent: bool,
    name: InThree<String>,
    for_whom: InThree<String>,
    points: InThree<Vec<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionOf {
    question: InThree<String>,
    answer: InThree<String>,
}

/// Why a file is not usable.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// Not TOML, or not of this form.
    #[error("{0}")]
    Form(String),
    /// Too much or too little of something.
    #[error("{0}")]
    Size(&'static str),
}

/// What one language's page shows.
pub struct Shown {
    /// What is promised at the form.
    pub promise: String,
    /// The packages.
    pub packages: Vec<Package>,
    /// The questions.
    pub questions: Vec<Question>,
}

/// A package.
pub struct Package {
    /// Whether it stands out.
    pub accent: bool,
    /// Its name.
    pub name: String,
    /// For which events.
    pub for_whom: String,
    /// What is in it.
    pub points: Vec<String>,
}

/// A question with its answer.
pub struct Question {
    /// The question.
    pub question: String,
    /// The answer.
    pub answer: String,
}

impl Content {
    /// Reads the owner's file: TOML with `promise`, `[[packages]]` (`accent`, `name`, `for_whom`, `points`) and `[[questions]]` (`question`,
    /// `answer`), each text as `{ ru = "…", uz = "…", en = "…" }`. What the file leaves out keeps its neutral words.
    ///
    /// # Errors
    /// What is wrong with it, on one line where the reader of TOML gives one.
    pub fn parse(text: &str) -> Result<Content, ContentError> {
        let content: Content = toml::from_str(text).map_err(|error| ContentError::Form(error.to_string()))?;
        content.checked()
    }

    fn checked(self) -> Result<Content, ContentError> {
        let size = |fits: bool, words| if fits { Ok(()) } else { Err(ContentError::Size(words)) };
        size(self.packages.len() <= PACKAGES_MAX, "at most 6 packages fit the page")?;
        size(self.questions.len() <= QUESTIONS_MAX, "at most 12 questions fit the page")?;
        for language in Language::ALL {
            for package in &self.packages {
                let points = package.points.of(language);
                size(
                    (1..=POINTS_MAX).contains(&points.len()),
                    "a package has 1 to 8 points in each language",
                )?;
                size(points.iter().all(|point| fits(point)), TEXT_SIZE)?;
                size(fits(package.name.of(language)) && fits(package.for_whom.of(language)), TEXT_SIZE)?;
            }
            for question in &self.questions {
                size(fits(question.question.of(language)) && fits(question.answer.of(language)), TEXT_SIZE)?;
            }
            size(self.promise.as_ref().is_none_or(|promise| fits(promise.of(language))), TEXT_SIZE)?;
        }
        Ok(self)
    }

    /// What the page of a language shows. `photo_ttl_hours` is how long a photo is kept at most.
    pub(crate) fn shown(&self, language: Language, photo_ttl_hours: u32) -> Shown {
        let words = Words::of(language);
        let promise = self
            .promise
            .as_ref()
            .map_or_else(|| words.form.text.to_owned(), |promise| promise.of(language).clone());
        let packages = self.packages.iter().map(|package| package.shown(language));
        let questions = self.questions.iter().map(|question| Question {
            question: question.question.of(language).clone(),
            answer: question.answer.of(language).clone(),
        });
        Shown {
            promise,
            packages: or_neutral(packages.collect(), || neutral_packages(words)),
            questions: or_neutral(questions.collect(), || neutral_questions(words, photo_ttl_hours)),
        }
    }
}

const TEXT_SIZE: &str = "a text has 1 to 500 characters";

fn fits(text: &str) -> bool {
    (1..=TEXT_MAX).contains(&text.trim().chars().count())
}

impl PackageOf {
    fn shown(&self, language: Language) -> Package {
        Package {
            accent: self.accent,
            name: self.name.of(language).clone(),
            for_whom: self.for_whom.of(language).clone(),
            points: self.points.of(language).clone(),
        }
    }
}

fn or_neutral<T>(own: Vec<T>, neutral: impl FnOnce() -> Vec<T>) -> Vec<T> {
    if own.is_empty() { neutral() } else { own }
}

fn neutral_packages(words: &Words) -> Vec<Package> {
    let package = |(number, words): (usize, &crate::words::PackageWords)| Package {
        // The middle one stands out.
        accent: number == 1,
        name: words.name.to_owned(),
        for_whom: words.for_whom.to_owned(),
        points: words.points.map(str::to_owned).to_vec(),
    };
    words.package_words.iter().enumerate().map(package).collect()
}

fn neutral_questions(words: &Words, photo_ttl_hours: u32) -> Vec<Question> {
    let hours = (words.hours)(photo_ttl_hours);
    let question = |said: &crate::words::Said| Question {
        question: said.title.to_owned(),
        answer: said.text.replace("{hours}", &hours),
    };
    words.question_words.iter().map(question).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        promise = { ru = "Ответим за час", uz = "Bir soatda javob", en = "An answer within an hour" }
        [[packages]]
        accent = true
        name = { ru = "Мини", uz = "Mini", en = "Mini" }
        for_whom = { ru = "День рождения", uz = "Tugʻilgan kun", en = "Birthday" }
        points = { ru = ["Два часа"], uz = ["Ikki soat"], en = ["Two hours", "One tablet"] }
    "#;

    #[test]
    fn what_the_file_says_is_shown_and_the_rest_keeps_its_neutral_words() {
        let content = Content::parse(FILE).expect("a good file");
        let shown = content.shown(Language::En, 72);
        assert_eq!(shown.promise, "An answer within an hour");
        assert_eq!(shown.packages.len(), 1);
        assert!(shown.packages[0].accent);
        assert_eq!(shown.packages[0].points, ["Two hours", "One tablet"]);
        assert_eq!(shown.questions.len(), 4);
        assert_eq!(content.shown(Language::Uz, 72).packages[0].for_whom, "Tugʻilgan kun");
    }

    #[test]
    fn the_neutral_page_says_how_long_a_photo_is_kept() {
        for (language, hours, words) in [
            (Language::Ru, 72, "через 72 часа"),
            (Language::Ru, 1, "через 1 час."),
            (Language::Ru, 12, "через 12 часов"),
            (Language::Uz, 48, "48 soatda"),
            (Language::En, 1, "within 1 hour "),
            (Language::En, 24, "within 24 hours "),
        ] {
            let shown = Content::default().shown(language, hours);
            assert!(shown.questions[0].answer.contains(words), "{}", shown.questions[0].answer);
            assert_eq!((shown.packages.len(), shown.questions.len()), (3, 4));
        }
    }

    #[test]
    fn a_file_that_lacks_a_language_or_holds_too_much_is_refused() {
        let no_english = FILE.replace(r#", en = "Mini""#, "");
        let no_points = FILE.replace(r#"["Ikki soat"]"#, "[]");
        let long = FILE.replace("Два часа", &"ы".repeat(501));
        let many = "[[packages]]\nname={ru='a',uz='a',en='a'}\nfor_whom={ru='a',uz='a',en='a'}\npoints={ru=['a'],uz=['a'],en=['a']}\n".repeat(7);
        for (file, part) in [
            (no_english.as_str(), "en"),
            (&no_points, "1 to 8 points"),
            (&long, "1 to 500"),
            (&many, "at most 6"),
            ("price = 5", "price"),
            ("promise = ", ""),
        ] {
            let error = Content::parse(file).expect_err("refused").to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(Content::parse("").is_ok());
    }
}
