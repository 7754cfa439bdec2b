//! The stage of a black-box story: the built binary as two processes, a simulated Telegram, real files, a real database.
#![allow(dead_code, reason = "each story uses its part of the stage")]

use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use simulator::{NewPerson, NewPress, Settings, SystemClock, World};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
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
/// A user who owns nothing here.
const NOBODY: u32 = 65_534;
/// The bot's id.
pub const BOT: i64 = 123_456;

/// Everything a story needs. Processes are killed when it is dropped.
pub struct Stage {
    pub world: World,
    pub http: reqwest::Client,
    pub folder: TempDir,
    pub database: String,
    /// More variables for the processes, set before they start.
    pub more: Vec<(&'static str, String)>,
    telegram: String,
    program: PathBuf,
    log: PathBuf,
    /// Another user than the one of the test, with the group of the same number.
    pub user: Option<u32>,
    /// Where program and log lie when they are not where they usually do.
    _aside: Option<TempDir>,
    api: Option<(Child, String)>,
    bot: Option<Child>,
}

impl Stage {
    /// A stage on an SQLite file, with the API running and no bot yet.
    pub async fn new() -> Stage {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let database = format!("sqlite://{}/app.db", folder.path().display());
        Stage::on(folder, database).await
    }

    /// A stage on the given database.
    pub async fn on(folder: TempDir, database: String) -> Stage {
        Stage::with(folder, database, Vec::new()).await
    }

