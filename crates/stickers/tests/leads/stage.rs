//! The stage of a story about leads: the built binary as API and bot, a simulated Telegram with the team's group, a real database.

use crate::books::Books;
use reqwest::Client;
use serde_json::{Value, json};
use simulator::{NewGroup, NewPerson, NewPress, SystemClock, World};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

/// How long any wait of a story may take before the story has failed.
const PATIENCE: Duration = Duration::from_secs(120);
/// The bot's token; what stands before the colon is its id.
pub const TOKEN: &str = "123456:TEST";
/// The bot's id.
pub const BOT: i64 = 123_456;
/// What the landing site shows to the API.
const SECRET: &str = "between-landing-and-api";

/// One of the two processes of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Api,
    Bot,
}

/// How the team's group begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// A basic group.
    Group,
    /// A forum with a topic for leads.
    Topic,
}

/// Everything a story needs. Processes are killed when it is dropped.
pub struct Stage {
    pub world: World,
    pub http: Client,
    pub folder: TempDir,
    pub database: String,
    /// The team's group, and its topic when it has one.
    pub group: i64,
    pub topic: Option<i64>,
    /// May press buttons and send commands; has pressed Start.
    pub admin: i64,
    /// A member who may not.
    pub member: i64,
    /// Whom a process started from now on tells of trouble.
    pub operator: Option<i64>,
    telegram: String,
    /// The API's address, the same after each restart.
    api_address: String,
    api: Option<Child>,
    bot: Option<Child>,
}

impl Stage {
    /// A stage on an SQLite file, with the API running and no bot yet.
    pub async fn new() -> Stage {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let database = format!("sqlite://{}/app.db", folder.path().display());
        Stage::on(folder, database, Room::Group).await
    }

    /// A stage on the given database.
    pub async fn on(folder: TempDir, database: String, room: Room) -> Stage {
        let world = World::new(Arc::new(SystemClock), 7);
        world.add_bot(TOKEN, "stickers_sim_bot", "Stickers");
        let person = |name| world.add_person(NewPerson::named(name, "ru")).expect("a new person").id;
        let (admin, member) = (person("Нодира"), person("Тимур"));
        world.start(admin, BOT, None).expect("the admin presses Start");
        let group = NewGroup {
            title: "Заявки".to_owned(),
            members: vec![admin, member],
            forum: room == Room::Topic,
            ..NewGroup::default()
        };
        let group = world.add_group(group).expect("the team's group");
        let topic = (room == Room::Topic).then(|| world.add_topic(group, "Сайт").expect("a topic"));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let telegram = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(simulator::serve(listener, world.clone()));
        let http = Client::builder().timeout(Duration::from_secs(30)).no_proxy().build().expect("a client");
        let mut stage = Stage {
            world,
            http,
            folder,
            database,
            group,
            topic,
            admin,
            member,
            operator: None,
            telegram,
            api_address: String::new(),
            api: None,
            bot: None,
        };
        stage.start(Part::Api).await;
        stage
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stickers"));
        let bind = self.api_address.trim_start_matches("http://");
        command
            .args(arguments)
            .env_clear()
            .current_dir(self.folder.path())
            .env("BOT_TOKEN", TOKEN)
            .env("TELEGRAM_API_URL", &self.telegram)
            .env("DATA_DIR", self.folder.path())
            .env("DATABASE_URL", &self.database)
            .env("API_BIND", if bind.is_empty() { "127.0.0.1:0" } else { bind })
            .env("LEADS_SECRET", SECRET)
            .env("LEADS_IP_SALT", "a salt")
            .env("LEADS_HOURLY_LIMIT", "1000000")
            .env("LEADS_CHAT_ID", self.group.to_string())
            .env("LEADS_ADMIN_IDS", self.admin.to_string())
            .env("LOG_FORMAT", "text")
            .env("RUST_LOG", "info")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(self.log())
            .kill_on_drop(true);
        if let Some(operator) = self.operator {
            command.env("ADMIN_USER_IDS", operator.to_string());
        }
        if let Some(topic) = self.topic {
            command.env("LEADS_TOPIC_ID", topic.to_string());
        }
        command
    }

