//! The wire: encodings of a call, headers of an answer, and answers that are none.

use std::net::SocketAddr;

use serde_json::{Value, json};
use simulator::{Fault, Loss, Play};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::stage::{Stage, TOKEN, png, stage};

/// A world behind a socket.
pub struct Server {
    pub stage: Stage,
    address: SocketAddr,
    task: JoinHandle<std::io::Result<()>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A response, taken apart.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub async fn server() -> Server {
    let stage = stage();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let task = tokio::spawn(simulator::serve(listener, stage.world.clone()));
    Server { stage, address, task }
}

impl Server {
    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends a request and reads until the server closes; None when it closed without a byte.
    pub async fn raw(&self, head: &str, body: &[u8]) -> Option<Response> {
        let mut socket = self.connect().await;
        socket.write_all(format!("{head}\r\nhost: x\r\nconnection: close\r\n").as_bytes()).await.unwrap();
        if !head.contains("chunked") {
            socket.write_all(format!("content-length: {}\r\n", body.len()).as_bytes()).await.unwrap();
        }
        socket.write_all(b"\r\n").await.unwrap();
        socket.write_all(body).await.unwrap();
        let mut all = Vec::new();
        // A connection that is cut may end with an error; what came before it counts.
        let _ = socket.read_to_end(&mut all).await;
        let end = all.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&all[..end]).to_lowercase();
        let status = head.split(' ').nth(1)?.parse().unwrap();
        Some(Response { status, head, body: all[end + 4..].to_vec() })
    }

    pub async fn get(&self, path: &str) -> Response {
        self.raw(&format!("GET {path} HTTP/1.1"), b"").await.unwrap()
    }

    pub async fn post(&self, path: &str, body: Value) -> Response {
        let head = format!("POST {path} HTTP/1.1\r\ncontent-type: application/json");
        self.raw(&head, body.to_string().as_bytes()).await.unwrap()
    }

    fn chat(&self) -> i64 {
        self.stage.kamila
    }
}

fn method(name: &str) -> String {
    format!("/bot{TOKEN}/{name}")
}

fn parts(fields: &[(&str, &str)], file: Option<(&str, &[u8])>) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in fields {
        let part = format!("--cut\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend(part.as_bytes());
    }
    if let Some((name, bytes)) = file {
        let part = format!(
            "--cut\r\ncontent-disposition: form-data; name=\"{name}\"; filename=\"s.png\"\r\ncontent-type: image/png\r\n\r\n"
        );
        body.extend(part.as_bytes());
        body.extend(bytes);
        body.extend(b"\r\n");
    }
    body.extend(b"--cut--\r\n");
    body
}

#[tokio::test]
async fn a_call_may_come_in_every_encoding() {
    let server = server().await;
    let chat = server.chat();
    let path = method("sendMessage");
    let get = server.get(&format!("{path}?chat_id={chat}&text=by%20query")).await;
    let form = server
        .raw(
            &format!("POST {path} HTTP/1.1\r\ncontent-type: application/x-www-form-urlencoded"),
            format!("chat_id={chat}&text=by+form").as_bytes(),
        )
        .await
        .unwrap();
    let by_json = server.post(&path, json!({"chat_id": chat, "text": "by JSON"})).await;
    server.stage.later(5);
    let body = parts(&[("chat_id", &chat.to_string()), ("text", "by parts")], None);
    let multipart = server
        .raw(&format!("POST {path} HTTP/1.1\r\ncontent-type: multipart/form-data; boundary=cut"), &body)
        .await
        .unwrap();
    let mixed = server.post(&format!("{path}?chat_id={chat}"), json!({"text": "mixed", "chat_id": 1})).await;
    for (response, text) in [
        (get, "by query"),
        (form, "by form"),
        (by_json, "by JSON"),
        (multipart, "by parts"),
        (mixed, "mixed"),
    ] {
        assert_eq!(response.status, 200, "{text}");
        assert_eq!(response.json()["result"]["text"], text);
    }
}

#[tokio::test]
async fn an_upload_may_come_in_chunks() {
    let server = server().await;
    let user = server.chat().to_string();
    let body = parts(&[("user_id", &user), ("sticker_format", "static")], Some(("sticker", &png(512, 512))));
    let mut chunked = Vec::new();
    for piece in body.chunks(700) {
        chunked.extend(format!("{:x}\r\n", piece.len()).as_bytes());
        chunked.extend(piece);
        chunked.extend(b"\r\n");
    }
    chunked.extend(b"0\r\n\r\n");
    let head = format!(
        "POST {} HTTP/1.1\r\ncontent-type: multipart/form-data; boundary=cut\r\ntransfer-encoding: chunked",
        method("uploadStickerFile")
    );
    let file = server.raw(&head, &chunked).await.unwrap().json()["result"].clone();
    let path = file["file_path"].as_str().unwrap();
    let downloaded = server.get(&format!("/file/bot{TOKEN}/{path}")).await;
    assert_eq!((downloaded.status, downloaded.body), (200, png(512, 512)));
    assert_eq!(server.get(&format!("/file/bot{TOKEN}/nothing.png")).await.json()["description"], "Not Found");
}

