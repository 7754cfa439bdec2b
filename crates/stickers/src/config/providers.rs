//! Who draws: `PROVIDERS`, `GEMINI_*`, `OPENAI_*`, `JOB_COST_LIMIT_USD`, and `PROVIDERS_FILE` with models, prompts and prices.

use super::reader::Reader;
use app::providers::{Catalogue, FILE_MAX, Provider, Providers};
use clients::images::{ConfigError, Gemini, GeminiSettings, OpenAi, OpenAiSettings, TimeOuts};
use std::fs;
use std::path::Path;
use std::sync::Arc;

const GEMINI_URL: &str = "https://generativelanguage.googleapis.com";
const OPENAI_URL: &str = "https://api.openai.com";
/// `JOB_COST_LIMIT_USD` when it is not set.
const JOB_LIMIT_USD: f64 = 1.0;
const JOB_LIMIT_RANGE: std::ops::RangeInclusive<f64> = 0.01..=100.0;

/// One name of `PROVIDERS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// Gemini.
    Gemini,
    /// OpenAI, or a server that speaks like it.
    OpenAi,
    /// The built-in renderer.
    Local,
}

/// Who draws, as configured.
#[derive(Clone)]
pub struct Drawing {
    order: Vec<Name>,
    job_limit_usd: f64,
    catalogue: Option<Catalogue>,
    gemini: Option<GeminiSettings>,
    openai: Option<OpenAiSettings>,
}

impl Drawing {
    /// Reads the section.
    pub fn read(r: &mut Reader<'_>) -> Drawing {
        let order = r
            .parsed("PROVIDERS", "local", "a list without doubles from gemini, openai, local", names)
            .unwrap_or_else(|| vec![Name::Local]);
        let limit = |text: &str| text.parse::<f64>().ok().filter(|value| JOB_LIMIT_RANGE.contains(value));
        let job_limit_usd = r
            .parsed("JOB_COST_LIMIT_USD", "1.00", "a number from 0.01 to 100", limit)
            .unwrap_or(JOB_LIMIT_USD);
        let catalogue = catalogue(r);
        let asked =
            |name: Name| order.iter().take_while(|other| **other != Name::Local).any(|other| *other == name);
        let gemini = gemini(r, catalogue.as_ref(), asked(Name::Gemini));
        let openai = openai(r, catalogue.as_ref(), asked(Name::OpenAi));
        Drawing { order, job_limit_usd, catalogue, gemini, openai }
    }

    /// The clients, in the order of attempt. Whoever stands behind `local` is never asked, because `local` always draws.
    ///
    /// # Errors
    /// When a client cannot be made.
    pub fn providers(&self) -> Result<Providers, ConfigError> {
        let mut list = Vec::new();
        for name in self.order.iter().take_while(|name| **name != Name::Local) {
            list.extend(self.provider(*name)?);
        }
        Ok(self.with(list, self.order.contains(&Name::Local)))
    }

    /// One provider alone, whether `PROVIDERS` names it or not.
    ///
    /// # Errors
    /// In words, when it cannot be asked with this configuration.
    pub fn only(&self, name: Name) -> Result<Providers, String> {
        let key = match name {
            Name::Gemini if self.gemini.is_none() => Some("GEMINI_API_KEY"),
            Name::OpenAi if self.openai.as_ref().is_none_or(wants_key) => Some("OPENAI_API_KEY"),
            _ => None,
        };
        if let Some(key) = key {
            return Err(format!("{key} is not set"));
        }
        let list = self.provider(name).map_err(|error| error.to_string())?.into_iter().collect();
        Ok(self.with(list, false))
    }

    fn provider(&self, name: Name) -> Result<Option<Provider>, ConfigError> {
        Ok(match (name, &self.gemini, &self.openai) {
            (Name::Gemini, Some(settings), _) => {
                Some(Provider::new(Arc::new(Gemini::new(settings.clone())?)))
            }
            (Name::OpenAi, _, Some(settings)) => {
                Some(Provider::new(Arc::new(OpenAi::new(settings.clone())?)))
            }
            _ => None,
        })
    }

    fn with(&self, list: Vec<Provider>, local: bool) -> Providers {
        Providers { list, local, job_limit_usd: self.job_limit_usd, catalogue: self.catalogue.clone() }
    }
}

fn names(value: &str) -> Option<Vec<Name>> {
    let mut list = Vec::new();
    for word in value.split(',') {
        let name = match word.trim() {
            "gemini" => Name::Gemini,
            "openai" => Name::OpenAi,
            "local" => Name::Local,
            _ => return None,
        };
        if list.contains(&name) {
            return None;
        }
        list.push(name);
    }
    Some(list)
}

/// The built-in file, or that of `PROVIDERS_FILE`.
fn catalogue(r: &mut Reader<'_>) -> Option<Catalogue> {
    let read = match r.optional("PROVIDERS_FILE") {
        None => Catalogue::built_in(),
        Some(path) => file(Path::new(&path)).map_err(|why| format!("\"{path}\": {why}")),
    };
    match read {
        Ok(catalogue) => Some(catalogue),
        Err(why) => {
            r.problems.push(format!("PROVIDERS_FILE is {why}"));
            None
        }
    }
}

fn file(path: &Path) -> Result<Catalogue, String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > FILE_MAX {
        return Err(format!("allowed is a file of at most {FILE_MAX} bytes"));
    }
    Catalogue::read(&fs::read_to_string(path).map_err(|error| error.to_string())?)
}

const KEY_ALLOWED: &str = "visible ASCII characters";

fn is_key(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_graphic())
}

fn is_model(value: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b':' | b'/');
    value.len() <= 100 && value.bytes().all(good) && !value.contains("..")
}

