//! A site with an injected clock, and servers of one test that stand for the product server and for Telegram.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request};
use axum::response::{IntoResponse, Response};
use clients::leads::LeadsServer;
use clients::telegram::BotApi;
use domain::clock::ManualClock;
use domain::rng::SeededRng;
use domain::{Clock, Timestamp};
use http::{HeaderMap, StatusCode};
use landing::{Content, Delivery, Fallback, Site, SiteOptions, Waits};
use secrecy::SecretString;
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tower::ServiceExt;

/// `LEADS_SECRET` of the tests.
pub const SECRET: &str = "a secret of the tests";
/// `FALLBACK_CHAT_ID` of the tests.
pub const GROUP: i64 = -1_001;
/// Long enough for a busy machine to answer at once, short enough to wait for one that never does.
const SHORT: Duration = Duration::from_millis(700);
/// No request of a test takes longer: both ways and a busy machine.
const BOUND: Duration = Duration::from_secs(20);

/// How a server of a test answers.
#[derive(Clone)]
pub enum Answer {
    /// With this status and JSON body.
    Says(u16, &'static str),
    /// The connection stands and nothing comes.
    Never,
    /// The head comes, the body never ends.
    HalfWay(u16),
    /// Each request is answered by the next status, the last one for ever.
    InTurn(Vec<(u16, &'static str)>),
}

/// One request that reached a server.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its path.
    pub path: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its JSON body.
    pub body: Value,
}

/// A server of one test.
#[derive(Clone)]
pub struct Stand {
    /// `http://127.0.0.1:<port>`.
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Stand {
    /// Starts it; it ends with the test.
    pub async fn start(answer: Answer) -> Stand {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let stand = Stand { url, asked };
        let seen = stand.clone();
        let handler = move |request: Request| {
            let (seen, answer) = (seen.clone(), answer.clone());
            async move { seen.take(request, answer).await }
        };
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(handler)).await });
        stand
    }

    async fn take(&self, request: Request, answer: Answer) -> Response {
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, 1024 * 1024).await.expect("a body");
        let body = serde_json::from_slice(&body).expect("a JSON body");
        let number = {
            let mut asked = self.asked.lock().expect("no panic while held");
            asked.push(Asked { path: parts.uri.path().to_owned(), headers: parts.headers, body });
            asked.len() - 1
        };
        match answer {
            Answer::Says(status, body) => says(status, body),
            Answer::InTurn(turns) => {
                let (status, body) = turns.get(number).or(turns.last()).expect("a turn");
                says(*status, body)
            }
            Answer::Never => std::future::pending().await,
            Answer::HalfWay(status) => {
                let endless = futures::stream::pending::<Result<&'static str, std::io::Error>>();
                (code(status), Body::from_stream(endless)).into_response()
            }
        }
    }

    /// What reached it so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no panic while held").clone()
    }

    /// The one request that reached it.
    pub fn only(&self) -> Asked {
        let asked = self.asked();
        assert_eq!(asked.len(), 1, "{asked:?}");
        asked[0].clone()
    }
}

fn says(status: u16, body: &'static str) -> Response {
    (code(status), [("content-type", "application/json")], body).into_response()
}

fn code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).expect("a status")
}

/// An address where nothing listens.
pub async fn nowhere() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    format!("http://{}", listener.local_addr().expect("an address"))
}

