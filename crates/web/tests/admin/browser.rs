//! A browser: it keeps cookies, follows no redirect, and sends forms with the token of the page it saw last.

use crate::harness::Kiosk;
use app::panel::password::cheap_hash;
use app::panel::{Accounts, Disk};
use axum::body::Body;
use axum::extract::ConnectInfo;
use domain::rng::SeededRng;
use http::header::{CONTENT_TYPE, COOKIE, LOCATION, SET_COOKIE};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use web::{PanelOptions, Setting};

/// The password of everybody here.
pub const PASSWORD: &str = "correct horse";

/// A panel for two people.
pub fn panel() -> PanelOptions {
    panel_of(&["dilnoza", "bakhtiyor"], PASSWORD, 1)
}

/// A panel for these people with this password.
pub fn panel_of(names: &[&str], password: &str, seed: u64) -> PanelOptions {
    let hash = cheap_hash(password, &SeededRng::new(seed)).expect("hashes");
    let lines: Vec<_> = names.iter().map(|name| format!("{name}:{hash}")).collect();
    PanelOptions {
        accounts: Accounts::from_lines(&lines.join("\n")).expect("good lines"),
        disk: Box::new(|| Some(Disk { total: 100_000_000_000, free: 39_000_000_000 })),
        settings: vec![
            Setting { name: "PACK_LIMIT", value: Some("1".to_owned()), is_set: false },
            Setting { name: "BOT_TOKEN", value: Some("********".to_owned()), is_set: true },
        ],
    }
}

/// A server with that panel.
pub async fn open() -> Kiosk {
    Kiosk::with_panel(|_| {}, panel()).await
}

/// An answer.
pub struct Page {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Page {
    /// Where it sends the browser.
    pub fn to(&self) -> &str {
        self.headers.get(LOCATION).map_or("", |to| to.to_str().expect("ASCII"))
    }

    /// The token in its first form.
    pub fn csrf(&self) -> String {
        let (_, rest) = self.text.split_once("name=\"csrf\" value=\"").expect("a form");
        rest.split('"').next().expect("a value").to_owned()
    }

    /// What it says in red.
    pub fn alert(&self) -> &str {
        let (_, rest) = self.text.split_once("!</span>").expect("an alert");
        rest.split("</p>").next().expect("its end")
    }
}

/// A browser of somebody.
pub struct Browser<'k> {
    kiosk: &'k Kiosk,
    from: SocketAddr,
    jar: BTreeMap<String, String>,
    csrf: String,
}

impl<'k> Browser<'k> {
    pub fn new(kiosk: &'k Kiosk) -> Browser<'k> {
        Browser::from(kiosk, "198.51.100.7:40000")
    }

    pub fn from(kiosk: &'k Kiosk, address: &str) -> Browser<'k> {
        Browser {
            kiosk,
            from: address.parse().expect("an address"),
            jar: BTreeMap::new(),
            csrf: String::new(),
        }
    }

    /// One that is signed in.
    pub async fn signed_in(kiosk: &'k Kiosk, login: &str) -> Browser<'k> {
        let mut browser = Browser::new(kiosk);
        let answer = browser.sign_in(login, PASSWORD).await;
        assert_eq!((answer.status, answer.to()), (StatusCode::SEE_OTHER, "/admin"), "{}", answer.text);
        browser
    }

    /// The cookie of this name.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        self.jar.get(name).map(String::as_str)
    }

    /// Puts a cookie there, as a thief would.
    pub fn steal(&mut self, name: &str, value: &str) {
        self.jar.insert(name.to_owned(), value.to_owned());
    }

    pub async fn get(&mut self, path: &str) -> Page {
        self.ask(Method::GET, path, None, &[]).await
    }

    /// As the script of a page that updates itself.
    pub async fn live(&mut self, path: &str) -> Page {
        self.ask(Method::GET, path, None, &[("x-panel-live", "1"), ("hx-request", "true")]).await
    }

    /// Sends a form with the token of the page seen last.
    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let csrf = self.csrf.clone();
        let fields: Vec<_> = fields.iter().copied().chain([("csrf", csrf.as_str())]).collect();
        self.post_raw(path, &fields, &[]).await
    }

    /// Sends a form as it is.
    pub async fn post_raw(&mut self, path: &str, fields: &[(&str, &str)], headers: &[(&str, &str)]) -> Page {
        let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        self.ask(Method::POST, path, Some(form), headers).await
    }

    pub async fn sign_in(&mut self, login: &str, password: &str) -> Page {
        self.get("/admin/login").await;
        self.post("/admin/login", &[("login", login), ("password", password)]).await
    }

    async fn ask(&mut self, method: Method, path: &str, form: Option<String>, more: &[(&str, &str)]) -> Page {
        let mut request = Request::builder().method(method).uri(path);
        let cookies: Vec<_> = self.jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !cookies.is_empty() {
            request = request.header(COOKIE, cookies.join("; "));
        }
        if form.is_some() {
            request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        }
        for (name, value) in more {
            request = request.header(*name, *value);
        }
        let body = form.map_or_else(Body::empty, Body::from);
        let mut request = request.body(body).expect("a request");
        request.extensions_mut().insert(ConnectInfo(self.from));
        let response = self.kiosk.send(request).await;
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response.into_body().collect().await.expect("a body").to_bytes();
        let page = Page { status, headers, text: String::from_utf8(bytes.to_vec()).expect("UTF-8") };
        self.keep(&page);
        page
    }

    fn keep(&mut self, page: &Page) {
        for cookie in page.headers.get_all(SET_COOKIE) {
            let cookie = cookie.to_str().expect("ASCII");
            let (name, value) = cookie.split(';').next().expect("a pair").split_once('=').expect("a pair");
            if cookie.contains("Max-Age=0") {
                self.jar.remove(name);
            } else {
                self.jar.insert(name.to_owned(), value.to_owned());
            }
        }
        if page.text.contains("name=\"csrf\"") {
            self.csrf = page.csrf();
        }
    }
}

/// What the audit log says, the oldest first: who, what, about what, and more.
pub async fn audit(kiosk: &Kiosk) -> Vec<(String, String, String, String)> {
    let entries = store::audit_log::latest(&mut kiosk.ctx.store.reader(), 50).await.expect("reads");
    let line = |entry: store::audit_log::Audit| {
        (entry.actor, entry.action, entry.subject, entry.details.unwrap_or_default())
    };
    entries.into_iter().rev().map(line).collect()
}
