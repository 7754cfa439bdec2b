//! The books of an event: what every guest has in the end, read from the simulated Telegram and from the database past the product.

use crate::faces::{Face, is_transparent};
use crate::guests::{Guest, Room};
use crate::plan::{HONEST, Sort};
use serde_json::Value;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use std::collections::BTreeMap;
use std::str::FromStr;

/// What a guest has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Has {
    /// Neither pack nor message yet.
    Nothing,
    /// A link, which came at this second.
    Pack(i64),
    /// A message that says that no pack will come.
    Message,
}

/// What the guest reads in the chat with the bot. Both is a failure of the event.
pub fn has(room: &Room, guest: &Guest) -> Has {
    let chat = room.chat(guest.id);
    let links: Vec<&Value> = chat.iter().filter(|message| is_link(message)).collect();
    let honest = chat.iter().filter(|message| HONEST.iter().any(|text| message["text"] == *text)).count();
    assert!(honest <= 1, "guest {} was told {honest} times that no pack comes", guest.number);
    assert!(
        links.is_empty() || honest == 0,
        "guest {} has a link and was told that none comes",
        guest.number
    );
    match (links.first(), honest) {
        (Some(link), _) => Has::Pack(link["date"].as_i64().unwrap_or_default()),
        (None, 1) => Has::Message,
        (None, _) => Has::Nothing,
    }
}

/// A message with the button that opens a pack.
fn is_link(message: &Value) -> bool {
    let url = message["buttons"][0][0]["url"].as_str();
    url.is_some_and(|url| url.contains("/addstickers/"))
}

/// A job as it is stored.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Job {
    pub job_id: i64,
    pub telegram_user_id: i64,
    pub status: String,
    pub attempts: i64,
    pub error: Option<String>,
    pub photo_path: Option<String>,
    pub pack_name: Option<String>,
    pub render_mode: Option<String>,
    pub created_at: i64,
    pub processing_started_at: Option<i64>,
    pub pack_created_at: Option<i64>,
    pub link_sent_at: Option<i64>,
}

/// A number.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
struct One {
    value: i64,
}

/// A session.
#[derive(Clone, Debug, sqlx::FromRow)]
struct Token {
    session_token: String,
}

/// Calls of a stage to the image provider.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Usage {
    pub stage: String,
    pub calls: i64,
    pub images: i64,
    pub cost_usd: f64,
}

/// What the database says.
#[derive(Clone, Debug)]
pub struct Books {
    pub jobs: Vec<Job>,
    pub open_sessions: i64,
    pub usage: Vec<Usage>,
    /// From the decision to the sending, milliseconds; the longest of all messages.
    pub longest_outbox_wait: i64,
    pub unsent: i64,
}

const JOBS: &str = "SELECT job_id, telegram_user_id, status, attempts, error, photo_path, pack_name, render_mode, created_at, \
    processing_started_at, pack_created_at, link_sent_at FROM jobs ORDER BY job_id";
const OPEN_SESSIONS: &str =
    "SELECT COUNT(*) AS value FROM sessions WHERE status NOT IN ('photo_taken', 'expired')";
const OPEN_TOKENS: &str = "SELECT session_token FROM sessions WHERE status NOT IN ('photo_taken', 'expired')";
const USAGE: &str = "SELECT stage, COUNT(*) AS calls, CAST(SUM(images) AS BIGINT) AS images, SUM(cost_usd) AS cost_usd FROM ai_usage \
    GROUP BY stage ORDER BY stage";
const LONGEST_WAIT: &str =
    "SELECT COALESCE(MAX(sent_at - created_at), 0) AS value FROM outbox WHERE sent_at IS NOT NULL";
const UNSENT: &str = "SELECT COUNT(*) AS value FROM outbox WHERE state IN ('pending', 'sending', 'failed')";

macro_rules! read {
    ($connection:expr) => {{
        let mut connection = $connection;
        let open: One = sqlx::query_as(OPEN_SESSIONS).fetch_one(&mut connection).await.expect("sessions");
        let longest: One = sqlx::query_as(LONGEST_WAIT).fetch_one(&mut connection).await.expect("messages");
        let unsent: One = sqlx::query_as(UNSENT).fetch_one(&mut connection).await.expect("messages");
        let books = Books {
            jobs: sqlx::query_as(JOBS).fetch_all(&mut connection).await.expect("jobs"),
            open_sessions: open.value,
            usage: sqlx::query_as(USAGE).fetch_all(&mut connection).await.expect("usage"),
            longest_outbox_wait: longest.value,
            unsent: unsent.value,
        };
        connection.close().await.expect("closed");
        books
    }};
}

impl Books {
    /// Reads the database of this address, which other processes may be writing to.
    pub async fn read(database: &str) -> Books {
        if database.starts_with("sqlite:") {
            let options = SqliteConnectOptions::from_str(database).expect("an address").read_only(true);
            let file: SqliteConnection = options.connect().await.expect("the file opens");
            read!(file)
        } else {
            read!(PgConnection::connect(database).await.expect("the server answers"))
        }
    }

    /// Sessions that are neither final nor closed.
    pub async fn open_tokens(database: &str) -> Vec<String> {
        let rows: Vec<Token> = if database.starts_with("sqlite:") {
            let options = SqliteConnectOptions::from_str(database).expect("an address").read_only(true);
            let mut file: SqliteConnection = options.connect().await.expect("the file opens");
            sqlx::query_as(OPEN_TOKENS).fetch_all(&mut file).await.expect("sessions")
        } else {
            let mut server = PgConnection::connect(database).await.expect("the server answers");
            sqlx::query_as(OPEN_TOKENS).fetch_all(&mut server).await.expect("sessions")
        };
        rows.into_iter().map(|row| row.session_token).collect()
    }

