//! Measures durable `POST /leads` under 64 connections, in turn with its floor (a bare writer that commits the same groups) and a peer
//! (FastAPI and sqlite3). `make bench-leads` builds all three and runs this; the figures are in BENCHMARKS.md.

mod figures;
mod floor;
mod load;
mod sent;
mod servers;

use clap::Parser;
use figures::{Contest, Round};
use floor::Each;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Requests under way at once: connections, or producers of the floor.
const AT_ONCE: usize = 64;

/// What to measure.
#[derive(Parser)]
struct Args {
    /// The release build of the program.
    #[arg(long)]
    stickers: PathBuf,
    /// The Python with the packages of `benches/peers/fastapi_leads/requirements.txt`; without it the peer is left out.
    #[arg(long)]
    python: Option<PathBuf>,
    /// The folder of the peer.
    #[arg(long, default_value = "benches/peers/fastapi_leads")]
    peer: PathBuf,
    /// Where the databases are made; it should be the disk that matters.
    #[arg(long, default_value_os_t = std::env::temp_dir())]
    dir: PathBuf,
    /// Rounds; each runs every contestant once, on a fresh database.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Seconds that are measured of each contestant in a round.
    #[arg(long, default_value_t = 4)]
    seconds: u64,
    /// Leads that are followed to their card in the group, one every three seconds; 0 leaves that out.
    #[arg(long, default_value_t = 40)]
    cards: usize,
}

fn main() {
    let mut args = Args::parse();
    // The servers run in folders of their own.
    for path in [Some(&mut args.stickers), args.python.as_mut()].into_iter().flatten() {
        *path = std::path::absolute(&*path).expect("a path");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
    let (flush_before, contests) = runtime.block_on(async {
        let flush = figures::flush_probe(&args.dir);
        (flush, run(&args).await)
    });
    println!("\n{} rounds of {} s, {AT_ONCE} at once; medians over the rounds", args.rounds, args.seconds);
    println!(
        "one flush of 4 KiB: median {flush_before:.0?} before, {:.0?} after\n",
        figures::flush_probe(&args.dir)
    );
    figures::print(&contests);
    if args.cards > 0 {
        let folder = tempfile::tempdir_in(&args.dir).expect("a folder");
        let times = runtime.block_on(sent::run(&args.stickers, folder.path(), args.cards));
        let (middle, p99) = (times[times.len() / 2], times[times.len() * 99 / 100]);
        println!("\nstored to sent, {} cards: median {middle} ms, p99 {p99} ms", args.cards);
    }
}

/// Runs every contestant in turn, so that a busy machine slows all of them alike.
async fn run(args: &Args) -> Vec<Contest> {
    let names =
        [Each::Savepoint, Each::Insert, Each::Together].map(|each| (Kind::Floor(each), floor_name(each)));
    let mut contests: Vec<_> = names.into_iter().map(|(kind, name)| (kind, Contest::new(name))).collect();
    contests.insert(0, (Kind::Ours, Contest::new("POST /leads")));
    if let Some(python) = &args.python {
        contests.push((Kind::Peer(python), Contest::new("FastAPI and sqlite3")));
    }
    let measured = Duration::from_secs(args.seconds);
    for round in 1..=args.rounds {
        for (kind, contest) in &mut contests {
            let folder = tempfile::tempdir_in(&args.dir).expect("a folder");
            let result = match *kind {
                Kind::Ours => ours(&args.stickers, folder.path(), measured).await,
                Kind::Floor(each) => floor::run(folder.path(), each, measured).await,
                Kind::Peer(python) => theirs(python, &args.peer, folder.path(), measured).await,
            };
            eprintln!("round {round}: {:<30} {:>8.0}/s", contest.name, result.per_second());
            contest.rounds.push(result);
        }
    }
    contests.into_iter().map(|(_, contest)| contest).collect()
}

/// Who runs.
#[derive(Clone, Copy)]
enum Kind<'a> {
    Ours,
    Floor(Each),
    Peer(&'a Path),
}

fn floor_name(each: Each) -> &'static str {
    match each {
        Each::Savepoint => "bare writer, a savepoint each",
        Each::Insert => "bare writer, inserts alone",
        Each::Together => "bare writer, sixteen as one text",
    }
}

async fn ours(program: &Path, folder: &Path, measured: Duration) -> Round {
    let server = servers::Server::ours(program, folder).await;
    let round = load::run(server.address, measured).await;
    server.stop().await;
    // Every 201 is a row.
    assert_eq!(floor::stored(&folder.join("app.db")).await, round.answered, "answers and rows");
    round
}

async fn theirs(python: &Path, peer: &Path, folder: &Path, measured: Duration) -> Round {
    let server = servers::Server::peer(python, peer, folder).await;
    let round = load::run(server.address, measured).await;
    server.stop().await;
    assert_eq!(floor::stored(&folder.join("app.db")).await, round.answered, "answers and rows");
    round
}
