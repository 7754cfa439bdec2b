//! `GET /session/{token}/events`: the session at once and at every change.

use super::answers::{ErrorAnswer, SessionAnswer};
use crate::{ApiError, WebState};
use app::session::SessionView;
use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::stream::{self, BoxStream, Stream, StreamExt};
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::{Interval, MissedTickBehavior};

/// Comments that keep proxies from closing a quiet stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How often an open stream says that a kiosk listens.
const SEEN_EVERY: Duration = Duration::from_secs(10);

/// Follows a session.
#[utoipa::path(
    get, path = "/session/{token}/events", tag = "kiosk", params(("token" = String, Path)),
    responses(
        (status = 200, body = SessionAnswer, content_type = "text/event-stream",
         description = "Server-sent events: the data of each is the session, at once and at every change"),
        (status = 404, body = ErrorAnswer, description = "`unknown_session`"),
    )
)]
pub async fn events(
    State(state): State<WebState>,
    Path(token): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    // An unknown session is a 404 that ends the browser's tries; an empty stream would be opened again for ever.
    app::session::view(&state.ctx, &token).await?;
    let shutdown = state.options.shutdown.clone();
    let views = app::session::watch(state.ctx.clone(), token.clone()).boxed();
    let events =
        while_seen(state, token, views).map(|view| Ok(event(view))).take_until(shutdown.cancelled_owned());
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// The same views; beside them the session is marked as seen, at once and every [`SEEN_EVERY`], for as long as the stream is open.
fn while_seen(
    state: WebState,
    token: String,
    views: BoxStream<'static, SessionView>,
) -> impl Stream<Item = SessionView> {
    let mut seen = tokio::time::interval(SEEN_EVERY);
    seen.set_missed_tick_behavior(MissedTickBehavior::Delay);
    stream::unfold(
        (state, token, views, seen),
        |(state, token, mut views, mut seen): (_, _, _, Interval)| async move {
            loop {
                tokio::select! {
                    view = views.next() => return view.map(|view| (view, (state, token, views, seen))),
                    _ = seen.tick() => mark(&state, &token).await,
                }
            }
        },
    )
}

async fn mark(state: &WebState, token: &str) {
    if let Err(error) = app::session::seen_by_kiosk(&state.ctx, token).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "a kiosk was not marked as listening");
    }
}

fn event(view: SessionView) -> Event {
    let data = serde_json::to_string(&SessionAnswer::from(view));
    // Plain words and numbers always become JSON; an empty object would only make the kiosk ask again.
    Event::default().data(data.unwrap_or_else(|_| "{}".to_owned()))
}
