//! `stickers landing` from outside: what it prints, logs and refuses.

use simulator::{NewGroup, NewPerson, SystemClock, World};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

const ID: &str = "0b9e4a1c-7d52-4f3e-9a68-5c2d1e0f7b34";

fn command(folder: &Path, name: &str, env: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickers"));
    command.arg(name).current_dir(folder).env_clear().envs(env.iter().copied());
    command
}

/// A server of ours; killed when a test fails.
struct Running {
    child: Child,
    /// Where it listens.
    address: String,
    printed: BufReader<ChildStdout>,
}

impl Running {
    /// Starts it and reads the address that it prints.
    fn start(folder: &Path, name: &str, env: &[(&str, &str)]) -> Running {
        let child = command(folder, name, env).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("the binary runs");
        let mut printed = BufReader::new(child.stdout.take().expect("standard output"));
        let mut line = String::new();
        printed.read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on http://").expect("the address").to_owned();
        Running { child, address, printed }
    }

    /// Asks it to end; answers what it printed since, and its log.
    fn end(mut self) -> (String, String) {
        let told = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(told.expect("kill runs").success() && self.child.wait().expect("an end").success());
        let (mut printed, mut log) = (String::new(), String::new());
        self.printed.read_to_string(&mut printed).expect("text");
        self.child.stderr.take().expect("standard error").read_to_string(&mut log).expect("text");
        (printed, log)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn post(address: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a bound");
    let request = format!(
        "POST /ru/request HTTP/1.1\r\nHost: {address}\r\nAccept: application/json\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

fn form(id: &str) -> String {
    format!("name=Lola&telegram=lola_k&phone=%2B998901234567&requestId={id}")
}

fn is_sent(answer: &str) {
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(r#"{"result":"sent"}"#), "{answer}");
}

#[test]
fn a_local_run_prints_the_request_and_logs_one_line_without_a_word_of_the_visitor() {
    let folder = tempfile::tempdir().expect("a folder");
    let env = [("LANDING_BIND", "127.0.0.1:0"), ("LOG_FORMAT", "text")];
    let site = Running::start(folder.path(), "landing", &env);
    is_sent(&post(&site.address, &form(ID)));
    let (printed, log) = site.end();
    for part in ["Имя: Lola", "Telegram: @lola_k", "Телефон: +998901234567", ID] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert_eq!(log.matches("[request]").count(), 1, "{log}");
    assert!(log.contains(&format!("[request] {ID} → console")), "{log}");
    for personal in ["Lola", "lola_k", "998901234567"] {
        assert!(!log.contains(personal), "{personal}: {log}");
    }
}

/// A simulated Telegram with a group; answers its address, the world and the group.
async fn telegram() -> (String, World, i64) {
    let world = World::new(Arc::new(SystemClock), 1);
    let bot = world.add_bot("1:token", "leads_bot", "Leads");
    let person = world.add_person(NewPerson::named("Нодира", "ru")).expect("room").id;
    let group = NewGroup {
        title: "Заявки".into(),
        members: vec![person],
        bots: Some(vec![bot]),
        ..NewGroup::default()
    };
    let group = world.add_group(group).expect("room");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(simulator::serve(listener, world.clone()));
    (url, world, group)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_api_stores_a_request_and_when_it_is_gone_the_group_gets_it() {
    const SECOND: &str = "1b9e4a1c-7d52-4f3e-9a68-5c2d1e0f7b34";
    let folder = tempfile::tempdir().expect("a folder");
    let (telegram, world, group) = telegram().await;
    let secrets = [("LEADS_SECRET", "a-secret"), ("LEADS_IP_SALT", "salt")];
    let api = Running::start(folder.path(), "api", &[&secrets[..], &[("API_BIND", "127.0.0.1:0")]].concat());
    let (endpoint, group_id) = (format!("http://{}/leads", api.address), group.to_string());
    let env = [
        ("LANDING_BIND", "127.0.0.1:0"),
        ("LOG_FORMAT", "text"),
        ("LEADS_SECRET", "a-secret"),
        ("LEADS_ENDPOINT", &endpoint),
        ("FALLBACK_BOT_TOKEN", "1:token"),
        ("FALLBACK_CHAT_ID", &group_id),
        ("TELEGRAM_API_URL", &telegram),
    ];
    let site = Running::start(folder.path(), "landing", &env);
    // New, then known.
    is_sent(&post(&site.address, &form(ID)));
    is_sent(&post(&site.address, &form(ID)));
    let texts = || world.view(None, group).expect("the group").to_string();
    assert!(!texts().contains("lola_k"), "the API took it; its bot is another process");
    drop(api);
    is_sent(&post(&site.address, &form(SECOND)));
    let seen = texts();
    for part in ["Запасной канал", SECOND, "https://t.me/lola_k", "+998901234567"] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    assert!(!seen.contains(ID));
    let (printed, log) = site.end();
    assert_eq!(printed, "");
    assert_eq!(log.matches(&format!("[request] {ID} → server")).count(), 2, "{log}");
    assert_eq!(log.matches(&format!("[request] {SECOND} → fallback")).count(), 1, "{log}");
}

#[test]
fn half_of_a_pair_and_a_file_that_is_not_usable_stop_the_start_with_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("wrong.toml"), "price = 5").expect("a file");
    let refused = |env: &[(&str, &str)]| -> Output {
        command(folder.path(), "landing", env).output().expect("the binary runs")
    };
    for (env, parts) in [
        (&[("LEADS_ENDPOINT", "http://api/leads")][..], ["LEADS_SECRET", "LEADS_ENDPOINT"]),
        (&[("LEADS_SECRET", "s")], ["LEADS_ENDPOINT", "LEADS_SECRET"]),
        (&[("LANDING_CONTENT", "wrong.toml")], ["LANDING_CONTENT", "price"]),
        (&[("LANDING_CONTENT", "nowhere.toml")], ["LANDING_CONTENT", "nowhere.toml"]),
        (&[("LANDING_BIND", "3000")], ["LANDING_BIND", "ADDRESS:PORT"]),
    ] {
        let output = refused(env);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), said.lines().count()), (Some(2), 1), "{env:?}: {said}");
        parts.iter().for_each(|part| assert!(said.contains(part), "{part}: {said}"));
    }
}