fn model(r: &mut Reader<'_>, name: &'static str, default: &str) -> String {
    let read = |value: &str| is_model(value).then(|| value.to_owned());
    r.parsed(name, default, "the name of a model", read).unwrap_or_else(|| default.to_owned())
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// A server of one's own may want no key.
fn wants_key(settings: &OpenAiSettings) -> bool {
    settings.api_key.is_none() && settings.base_url == OPENAI_URL
}

fn gemini(r: &mut Reader<'_>, catalogue: Option<&Catalogue>, asked: bool) -> Option<GeminiSettings> {
    let models = catalogue.map(|catalogue| catalogue.gemini.clone());
    let api_key = r.secret("GEMINI_API_KEY", is_key, KEY_ALLOWED);
    let image_model = model(r, "GEMINI_MODEL", models.as_ref().map_or("", |models| &models.image_model));
    let base_url = r.http_url("GEMINI_API_URL", GEMINI_URL);
    if asked && api_key.is_none() {
        r.problems.push("GEMINI_API_KEY is not set: PROVIDERS names gemini".to_owned());
    }
    let models = models?;
    Some(GeminiSettings {
        base_url,
        api_key: api_key?,
        image_model,
        vision_model: some(&models.vision_model),
        portrait_size: some(&models.portrait_size),
        sheet_size: some(&models.sheet_size),
        thinking: some(&models.thinking),
        time_outs: TimeOuts::default(),
    })
}

fn openai(r: &mut Reader<'_>, catalogue: Option<&Catalogue>, asked: bool) -> Option<OpenAiSettings> {
    let models = catalogue.map(|catalogue| catalogue.openai.clone());
    let api_key = r.secret("OPENAI_API_KEY", is_key, KEY_ALLOWED);
    let image_model = model(r, "OPENAI_MODEL", models.as_ref().map_or("", |models| &models.image_model));
    let base_url = r.http_url("OPENAI_API_URL", OPENAI_URL);
    let settings = models.map(|models| OpenAiSettings {
        base_url,
        api_key,
        image_model,
        vision_model: some(&models.vision_model),
        portrait_size: models.portrait_size,
        sheet_size: models.sheet_size,
        quality: some(&models.quality),
        time_outs: TimeOuts::default(),
    });
    if asked && settings.as_ref().is_some_and(wants_key) {
        r.problems.push("OPENAI_API_KEY is not set: PROVIDERS names openai".to_owned());
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::super::env::Env;
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Providers, Vec<String>> {
        let env = Env::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())), []);
        let mut reader = Reader::new(&env);
        let drawing = Drawing::read(&mut reader);
        if reader.problems.is_empty() {
            Ok(drawing.providers().unwrap_or_else(|error| panic!("{error}")))
        } else {
            Err(reader.problems)
        }
    }

    fn asked(pairs: &[(&str, &str)]) -> (Vec<&'static str>, bool) {
        let providers = read(pairs).unwrap_or_else(|lines| panic!("{lines:?}"));
        (providers.list.iter().map(|provider| provider.client().name()).collect(), providers.local)
    }

    #[test]
    fn a_picked_provider_is_asked_alone_and_needs_its_key() {
        let drawing = |pairs: &[(&str, &str)]| {
            let env =
                Env::new(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())), []);
            Drawing::read(&mut Reader::new(&env))
        };
        let error = |pairs: &[(&str, &str)], name| drawing(pairs).only(name).err().unwrap_or_default();
        assert_eq!(error(&[], Name::Gemini), "GEMINI_API_KEY is not set");
        assert_eq!(error(&KEYS[..1], Name::OpenAi), "OPENAI_API_KEY is not set");
        let picked = drawing(&KEYS).only(Name::OpenAi).unwrap_or_else(|why| panic!("{why}"));
        let names: Vec<_> = picked.list.iter().map(|provider| provider.client().name()).collect();
        assert_eq!((names, picked.local), (vec!["openai"], false));
        let own = drawing(&[("OPENAI_API_URL", "http://127.0.0.1:1234")]);
        assert_eq!(own.only(Name::OpenAi).map(|picked| picked.list.len()), Ok(1));
    }

    const KEYS: [(&str, &str); 2] = [("GEMINI_API_KEY", "k1"), ("OPENAI_API_KEY", "k2")];

    #[test]
    fn providers_are_asked_in_their_order_up_to_local() {
        let with = |order| asked(&[KEYS[0], KEYS[1], ("PROVIDERS", order)]);
        assert_eq!(asked(&[]), (vec![], true));
        assert_eq!(with("openai,gemini"), (vec!["openai", "gemini"], false));
        assert_eq!(with("gemini, openai, local"), (vec!["gemini", "openai"], true));
        assert_eq!(with("gemini,local,openai"), (vec!["gemini"], true));
    }

    #[test]
    fn a_provider_without_a_key_stops_the_start_except_on_a_server_of_ones_own() {
        let lines = read(&[("PROVIDERS", "gemini,openai")]).err().unwrap_or_default();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].contains("GEMINI_API_KEY") && lines[1].contains("OPENAI_API_KEY"), "{lines:?}");
        let own = [("PROVIDERS", "openai"), ("OPENAI_API_URL", "http://127.0.0.1:1234")];
        assert_eq!(asked(&own), (vec!["openai"], false));
    }

    #[test]
    fn a_wrong_file_of_providers_stops_the_start_by_name() {
        let lines = read(&[("PROVIDERS_FILE", "/nowhere/providers.toml")]).err().unwrap_or_default();
        assert!(lines.len() == 1 && lines[0].contains("PROVIDERS_FILE"), "{lines:?}");
    }
}
