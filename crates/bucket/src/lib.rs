//! A real S3 server for tests: `s3s-fs` on a free port of this machine, with signatures checked.
//!
//! What it holds are files of a temporary folder, so a test can read every byte of the store behind the server's back, and make an object as
//! old as it likes: `LastModified` is the time of the file. Nothing of it gets into the program: only tests depend on this crate.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use s3s::Body;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

/// The bucket that there is.
pub const NAME: &str = "event-media";
/// The access key that may use it.
const ACCESS_KEY: &str = "key-of-tests";
/// Its secret, which no log may show.
pub const SECRET_KEY: &str = "secret-of-tests";

/// What is refused: requests whose method and address hold these words.
type Refused = Arc<Mutex<Option<String>>>;

/// A running server with one empty bucket. It ends, and its files go, when this value is dropped.
pub struct Bucket {
    folder: TempDir,
    address: SocketAddr,
    refused: Refused,
    server: JoinHandle<()>,
}

impl Bucket {
    /// Starts one, on the runtime of the caller.
    ///
    /// # Panics
    /// When this machine gives no folder or no port.
    #[expect(clippy::expect_used, reason = "a test without its server has failed")]
    pub async fn start() -> Bucket {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join(NAME)).expect("an empty bucket");
        let mut service = S3ServiceBuilder::new(FileSystem::new(folder.path()).expect("a store of files"));
        service.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let refused = Refused::default();
        let server = tokio::spawn(serve(listener, service.build(), Arc::clone(&refused)));
        Bucket { folder, address, refused, server }
    }

    /// The address of a prefix of the bucket, as `MEDIA_URL` and `BACKUP_REMOTE_URL` take it.
    pub fn url(&self, prefix: &str) -> String {
        format!("s3://{NAME}/{prefix}")
    }

    /// The `AWS_*` variables of whoever may use it.
    pub fn vars(&self) -> [(&'static str, String); 4] {
        [
            ("AWS_ACCESS_KEY_ID", ACCESS_KEY.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", SECRET_KEY.to_owned()),
            ("AWS_REGION", "eu-central-1".to_owned()),
            ("AWS_ENDPOINT_URL", format!("http://{}", self.address)),
        ]
    }

    /// Everything the server keeps: objects, what it notes beside them, and parts of uploads that never ended.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Every object whose key holds `part`, ordered by key.
    pub fn keys(&self, part: &str) -> Vec<String> {
        let root = self.folder.path().join(NAME);
        let mut found = Vec::new();
        collect(&root, &mut found);
        let mut keys: Vec<String> = found
            .iter()
            .filter_map(|path| Some(path.strip_prefix(&root).ok()?.to_str()?.to_owned()))
            .filter(|key| key.contains(part))
            .collect();
        keys.sort();
        keys
    }

    /// Makes every object whose key holds `part` older; how many there are.
    ///
    /// # Panics
    /// When the file of an object cannot be changed.
    #[expect(clippy::expect_used, reason = "a test without its server has failed")]
    pub fn age(&self, part: &str, by: Duration) -> usize {
        let keys = self.keys(part);
        for key in &keys {
            let path = self.folder.path().join(NAME).join(key);
            let file = std::fs::File::options().write(true).open(path).expect("the file of an object");
            let written = file.metadata().and_then(|meta| meta.modified()).expect("its time");
            file.set_modified(written - by).expect("an older one");
        }
        keys.len()
    }

    /// Breaks the connection of every request whose method and address hold these words (`"PUT"`, `"partNumber=2"`; `""`: all); none: serves again.
    pub fn refuse(&self, words: Option<&str>) {
        *locked(&self.refused) = words.map(str::to_owned);
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        // The connections end with it.
        self.server.abort();
    }
}

async fn serve(listener: TcpListener, service: S3Service, refused: Refused) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((socket, _)) = listener.accept().await else { continue };
        while connections.try_join_next().is_some() {}
        let (service, refused) = (service.clone(), Arc::clone(&refused));
        let answer = service_fn(move |request: Request<Incoming>| {
            let asked = format!("{} {}", request.method(), request.uri());
            let broken = matches!(&*locked(&refused), Some(words) if asked.contains(words.as_str()));
            let (service, known) = (service.clone(), is_known(request.uri().path()));
            async move {
                if broken {
                    return Err(io::Error::from(io::ErrorKind::ConnectionReset));
                }
                if !known {
                    return no_such_bucket().map_err(io::Error::other);
                }
                service
                    .call(request.map(Into::into))
                    .await
                    .map_err(|error| io::Error::other(format!("{error:?}")))
            }
        });
        connections.spawn(async move {
            // That a client goes away is no matter of the server's.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(socket), answer).await;
        });
    }
}

/// Whether the address of a request is in the bucket that there is.
fn is_known(path: &str) -> bool {
    path.trim_start_matches('/').split('/').next() == Some(NAME)
}

/// What S3 says where `s3s-fs` would make the bucket at the first write.
fn no_such_bucket() -> hyper::http::Result<Response<Body>> {
    let told =
        "<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message></Error>";
    Response::builder()
        .status(404)
        .header("content-type", "application/xml")
        .body(Body::from(told.to_owned()))
}

fn locked(refused: &Refused) -> MutexGuard<'_, Option<String>> {
    refused.lock().unwrap_or_else(PoisonError::into_inner)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else {
            found.push(path);
        }
    }
}
