//! The landing site: `LANDING_BIND`, `LANDING_URL`, `LANDING_CONTENT`, `LEADS_ENDPOINT`, `FALLBACK_BOT_TOKEN`, `FALLBACK_CHAT_ID`.

use super::env::Env;
use super::event::Event;
use super::http::Http;
use super::leads::header_text;
use super::logs::Logs;
use super::reader::{Reader, http_url};
use super::telegram::{Telegram, is_token};
use secrecy::SecretString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

/// What only the landing site reads.
#[derive(Clone)]
pub struct Landing {
    /// `LANDING_BIND`, default `127.0.0.1:3000`.
    pub bind: SocketAddr,
    /// `LANDING_URL`: where visitors reach the site, without a slash at its end; unset means the address that it listens on.
    pub url: Option<String>,
    /// `LANDING_CONTENT`: a TOML file with the owner's packages, questions and promise; unset means neutral ones.
    pub content: Option<PathBuf>,
    /// `LEADS_ENDPOINT`: the full address of `POST /leads`.
    pub endpoint: Option<String>,
    /// `FALLBACK_BOT_TOKEN`: the bot of the backup channel.
    pub fallback_token: Option<SecretString>,
    /// `FALLBACK_CHAT_ID`: the group of the backup channel.
    pub fallback_chat: Option<i64>,
}

/// Default of `LANDING_BIND`.
const BIND: &str = "127.0.0.1:3000";
const URL_ALLOWED: &str = "an address that begins with http:// or https://";

impl Landing {
    /// Reads the section.
    pub fn read(r: &mut Reader<'_>) -> Landing {
        let bind = r.parsed("LANDING_BIND", BIND, "ADDRESS:PORT, such as 127.0.0.1:3000", |value| {
            value.parse::<SocketAddr>().ok()
        });
        let url = optional(r, "LANDING_URL", URL_ALLOWED, http_url);
        let content = r.optional("LANDING_CONTENT").map(PathBuf::from);
        // The whole address as it is: a slash at its end may mean something to that server.
        let endpoint =
            optional(r, "LEADS_ENDPOINT", URL_ALLOWED, |value| http_url(value).map(|_| value.to_owned()));
        let fallback_token =
            r.secret("FALLBACK_BOT_TOKEN", is_token, "the token from BotFather: digits, a colon, letters");
        let fallback_chat = optional(r, "FALLBACK_CHAT_ID", "a number other than 0", |value| {
            value.parse::<i64>().ok().filter(|id| *id != 0)
        });
        Landing {
            bind: bind.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 3000))),
            url,
            content,
            endpoint,
            fallback_token,
            fallback_chat,
        }
    }
}

/// A value that may be absent.
fn optional<T>(
    r: &mut Reader<'_>,
    name: &'static str,
    allowed: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Option<T> {
    r.parsed(name, "", allowed, |value| if value.is_empty() { Some(None) } else { parse(value).map(Some) })
        .flatten()
}

/// Everything that `stickers landing` reads. It has no database and no bot of its own, so what is wrong with those does not stop it.
pub struct LandingConfig {
    /// What only the site reads.
    pub landing: Landing,
    /// `LEADS_SECRET`, which the API reads too.
    pub leads_secret: Option<SecretString>,
    /// Names and promises.
    pub event: Event,
    /// Trusted proxies.
    pub http: Http,
    /// The Bot API server of the backup channel.
    pub telegram_api_url: String,
    /// Logs.
    pub logs: Logs,
}

impl LandingConfig {
    /// Reads and checks it.
    ///
    /// # Errors
    /// One line for each value that is not allowed, and for half of a pair.
    pub fn read(env: &Env) -> Result<LandingConfig, Vec<String>> {
        let mut r = Reader::new(env);
        let landing = Landing::read(&mut r);
        let leads_secret = r.secret("LEADS_SECRET", header_text, "1 to 200 visible ASCII characters");
        let event = Event::read(&mut r);
        let http = Http::read(&mut r);
        let telegram_api_url = Telegram::read(&mut r).api_url;
        let logs = Logs::read(&mut r);
        if r.problems.is_empty() {
            for (one, other) in
                [("LEADS_ENDPOINT", "LEADS_SECRET"), ("FALLBACK_BOT_TOKEN", "FALLBACK_CHAT_ID")]
            {
                pair(&mut r, one, other);
            }
        }
        if r.problems.is_empty() {
            Ok(LandingConfig { landing, leads_secret, event, http, telegram_api_url, logs })
        } else {
            Err(r.problems)
        }
    }
}

/// Half of a pair looks like a channel and is none: better no start than requests on a way that nobody meant.
fn pair(r: &mut Reader<'_>, one: &str, other: &str) {
    let is_set = |name: &str| r.env().get(name).is_some();
    let (missing, present) = match (is_set(one), is_set(other)) {
        (true, false) => (other, one),
        (false, true) => (one, other),
        _ => return,
    };
    r.problems.push(format!(
        "{missing} is \"\": allowed is a value, because {present} is set; set both or neither"
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<LandingConfig, Vec<String>> {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        LandingConfig::read(&Env::new(pairs, []))
    }

    #[test]
    fn nothing_configured_is_a_site_on_port_3000_without_channels() {
        let config = read(&[]).unwrap_or_else(|lines| panic!("{lines:?}"));
        assert_eq!(config.landing.bind.to_string(), "127.0.0.1:3000");
        assert!(config.landing.endpoint.is_none() && config.leads_secret.is_none());
        assert!(config.landing.fallback_token.is_none() && config.landing.fallback_chat.is_none());
    }

    #[test]
    fn half_of_a_pair_stops_the_start() {
        let cases = [
            ("LEADS_ENDPOINT", "http://api/leads", "LEADS_SECRET"),
            ("LEADS_SECRET", "hunter2", "LEADS_ENDPOINT"),
            ("FALLBACK_BOT_TOKEN", "1:hunter2", "FALLBACK_CHAT_ID"),
            ("FALLBACK_CHAT_ID", "-100", "FALLBACK_BOT_TOKEN"),
        ];
        for (present, value, missing) in cases {
            let lines = read(&[(present, value)]).err().unwrap_or_default();
            assert_eq!(lines.len(), 1, "{present}: {lines:?}");
            assert!(
                lines[0].starts_with(&format!("{missing} is \"\"")) && lines[0].contains(present),
                "{lines:?}"
            );
            assert!(!lines[0].contains("hunter2"), "{lines:?}");
        }
        let whole = [
            ("LEADS_ENDPOINT", "https://api.example.org/leads"),
            ("LEADS_SECRET", "s"),
            ("FALLBACK_BOT_TOKEN", "1:x"),
            ("FALLBACK_CHAT_ID", "-100"),
        ];
        let config = read(&whole).unwrap_or_else(|lines| panic!("{lines:?}"));
        assert_eq!(config.landing.endpoint.as_deref(), Some("https://api.example.org/leads"));
        assert_eq!(config.landing.fallback_chat, Some(-100));
    }

    #[test]
    fn a_secret_needs_no_salt_here_and_the_database_is_not_looked_at() {
        let pairs =
            [("LEADS_ENDPOINT", "http://api/leads"), ("LEADS_SECRET", "s"), ("DATABASE_URL", "mysql://x")];
        assert!(read(&pairs).is_ok());
    }
}
