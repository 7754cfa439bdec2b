//! `stickers landing`: the landing site.

use crate::commands::api;
use crate::config::landing::LandingConfig;
use crate::failure::Failure;
use crate::out::mention;
use crate::parts::{self, VERSION};
use crate::system::{SystemClock, SystemRng};
use crate::{logs, signals};
use clap::Args;
use clients::leads::LeadsServer;
use clients::telegram::{BotApi, TimeOuts};
use landing::{Content, Delivery, Fallback, Site, SiteOptions, Waits};
use std::fs::File;
use std::io::Read;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

/// The landing site: a page that sells, and a form whose requests reach the sales team.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  LEADS_ENDPOINT=https://kiosk.example.org/leads LEADS_SECRET=… stickers landing\n\nWithout \
                  LEADS_ENDPOINT and LEADS_SECRET requests go straight to Telegram (FALLBACK_BOT_TOKEN, FALLBACK_CHAT_ID), without \
                  those too they are printed here. LANDING_CONTENT names a TOML file with your packages, questions and promise."
)]
pub struct LandingArgs {}

/// The largest file of `LANDING_CONTENT`, in bytes.
const CONTENT_MAX: u64 = 256 * 1024;

/// Runs the command until it is asked to end.
pub fn run(_args: &LandingArgs, config: LandingConfig) -> Result<(), Failure> {
    let parts = (content(config.landing.content.as_deref())?, delivery(&config)?);
    let _logs = logs::start(&config.logs)?;
    parts::runtime()?.block_on(async move {
        let stop = signals::shutdown()?;
        let listener = api::bind(config.landing.bind).await?;
        let address = listener.local_addr().unwrap_or(config.landing.bind);
        let site = new_site(config, address, parts)?;
        tracing::info!(%address, version = VERSION, "listening");
        // Port 0 in LANDING_BIND is a free port: whoever started the site reads here which.
        mention(format_args!("listening on http://{address}"));
        let served = web::serve::serve(listener, site.router(), stop).await;
        site.finish().await;
        served.map_err(|error| Failure::of("the site ended", &error))
    })
}

/// The site as the configuration says, for a server that is somebody else's.
///
/// # Errors
/// When something in it is not usable.
pub fn site(config: LandingConfig) -> Result<Site, Failure> {
    let parts = (content(config.landing.content.as_deref())?, delivery(&config)?);
    let address = config.landing.bind;
    new_site(config, address, parts)
}

fn new_site(
    config: LandingConfig,
    address: SocketAddr,
    (content, delivery): (Content, Delivery),
) -> Result<Site, Failure> {
    Site::new(options(config, address, content, delivery))
        .map_err(|error| Failure::of("the site cannot start", &error))
}

fn options(config: LandingConfig, address: SocketAddr, content: Content, delivery: Delivery) -> SiteOptions {
    SiteOptions {
        brand: config.event.brand_name,
        privacy_url: config.event.privacy_url,
        public_url: config.landing.url.unwrap_or_else(|| format!("http://{address}")),
        photo_ttl_hours: config.event.photo_ttl_hours,
        trusted_proxies: config.http.trusted_proxies,
        content,
        delivery,
        clock: Arc::new(SystemClock),
        rng: Arc::new(SystemRng),
    }
}

/// The owner's file.
fn content(path: Option<&Path>) -> Result<Content, Failure> {
    let Some(path) = path else { return Ok(Content::default()) };
    let bad = |why: &dyn std::fmt::Display| {
        Failure::input(format!("LANDING_CONTENT is \"{}\", which is not usable: {why}", path.display()))
    };
    let file = File::open(path).map_err(|error| bad(&error))?;
    let mut text = String::new();
    file.take(CONTENT_MAX).read_to_string(&mut text).map_err(|error| bad(&error))?;
    Content::parse(&text).map_err(|error| bad(&error))
}

/// Where requests go, as the configuration says.
fn delivery(config: &LandingConfig) -> Result<Delivery, Failure> {
    let (landing, waits) = (&config.landing, Waits::default());
    let server = match (&landing.endpoint, &config.leads_secret) {
        (Some(endpoint), Some(secret)) => Some(
            LeadsServer::new(endpoint, secret)
                .map_err(|error| Failure::input(format!("LEADS_ENDPOINT is not usable: {error}")))?,
        ),
        _ => None,
    };
    let fallback = match (&landing.fallback_token, landing.fallback_chat) {
        (Some(token), Some(chat_id)) => {
            // The site bounds the whole call itself; a connection that does not stand must leave time for nothing else.
            let time_outs = TimeOuts { connect: waits.telegram, send: waits.telegram, ..TimeOuts::default() };
            let telegram = BotApi::with_time_outs(&config.telegram_api_url, token.clone(), time_outs)
                .map_err(|error| Failure::input(format!("FALLBACK_BOT_TOKEN is not usable: {error}")))?;
            Some(Fallback { telegram: Arc::new(telegram), chat_id })
        }
        _ => None,
    };
    Ok(Delivery { server, fallback, console: Arc::new(|text| mention(format_args!("{text}"))), waits })
}
