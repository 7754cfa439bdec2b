//! `stickers landing` from outside: what it prints, logs and refuses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

const ID: &str = "0b9e4a1c-7d52-4f3e-9a68-5c2d1e0f7b34";

fn command(folder: &Path, env: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stickers"));
    command.arg("landing").current_dir(folder).env_clear().envs(env.iter().copied());
    command
}

/// Killed when a test fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
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

#[test]
fn a_local_run_prints_the_request_and_logs_one_line_without_a_word_of_the_visitor() {
    let folder = tempfile::tempdir().expect("a folder");
    let env = [("LANDING_BIND", "127.0.0.1:0"), ("LOG_FORMAT", "text")];
    let child = command(folder.path(), &env).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut site = Running(child.expect("the binary runs"));
    let mut printed = BufReader::new(site.0.stdout.take().expect("standard output"));
    let mut line = String::new();
    printed.read_line(&mut line).expect("a line");
    let address = line.trim().strip_prefix("listening on http://").expect("the address").to_owned();
    let answer = post(&address, &format!("name=Lola&telegram=lola_k&phone=%2B998901234567&requestId={ID}"));
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(r#"{"result":"sent"}"#), "{answer}");
    let ended = Command::new("kill").args(["-TERM", &site.0.id().to_string()]).status().expect("kill runs");
    assert!(ended.success() && site.0.wait().expect("an end").success());
    let (mut rest, mut log) = (String::new(), String::new());
    printed.read_to_string(&mut rest).expect("text");
    site.0.stderr.take().expect("standard error").read_to_string(&mut log).expect("text");
    for part in ["Имя: Lola", "Telegram: @lola_k", "Телефон: +998901234567", ID] {
        assert!(rest.contains(part), "{part}: {rest}");
    }
    assert_eq!(log.matches("[request]").count(), 1, "{log}");
    assert!(log.contains(&format!("[request] {ID} → console")), "{log}");
    for personal in ["Lola", "lola_k", "998901234567", "127.0.0.1 "] {
        assert!(!log.contains(personal), "{personal}: {log}");
    }
}

#[test]
fn half_of_a_pair_and_a_file_that_is_not_usable_stop_the_start_with_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("wrong.toml"), "price = 5").expect("a file");
    let refused =
        |env: &[(&str, &str)]| -> Output { command(folder.path(), env).output().expect("the binary runs") };
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
