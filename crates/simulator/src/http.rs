//! The server: Bot API, control API and chat page on one socket.
//!
//! Connections are served one by one with hyper, because some answers are no answers: a socket that closes, a body
//! that stops in the middle, a silence.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::{StreamExt, stream};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tower::ServiceExt;

use crate::refusal::Refusal;
use crate::wire::{Params, Reply, decode};
use crate::world::World;
use crate::{control, methods, page};

/// Connections at one time; one more is closed at once.
const MOST_CONNECTIONS: usize = 2_000;
/// How long a client may take for its request's head.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// Pause after the system could not give us a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Time between the first half of a body and the cut.
const CUT_AFTER: Duration = Duration::from_millis(20);

/// A response that must not leave: the connection closes instead.
#[derive(Debug, Clone, Copy)]
struct Dropped;

#[derive(Debug, thiserror::Error)]
#[error("the answer is lost on purpose")]
struct Lost;

/// Serves the world on a socket until the future is dropped.
///
/// # Errors
/// Never by itself; the result is there for callers that select between servers.
pub async fn serve(listener: TcpListener, world: World) -> io::Result<()> {
    serve_router(listener, router(world)).await
}

/// Serves any router of ours in the same way.
pub(crate) async fn serve_router(listener: TcpListener, router: Router) -> io::Result<()> {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((socket, _)) if connections.len() < MOST_CONNECTIONS => {
                    connections.spawn(connection(socket, router.clone()));
                }
                Ok(_) => tracing::warn!("too many connections, one more is closed"),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn connection(socket: TcpStream, router: Router) {
    // Small answers should leave at once; a socket that cannot do this works all the same.
    let _ = socket.set_nodelay(true);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let router = router.clone();
        async move {
            let response: Result<Response, Infallible> = router.oneshot(request.map(Body::new)).await;
            match response {
                Ok(response) if response.extensions().get::<Dropped>().is_some() => Err(Lost),
                Ok(response) => Ok(response),
                Err(never) => match never {},
            }
        }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
    if let Err(error) = server.serve_connection(TokioIo::new(socket), service).await {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Everything that the server answers.
pub(crate) fn router(world: World) -> Router {
    Router::new().nest("/sim", control::routes()).merge(page::routes()).fallback(bot_api).with_state(world)
}

/// What a path below the root means.
enum Target {
    Method { token: String, method: String },
    File { token: String, path: String },
    Other,
}

fn target(path: &str) -> Target {
    let path = unescaped(path);
    if let Some((token, method)) = path.strip_prefix("/bot").and_then(|rest| rest.split_once('/')) {
        return Target::Method { token: token.to_owned(), method: method.to_owned() };
    }
    if let Some((token, file)) = path.strip_prefix("/file/bot").and_then(|rest| rest.split_once('/')) {
        return Target::File { token: token.to_owned(), path: file.to_owned() };
    }
    Target::Other
}

/// `%3A` and the like as letters.
fn unescaped(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut text = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| path.get(at + 1..at + 3)).flatten();
        if let Some(code) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            text.push(code);
            at += 3;
        } else {
            text.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

async fn bot_api(State(world): State<World>, request: Request) -> Response {
    match target(request.uri().path()) {
        Target::Method { token, method } => {
            let params = match decode::read(request).await {
                Ok(params) => params,
                Err(refusal) => return answer(refusal.into()).await,
            };
            let looked = look_first(&method, params).await;
            let Some(params) = looked else {
                return answer(Refusal::new(500, "Internal Server Error").into()).await;
            };
            // In a task of its own: a client that gave up does not undo what it asked for.
            let call = tokio::spawn(async move { world.exchange(&token, &method, &params).await });
            match call.await {
                Ok(reply) => answer(reply).await,
                Err(_) => answer(Refusal::new(500, "Internal Server Error").into()).await,
            }
        }
        Target::File { token, path } => match world.download(&token, &path) {
            Some((_, bytes)) => ([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response(),
            None => answer(Refusal::new(404, "Not Found").into()).await,
        },
        Target::Other => page::by_path(&world, request.uri().path())
            .unwrap_or_else(|| json_response(404, &Refusal::new(404, "Not Found").body())),
    }
}

/// Decodes pictures on a thread for long work; None when that thread broke down.
async fn look_first(method: &str, params: Params) -> Option<Params> {
    if !methods::looks_at_pictures(method) || !params.has_uploads() {
        return Some(params);
    }
    let looking = tokio::task::spawn_blocking(move || {
        params.look_at_uploads();
        params
    });
    looking.await.ok()
}

fn json_response(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

pub(crate) async fn answer(reply: Reply) -> Response {
    match reply {
        Reply::Json { status, body, retry_after } => {
            let mut response = json_response(status, &body);
            if let Some(seconds) = retry_after {
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            }
            response
        }
        Reply::Html { status, body } => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
            (status, [(header::CONTENT_TYPE, "text/html")], body).into_response()
        }
        Reply::Closed => dropped(),
        Reply::Silent(time) => {
            tokio::time::sleep(time).await;
            dropped()
        }
        Reply::Half { status, body } => half(status, &body),
    }
}

fn dropped() -> Response {
    let mut response = json!(null).to_string().into_response();
    response.extensions_mut().insert(Dropped);
    response
}

/// Announces the whole length and breaks off in the middle.
fn half(status: u16, body: &Value) -> Response {
    let whole = Bytes::from(body.to_string());
    let length = whole.len();
    let first = whole.slice(..length / 2);
    let rest = async {
        // While this waits, the head and the first part leave.
        tokio::time::sleep(CUT_AFTER).await;
        Err(io::Error::other(Lost))
    };
    let parts = stream::once(async { Ok(first) }).chain(stream::once(rest));
    let mut response = Response::new(Body::from_stream(parts));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    response
}
