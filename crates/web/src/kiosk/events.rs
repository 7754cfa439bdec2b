//! `GET /session/{token}/events`: the session at once and at every change.

use super::answers::{ErrorAnswer, SessionAnswer};
use crate::{ApiError, WebState};
use app::session::SessionView;
use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::stream::{Stream, StreamExt};
use std::convert::Infallible;
use std::time::Duration;

/// Comments that keep proxies from closing a quiet stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

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
    // The watchers note it again for as long as the stream is open.
    app::session::seen_by_kiosk(&state.ctx, &token).await?;
    let events = app::session::watch(state.ctx, token)
        .map(|view| Ok(event(view)))
        .take_until(shutdown.cancelled_owned());
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

fn event(view: SessionView) -> Event {
    let data = serde_json::to_string(&SessionAnswer::from(view));
    // Plain words and numbers always become JSON; an empty object would only make the kiosk ask again.
    Event::default().data(data.unwrap_or_else(|_| "{}".to_owned()))
}
