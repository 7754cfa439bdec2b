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
enum Name {
    Gemini,
    OpenAi,
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
            match (name, &self.gemini, &self.openai) {
                (Name::Gemini, Some(settings), _) => {
                    list.push(Provider::new(Arc::new(Gemini::new(settings.clone())?)))
                }
                (Name::OpenAi, _, Some(settings)) => {
                    list.push(Provider::new(Arc::new(OpenAi::new(settings.clone())?)))
                }
                _ => {}
            }
        }
        let local = self.order.contains(&Name::Local);
        Ok(Providers { list, local, job_limit_usd: self.job_limit_usd, catalogue: self.catalogue.clone() })
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
    // A server of one's own may want no key.
    if asked && api_key.is_none() && base_url == OPENAI_URL {
        r.problems.push("OPENAI_API_KEY is not set: PROVIDERS names openai".to_owned());
    }
    let models = models?;
    Some(OpenAiSettings {
        base_url,
        api_key,
        image_model,
        vision_model: some(&models.vision_model),
        portrait_size: models.portrait_size,
        sheet_size: models.sheet_size,
        quality: some(&models.quality),
        time_outs: TimeOuts::default(),
    })
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
