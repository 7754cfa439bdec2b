//! `stickers api` as a process: it listens, logs to files and ends when it is asked to.

use crate::{Place, err};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A server that ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Server {
    /// Starts `api` on a free port and answers its address, which it prints.
    fn start(place: &Place) -> (Server, String) {
        let mut child = place
            .command(&["api"])
            .envs([("API_BIND", "127.0.0.1:0"), ("LOG_FORMAT", "json"), ("LOG_DIR", "logs")])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let printed = BufReader::new(child.stdout.take().expect("its output"));
        let server = Server(child);
        let first = printed.lines().next().expect("the address").expect("text");
        let address = first.strip_prefix("listening on http://").expect("the address").to_owned();
        (server, address)
    }

    fn signal(&self, name: &str) {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().expect("kill runs").success());
    }
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: kiosk\r\nConnection: close\r\n\r\n").expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn the_api_answers_logs_to_files_and_ends_with_status_0_when_asked() {
    let place = Place::new();
    for signal in ["TERM", "INT"] {
        let (mut server, address) = Server::start(&place);
        let health = get(&address, "/health");
        assert!(health.starts_with("HTTP/1.1 200") && health.contains("\"ok\":true"), "{health}");
        assert!(get(&address, "/metrics").contains("http_requests_total"));
        server.signal(signal);
        assert_eq!(server.0.wait().expect("an end").code(), Some(0), "{signal}");
    }
    let files: Vec<_> = std::fs::read_dir(place.path().join("logs"))
        .expect("a folder")
        .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(files.iter().all(|name| name.starts_with("app.log.20")) && !files.is_empty(), "{files:?}");
    for name in files {
        let text = std::fs::read_to_string(place.path().join("logs").join(name)).expect("a log");
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect();
        assert!(lines.iter().any(|line| line["message"] == "listening"), "{text}");
    }
}

#[test]
fn a_taken_address_is_a_failure_that_names_it() {
    let place = Place::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let output = place.run(&["api"], &[("API_BIND", &address), ("RUST_LOG", "off")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(err(&output).contains(&address), "{}", err(&output));
}
