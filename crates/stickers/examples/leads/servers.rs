//! The two servers, each a process of its own on a free port.

use super::load::SECRET;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// A server that runs; it is killed with this value.
pub struct Server {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
}

/// Longest wait for the first answer.
const START_WAIT: Duration = Duration::from_secs(20);
const START_PAUSE: Duration = Duration::from_millis(50);

/// What both are told: no limit that the load could reach.
const SETTINGS: [(&str, &str); 3] =
    [("LEADS_SECRET", SECRET), ("LEADS_IP_SALT", "bench-salt"), ("LEADS_HOURLY_LIMIT", "1000000")];

impl Server {
    /// `stickers api`.
    pub async fn ours(program: &Path, folder: &Path) -> Server {
        let mut child = Command::new(program)
            .arg("api")
            .current_dir(folder)
            .env_clear()
            .envs(SETTINGS)
            .env("DATA_DIR", folder)
            .env("API_BIND", "127.0.0.1:0")
            .env("RUST_LOG", "warn")
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the program starts");
        let output = child.stdout.take().expect("its output");
        let mut lines = BufReader::new(output).lines();
        let line = tokio::time::timeout(START_WAIT, lines.next_line()).await;
        let line = line.expect("starts in time").expect("reads").expect("says where it listens");
        let address = line.rsplit("//").next().and_then(|address| address.parse().ok()).expect("an address");
        Server { child, address }
    }

    /// `stickers bot` with these variables, on the database of that folder. It listens nowhere.
    pub fn bot(program: &Path, folder: &Path, settings: &[(&str, String)]) -> Server {
        let child = Command::new(program)
            .arg("bot")
            .current_dir(folder)
            .env_clear()
            .envs(SETTINGS)
            .envs(settings.iter().map(|(name, value)| (name, value)))
            .env("DATA_DIR", folder)
            .env("RUST_LOG", "warn")
            .kill_on_drop(true)
            .spawn()
            .expect("the program starts");
        Server { child, address: SocketAddr::from(([0, 0, 0, 0], 0)) }
    }

    /// The FastAPI peer under uvicorn.
    pub async fn peer(python: &Path, peer: &Path, folder: &Path) -> Server {
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = free.local_addr().expect("an address");
        drop(free);
        let child = Command::new(python)
            .args(["-m", "uvicorn", "app:app", "--host", "127.0.0.1", "--log-level", "warning"])
            .args(["--no-access-log", "--loop", "uvloop", "--http", "httptools", "--port"])
            .arg(address.port().to_string())
            .current_dir(peer)
            .envs(SETTINGS)
            .env("DATABASE_FILE", folder.join("app.db"))
            .kill_on_drop(true)
            .spawn()
            .expect("the peer starts");
        let answers = async {
            while TcpStream::connect(address).await.is_err() {
                tokio::time::sleep(START_PAUSE).await;
            }
        };
        tokio::time::timeout(START_WAIT, answers).await.expect("the peer answers in time");
        Server { child, address }
    }

    /// Ends it.
    pub async fn stop(mut self) {
        self.child.kill().await.expect("ends");
    }
}
