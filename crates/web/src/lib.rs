//! HTTP edges: kiosk API and page, requests from the landing site, the admin panel, health, figures, the API's description. No SQL, no write transaction, no call to Telegram.
//!
//! `kiosk/`, `leads/`, `admin/` and `ops/` hold one file an operation; `shell/` holds what all of them share. Routes are the flat list in `routes.rs`.
//!
//! **Invariant:** a handler reads what came in, calls one verb of `app`, and answers.

mod admin;
mod kiosk;
mod leads;
mod ops;
mod routes;
pub mod serve;
mod shell;

pub use admin::{PanelOptions, Setting};
pub use routes::router;
pub use shell::assets;
pub use shell::error::ApiError;

use app::Ctx;
use axum::Router;
use secrecy::SecretString;
use shell::key::Gate;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// What the edges are told by the configuration.
pub struct WebOptions {
    /// `KIOSK_KEY`; when set, tablets must show it.
    pub kiosk_key: Option<SecretString>,
    /// `TRUSTED_PROXIES`.
    pub trusted_proxies: Vec<IpAddr>,
    /// Version of the program.
    pub version: &'static str,
    /// Revision of the source it was built from, or `unknown`.
    pub revision: &'static str,
    /// Renders the figures of this process as Prometheus text.
    pub figures: Figures,
    /// Cancelled when the process is asked to end: event streams end, so that the connections can.
    pub shutdown: CancellationToken,
    /// The admin panel; none: `/admin` answers 404.
    pub panel: Option<PanelOptions>,
    /// More routes under the same headers and limits, such as the demo's start page.
    pub extra: Option<Router>,
}

/// Renders figures as Prometheus text.
pub type Figures = Arc<dyn Fn() -> String + Send + Sync>;

/// What every handler can reach.
#[derive(Clone)]
struct WebState {
    ctx: Ctx,
    options: Arc<Options>,
    /// The kiosk key, when one is configured.
    key: Option<Arc<Gate>>,
    /// What guards `POST /leads`; none when the leads module is off.
    leads_gate: Option<Arc<Gate>>,
    /// Places for photos on their way in: each may hold [`kiosk::photo::PHOTO_MAX`] bytes in memory.
    uploads: Arc<Semaphore>,
    /// The admin panel, when somebody may sign in.
    panel: Option<Arc<admin::Panel>>,
}

/// The options that handlers look at.
struct Options {
    trusted_proxies: Vec<IpAddr>,
    version: &'static str,
    revision: &'static str,
    figures: Figures,
    shutdown: CancellationToken,
}
