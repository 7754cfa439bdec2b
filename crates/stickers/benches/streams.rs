//! Session change to kiosk event, with a thousand tablets connected: the built API as a process of its own, changes written by this process as
//! the bot would write them, on one SQLite file. Prints the time from the commit to the event.
//!
//!     cargo bench -p stickers --bench streams
//!
//! `STREAMS` and `CHANGES` change the numbers.

use domain::guest::{Guest, Personal, TelegramId};
use domain::{Language, Timestamp};
use std::collections::HashMap;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use store::{Store, StoreOptions, sessions, settings, users};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

/// Longest wait for one event: past it the run has failed.
const PATIENCE: Duration = Duration::from_secs(30);

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn now() -> (Instant, Timestamp) {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (Instant::now(), Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
}

#[expect(clippy::disallowed_methods, reason = "the numbers of a run are said by whoever runs it")]
fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(run(number("STREAMS", 1_000), number("CHANGES", 500)));
}

async fn run(streams: usize, changes: usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = format!("sqlite://{}/app.db", folder.path().display());
    let store = Store::open(StoreOptions::new(&database)).await.expect("a database");
    store.migrate().await.expect("migrations");
    store
        .write(|tx| Box::pin(async { settings::set(tx, "bot_username", "bench_bot", now().1).await }))
        .await
        .expect("a commit");
    let (mut api, address) = start_api(folder.path(), &database).await;
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let (heard, mut events) = mpsc::unbounded_channel();
    let mut tokens = Vec::new();
    for stream in 0..streams {
        let answer = http.post(format!("http://{address}/session")).send().await.expect("an answer");
        let session: serde_json::Value = answer.json().await.expect("a session");
        let token = session["token"].as_str().expect("a token").to_owned();
        tokio::spawn(listen(address.clone(), token.clone(), stream, heard.clone()));
        tokens.push(token);
    }
    for _ in 0..streams {
        next(&mut events).await;
    }
    println!("{streams} streams are open; {changes} changes, one after the other");
    let mut times: Vec<Duration> = Vec::new();
    let mut guests: HashMap<usize, i64> = HashMap::new();
    for change in 0..changes {
        let stream = change * 7919 % streams;
        let (token, round) = (tokens[stream].clone(), guests.entry(stream).or_insert(0));
        *round += 1;
        // The first phone links, and then may choose another language as often as it likes: each is a change that the tablet shows.
        let language = Language::ALL[usize::try_from(*round).unwrap_or(0) % Language::ALL.len()];
        let guest = i64::try_from(stream).unwrap_or(0) + 1;
        let linked = store.write(move |tx| {
            Box::pin(async move {
                users::upsert(tx, &a_guest(guest), now().1).await?;
                sessions::link(tx, &token, TelegramId(guest), language, now().1).await
            })
        });
        assert!(linked.await.expect("a commit").happened());
        let (committed, _) = now();
        loop {
            let (of, at) = next(&mut events).await;
            if of == stream {
                times.push(at.saturating_duration_since(committed));
                break;
            }
        }
    }
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "commit to event: median {:.1?}, 99th percentile {:.1?}, worst {:.1?}",
        at(0.5),
        at(0.99),
        at(1.0)
    );
    let _ = api.kill().await;
    store.close().await;
}

fn a_guest(id: i64) -> Guest {
    Guest {
        id: TelegramId(id),
        first_name: Personal("Guest".to_owned()),
        last_name: None,
        username: None,
        language: Language::Ru,
    }
}

async fn next(events: &mut mpsc::UnboundedReceiver<(usize, Instant)>) -> (usize, Instant) {
    tokio::time::timeout(PATIENCE, events.recv()).await.expect("an event in time").expect("a stream")
}

/// Follows one session and tells of each event.
async fn listen(
    address: String,
    token: String,
    stream: usize,
    heard: mpsc::UnboundedSender<(usize, Instant)>,
) {
    let mut connection = TcpStream::connect(&address).await.expect("a connection");
    let request = format!("GET /session/{token}/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
    connection.write_all(request.as_bytes()).await.expect("asks");
    let mut lines = BufReader::new(connection).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if line.starts_with("data:") && heard.send((stream, now().0)).is_err() {
            return;
        }
    }
}

async fn start_api(folder: &std::path::Path, database: &str) -> (Child, String) {
    let mut api = Command::new(env!("CARGO_BIN_EXE_stickers"))
        .arg("api")
        .env_clear()
        .current_dir(folder)
        .env("DATA_DIR", folder)
        .env("DATABASE_URL", database)
        .env("API_BIND", "127.0.0.1:0")
        .env("RUST_LOG", "warn")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(api.stdout.take().expect("its output")).lines();
    let line = lines.next_line().await.expect("a line").expect("the address");
    let address = line.strip_prefix("listening on http://").expect("the address").to_owned();
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    (api, address)
}
