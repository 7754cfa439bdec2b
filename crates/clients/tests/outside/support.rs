//! A server of one test: it answers each request with the next reply of a script and keeps what was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// How one request is answered.
pub enum Reply {
    /// Status and body, as JSON.
    Json(u16, String),
    /// Status, header lines and body.
    Raw(u16, &'static str, String),
    /// Head and half of the promised body, then the connection closes.
    CutBody(u16),
    /// The request is read, then the connection closes.
    Lost,
    /// The request is read and never answered.
    Never,
    /// Answered with this body once the test says so.
    Held(Arc<Notify>, String),
    /// A body without an end.
    Endless,
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Asked {
    /// `POST /bot…/getMe`.
    pub line: String,
    /// All headers, lower case.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Asked {
    /// The last part of the path.
    pub fn method(&self) -> &str {
        self.line.rsplit('/').next().unwrap_or_default()
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }

    /// The body as text, for what is not JSON.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// The running server. It ends with the test's runtime.
pub struct Server {
    /// `http://127.0.0.1:<port>`.
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    /// Told at each request that was read whole.
    pub arrived: Arc<Notify>,
}

impl Server {
    /// Starts a server with a script; when it is over, connections are closed unanswered.
    pub async fn start(script: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let script: Arc<Mutex<VecDeque<Reply>>> = Arc::new(Mutex::new(script.into_iter().collect()));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let arrived = Arc::new(Notify::new());
        let server = Self { url, asked: asked.clone(), arrived: arrived.clone() };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, script.clone(), asked.clone(), arrived.clone()));
            }
        });
        server
    }

    /// Everything asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no panic while held").clone()
    }

    /// The only request so far.
    pub fn only(&self) -> Asked {
        let asked = self.asked();
        assert_eq!(asked.len(), 1, "{asked:?}");
        asked[0].clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    script: Arc<Mutex<VecDeque<Reply>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
    arrived: Arc<Notify>,
) {
    let Some(request) = read_request(&mut stream).await else { return };
    asked.lock().expect("no panic while held").push(request);
    arrived.notify_one();
    let reply = script.lock().expect("no panic while held").pop_front();
    let Some(reply) = reply else { return };
    // A client that gave up is not this server's business.
    let _ = answer(&mut stream, reply).await;
}

async fn answer(stream: &mut TcpStream, reply: Reply) -> std::io::Result<()> {
    match reply {
        Reply::Json(status, body) => whole(stream, status, "content-type: application/json\r\n", &body).await,
        Reply::Raw(status, headers, body) => whole(stream, status, headers, &body).await,
        Reply::CutBody(status) => {
            let head = format!("HTTP/1.1 {status} X\r\ncontent-length: 100\r\n\r\n{{\"ok\":true,\"result\":");
            stream.write_all(head.as_bytes()).await
        }
        Reply::Lost => Ok(()),
        Reply::Never => std::future::pending().await,
        Reply::Held(go, body) => {
            go.notified().await;
            whole(stream, 200, "", &body).await
        }
        Reply::Endless => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await?;
            loop {
                stream.write_all(&[b' '; 65_536]).await?;
            }
        }
    }
}

async fn whole(stream: &mut TcpStream, status: u16, headers: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}

async fn read_request(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let head_len = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head_len]).into_owned();
    let line = text.lines().next()?.trim_end_matches(" HTTP/1.1").to_owned();
    let head = text.to_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |value| value.trim().parse().expect("a number"));
    while bytes.len() < head_len + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some(Asked { line, head, body: bytes[head_len..].to_vec() })
}
