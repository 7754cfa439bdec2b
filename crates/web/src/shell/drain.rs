//! A refusal must reach a caller who is still sending. When a handler answers without reading the whole body, the rest is read and
//! thrown away, within bounds: a connection that is closed with unread bytes in it is reset, and the tablet would see a network
//! error instead of the 409 or 413.

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// What is read at most of a body that nobody wanted: the largest photo and as much again.
const BYTES_MAX: usize = 20 * 1024 * 1024;

/// How long it is read at most.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// Wraps the body of each request.
pub async fn rest(request: Request, next: Next) -> Response {
    next.run(request.map(|body| Body::new(Drained { body: Some(body) }))).await
}

/// A body whose rest is read when it is dropped.
struct Drained {
    body: Option<Body>,
}

impl HttpBody for Drained {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(body) = self.body.as_mut() else { return Poll::Ready(None) };
        let polled = Pin::new(body).poll_frame(cx);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            // Read to its end, or broken: nothing is left to throw away.
            self.body = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl Drop for Drained {
    fn drop(&mut self) {
        let Some(body) = self.body.take().filter(|body| !body.is_end_stream()) else { return };
        // Without a runtime the process is ending, and so does the connection.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(tokio::time::timeout(WAIT_MAX, throw_away(body)));
        }
    }
}

async fn throw_away(mut body: Body) {
    let mut read = 0;
    while let Some(Ok(frame)) = body.frame().await {
        read += frame.data_ref().map_or(0, Bytes::len);
        if read > BYTES_MAX {
            return;
        }
    }
}
