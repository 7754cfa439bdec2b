//! One HTTP request to an image provider: time-outs, body limits, which failures prove that nothing was sent, and no secret in any
//! of them.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, Url};
use secrecy::{ExposeSecret, SecretString};

use super::error::{ErrorKind, ImageError};

/// The largest answer that is read, in bytes: a sheet of 4,096 px as PNG in base64.
const ANSWER_MAX: usize = 48 * 1024 * 1024;

/// An idle connection is not used again after this long: a request that meets a closing one is lost and billed.
const IDLE_MAX: Duration = Duration::from_secs(15);

/// How long each kind of call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeOuts {
    /// Until connected, TLS included.
    pub connect: Duration,
    /// A picture, from beginning to end: 15 to 40 seconds are usual, large ones take longer.
    pub draw: Duration,
    /// A description.
    pub describe: Duration,
}

impl Default for TimeOuts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            draw: Duration::from_secs(180),
            describe: Duration::from_secs(60),
        }
    }
}

/// Why no client could be made.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The base is not an `http` or `https` address without path version, query or password.
    #[error("the address is not http:// or https:// without query and password")]
    BaseUrl,
    /// The key does not fit a header. It is not shown.
    #[error("the key may only hold visible ASCII characters")]
    Key,
    /// The name of a model has letters that no model has.
    #[error("{0:?} is no name of a model")]
    Model(String),
    /// The TLS set-up of this machine is broken.
    #[error("the HTTP client cannot be set up")]
    Client(#[source] reqwest::Error),
}

/// A whole answer of any status.
#[derive(Debug)]
pub(super) struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    /// A header as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok().map(str::trim)
    }
}

pub(super) struct Wire {
    http: Client,
    /// Without a slash at its end.
    base_url: String,
}

impl Wire {
    pub fn new(base_url: &str, time_outs: TimeOuts) -> Result<Self, ConfigError> {
        let base_url = base_url.trim_end_matches('/');
        let url = Url::parse(base_url).map_err(|_| ConfigError::BaseUrl)?;
        let plain = url.query().is_none() && url.username().is_empty() && url.password().is_none();
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() || !plain {
            return Err(ConfigError::BaseUrl);
        }
        let http = Client::builder()
            .connect_timeout(time_outs.connect)
            .pool_idle_timeout(IDLE_MAX)
            .tcp_keepalive(IDLE_MAX)
            // Nothing is ever followed or repeated behind our back (each try is billed), and the environment's proxies are not ours.
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .http1_only()
            .build()
            .map_err(ConfigError::Client)?;
        Ok(Self { http, base_url: base_url.to_owned() })
    }

    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    pub fn post(&self, path: &str, time_out: Duration) -> RequestBuilder {
        self.http.post(format!("{}{path}", self.base_url)).timeout(time_out)
    }
}

/// Sends one request and reads the whole answer.
pub(super) async fn send(request: RequestBuilder) -> Result<Answer, ImageError> {
    let response = request.send().await.map_err(failed)?;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let body = whole_body(response).await?;
    Ok(Answer { status, headers, body })
}

async fn whole_body(mut response: Response) -> Result<Vec<u8>, ImageError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if body.len() + chunk.len() > ANSWER_MAX {
            let words = format!("the answer is over {ANSWER_MAX} bytes");
            return Err(ImageError::new(ErrorKind::Unreadable, Some(response.status().as_u16()), &words));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// A failure without a whole answer. Only a connection that never stood proves that nothing was sent.
fn failed(error: reqwest::Error) -> ImageError {
    let kind = if error.is_connect() || error.is_builder() {
        ErrorKind::NotSent
    } else if error.is_timeout() {
        ErrorKind::TooSlow
    } else {
        ErrorKind::Lost
    };
    ImageError::new(kind, None, &reason(error))
}

/// The error and its causes in one line, without the address.
fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}

/// A secret as the value of a header that no log shows.
pub(super) fn secret_header(text: &str) -> Result<HeaderValue, ConfigError> {
    let mut value = HeaderValue::from_str(text).map_err(|_| ConfigError::Key)?;
    value.set_sensitive(true);
    Ok(value)
}

/// The key when it fits a header.
pub(super) fn checked_key(key: &SecretString) -> Result<&str, ConfigError> {
    let text = key.expose_secret();
    let good = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    if good { Ok(text) } else { Err(ConfigError::Key) }
}

/// A model's name, which becomes part of a path.
pub(super) fn checked_model(name: &str) -> Result<(), ConfigError> {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b':' | b'/');
    let fine = !name.is_empty() && name.len() <= 100 && name.bytes().all(good) && !name.contains("..");
    if fine { Ok(()) } else { Err(ConfigError::Model(name.to_owned())) }
}

/// A provider's words without our key, should it repeat it.
pub(super) fn without_key(text: &str, key: Option<&SecretString>) -> String {
    match key {
        Some(key) if !key.expose_secret().is_empty() => text.replace(key.expose_secret(), "***"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_a_plain_address() {
        for good in ["http://127.0.0.1:1234", "https://example.org/", "https://example.org/openai"] {
            assert!(Wire::new(good, TimeOuts::default()).is_ok(), "{good}");
        }
        for bad in
            ["", "example.org", "ftp://example.org", "https://a:b@example.org", "https://example.org?key=1"]
        {
            assert!(matches!(Wire::new(bad, TimeOuts::default()), Err(ConfigError::BaseUrl)), "{bad}");
        }
    }

    #[test]
    fn a_model_cannot_lead_out_of_its_path() {
        for good in ["gemini-nano-banana-2.1", "tunedModels/mine", "gpt-image-2.5-flare"] {
            assert!(checked_model(good).is_ok(), "{good}");
        }
        for bad in ["", "../files", "a b", "a?b", "a%2e"] {
            assert!(checked_model(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_repeated_key_is_taken_out_of_the_providers_words() {
        let key = SecretString::from("k-123".to_owned());
        assert_eq!(without_key("key k-123 is bad", Some(&key)), "key *** is bad");
    }
}