    /// The same with more variables for the processes.
    pub async fn with(folder: TempDir, database: String, more: Vec<(&'static str, String)>) -> Stage {
        let mut stage = Stage::before_the_start(folder, database, more).await;
        stage.start_api().await;
        stage
    }

    /// The same on an SQLite file and with processes of an ordinary user, whom rights stop as they stop nobody who is root. Program and log lie
    /// outside of the data folder.
    pub async fn unprivileged(more: Vec<(&'static str, String)>) -> Stage {
        let (folder, aside) =
            (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let database = format!("sqlite://{}/app.db", folder.path().display());
        let mut stage = Stage::before_the_start(folder, database, more).await;
        stage.log = aside.path().join("processes.log");
        let data = stage.folder.path();
        if std::fs::metadata(data).expect("readable").uid() == 0 {
            // The folder of the build may be closed to others.
            let program = aside.path().join("stickers");
            if std::fs::hard_link(&stage.program, &program).is_err() {
                std::fs::copy(&stage.program, &program).expect("a copy of the program");
            }
            let open = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(aside.path(), open).expect("a folder for all");
            std::os::unix::fs::chown(data, Some(NOBODY), Some(NOBODY)).expect("a folder of somebody else's");
            (stage.program, stage.user) = (program, Some(NOBODY));
        }
        stage._aside = Some(aside);
        stage.start_api().await;
        stage
    }

    async fn before_the_start(folder: TempDir, database: String, more: Vec<(&'static str, String)>) -> Stage {
        let world = World::new(Arc::new(SystemClock), 7);
        world.add_bot(TOKEN, "stickers_sim_bot", "Stickers");
        world.set_settings(Settings { set_lag_ms: 50, ..world.settings() });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let telegram = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(simulator::serve(listener, world.clone()));
        let http =
            reqwest::Client::builder().timeout(Duration::from_secs(60)).no_proxy().build().expect("a client");
        Stage {
            world,
            http,
            database,
            more,
            telegram,
            program: env!("CARGO_BIN_EXE_stickers").into(),
            log: folder.path().join("processes.log"),
            folder,
            user: None,
            _aside: None,
            api: None,
            bot: None,
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
            .args(arguments)
            .env_clear()
            .current_dir(self.log.parent().expect("a folder"))
            .env("BOT_TOKEN", TOKEN)
            .env("TELEGRAM_API_URL", &self.telegram)
            .env("TELEGRAM_LINK_URL", &self.telegram)
            .env("DATA_DIR", self.folder.path())
            .env("DATABASE_URL", &self.database)
            .env("API_BIND", "127.0.0.1:0")
            .env("EVENT_NAME", "Fest")
            .env("LOG_FORMAT", "text")
            .env("RUST_LOG", "info")
            .envs(self.more.iter().map(|(name, value)| (*name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(self.log())
            .kill_on_drop(true);
        command
    }

    fn log(&self) -> std::fs::File {
        std::fs::OpenOptions::new().create(true).append(true).open(&self.log).expect("a log file")
    }

    /// Starts the API and reads its address from the line it prints.
    pub async fn start_api(&mut self) {
        let mut child = self.command(&["api"]).spawn().expect("the api starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let address = self
            .within("the api prints its address", async {
                loop {
                    let line = lines
                        .next_line()
                        .await
                        .expect("readable output")
                        .expect("the api ended before it listened");
                    if let Some(at) = line.find("http://") {
                        return line[at..]
                            .split_whitespace()
                            .next()
                            .expect("an address")
                            .trim_end_matches('/')
                            .to_owned();
                    }
                }
            })
            .await;
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        self.api = Some((child, address));
    }

    /// Starts the bot with some roles, or with all when the list is empty.
    pub fn start_bot(&mut self, roles: &str) {
        let arguments: &[&str] = if roles.is_empty() { &["bot"] } else { &["bot", "--roles", roles] };
        let child = self.command(arguments).stdout(Stdio::null()).spawn().expect("the bot starts");
        self.bot = Some(child);
    }

    /// `kill -9` of the API.
    pub async fn kill_api(&mut self) {
        let (mut api, _) = self.api.take().expect("a running api");
        api.kill().await.expect("the api is killed");
    }

    /// Process ids of API and bot, as far as they run.
    pub fn ids(&self) -> [Option<u32>; 2] {
        [self.api.as_ref().and_then(|(api, _)| api.id()), self.bot.as_ref().and_then(Child::id)]
    }

    /// One more bot with all roles, beside the one of the stage.
    pub fn another_bot(&self) -> Child {
        self.command(&["bot"]).stdout(Stdio::null()).spawn().expect("the bot starts")
    }

    /// Waits for the bot to end by itself and answers its exit status.
    pub async fn bot_ends(&mut self) -> Option<i32> {
        let mut bot = self.bot.take().expect("a running bot");
        self.within("the bot ends", async { bot.wait().await.expect("its status").code() }).await
    }

    /// How often the processes logged these words.
    pub fn logged(&self, words: &str) -> usize {
        self.whole_log().matches(words).count()
    }

    /// All that the processes logged.
    pub fn whole_log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// `kill -9` of the bot.
    pub async fn kill_bot(&mut self) {
        let mut bot = self.bot.take().expect("a running bot");
        bot.kill().await.expect("the bot is killed");
    }

    /// Asks the bot to stop and answers its exit status.
    pub async fn stop_bot(&mut self) -> Option<i32> {
        let mut bot = self.bot.take().expect("a running bot");
        let pid = bot.id().expect("a running bot").to_string();
        let asked = std::process::Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs");
        assert!(asked.success());
        self.within("the bot stops", async { bot.wait().await.expect("its status").code() }).await
    }

    /// Asks the API to stop, and waits for its end.
    pub async fn stop_api(&mut self) {
        let (mut api, _) = self.api.take().expect("a running api");
        let pid = api.id().expect("a running api").to_string();
        let asked = std::process::Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs");
        assert!(asked.success());
        self.within("the api stops", async { api.wait().await.expect("its status") }).await;
    }

    /// Runs a command of the same configuration to its end.
    pub async fn run(&self, arguments: &[&str]) -> std::process::Output {
        let mut command = self.command(arguments);
        command.stderr(Stdio::piped());
        self.within("a command ends", async { command.output().await.expect("it runs") }).await
    }

    /// The address of a call.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.api.as_ref().expect("a running api").1)
    }

    /// A person in Telegram.
    pub fn person(&self, name: &str, language: &str) -> i64 {
        self.world.add_person(NewPerson::named(name, language)).expect("a new person").id
    }

    /// Waits until `look` answers something, and fails the story with the processes' log when it never does.
    pub async fn until<T>(&self, what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
        self.within(what, async {
            let mut beat = tokio::time::interval(Duration::from_millis(20));
            loop {
                beat.tick().await;
                if let Some(found) = look().await {
                    return found;
                }
            }
        })
        .await
    }

    async fn within<T>(&self, what: &str, wait: impl Future<Output = T>) -> T {
        match tokio::time::timeout(PATIENCE, wait).await {
            Ok(value) => value,
            Err(_) => {
                let log = self.whole_log();
                let tail: Vec<_> = log.lines().rev().take(40).collect();
                panic!("it never happened that {what}; last log lines, newest first:\n{}", tail.join("\n"));
            }
        }
    }

    // The tablet.

    /// Taps Start, waiting until the bot has told its name.
    pub async fn tap_start(&self) -> Value {
        self.until("a session opens", async || {
            let answer =
                self.http.post(self.url("/session")).json(&json!({"kiosk": "stand"})).send().await.ok()?;
            (answer.status() == 201).then_some(answer)?.json().await.ok()
        })
        .await
    }

    /// The session as the tablet sees it.
    pub async fn session(&self, token: &str) -> Value {
        let answer = self.http.get(self.url(&format!("/session/{token}"))).send().await.expect("an answer");
        answer.json().await.expect("JSON")
    }

    /// Waits until the session is in `status`.
    pub async fn session_in(&self, token: &str, status: &str) -> Value {
        self.until(&format!("the session is {status}"), async || {
            let session = self.session(token).await;
            (session["status"] == status).then_some(session)
        })
        .await
    }

    /// Taps an outfit.
    pub async fn choose(&self, token: &str, template: &str) -> (u16, Value) {
        let call = self
            .http
            .post(self.url(&format!("/session/{token}/template")))
            .json(&json!({"template_id": template}));
        answer(call).await
    }

    /// Uploads a photo.
    pub async fn upload(&self, token: &str, photo: Vec<u8>) -> (u16, Value) {
        self.upload_as(token, photo, "selfie.jpg").await
    }

    /// Uploads a photo from a file of this name.
    pub async fn upload_as(&self, token: &str, photo: Vec<u8>, file: &str) -> (u16, Value) {
        let form = Form::new().part("photo", Part::bytes(photo).file_name(file.to_owned()));
        answer(self.http.post(self.url(&format!("/session/{token}/photo"))).multipart(form)).await
    }

    // The phone.

    /// The phone opens the link of the QR.
    pub fn scan(&self, person: i64, token: &str) {
        self.world.start(person, BOT, Some(token)).expect("the chat opens");
    }

    /// What the guest sees, oldest first.
    pub fn chat(&self, person: i64) -> Vec<Value> {
        let view = self.world.view(Some(person), BOT).unwrap_or_default();
        view["messages"].as_array().cloned().unwrap_or_default()
    }

    /// Messages of the bot to this guest that hold `text`.
    pub fn told(&self, person: i64, text: &str) -> usize {
        let said = |message: &Value| {
            message["from"]["is_bot"] == true && message["text"].as_str().unwrap_or("").contains(text)
        };
        self.chat(person).iter().filter(|message| said(message)).count()
    }

    /// Waits for a message of the bot that holds `text`.
    pub async fn hears(&self, person: i64, text: &str) {
        self.until(&format!("the guest reads {text:?}"), async || {
            (self.told(person, text) > 0).then_some(())
        })
        .await;
    }

    /// Presses the first button of the newest message that has one.
    pub async fn press_button(&self, person: i64) {
        let message_id = self
            .until("a button is there", async || {
                let chat = self.chat(person);
                let with_button =
                    chat.iter().rev().find(|message| message["buttons"][0][0]["callback"] == true)?;
                with_button["id"].as_i64()
            })
            .await;
        self.world
            .press(NewPress { person, chat: BOT, message_id, ..NewPress::default() })
            .expect("the button is pressed");
    }

    /// From Start to the camera: session, link, consent, outfit.
    pub async fn at_the_camera(&self, person: i64, template: &str) -> String {
        let token = self.tap_start().await["token"].as_str().expect("a token").to_owned();
        self.scan(person, &token);
        self.session_in(&token, "linked").await;
        self.press_button(person).await;
        self.session_in(&token, "consented").await;
        let (status, session) = self.choose(&token, template).await;
        assert_eq!((status, session["status"].as_str()), (200, Some("template_chosen")), "{session}");
        token
    }

    /// Waits for the link, and checks that the pack is whole: nine stickers, valid by decoding, in one set that belongs to the guest, one
    /// link and one first sticker in the chat.
    pub async fn pack_arrives_once(&self, person: i64) -> Value {
        self.until("the link arrives", async || (self.links(person) > 0).then_some(())).await;
        let sets = self.world.sets();
        let own: Vec<_> =
            sets.as_array().expect("sets").iter().filter(|set| set["owner"] == person).cloned().collect();
        assert_eq!(own.len(), 1, "one set for one job: {own:?}");
        let set = self.world.set(own[0]["name"].as_str().expect("a name")).expect("the set");
        check_stickers(&self.world, &set);
        assert_eq!(self.links(person), 1, "one link");
        let stickers = self.chat(person).iter().filter(|message| message["sticker"].is_object()).count();
        assert_eq!(stickers, 1, "the first sticker comes with the link");
        set
    }

    fn links(&self, person: i64) -> usize {
        let is_link = |message: &Value| {
            message["buttons"][0][0]["url"].as_str().is_some_and(|url| url.contains("/addstickers/"))
        };
        self.chat(person).iter().filter(|message| is_link(message)).count()
    }

    /// Files under the data folder whose path holds `part`.
    pub fn files(&self, part: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect(self.folder.path(), part, &mut found);
        found
    }
}

fn collect(folder: &Path, part: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, part, found);
        } else if path.to_string_lossy().contains(part) {
            found.push(path);
        }
    }
}

async fn answer(call: reqwest::RequestBuilder) -> (u16, Value) {
    let answer = call.send().await.expect("an answer");
    let status = answer.status().as_u16();
    (status, answer.json().await.unwrap_or_default())
}

/// Nine pictures: one side 512, the other not larger, transparent somewhere, below 512 KiB, no two alike.
fn check_stickers(world: &World, set: &Value) {
    let stickers = set["stickers"].as_array().expect("stickers");
    assert_eq!(stickers.len(), 9, "{set}");
    let mut seen = std::collections::BTreeSet::new();
    for sticker in stickers {
        let (_, bytes) = world.file(sticker["file"].as_str().expect("a file")).expect("the file");
        assert!(bytes.len() <= 512 * 1024, "{} bytes", bytes.len());
        let picture = image::load_from_memory(&bytes).expect("a picture").to_rgba8();
        let (width, height) = picture.dimensions();
        assert_eq!(width.max(height), 512, "{width}x{height}");
        assert!(picture.pixels().any(|pixel| pixel.0[3] == 0), "no transparency");
        assert!(seen.insert(picture.into_raw()), "two stickers are the same picture");
    }
}

/// The committed portrait.
pub fn astronaut() -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../app/assets/astronaut.png"))
        .expect("the portrait")
}
