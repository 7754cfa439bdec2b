//! `stickers api`: the HTTP server.

use crate::config::Config;
use crate::config::env::Source;
use crate::config::reader::Shown;
use crate::failure::Failure;
use crate::out::mention;
use crate::parts::{self, REVISION, VERSION};
use crate::{logs, signals, system};
use app::timer::TokioTimer;
use app::{Ctx, trouble};
use axum::Router;
use clap::Args;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use web::{PanelOptions, Setting, WebOptions};

/// The HTTP server: kiosk API and page, admin panel, health and figures.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  stickers api --env-file /etc/stickers/kiosk.env")]
pub struct ApiArgs {}

/// Runs the command until it is asked to end.
pub fn run(_args: &ApiArgs, config: Config) -> Result<(), Failure> {
    let _logs = logs::start(&config.logs)?;
    parts::runtime()?.block_on(async move {
        let stop = signals::shutdown()?;
        let listener = bind(config.http.bind).await?;
        let ctx = parts::ctx(&config).await?;
        let store = ctx.store.clone();
        tokio::spawn(trouble::watch(ctx.clone(), None, Arc::new(TokioTimer)));
        let router = router(ctx, &config, stop.clone(), None)?;
        let address = listener.local_addr().unwrap_or(config.http.bind);
        tracing::info!(%address, version = VERSION, "listening");
        // Port 0 in API_BIND is a free port: whoever started the server reads here which.
        mention(format_args!("listening on http://{address}"));
        let served = web::serve::serve(listener, router, stop).await;
        store.close().await;
        served.map_err(|error| Failure::of("the server ended", &error))
    })
}

/// Takes the address.
///
/// # Errors
/// One line that names it.
pub async fn bind(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address)
        .await
        .map_err(|error| Failure::of(&format!("{address} cannot be used"), &error))
}

/// The server's routes, with figures being gathered.
///
/// # Errors
/// When figures cannot be gathered.
pub fn router(
    ctx: Ctx,
    config: &Config,
    stop: CancellationToken,
    extra: Option<Router>,
) -> Result<Router, Failure> {
    let figures = parts::figures()?;
    tokio::spawn(parts::keep_figures_small(figures.clone()));
    let options = WebOptions {
        kiosk_key: config.http.kiosk_key.clone(),
        trusted_proxies: config.http.trusted_proxies.clone(),
        version: VERSION,
        revision: REVISION,
        figures: Arc::new(move || figures.render()),
        shutdown: stop,
        panel: panel(config),
        extra,
    };
    Ok(web::router(ctx, options))
}

/// The panel, when somebody may sign in.
fn panel(config: &Config) -> Option<PanelOptions> {
    let data_dir = config.storage.data_dir.clone();
    let setting = |shown: &Shown| Setting {
        name: shown.name,
        value: shown.value.clone(),
        is_set: shown.source != Source::Default,
    };
    Some(PanelOptions {
        accounts: config.admin.clone()?,
        disk: Box::new(move || system::disk(&data_dir)),
        settings: config.shown.iter().map(setting).collect(),
    })
}
