//! `POST /leads` of the product server, as the landing site calls it: one request, one bounded wait, one plain answer.

use std::fmt;

use domain::lead_form::LeadRequest;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};

/// The header that carries `LEADS_SECRET`.
const SECRET: HeaderName = HeaderName::from_static("x-stickers-leads-secret");

/// The largest refusal that is read, in bytes.
const REFUSAL_MAX: usize = 16 * 1024;

/// What the server said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeadAnswer {
    /// 201: a new lead is stored.
    Stored,
    /// 200: the same request is known, or it is a repeat.
    Known,
    /// 429: too many, from this caller, this visitor or in this hour.
    Throttled,
    /// 422: the server's rules differ from ours.
    Rejected {
        /// `field: code` pairs, joined by commas. Names no person.
        errors: String,
    },
    /// Any other status: the module is off, the secret is wrong, or the server is in trouble.
    Refused {
        /// The status.
        status: u16,
    },
    /// No answer within the time, or no connection.
    Unreachable {
        /// Why, without the address.
        reason: String,
    },
}

/// Why no client could be made.
#[derive(Debug, thiserror::Error)]
pub enum LeadsConfigError {
    /// `LEADS_ENDPOINT` is not an `http` or `https` address.
    #[error("{0:?} is not an http:// or https:// address")]
    Endpoint(String),
    /// `LEADS_SECRET` does not fit a header. It is not shown.
    #[error("the secret may only hold visible ASCII characters")]
    Secret,
    /// The TLS set-up of this machine is broken.
    #[error("the HTTP client cannot be set up")]
    Client(#[source] reqwest::Error),
}

/// The server that stores leads.
pub struct LeadsServer {
    http: Client,
    endpoint: Url,
    secret: HeaderValue,
}

impl LeadsServer {
    /// A client of `endpoint`, the full address of `POST /leads`. Connects to nothing yet.
    ///
    /// # Errors
    /// An address or secret that cannot be one, or broken TLS on this machine.
    pub fn new(endpoint: &str, secret: &SecretString) -> Result<Self, LeadsConfigError> {
        let bad = || LeadsConfigError::Endpoint(endpoint.to_owned());
        let url = Url::parse(endpoint).map_err(|_| bad())?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(bad());
        }
        let text = secret.expose_secret();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(LeadsConfigError::Secret);
        }
        let mut secret = HeaderValue::from_str(text).map_err(|_| LeadsConfigError::Secret)?;
        secret.set_sensitive(true);
        let http = Client::builder()
            // A request on a connection that the server is just closing is lost without need, and requests are rare: each takes its own.
            .pool_max_idle_per_host(0)
            // Nothing is ever followed or repeated behind our back, and the environment's proxies are not ours.
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .http1_only()
            .build()
            .map_err(LeadsConfigError::Client)?;
        Ok(Self { http, endpoint: url, secret })
    }

    /// Sends one request. Never tries again, and waits for as long as the caller lets it: a future that is dropped leaves the outcome unknown.
    pub async fn submit(&self, lead: &LeadRequest) -> LeadAnswer {
        let request =
            self.http.post(self.endpoint.clone()).header(SECRET, self.secret.clone()).json(&body(lead));
        match request.send().await {
            Ok(response) => answer(response).await,
            Err(error) => LeadAnswer::Unreachable { reason: reason(error) },
        }
    }
}

impl fmt::Debug for LeadsServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeadsServer").finish_non_exhaustive()
    }
}

/// The fields as `POST /leads` takes them; one without a value is left out.
fn body(lead: &LeadRequest) -> Value {
    let utm = &lead.utm;
    let fields = [
        ("request_id", Some(lead.request_id.as_str())),
        ("name", Some(lead.name.0.as_str())),
        ("telegram", Some(lead.telegram.0.as_str())),
        ("phone", Some(lead.phone.0.as_str())),
        ("date", lead.date.as_deref()),
        ("guests", lead.guests.as_deref()),
        ("comment", lead.comment.as_ref().map(|comment| comment.0.as_str())),
        ("locale", Some(lead.locale.code())),
        ("utm_source", utm.source.as_deref()),
        ("utm_medium", utm.medium.as_deref()),
        ("utm_campaign", utm.campaign.as_deref()),
        ("utm_term", utm.term.as_deref()),
        ("utm_content", utm.content.as_deref()),
    ];
    let mut body: Map<String, Value> =
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))).collect();
    if let Some(visitor) = lead.visitor {
        body.insert("client_ip".to_owned(), visitor.to_string().into());
    }
    Value::Object(body)
}

async fn answer(response: Response) -> LeadAnswer {
    match response.status().as_u16() {
        201 => LeadAnswer::Stored,
        200 => LeadAnswer::Known,
        429 => LeadAnswer::Throttled,
        422 => LeadAnswer::Rejected { errors: refused_fields(response).await },
        status => LeadAnswer::Refused { status },
    }
}

/// The fields and codes of a refusal. Only words of letters and underscores pass, so that no value of the visitor can reach a log.
async fn refused_fields(mut response: Response) -> String {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        if body.len() + chunk.len() > REFUSAL_MAX {
            break;
        }
        body.extend_from_slice(&chunk);
    }
    let json: Value = serde_json::from_slice(&body).unwrap_or_default();
    let errors = json.get("errors").and_then(Value::as_object);
    let is_word = |word: &str| {
        (1..=40).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
    };
    let pairs = errors.into_iter().flatten().filter_map(|(field, code)| {
        let code = code.as_str()?;
        (is_word(field) && is_word(code)).then(|| format!("{field}: {code}"))
    });
    pairs.collect::<Vec<_>>().join(", ")
}

/// The error and its causes in one line, without the address.
fn reason(error: reqwest::Error) -> String {
    if error.is_timeout() {
        return "timed out".to_owned();
    }
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
