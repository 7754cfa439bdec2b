//! `stickers demo` from outside: a guest's whole way, and what is left after a restart. Only the binary, its addresses and its signals.

use reqwest::multipart::{Form, Part};
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

const PORTRAIT: &[u8] = include_bytes!("../../render/tests/data/astronaut.png");
/// Nothing here takes longer unless it never ends.
const NEVER: Duration = Duration::from_secs(180);

/// A running demo.
struct Demo {
    child: Child,
    api: String,
    telegram: String,
    http: Client,
}

impl Demo {
    async fn start(data: &Path, port: u16) -> Demo {
        let mut child = Command::new(env!("CARGO_BIN_EXE_stickers"))
            .args(["demo", "--port", &port.to_string()])
            .env_clear()
            .env("DATA_DIR", data)
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the binary runs");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let first = tokio::time::timeout(NEVER, lines.next_line()).await.expect("an answer").expect("text");
        let first = first.expect("the address of the start page comes first");
        assert_eq!(first, format!("Start page: http://localhost:{port}/demo"));
        let http = Client::builder().redirect(reqwest::redirect::Policy::none()).build().expect("a client");
        let (api, telegram) = (format!("http://127.0.0.1:{port}"), format!("http://127.0.0.1:{}", port + 1));
        Demo { child, api, telegram, http }
    }

    async fn end(mut self) {
        let pid = self.child.id().expect("it runs").to_string();
        assert!(Command::new("kill").args(["-s", "INT", &pid]).status().await.expect("kill runs").success());
        let status = tokio::time::timeout(NEVER, self.child.wait()).await.expect("an end").expect("a status");
        assert_eq!(status.code(), Some(0));
    }

    async fn get(&self, url: &str) -> Value {
        let response = self.http.get(url).send().await.expect("an answer");
        assert_eq!(response.status(), StatusCode::OK, "{url}");
        response.json().await.expect("JSON")
    }

    async fn post(&self, url: &str, body: Value) -> (StatusCode, Value) {
        let response = self.http.post(url).json(&body).send().await.expect("an answer");
        (response.status(), response.json().await.unwrap_or_default())
    }

    async fn events(&self, url: &str) -> Events {
        Events { response: self.http.get(url).send().await.expect("a stream"), buffer: String::new() }
    }

