//! One HTTP request to the Bot API: time-outs, body limits, and which failures prove that nothing was sent.

use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::multipart::Form;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::answer::{self, Answer};
use super::error::TelegramError;

/// The largest answer read, in bytes. Telegram cuts a batch of updates at about 4 MB.
const ANSWER_MAX: usize = 16 * 1024 * 1024;

/// An idle connection is not used again after this long: servers close theirs after about a minute, and a request that
/// meets the closing one ends with an unknown outcome.
const IDLE_MAX: Duration = Duration::from_secs(15);

/// How long each kind of call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOuts {
    /// Until connected, TLS included.
    pub connect: Duration,
    /// A call that only reads, from beginning to end.
    pub read: Duration,
    /// A call that changes something. The server may hold it for a minute and then do it, so a shorter one makes doubles.
    pub send: Duration,
    /// Added to the time that a poll asks the server to wait.
    pub poll_margin: Duration,
}

impl Default for TimeOuts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            read: Duration::from_secs(30),
            send: Duration::from_secs(90),
            poll_margin: Duration::from_secs(15),
        }
    }
}

/// Why no client could be made.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// `TELEGRAM_API_URL` is not an `http` or `https` address.
    #[error("{0:?} is not an http:// or https:// address")]
    BaseUrl(String),
    /// `BOT_TOKEN` has letters that no token has. It is not shown.
    #[error("the bot token may only hold letters, digits, ':', '_' and '-'")]
    Token,
    /// The TLS set-up of this machine is broken.
    #[error("the HTTP client cannot be set up")]
    Client(#[source] reqwest::Error),
}

/// What a request carries.
pub(super) enum Payload {
    Json(Value),
    Form(Form),
}

pub(super) struct Wire {
    http: Client,
    /// Without a slash at its end.
    base_url: String,
    token: SecretString,
}

impl Wire {
    pub(super) fn new(base_url: &str, token: SecretString, time_outs: TimeOuts) -> Result<Self, ConfigError> {
        let base_url = base_url.trim_end_matches('/');
        let bad_url = || ConfigError::BaseUrl(base_url.to_owned());
        let url = Url::parse(base_url).map_err(|_| bad_url())?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() || url.query().is_some() {
            return Err(bad_url());
        }
        let good = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b':' | b'_' | b'-');
        if token.expose_secret().is_empty() || !token.expose_secret().bytes().all(good) {
            return Err(ConfigError::Token);
        }
        let http = Client::builder()
            .connect_timeout(time_outs.connect)
            .pool_idle_timeout(IDLE_MAX)
            .tcp_keepalive(IDLE_MAX)
            // Nothing is ever followed or repeated behind our back, and the environment's proxies are not ours.
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            // One connection a call: with HTTP/2 one lost connection would lose the answers of all calls in flight.
            .http1_only()
            .build()
            .map_err(ConfigError::Client)?;
        Ok(Self { http, base_url: base_url.to_owned(), token })
    }

    pub(super) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Sends one request and waits at most `time_out` for the whole answer.
    pub(super) async fn ask(
        &self,
        method: &str,
        payload: Payload,
        time_out: Duration,
    ) -> Result<Value, TelegramError> {
        let url = format!("{}/bot{}/{method}", self.base_url, self.token.expose_secret());
        let request = self.http.post(url).timeout(time_out);
        let request = match payload {
            Payload::Json(params) => request.json(&params),
            Payload::Form(form) => request.multipart(form),
        };
        let result = send(request).await;
        match &result {
            Ok(_) => tracing::debug!(method, "telegram answered"),
            Err(error) => {
                tracing::debug!(method, kind = ?error.kind, status = error.status, "telegram refused")
            }
        }
        result
    }
}

async fn send(request: RequestBuilder) -> Result<Value, TelegramError> {
    let response = request.send().await.map_err(failed)?;
    let status = response.status().as_u16();
    let retry_after_s = seconds(response.headers());
    let body = whole_body(response).await;
    answer::read(Answer { status, retry_after_s, body })
}

/// A failure before the answer's head. Only a connection that never stood proves that nothing was sent.
fn failed(error: reqwest::Error) -> TelegramError {
    let never_left = error.is_connect() || error.is_builder();
    let reason = reason(error);
    if never_left { TelegramError::not_sent(reason) } else { TelegramError::unknown(reason) }
}

async fn whole_body(mut response: Response) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(reason)? {
        if body.len() + chunk.len() > ANSWER_MAX {
            return Err(format!("the answer is over {ANSWER_MAX} bytes"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn seconds(headers: &HeaderMap) -> Option<i64> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()
}

/// The error and its causes in one line, without the address, which holds the token.
fn reason(error: reqwest::Error) -> String {
    let timed_out = error.is_timeout();
    let error = error.without_url();
    let mut text = if timed_out { "timed out: ".to_owned() } else { String::new() };
    text.push_str(&error.to_string());
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}
