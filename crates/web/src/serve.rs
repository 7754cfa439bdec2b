//! The accept loop: bounded connections, a bound for request heads, and an end that lets running requests finish.

use axum::Router;
use axum::extract::ConnectInfo;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// Connections open at once; further ones wait in the system's queue. A kiosk needs two or three.
const CONNECTIONS_MAX: usize = 4_096;
/// How long a request head may take, and how long an idle connection is kept.
const HEAD_WAIT: Duration = Duration::from_secs(30);
/// How long running requests may go on after shutdown was asked for.
const GRACE: Duration = Duration::from_secs(15);
/// How long to wait when the system has no more file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves `router` until `shutdown` is cancelled, then finishes what runs.
///
/// # Errors
/// When the listener itself is broken.
pub async fn serve(listener: TcpListener, router: Router, shutdown: CancellationToken) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            place = Arc::clone(&places).acquire_owned() => {
                // The semaphore is never closed, so there is always a place in the end.
                let Ok(place) = place else { break };
                tokio::select! {
                    () = shutdown.cancelled() => break,
                    accepted = listener.accept() => accepted.map(|(stream, peer)| (stream, peer, place)),
                }
            }
        };
        match accepted {
            Ok((stream, peer, place)) => {
                let (router, shutdown) = (router.clone(), shutdown.clone());
                connections.spawn(async move {
                    connection(stream, peer, router, shutdown).await;
                    drop(place);
                });
            }
            Err(error) if is_of_connection(&error) => {}
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "a connection cannot be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    let rest = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, rest).await.is_err() {
        tracing::warn!(open = connections.len(), "connections were cut at shutdown");
    }
    Ok(())
}

/// Serves one connection. Its errors are the caller's doing (hung up, no head in time) and nobody here acts on them.
async fn connection(stream: TcpStream, peer: SocketAddr, router: Router, shutdown: CancellationToken) {
    // Events are small and must arrive at once.
    let _ = stream.set_nodelay(true);
    let service = router.map_request(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.map(axum::body::Body::new)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WAIT)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    let mut served = std::pin::pin!(served);
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = shutdown.cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error = &error as &dyn std::error::Error, "a connection ended");
    }
}

/// Errors of one connection, not of the listener.
fn is_of_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