/// Telegram accepts.
pub const ACCEPTED: Answer =
    Answer::Says(200, r#"{"ok":true,"result":{"message_id":7,"chat":{"id":-1001}}}"#);
/// Telegram refuses.
pub const REFUSED: Answer = Answer::Says(
    403,
    r#"{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked from the group chat"}"#,
);

/// A site and what it talks to.
pub struct World {
    /// The site.
    pub site: Site,
    /// Its clock.
    pub clock: Arc<ManualClock>,
    /// What was printed.
    pub printed: Arc<Mutex<Vec<String>>>,
}

impl World {
    /// A site whose product server and Telegram are at these addresses.
    pub fn new(server: Option<&str>, telegram: Option<&str>) -> World {
        World::with(server, telegram, |_| {})
    }

    /// The same with other options.
    pub fn with(
        server: Option<&str>,
        telegram: Option<&str>,
        change: impl FnOnce(&mut SiteOptions),
    ) -> World {
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_795_959_000_000)));
        let printed = Arc::new(Mutex::new(Vec::new()));
        let secret = SecretString::from(SECRET.replace(' ', "-"));
        let server =
            server.map(|url| LeadsServer::new(&format!("{url}/leads"), &secret).expect("an address"));
        let fallback = telegram.map(|url| {
            let bot = BotApi::new(url, SecretString::from("1:token".to_owned())).expect("an address");
            Fallback { telegram: Arc::new(bot), chat_id: GROUP }
        });
        let paper = Arc::clone(&printed);
        let console =
            Arc::new(move |text: &str| paper.lock().expect("no panic while held").push(text.to_owned()));
        let mut options = SiteOptions {
            brand: "Стикерная".to_owned(),
            privacy_url: Some("https://example.org/privacy".to_owned()),
            public_url: "https://example.org".to_owned(),
            photo_ttl_hours: 72,
            trusted_proxies: vec!["127.0.0.1".parse().expect("an address")],
            content: Content::default(),
            delivery: Delivery { server, fallback, console, waits: Waits { server: SHORT, telegram: SHORT } },
            clock: clock.clone(),
            rng: Arc::new(SeededRng::new(1)),
        };
        change(&mut options);
        World { site: Site::new(options).expect("the pages are built"), clock, printed }
    }

    /// What the console shows.
    pub fn printed(&self) -> Vec<String> {
        self.printed.lock().expect("no panic while held").clone()
    }

    /// Sends a request from 203.0.113.9 through a trusted proxy, unless it says otherwise.
    pub async fn call(&self, mut request: Request) -> Page {
        request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 4711))));
        if !request.headers().contains_key("x-forwarded-for") {
            request.headers_mut().insert("x-forwarded-for", "203.0.113.9".parse().expect("a header"));
        }
        let answered = tokio::time::timeout(BOUND, self.site.router().oneshot(request)).await;
        let (parts, body) = answered.expect("an answer in time").expect("infallible").into_parts();
        let bytes = to_bytes(body, 4 * 1024 * 1024).await.expect("a body").to_vec();
        Page { status: parts.status.as_u16(), headers: parts.headers, bytes }
    }

    /// Loads an address.
    pub async fn get(&self, address: &str) -> Page {
        self.call(Request::builder().uri(address).body(Body::empty()).expect("a request")).await
    }

    /// Opens the page and fills the form in, ten seconds later.
    pub async fn open(&self, language: &str) -> Form {
        let page = self.get(&format!("/{language}")).await;
        assert_eq!(page.status, 200);
        let text = page.text();
        let hidden = |name| value_of(&text, name).expect("a hidden field");
        self.clock.advance(Duration::from_secs(10));
        Form {
            language: language.to_owned(),
            fields: vec![
                ("name", "Мадина".to_owned()),
                ("telegram", "madina_k".to_owned()),
                ("phone", "+998 90 123-45-67".to_owned()),
                ("date", "14 декабря".to_owned()),
                ("guests", "около 150".to_owned()),
                ("comment", "Свадьба".to_owned()),
                ("company", String::new()),
                ("startedAt", hidden("startedAt")),
                ("requestId", hidden("requestId")),
            ],
            headers: Vec::new(),
        }
    }

    /// Submits a form as the script does; answers status and JSON.
    pub async fn send(&self, form: &Form) -> (u16, Value) {
        let page = self.call(form.request(Some("application/json"))).await;
        (page.status, serde_json::from_slice(&page.bytes).expect("JSON"))
    }

    /// Submits a form as a browser without JavaScript does.
    pub async fn send_plain(&self, form: &Form) -> Page {
        self.call(form.request(Some("text/html,application/xhtml+xml,*/*;q=0.8"))).await
    }

    /// The injected time.
    pub fn now_ms(&self) -> i64 {
        self.clock.now().as_millis()
    }
}

/// An answer.
pub struct Page {
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub bytes: Vec<u8>,
}

impl Page {
    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8(self.bytes.clone()).expect("text")
    }

    /// A header.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }
}

/// A filled-in form.
#[derive(Clone)]
pub struct Form {
    language: String,
    fields: Vec<(&'static str, String)>,
    headers: Vec<(&'static str, &'static str)>,
}

impl Form {
    /// The same with another value, or one more field.
    pub fn with(&self, name: &'static str, value: impl Into<String>) -> Form {
        let mut form = self.clone();
        form.fields.retain(|(known, _)| *known != name);
        form.fields.push((name, value.into()));
        form
    }

    /// The same without a field.
    pub fn without(&self, name: &str) -> Form {
        let mut form = self.clone();
        form.fields.retain(|(known, _)| *known != name);
        form
    }

    /// The same with a header.
    pub fn header(&self, name: &'static str, value: &'static str) -> Form {
        let mut form = self.clone();
        form.headers.push((name, value));
        form
    }

    /// The value of a field.
    pub fn value(&self, name: &str) -> String {
        self.fields.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()).expect("a field")
    }

    fn request(&self, accept: Option<&str>) -> Request {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.fields).finish();
        let mut request = Request::post(format!("/{}/request", self.language))
            .header("content-type", "application/x-www-form-urlencoded");
        for (name, value) in accept.map(|accept| ("accept", accept)).iter().chain(&self.headers) {
            request = request.header(*name, *value);
        }
        request.body(Body::from(body)).expect("a request")
    }
}

/// The value of a field in a page.
pub fn value_of(page: &str, name: &str) -> Option<String> {
    let tag = &page[page.find(&format!(r#"name="{name}""#))?..];
    let rest = &tag[tag.find(r#"value=""#)? + 7..];
    Some(rest[..rest.find('"')?].to_owned())
}
