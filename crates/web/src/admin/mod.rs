//! `/admin`: the panel for operators. Pages are made here (askama), live by server-sent events and htmx; what they show and do are read models
//! and verbs of `app`. The product's language for operators is Russian.
//!
//! **Invariant:** whoever gets past [`access::Signed`] is signed in; nothing is done for a form whose token is not that of the session.

mod access;
mod account;
mod assets;
mod chart;
mod cookies;
mod costs;
mod error;
mod events;
mod form;
mod guests;
mod job;
mod jobs;
mod journal;
mod leads;
mod login;
mod maintenance;
mod now;
mod page;
mod steps;
mod words;

use crate::WebState;
use app::panel::{Accounts, AskDisk, Entrance, Server};
use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use cookies::Cookies;
use error::PanelError;
use http::header::CONTENT_SECURITY_POLICY;
use http::{HeaderName, HeaderValue};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Event streams that are open at once.
const STREAMS_MAX: usize = 256;

/// Its pages may use their own files, ask their own server and send their forms there. Nothing inline, nothing from elsewhere, no frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; \
     connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// What the panel is told by the configuration.
pub struct PanelOptions {
    /// Who may sign in.
    pub accounts: Accounts,
    /// Asks the disk below `DATA_DIR`.
    pub disk: AskDisk,
    /// What `stickers config` shows, secrets masked.
    pub settings: Vec<Setting>,
}

/// A variable as `stickers config` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// Its value; a secret is masked.
    pub value: Option<String>,
    /// Whether it was set, or is the default.
    pub is_set: bool,
}

/// What its handlers share.
pub(crate) struct Panel {
    entrance: Entrance,
    cookies: Cookies,
    server: Server,
    streams: Arc<Semaphore>,
    settings: Vec<Setting>,
}

impl Panel {
    pub(crate) fn new(options: PanelOptions, public_url: &str) -> Panel {
        Panel {
            entrance: Entrance::new(options.accounts),
            cookies: Cookies { secure: public_url.starts_with("https://") },
            server: Server::new(options.disk),
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
            settings: options.settings,
        }
    }
}

/// Its addresses.
pub(crate) fn routes() -> Router<WebState> {
    Router::new()
        .route("/admin", get(now::page))
        .route("/admin/", get(async || Redirect::permanent("/admin")))
        .route("/admin/{*rest}", get(missing))
        .route("/admin/login", get(login::form).post(login::sign_in))
        .route("/admin/logout", post(login::sign_out))
        .route("/admin/logout-everywhere", post(login::sign_out_everywhere))
        .route("/admin/account", get(account::page))
        .route("/admin/theme", post(login::theme))
        .route("/admin/events", get(events::events))
        .route("/admin/maintenance", get(maintenance::page).post(maintenance::switch))
        .route("/admin/jobs", get(jobs::page))
        .route("/admin/jobs/{id}", get(job::page))
        .route("/admin/jobs/{id}/retry", post(job::again))
        .route("/admin/jobs/{id}/photo", get(job::selfie))
        .route("/admin/jobs/{id}/stickers/{place}", get(job::sticker))
        .route("/admin/guests", get(guests::page))
        .route("/admin/guests/{id}", get(guests::guest))
        .route("/admin/guests/{id}/reset", get(guests::ask).post(guests::reset))
        .route("/admin/leads", get(leads::page))
        .route("/admin/leads/{id}", get(leads::lead))
        .route("/admin/leads/{id}/status", post(leads::mark))
        .route("/admin/costs", get(costs::page))
        .route("/admin/balance", post(costs::balance))
        .route("/admin/journal", get(journal::page))
        .route("/admin/settings", get(journal::settings))
        .route("/admin/assets/{*path}", get(assets::file))
        .layer(from_fn(policy))
}

/// An address that is none of the panel's, as a page; whoever is not signed in learns nothing by it.
async fn missing(_signed: access::Signed) -> PanelError {
    PanelError::NotFound
}

/// Sets the content policy of its pages, and what they may ask of a browser: nothing.
async fn policy(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), microphone=(), geolocation=()"),
    );
    response
}