    fn log(&self) -> std::fs::File {
        std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.folder.path().join("processes.log"))
            .expect("a log file")
    }

    /// What the processes logged so far.
    pub fn logged(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("processes.log")).unwrap_or_default()
    }

    // Processes.

    /// Starts a process; the API is ready when this returns.
    pub async fn start(&mut self, part: Part) {
        match part {
            Part::Api => {
                let mut child = self.command(&["api"]).spawn().expect("the api starts");
                self.api_address = self.printed_address(&mut child).await;
                self.api = Some(child);
            }
            Part::Bot => {
                let child = self.command(&["bot"]).stdout(Stdio::null()).spawn().expect("the bot starts");
                self.bot = Some(child);
            }
        }
    }

    /// Starts the landing site with this API, and the team's group as its backup channel; answers its address.
    pub async fn start_landing(&self) -> (Child, String) {
        let mut command = self.command(&["landing"]);
        command
            .env("LANDING_BIND", "127.0.0.1:0")
            .env("LEADS_ENDPOINT", self.endpoint())
            .env("FALLBACK_BOT_TOKEN", TOKEN)
            .env("FALLBACK_CHAT_ID", self.group.to_string());
        let mut child = command.spawn().expect("the landing site starts");
        let address = self.printed_address(&mut child).await;
        (child, address)
    }

    /// Runs a command of the same configuration to its end.
    pub async fn run(&self, arguments: &[&str]) -> std::process::Output {
        let mut command = self.command(arguments);
        command.stderr(Stdio::piped());
        self.within("a command ends", async { command.output().await.expect("it runs") }).await
    }

    /// Whether the contacts of a lead are erased.
    pub async fn erased(&self, lead: i64) -> bool {
        self.books().await.leads.iter().any(|row| row.id == lead && row.erased_at.is_some())
    }

    /// The address that a server prints when it listens.
    async fn printed_address(&self, child: &mut Child) -> String {
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let line = self
            .within("a server prints its address", async {
                loop {
                    let line = lines.next_line().await.expect("text").expect("it ended before it listened");
                    if line.contains("http://") {
                        return line;
                    }
                }
            })
            .await;
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let at = line.find("http://").expect("an address");
        line[at..].split_whitespace().next().expect("an address").trim_end_matches('/').to_owned()
    }

    /// `kill -9` after so many milliseconds; the process must not have ended by itself.
    pub async fn kill_after(&mut self, part: Part, millis: u64) {
        let mut child = self.take(part);
        let ended = tokio::time::timeout(Duration::from_millis(millis), child.wait()).await;
        assert!(ended.is_err(), "{part:?} ended by itself: {ended:?}");
        child.kill().await.expect("it is killed");
    }

    /// Asks a process to stop; answers its exit status.
    pub async fn stop(&mut self, part: Part) -> Option<i32> {
        let mut child = self.take(part);
        let pid = child.id().expect("it runs").to_string();
        let asked = std::process::Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs");
        assert!(asked.success());
        self.within("it stops", async { child.wait().await.expect("its status").code() }).await
    }

    /// The number of a running process.
    pub fn pid(&self, part: Part) -> u32 {
        let child = match part {
            Part::Api => self.api.as_ref(),
            Part::Bot => self.bot.as_ref(),
        };
        child.and_then(Child::id).expect("it runs")
    }

    fn take(&mut self, part: Part) -> Child {
        let child = match part {
            Part::Api => self.api.take(),
            Part::Bot => self.bot.take(),
        };
        child.expect("it runs")
    }

    /// Waits until `look` answers something, and fails the story with the processes' log when it never does.
    pub async fn until<T>(&self, what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
        self.until_within(PATIENCE, what, look).await
    }

    /// The same with another patience.
    pub async fn until_within<T>(
        &self,
        patience: Duration,
        what: &str,
        mut look: impl AsyncFnMut() -> Option<T>,
    ) -> T {
        let looking = async {
            let mut beat = tokio::time::interval(Duration::from_millis(20));
            loop {
                beat.tick().await;
                if let Some(found) = look().await {
                    return found;
                }
            }
        };
        match tokio::time::timeout(patience, looking).await {
            Ok(found) => found,
            Err(_) => self.never(what),
        }
    }

    async fn within<T>(&self, what: &str, wait: impl Future<Output = T>) -> T {
        match tokio::time::timeout(PATIENCE, wait).await {
            Ok(value) => value,
            Err(_) => self.never(what),
        }
    }

    fn never(&self, what: &str) -> ! {
        let log = self.logged();
        let tail: Vec<_> = log.lines().rev().take(40).collect();
        panic!("it never happened that {what}; last log lines, newest first:\n{}", tail.join("\n"));
    }

    // The landing site.

    /// The address of `POST /leads`.
    pub fn endpoint(&self) -> String {
        format!("{}/leads", self.api_address)
    }

    /// What the landing site would send to the API.
    pub fn post(&self, request: &Value) -> reqwest::RequestBuilder {
        self.http.post(self.endpoint()).header("X-Stickers-Leads-Secret", SECRET).json(request)
    }

    /// Sends a request that must be taken; answers status and lead.
    pub async fn submit(&self, request: &Value) -> (u16, i64) {
        let answer = self.post(request).send().await.expect("an answer");
        let status = answer.status().as_u16();
        let body: Value = answer.json().await.expect("JSON");
        (status, body["id"].as_i64().unwrap_or_else(|| panic!("{status} {body}")))
    }

    // The group.

    /// What stands in the group as this person sees it, oldest first.
    pub fn seen_in(&self, chat: i64, person: i64) -> Vec<Value> {
        let view = self.world.view(Some(person), chat).unwrap_or_default();
        view["messages"].as_array().cloned().unwrap_or_default()
    }

    /// The cards of a request in a chat, by its `request_id`.
    pub fn cards_in(&self, chat: i64, request_id: &str) -> Vec<Value> {
        let mine = format!("request_id: {request_id}");
        let messages = self.seen_in(chat, self.admin).into_iter();
        messages.filter(|message| message["text"].as_str().is_some_and(|text| text.contains(&mine))).collect()
    }

    /// The cards of a request in the team's group.
    pub fn cards(&self, request_id: &str) -> Vec<Value> {
        self.cards_in(self.group, request_id)
    }

    /// Waits for the card of a request.
    pub async fn card(&self, request_id: &str) -> Value {
        self.until("the card comes", async || self.cards(request_id).pop()).await
    }

    /// Waits until the one card of a request holds `words`.
    pub async fn card_with(&self, request_id: &str, words: &str) -> Value {
        self.until(&format!("the card says {words:?}"), async || {
            self.cards(request_id)
                .pop()
                .filter(|card| card["text"].as_str().is_some_and(|text| text.contains(words)))
        })
        .await
    }

    /// Presses the button of a card that holds `label`.
    pub fn press(&self, person: i64, card: &Value, label: &str) {
        let (row, col) = place_of(card, label).unwrap_or_else(|| panic!("no button {label:?} on {card}"));
        let message_id = card["id"].as_i64().expect("a number");
        let press = NewPress { person, chat: self.group, message_id, row, col, ..NewPress::default() };
        self.world.press(press).expect("the button is pressed");
    }

    /// Waits until this person reads `words` as the answer to a press.
    pub async fn notice(&self, person: i64, words: &str) {
        self.until(&format!("a press is answered {words:?}"), async || {
            let view = self.world.view(Some(person), self.group).ok()?;
            (view["notice"]["text"] == words).then_some(())
        })
        .await;
    }

    /// The database, read past the product.
    pub async fn books(&self) -> Books {
        Books::read(&self.database).await
    }
}

/// Row and place of the button that holds `label`.
fn place_of(card: &Value, label: &str) -> Option<(usize, usize)> {
    let rows = card["buttons"].as_array()?;
    rows.iter().enumerate().find_map(|(row, buttons)| {
        let mut buttons = buttons.as_array()?.iter();
        Some((
            row,
            buttons.position(|button| button["text"].as_str().is_some_and(|text| text.contains(label)))?,
        ))
    })
}

/// A request of somebody new; `number` makes it unlike all others.
pub fn request(number: u32) -> Value {
    json!({
        "request_id": format!("{number:08x}-7d52-4f3e-9a68-5c2d1e0f7b34"),
        "name": format!("Гость {number}"),
        "telegram": format!("@guest_{number}"),
        "phone": format!("+99890{number:07}"),
        "date": "14 декабря",
        "guests": "150",
        "comment": "Свадьба <b>& =cmd()",
        "locale": "ru",
    })
}

/// The `request_id` of [`request`].
pub fn id_of(request: &Value) -> &str {
    request["request_id"].as_str().expect("an id")
}

/// A number that the environment of the test run asks for.
#[expect(clippy::disallowed_methods, reason = "the length of a test run is told by its environment")]
pub fn asked(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}
