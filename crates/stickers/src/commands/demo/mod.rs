//! `stickers demo`: everything in one process, with the Telegram simulator and no account anywhere. What it makes stays in `DATA_DIR`,
//! so that links still open after a restart.

mod admin;
mod data;
mod leads;
mod phones;
mod ports;
mod start_page;

use crate::commands::{api, bot, landing};
use crate::config::Config;
use crate::config::env::Env;
use crate::config::landing::LandingConfig;
use crate::failure::Failure;
use crate::{logs, parts, signals};
use ::landing::Site;
use app::{Ctx, Roles, bot_run, health};
use axum::Router;
use clap::Args;
use data::DataFolder;
use leads::Leads;
use phones::Phones;
use ports::Ports;
use start_page::StartPage;
use std::io::{self, Write};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Everything in one process, with a Telegram simulator and no account anywhere.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  stickers demo --port 8000\n\nThe simulator takes the port after it, the landing site the next one. Ctrl-C ends the demo; its data stays in DATA_DIR (./data)."
)]
pub struct DemoArgs {
    /// Port of the start page, the kiosk and the API
    #[arg(long, default_value_t = 8000, value_parser = clap::value_parser!(u16).range(1..=65_533))]
    port: u16,

    /// Forget what an earlier demo left in DATA_DIR
    #[arg(long)]
    reset: bool,
}

/// Variables that would lead the demo out of this computer, or lock its kiosk.
const NOT_IN_A_DEMO: [&str; 7] = [
    "DATABASE_URL",
    "MEDIA_URL",
    "KIOSK_KEY",
    "ADMIN_USER_IDS",
    "ADMIN_USERS_FILE",
    "LEADS_TOPIC_ID",
    "PROVIDERS",
];
/// How often the simulated world is written to disk.
const SAVE_EVERY: Duration = Duration::from_secs(5);
/// A bot that has not introduced itself by then is not waited for.
const READY_WITHIN: Duration = Duration::from_secs(10);

/// Runs the demo until it is asked to end.
pub fn run(args: &DemoArgs, mut env: Env) -> Result<(), Failure> {
    let ports = Ports::from_first(args.port);
    prepare(&mut env, ports);
    admin::set(&mut env)?;
    let folder = DataFolder::take(&Config::read(&env).map_err(Failure::Input)?.storage.data_dir, args.reset)?;
    let phones = Phones::open(&folder)?;
    let leads = Leads::open(&folder, &phones)?;
    leads.set(&mut env);
    leads.set_landing(&mut env, ports);
    let config = Config::read(&env).map_err(Failure::Input)?;
    let site = landing::site(LandingConfig::read(&env).map_err(Failure::Input)?)?;
    let _logs = logs::start(&config.logs)?;
    parts::runtime()?.block_on(run_in(&config, ports, &Demo { folder, phones, leads, site }))
}

/// Sets what the demo decides itself.
fn prepare(env: &mut Env, ports: Ports) {
    NOT_IN_A_DEMO.iter().for_each(|name| env.unset(name));
    env.set("BOT_TOKEN", phones::BOT_TOKEN);
    env.set("TELEGRAM_API_URL", &format!("http://127.0.0.1:{}", ports.telegram));
    env.set("TELEGRAM_LINK_URL", &ports.telegram_url());
    env.set("API_BIND", &format!("127.0.0.1:{}", ports.api));
    env.set("PUBLIC_URL", &ports.api_url());
    if env.get("RUST_LOG").is_none() {
        // The addresses must not scroll away.
        env.set("RUST_LOG", "warn");
    }
}

/// What a demo keeps between runs.
struct Demo {
    folder: DataFolder,
    phones: Phones,
    leads: Leads,
    site: Site,
}

async fn run_in(config: &Config, ports: Ports, demo: &Demo) -> Result<(), Failure> {
    let Demo { folder, phones, leads, site } = demo;
    let stop = signals::shutdown()?;
    let [api, telegram, landing] = ports.listen().await?;
    let simulator = tokio::spawn(phones.serve(telegram));
    let saver = tokio::spawn(phones.clone().save_every(SAVE_EVERY));
    let ctx = parts::ctx(config).await?;
    let store = ctx.store.clone();
    let start_page = StartPage::new(&ctx, ports, folder.path(), leads.team);
    let router = api::router(ctx.clone(), config, stop.clone(), Some(start_page.routes()))?;
    let router = start_page.remembering_links(router);
    let served = serve(Served { api, router, landing, site }, stop.clone());
    let (ready, ending) = (ctx.clone(), stop.clone());
    let greeting = async {
        // Who opens the address at once taps START at once: by then the bot has introduced itself. Why it cannot is in the log.
        tokio::select! {
            () = ending.cancelled() => {}
            _ = tokio::time::timeout(READY_WITHIN, health::bot_known(&ready)) => greet(ports, folder),
        }
    };
    let ((), ended) = tokio::join!(greeting, until_stopped(ctx, config, served, simulator, stop));
    saver.abort();
    phones.save()?;
    store.close().await;
    ended
}

