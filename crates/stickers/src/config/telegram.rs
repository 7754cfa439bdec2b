//! Telegram: `BOT_TOKEN`, `TELEGRAM_API_URL`, `TELEGRAM_LINK_URL`.

use super::reader::Reader;
use secrecy::SecretString;

/// The bot and its server.
#[derive(Clone)]
pub struct Telegram {
    /// `BOT_TOKEN`; the bot needs it, the API never calls Telegram.
    pub bot_token: Option<SecretString>,
    /// `TELEGRAM_API_URL`, default `https://api.telegram.org`.
    pub api_url: String,
    /// `TELEGRAM_LINK_URL`, default `https://t.me`: base of `deep_link` and `pack_link`.
    pub link_url: String,
}

impl Telegram {
    /// Reads the section.
    pub fn read(r: &mut Reader<'_>) -> Telegram {
        Telegram {
            bot_token: r.secret("BOT_TOKEN", is_token, "the token from BotFather: digits, a colon, letters"),
            api_url: r.http_url("TELEGRAM_API_URL", "https://api.telegram.org"),
            link_url: r.http_url("TELEGRAM_LINK_URL", "https://t.me"),
        }
    }
}

/// `123456:ABC-def_`: a token goes into a path, so nothing else may stand in it.
pub(super) fn is_token(value: &str) -> bool {
    value.split_once(':').is_some_and(|(id, secret)| {
        !id.is_empty()
            && id.bytes().all(|b| b.is_ascii_digit())
            && !secret.is_empty()
            && secret.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    })
}