    /// Rows of calls to the image provider.
    pub fn calls(&self) -> i64 {
        self.usage.iter().map(|usage| usage.calls).sum()
    }

    /// Every call is written down before it is made: only a death between the two leaves a row without a call.
    pub fn check_calls(&self, made: usize, cut_off: usize) {
        let written = usize::try_from(self.calls()).expect("a number");
        assert!(
            (made..=made + cut_off).contains(&written),
            "{written} calls are written down, {made} were made, and {cut_off} may have been cut off"
        );
    }

    /// Why jobs failed: the first words of their errors, each with how often.
    pub fn failures(&self) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        for job in self.jobs.iter().filter(|job| job.status == "failed") {
            let error = job.error.clone().unwrap_or_else(|| format!("job {} without an error", job.job_id));
            *found.entry(error.chars().take(60).collect()).or_default() += 1;
        }
        found
    }

    /// Jobs that ended so, by how they were drawn.
    pub fn ended(&self, status: &str) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        for job in self.jobs.iter().filter(|job| job.status == status) {
            *found.entry(job.render_mode.clone().unwrap_or_default()).or_default() += 1;
        }
        found
    }
}

/// How many answers a death may have cut off.
#[derive(Clone, Copy, Debug)]
pub struct Deaths {
    /// Deaths of the bot.
    pub of_bot: usize,
    /// Messages on their way and packs drawn at once when it died.
    pub at_once: usize,
}

/// Checks the end of an event: each guest has one pack or one honest message, all of it theirs, and nothing is left.
pub fn check(room: &Room, guests: &[Guest], books: &Books, deaths: Deaths, faces: bool) {
    let sets = room.world.sets();
    let sets = sets.as_array().expect("sets");
    let mut doubles = 0;
    for guest in guests {
        let own: Vec<&Value> = sets.iter().filter(|set| set["owner"] == guest.id).collect();
        let jobs: Vec<&Job> = books.jobs.iter().filter(|job| job.telegram_user_id == guest.id).collect();
        match (guest.sort, has(room, guest)) {
            (_, Has::Nothing) => panic!("guest {} has neither pack nor message: {jobs:?}", guest.number),
            (Sort::Late, Has::Message) => assert!(jobs.is_empty(), "a late guest has a job: {jobs:?}"),
            (Sort::Late | Sort::Unlucky, Has::Pack(_)) => {
                panic!("guest {} has a pack of whom?", guest.number)
            }
            (Sort::Usual | Sort::Unlucky, Has::Message) => {
                assert!(matches!(jobs[..], [job] if job.status == "failed"), "{jobs:?}");
                assert!(own.is_empty(), "guest {} was told that no pack comes and has {own:?}", guest.number);
            }
            (Sort::Usual, Has::Pack(_)) => {
                let [job] = jobs[..] else { panic!("{} jobs of guest {}", jobs.len(), guest.number) };
                assert_eq!(job.status, "done", "{job:?}");
                let [set] = own[..] else { panic!("{} sets of guest {}", own.len(), guest.number) };
                assert_eq!(set["name"].as_str(), job.pack_name.as_deref(), "guest {}", guest.number);
                let of_figures = job.render_mode.as_deref() == Some("figure");
                check_set(room, guest, set["name"].as_str().expect("a name"), faces && of_figures);
                let links = room.chat(guest.id).iter().filter(|message| is_link(message)).count();
                doubles += links - 1;
            }
        }
    }
    assert!(
        doubles <= deaths.of_bot * deaths.at_once,
        "{doubles} links came twice, and the bot died {} times",
        deaths.of_bot
    );
    let owners: Vec<i64> = guests.iter().map(|guest| guest.id).collect();
    let stray: Vec<&Value> = sets
        .iter()
        .filter(|set| !set["owner"].as_i64().is_some_and(|owner| owners.contains(&owner)))
        .collect();
    assert!(stray.is_empty(), "sets of nobody: {stray:?}");
    let active: Vec<&Job> =
        books.jobs.iter().filter(|job| job.status != "done" && job.status != "failed").collect();
    assert!(active.is_empty(), "jobs left: {active:?}");
    assert_eq!((books.open_sessions, books.unsent), (0, 0), "open sessions, unsent messages");
    println!("links that came twice: {doubles}");
}

/// Nine stickers as Telegram wants them, no two alike, and of this guest.
fn check_set(room: &Room, guest: &Guest, name: &str, faces: bool) {
    let set = room.world.set(name).expect("the set");
    let stickers = set["stickers"].as_array().expect("stickers");
    assert_eq!(stickers.len(), 9, "{set}");
    let mut seen = std::collections::BTreeSet::new();
    for sticker in stickers {
        let (_, bytes) = room.world.file(sticker["file"].as_str().expect("a file")).expect("the file");
        let picture = image::load_from_memory(&bytes).expect("a picture").to_rgba8();
        let (width, height) = picture.dimensions();
        assert!(
            width.max(height) == 512 && bytes.len() <= 512 * 1024 && is_transparent(&picture),
            "{sticker}"
        );
        if faces {
            assert_eq!(
                Face::of_sticker(&picture),
                guest.face,
                "a sticker in the pack of guest {}",
                guest.number
            );
        }
        assert!(seen.insert(bytes), "two stickers of guest {} are the same file", guest.number);
    }
}