/// The first line is for programs too. Nobody needs to listen: a closed output does not end a demo.
fn greet(ports: Ports, folder: &DataFolder) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "Start page: {}/demo", ports.api_url());
    let _ = writeln!(
        out,
        "Panel: {}/admin, login {}, password {}",
        ports.api_url(),
        admin::LOGIN,
        admin::PASSWORD
    );
    let _ = writeln!(out, "Data: {} (--reset forgets it). Ctrl-C ends the demo.", folder.path().display());
}

/// What is served to browsers, beside the simulator.
struct Served<'a> {
    api: TcpListener,
    router: Router,
    landing: TcpListener,
    site: &'a Site,
}

/// Serves API and landing site; the end of one ends the other.
async fn serve(served: Served<'_>, stop: CancellationToken) -> io::Result<()> {
    let Served { api, router, landing, site } = served;
    let api = async {
        let ended = web::serve::serve(api, router, stop.clone()).await;
        stop.cancel();
        ended
    };
    let landing = async {
        let ended = web::serve::serve(landing, site.router(), stop.clone()).await;
        stop.cancel();
        // The backup channel may still be on its way to the simulator.
        site.finish().await;
        ended
    };
    let (api, landing) = tokio::join!(api, landing);
    api.and(landing)
}

/// Runs servers and bot side by side. The end of any part ends the others.
async fn until_stopped(
    ctx: Ctx,
    config: &Config,
    served: impl Future<Output = io::Result<()>>,
    simulator: tokio::task::JoinHandle<io::Result<()>>,
    stop: CancellationToken,
) -> Result<(), Failure> {
    let mut outside = bot::outside(config)?;
    outside.neighbours = parts::neighbours(config, &ctx);
    let bot = async {
        let ended = bot_run(ctx, outside, Roles::all(), stop.clone()).await;
        stop.cancel();
        ended.map_err(|error| Failure::of("the bot ended", &error))
    };
    let server = async {
        let ended = served.await;
        stop.cancel();
        ended.map_err(|error| Failure::of("the server ended", &error))
    };
    let mut simulator = simulator;
    let both = async { tokio::join!(bot, server) };
    tokio::select! {
        (bot, server) = both => {
            // Last: the bot may still have said good-bye to it.
            simulator.abort();
            bot.and(server)
        }
        ended = &mut simulator => {
            stop.cancel();
            Err(match ended {
                Ok(Ok(())) => Failure::Failed("the simulator ended".to_owned()),
                Ok(Err(error)) => Failure::of("the simulator ended", &error),
                Err(error) => Failure::of("the simulator ended", &error),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demo_uses_no_account_and_no_database_of_the_environment() {
        let pairs = [
            ("DATABASE_URL", "postgres://kiosk@db/app"),
            ("MEDIA_URL", "s3://bucket"),
            ("KIOSK_KEY", "a real kiosk key"),
            ("ADMIN_USER_IDS", "12"),
            ("PROVIDERS", "gemini"),
            ("GEMINI_API_KEY", "a-real-key"),
            ("BOT_TOKEN", "1:real"),
            ("TELEGRAM_API_URL", "https://api.telegram.org"),
            ("DATA_DIR", "/srv/demo"),
        ];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut env = Env::new(pairs, []);
        prepare(&mut env, Ports::from_first(8_000));
        let config = Config::read(&env).unwrap_or_else(|lines| panic!("{lines:?}"));
        assert_eq!(config.storage.database_url, "sqlite:///srv/demo/app.db");
        assert_eq!(config.storage.media_url, "file:///srv/demo");
        assert!(config.http.kiosk_key.is_none() && config.event.admin_user_ids.is_empty());
        assert!(
            config.drawing.providers().unwrap_or_else(|error| panic!("{error}")).list.is_empty(),
            "the demo draws itself"
        );
        assert_eq!(config.telegram.api_url, "http://127.0.0.1:8001");
        assert_eq!(config.telegram.link_url, "http://localhost:8001");
        assert_eq!(env.get("BOT_TOKEN").map(|(token, _)| token), Some(phones::BOT_TOKEN));
    }
}