#[tokio::test]
async fn a_429_says_the_seconds_in_the_header_too() {
    let server = server().await;
    server.stage.world.fault(Fault::once("getMe", Play::Flood { retry_after: 7, applied: false }));
    let response = server.get(&method("getMe")).await;
    assert_eq!(response.status, 429);
    assert!(response.head.contains("retry-after: 7"), "{}", response.head);
    assert_eq!(response.json()["parameters"]["retry_after"], 7);
}

#[tokio::test]
async fn refusals_over_the_wire_have_their_status_and_body() {
    let server = server().await;
    for (path, status, words) in [
        ("/bot9:X/getMe".to_owned(), 401, "Unauthorized"),
        ("/bot123456%3ATEST/getUpdate".to_owned(), 404, "Not Found: method not found"),
        (method("sendMessage"), 400, "Bad Request: message text is empty"),
        ("/nowhere".to_owned(), 404, "Not Found"),
    ] {
        let response = server.get(&path).await;
        assert_eq!(response.status, status);
        assert_eq!(response.json(), json!({"ok": false, "error_code": status, "description": words}));
    }
}

#[tokio::test]
async fn a_body_over_50_megabytes_is_413() {
    let server = server().await;
    let head = format!("POST {} HTTP/1.1\r\ncontent-type: application/json", method("getMe"));
    let mut socket = server.connect().await;
    let length = 50 * 1024 * 1024 + 1;
    let head = format!("{head}\r\nhost: x\r\ncontent-length: {length}\r\n\r\n");
    socket.write_all(head.as_bytes()).await.unwrap();
    let piece = vec![b' '; 1 << 20];
    let mut answer = [0; 12];
    let (mut read, mut write) = socket.split();
    let sending = async {
        for _ in 0..51 {
            if write.write_all(&piece).await.is_err() {
                break;
            }
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        got = read.read_exact(&mut answer) => { got.unwrap(); }
        () = sending => {}
    }
    assert_eq!(&answer, b"HTTP/1.1 413");
}

#[tokio::test]
async fn a_lost_answer_closes_the_socket_or_stops_in_the_middle() {
    let server = server().await;
    let path = format!("{}?chat_id={}&text=x", method("sendMessage"), server.chat());
    let request = format!("GET {path} HTTP/1.1");
    for play in [Play::Refuse, Play::Lost { how: Loss::Close }] {
        server.stage.world.fault(Fault::once("sendMessage", play));
        assert!(server.raw(&request, b"").await.is_none());
    }
    server.stage.world.fault(Fault::once("sendMessage", Play::Lost { how: Loss::Half }));
    let half = server.raw(&request, b"").await.unwrap();
    assert_eq!(half.status, 200);
    let announced = half.head.split("content-length: ").nth(1).unwrap().split("\r\n").next().unwrap();
    assert!(half.body.len() < announced.parse().unwrap());
    let view = server.stage.world.view(Some(server.chat()), crate::stage::BOT).unwrap();
    assert_eq!(view["messages"].as_array().unwrap().len(), 3, "refused once, done twice");
}

#[tokio::test]
async fn a_proxy_page_is_html() {
    let server = server().await;
    server.stage.world.fault(Fault::once("getMe", Play::Html { code: 502, applied: false }));
    let page = server.get(&method("getMe")).await;
    assert_eq!(page.status, 502);
    assert!(page.head.contains("content-type: text/html"));
}

#[tokio::test]
async fn a_call_whose_client_went_away_is_done_all_the_same() {
    let server = server().await;
    server.stage.world.fault(Fault::once("sendMessage", Play::Hang { seconds: 30 }));
    let mut socket = server.connect().await;
    let path = format!("{}?chat_id={}&text=late", method("sendMessage"), server.chat());
    socket.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.unwrap();
    let world = &server.stage.world;
    while !world.faults().is_empty() {
        tokio::task::yield_now().await;
    }
    drop(socket);
    let count =
        || world.view(Some(server.chat()), crate::stage::BOT).unwrap()["messages"].as_array().unwrap().len();
    assert_eq!(count(), 1);
    while count() == 1 {
        server.stage.later(30);
        tokio::task::yield_now().await;
    }
    assert_eq!(count(), 2);
}