    /// A session, as soon as the bot has told its name.
    async fn session(&self) -> Value {
        let opening = async {
            loop {
                let (status, session) =
                    self.post(&format!("{}/session", self.api), json!({"language": "en"})).await;
                if status == StatusCode::CREATED {
                    return session;
                }
                assert_eq!(session["error"], "bot_not_ready", "{session}");
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(NEVER, opening).await.expect("a bot that starts")
    }
}

/// Server-sent events.
struct Events {
    response: Response,
    buffer: String,
}

impl Events {
    /// Reads on until an event fits.
    async fn until(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let reading = async {
            loop {
                while let Some(end) = self.buffer.find("\n\n") {
                    let event: String = self.buffer.drain(..end + 2).collect();
                    let data = event.lines().find_map(|line| line.strip_prefix("data:"));
                    let data: Value =
                        data.and_then(|data| serde_json::from_str(data).ok()).unwrap_or_default();
                    if fits(&data) {
                        return data;
                    }
                }
                let chunk =
                    self.response.chunk().await.expect("a stream").expect("no end before it happened");
                self.buffer.push_str(&String::from_utf8_lossy(&chunk));
            }
        };
        tokio::time::timeout(NEVER, reading).await.unwrap_or_else(|_| panic!("never: {what}"))
    }
}

/// The first of three ports beside each other that are free now.
fn free_ports() -> u16 {
    loop {
        let first = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = first.local_addr().expect("an address").port();
        let free = |port| std::net::TcpListener::bind(("127.0.0.1", port)).is_ok();
        if port < u16::MAX - 1 && free(port + 1) && free(port + 2) {
            return port;
        }
    }
}

/// The button of the newest message, pressed by the guest.
async fn press_newest_button(demo: &Demo, person: i64, bot: i64, chat: &Value) {
    let messages = chat["messages"].as_array().expect("messages");
    let message = messages.iter().rev().find(|message| is_with_button(message)).expect("a button");
    let (status, answer) = demo
        .post(
            &format!("{}/sim/press", demo.telegram),
            json!({"person": person, "chat": bot, "message_id": message["id"], "row": 0, "col": 0}),
        )
        .await;
    assert_eq!(status, StatusCode::ACCEPTED, "{answer}");
}

fn is_with_button(message: &Value) -> bool {
    message["buttons"].as_array().is_some_and(|rows| !rows.is_empty())
}

#[tokio::test]
async fn a_guest_goes_from_start_to_a_pack_and_the_pack_is_there_after_a_restart() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let port = free_ports();
    let demo = Demo::start(data.path(), port).await;
    let session = demo.session().await;
    let token = session["token"].as_str().expect("a token");
    let link = session["deep_link"].as_str().expect("a link");
    assert_eq!(link, format!("http://localhost:{}/stickers_demo_bot?start={token}", port + 1));
    let person = demo.get(&format!("{}/sim/people", demo.telegram)).await["people"][0]["id"]
        .as_i64()
        .expect("a guest");
    let bot =
        demo.get(&format!("{}/sim/bots", demo.telegram)).await["bots"][0]["id"].as_i64().expect("the bot");

    // The phone: Start, then the consent button.
    let start = json!({"person": person, "bot": bot, "payload": token});
    let (status, answer) = demo.post(&format!("{}/sim/start", demo.telegram), start).await;
    assert!(status.is_success(), "{answer}");
    let mut chat = demo.events(&format!("{}/sim/events?person={person}&chat={bot}", demo.telegram)).await;
    let asked = chat
        .until("the bot asks for consent", |chat| {
            chat["messages"].as_array().is_some_and(|messages| messages.iter().any(is_with_button))
        })
        .await;
    press_newest_button(&demo, person, bot, &asked).await;

    // The tablet: outfit, photo, and then it only listens.
    let mut screen = demo.events(&format!("{}/session/{token}/events", demo.api)).await;
    screen.until("the tablet sees the consent", |session| session["status"] == "consented").await;
    let (status, answer) =
        demo.post(&format!("{}/session/{token}/template", demo.api), json!({"template_id": "chapan"})).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let photo = Form::new().part("photo", Part::bytes(PORTRAIT).file_name("me.png"));
    let photo = demo.http.post(format!("{}/session/{token}/photo", demo.api)).multipart(photo).send().await;
    assert_eq!(photo.expect("an answer").status(), StatusCode::ACCEPTED);
    let done = screen.until("the pack is done", |session| session["job"]["status"] == "done").await;
    let pack_link = done["pack_link"].as_str().expect("a link");
    let name = pack_link.rsplit('/').next().expect("a name").to_owned();
    assert_eq!(pack_link, format!("http://localhost:{}/addstickers/{name}", port + 1));

    // The phone again: the link arrives, once.
    let told = chat.until("the link arrives", |chat| chat.to_string().contains(&name)).await;
    assert_eq!(
        told["messages"]
            .as_array()
            .map(|all| all.iter().filter(|one| one.to_string().contains(&name)).count()),
        Some(1)
    );
    let set = demo.get(&format!("{}/sim/sets/{name}", demo.telegram)).await;
    assert_eq!(set["stickers"].as_array().map(Vec::len), Some(9), "{set}");
    drop((chat, screen));
    demo.end().await;

    let again = Demo::start(data.path(), port).await;
    assert_eq!(
        again.get(&format!("{}/sim/sets/{name}", again.telegram)).await["stickers"].as_array().map(Vec::len),
        Some(9)
    );
    assert_eq!(again.get(&format!("{}/session/{token}", again.api)).await["pack_link"], pack_link);
    again.end().await;
}

#[tokio::test]
async fn the_start_page_has_its_data_and_opens_the_newest_code_on_a_phone() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let demo = Demo::start(data.path(), free_ports()).await;
    let page = demo.http.get(format!("{}/demo", demo.api)).send().await.expect("a page");
    assert_eq!(page.status(), StatusCode::OK);
    let told = demo.get(&format!("{}/demo.json", demo.api)).await;
    for door in ["kiosk_url", "guest_url", "group_url", "admin_url", "landing_url"] {
        assert!(told[door].as_str().is_some_and(|url| url.starts_with("http://localhost:")), "{told}");
    }
    let panel = demo.http.get(format!("{}/admin", demo.api)).send().await.expect("an answer");
    assert_eq!(panel.status(), StatusCode::SEE_OTHER);
    assert_eq!(panel.headers()["location"], "/admin/login");
    assert_eq!((&told["admin_login"], &told["admin_password"]), (&"demo".into(), &"stickers".into()));
    assert_eq!(told["data_dir"], data.path().display().to_string());
    assert!(told["stickers"].as_array().is_some_and(|stickers| stickers.len() >= 6), "{told}");
    let session = demo.session().await;
    let phone = demo.http.get(format!("{}/demo/guest", demo.api)).send().await.expect("an answer");
    assert_eq!(phone.status(), StatusCode::SEE_OTHER);
    assert_eq!(phone.headers()["location"].to_str().ok(), session["deep_link"].as_str());
    demo.end().await;
}

#[tokio::test]
async fn the_team_has_a_group_with_the_bot_and_its_admin_has_pressed_start() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let port = free_ports();
    let demo = Demo::start(data.path(), port).await;
    let door = demo.get(&format!("{}/demo.json", demo.api)).await["group_url"].clone();
    let group: i64 =
        door.as_str().and_then(|url| url.rsplit_once('=')).expect("a group").1.parse().expect("an id");
    let bot =
        demo.get(&format!("{}/sim/bots", demo.telegram)).await["bots"][0]["id"].as_i64().expect("the bot");
    let people = demo.get(&format!("{}/sim/people", demo.telegram)).await;
    let chats = |person: &Value| -> Vec<i64> {
        person["chats"].as_array().into_iter().flatten().filter_map(|chat| chat["id"].as_i64()).collect()
    };
    let people = people["people"].as_array().expect("people");
    let team: Vec<_> = people.iter().filter(|one| chats(one).contains(&group)).collect();
    assert_eq!(team.len(), 3, "{people:?}");
    let admin = team[0]["id"].as_i64().expect("an id");
    assert!(chats(team[0]).contains(&bot), "the admin has pressed Start");
    let view = demo.get(&format!("{}/sim/chat?person={admin}&chat={group}", demo.telegram)).await;
    assert_eq!(view["chat"]["people"][0]["id"], admin);
    assert_eq!(view["chat"]["people"][0]["admin"], true);
    assert_eq!(view["chat"]["members"], 4, "three people and the bot");
    demo.end().await;
    let again = Demo::start(data.path(), port).await;
    assert_eq!(again.get(&format!("{}/demo.json", again.api)).await["group_url"], door);
    again.end().await;
}

#[tokio::test]
async fn a_taken_port_is_said_and_a_free_one_offered() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let output = Command::new(env!("CARGO_BIN_EXE_stickers"))
        .args(["demo", "--port", &port.to_string()])
        .env_clear()
        .env("DATA_DIR", data.path())
        .output()
        .await
        .expect("the binary runs");
    let line = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{line}");
    assert!(
        line.contains(&format!("port {port} is taken")) && line.contains("stickers demo --port"),
        "{line}"
    );
}
