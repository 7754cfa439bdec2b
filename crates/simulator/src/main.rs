//! The Bot API simulator as a program.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use simulator::{Clock, NewPerson, Settings, SystemClock, VirtualClock, World};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// A Bot API server for trying things out: persons, chats and sticker packs live in its memory, and no account is
/// needed. Point a bot at the printed address instead of https://api.telegram.org.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Example:\n  simulator --bind 127.0.0.1:8081 --token 123456:TEST --bot-username stickers_sim_bot\n\n\
                  Then TELEGRAM_API_URL=http://127.0.0.1:8081 BOT_TOKEN=123456:TEST starts a bot against it."
)]
struct Args {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:8081")]
    bind: SocketAddr,
    /// The bot's token; what stands before the colon is its id.
    #[arg(long, default_value = "123456:TEST")]
    token: String,
    /// The bot's name without the @.
    #[arg(long, default_value = "stickers_sim_bot")]
    bot_username: String,
    /// The bot's shown name.
    #[arg(long, default_value = "Sticker kiosk")]
    bot_name: String,
    /// A folder in which the world is kept between starts; without it everything is forgotten.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Seed of ids and chances; taken from the time when absent.
    #[arg(long)]
    seed: Option<u64>,
    /// A clock that stands still until `POST /sim/clock` moves it.
    #[arg(long)]
    virtual_clock: bool,
    /// How long a new sticker set stays invisible, milliseconds.
    #[arg(long, default_value_t = 1_000)]
    set_lag_ms: i64,
    /// No persons at the start.
    #[arg(long)]
    empty: bool,
}

/// Pause between two writes of the world to its folder.
const SAVE_EVERY: Duration = Duration::from_secs(2);

#[tokio::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt().with_writer(io::stderr).init();
    match run(Args::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "simulator: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: Args) -> io::Result<()> {
    let world = open(&args)?;
    let listener = TcpListener::bind(args.bind).await?;
    greet(&args, listener.local_addr()?)?;
    let saved = args.data.clone().map(|folder| (world.clone(), folder));
    tokio::select! {
        result = simulator::serve(listener, world) => result?,
        () = keep(saved.clone()) => {}
        () = stopped() => {}
    }
    match saved {
        Some((world, folder)) => world.save(&folder),
        None => Ok(()),
    }
}

/// Ends when somebody wants the program to end.
async fn stopped() {
    let Ok(mut terminated) = signal(SignalKind::terminate()) else {
        // Without the signal there is still Ctrl-C.
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = terminated.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

/// The world of the folder, or a new one.
fn open(args: &Args) -> io::Result<World> {
    let real = SystemClock;
    let seed = args.seed.unwrap_or_else(|| u64::try_from(real.now_ms()).unwrap_or(1));
    let clock: Arc<dyn Clock> =
        if args.virtual_clock { Arc::new(VirtualClock::at(real.now_ms())) } else { Arc::new(real) };
    let loaded = match &args.data {
        Some(folder) => World::load(folder, clock.clone())?,
        None => None,
    };
    let fresh = loaded.is_none();
    let world = loaded.unwrap_or_else(|| World::new(clock, seed));
    world.add_bot(&args.token, &args.bot_username, &args.bot_name);
    world.set_settings(Settings { set_lag_ms: args.set_lag_ms, ..world.settings() });
    if fresh && !args.empty {
        for (name, language) in [("Камила", "ru"), ("Javohir", "uz"), ("Emma", "en")] {
            world.add_person(NewPerson::named(name, language)).map_err(io::Error::other)?;
        }
    }
    Ok(world)
}

/// The first line is for programs, the others for people.
fn greet(args: &Args, address: SocketAddr) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "simulator listening on http://{address}")?;
    writeln!(out, "  guest's phone   http://{address}/{}?start=hello", args.bot_username)?;
    writeln!(out, "  all persons     http://{address}/sim/people")?;
    writeln!(out, "  sticker sets    http://{address}/sim/sets")?;
    writeln!(out, "  Bot API         http://{address}/bot{}/getMe", args.token)?;
    out.flush()
}

/// Writes the world to its folder now and then.
async fn keep(saved: Option<(World, PathBuf)>) {
    let Some((world, folder)) = saved else { return std::future::pending().await };
    loop {
        tokio::time::sleep(SAVE_EVERY).await;
        let (world, folder) = (world.clone(), folder.clone());
        let written = tokio::task::spawn_blocking(move || world.save(&folder)).await;
        if let Ok(Err(error)) = written {
            tracing::warn!(%error, "the world could not be saved");
        }
    }
}
