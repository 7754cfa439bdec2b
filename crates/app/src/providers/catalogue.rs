//! The operator's file of providers: models, sizes, prompts, prices. Read once; what is wrong with it is said by name.

use domain::cost::{DatedPrice, Price, Prices};
use serde::Deserialize;

/// The file that is built in.
const BUILT_IN: &str = include_str!("providers.toml");
/// The largest file that is read, in bytes.
pub const FILE_MAX: u64 = 256 * 1024;

/// What the file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    /// Gemini's models and sizes.
    pub gemini: GeminiModels,
    /// OpenAI's models and sizes.
    pub openai: OpenAiModels,
    /// Set aside before a call, US dollars.
    pub reserve_usd: Reserve,
    /// The price table.
    pub prices: Prices,
    /// What providers are told.
    pub prompts: Prompts,
}

/// Gemini's models and sizes; an empty text leaves a field out.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeminiModels {
    /// The model that draws, unless `GEMINI_MODEL` names another.
    pub image_model: String,
    /// The model that describes.
    pub vision_model: String,
    /// `imageSize` of one figure.
    pub portrait_size: String,
    /// `imageSize` of a sheet.
    pub sheet_size: String,
    /// `thinkingLevel`.
    pub thinking: String,
}

/// OpenAI's models and sizes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenAiModels {
    /// The model that draws, unless `OPENAI_MODEL` names another.
    pub image_model: String,
    /// The model that describes; empty: none.
    pub vision_model: String,
    /// `size` of one figure.
    pub portrait_size: String,
    /// `size` of a sheet.
    pub sheet_size: String,
    /// `quality`; empty: not sent.
    pub quality: String,
}

/// US dollars that are set aside before a call.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reserve {
    /// A description.
    pub describe: f64,
    /// The anchor portrait.
    pub anchor: f64,
    /// A sheet.
    pub sheet: f64,
    /// A judgement of a sheet.
    #[serde(default = "reserve_judge")]
    pub judge: f64,
}

/// What providers are told, with `{…}` to fill in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompts {
    /// Describe a person.
    pub describe: String,
    /// Draw the anchor portrait.
    pub anchor: String,
    /// Draw a sheet.
    pub sheet: String,
    /// Say whether a sheet shows one person; empty: nobody is asked.
    #[serde(default)]
    pub judge: String,
}

/// For a file that was written before sheets were judged.
fn reserve_judge() -> f64 {
    0.01
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    gemini: GeminiModels,
    openai: OpenAiModels,
    reserve_usd: Reserve,
    #[serde(default)]
    prices: Vec<PriceRow>,
    prompts: Prompts,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceRow {
    model: String,
    since: String,
    text_in: f64,
    image_in: f64,
    text_out: f64,
    image_out: f64,
}

/// What each prompt must leave room for.
const PLACES: [(&str, Place, &[&str]); 3] = [
    ("anchor", |prompts| &prompts.anchor, &["{key}", "{outfit}", "{likeness}"]),
    ("sheet", |prompts| &prompts.sheet, &["{grid}", "{key}", "{outfit}", "{likeness}", "{poses}"]),
    ("judge", |prompts| &prompts.judge, &["{grid}", "{count}"]),
];

type Place = fn(&Prompts) -> &String;

impl Catalogue {
    /// The file that is built in.
    ///
    /// # Errors
    /// Never, as a test says; the text is not trusted all the same.
    pub fn built_in() -> Result<Catalogue, String> {
        Catalogue::read(BUILT_IN)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// One line that says what is wrong and where.
    pub fn read(text: &str) -> Result<Catalogue, String> {
        let file: File = toml::from_str(text).map_err(|error| one_line(&error.to_string()))?;
        let reserve = file.reserve_usd;
        for (name, value) in [
            ("describe", reserve.describe),
            ("anchor", reserve.anchor),
            ("sheet", reserve.sheet),
            ("judge", reserve.judge),
        ] {
            sane(&format!("reserve_usd.{name}"), value)?;
        }
        for (name, text, places) in PLACES {
            let text = text(&file.prompts);
            let missing = places.iter().find(|place| !text.contains(**place));
            // Judging can be switched off, drawing cannot.
            if let Some(place) = missing.filter(|_| name != "judge" || !text.is_empty()) {
                return Err(format!("prompts.{name} has no {place}"));
            }
        }
        let prices = file.prices.into_iter().map(PriceRow::checked).collect::<Result<Vec<_>, _>>()?;
        Ok(Catalogue {
            gemini: file.gemini,
            openai: file.openai,
            reserve_usd: reserve,
            prices: Prices(prices),
            prompts: file.prompts,
        })
    }
}

impl PriceRow {
    fn checked(self) -> Result<DatedPrice, String> {
        let day = self.since.as_bytes();
        let digits = |range: std::ops::Range<usize>| day[range].iter().all(u8::is_ascii_digit);
        let good = day.len() == 10
            && day[4] == b'-'
            && day[7] == b'-'
            && digits(0..4)
            && digits(5..7)
            && digits(8..10);
        if !good {
            return Err(format!(
                "prices of {}: since is \"{}\", allowed is YYYY-MM-DD",
                self.model, self.since
            ));
        }
        for value in [self.text_in, self.image_in, self.text_out, self.image_out] {
            sane(&format!("prices of {}", self.model), value)?;
        }
        let Self { text_in, image_in, text_out, image_out, .. } = self;
        let price = Price { text_in, image_in, text_out, image_out };
        Ok(DatedPrice { model: self.model, since: self.since, price })
    }
}

/// No price is above a thousand dollars.
fn sane(name: &str, value: f64) -> Result<(), String> {
    if (0.0..=1_000.0).contains(&value) {
        Ok(())
    } else {
        Err(format!("{name} is {value}: allowed is from 0 to 1000"))
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_file_is_read_and_prices_its_own_models() {
        let read = Catalogue::built_in().unwrap_or_else(|error| panic!("{error}"));
        let now = domain::Timestamp::from_millis(1_795_959_000_000);
        for model in [
            &read.gemini.image_model,
            &read.gemini.vision_model,
            &read.openai.image_model,
            &read.openai.vision_model,
        ] {
            assert!(read.prices.at(model, now).is_some(), "{model} has no price");
        }
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said_by_name() {
        let cases = [
            ("sheet = 0.15", "sheet = -1.0", "reserve_usd.sheet"),
            ("since = \"2026-10-06\"", "since = \"October\"", "YYYY-MM-DD"),
            ("{likeness}", "", "{likeness}"),
            ("cells 1 to {count}", "cells", "prompts.judge has no {count}"),
            ("[gemini]", "[gemini]\nmodle = 1", "modle"),
            ("image_out = 120.0", "image_out = 120000.0", "gemini-3-pro-image"),
        ];
        for (from, to, named) in cases {
            let error = Catalogue::read(&BUILT_IN.replace(from, to)).expect_err(named);
            assert!(error.contains(named) && !error.contains('\n'), "{error}");
        }
    }
}
