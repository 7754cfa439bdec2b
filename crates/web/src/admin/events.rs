//! `/admin/events`: tells open pages to ask for their data again, at every change of the database and every few seconds. It carries no data:
//! each page knows what it shows, and asks with its own rights.

use super::Panel;
use super::access::Signed;
use super::error::PanelError;
use super::words;
use crate::WebState;
use axum::extract::State;
use axum::response::sse::{Event, Sse};
use domain::Timestamp;
use futures::stream::{self, Stream, StreamExt};
use http::HeaderMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

/// A page is told at least so often, so that times on it go on.
const AT_LEAST_EVERY: Duration = Duration::from_secs(5);
/// And at most so often, however much changes.
const AT_MOST_EVERY: Duration = Duration::from_secs(1);

/// An open stream.
struct Stage {
    state: WebState,
    panel: Arc<Panel>,
    token: String,
    told: Option<Instant>,
    changes: app::Changes,
    _place: OwnedSemaphorePermit,
}

/// Follows the database for as long as the session lives.
pub async fn events(
    State(state): State<WebState>,
    _signed: Signed,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, PanelError> {
    let panel = Arc::clone(state.panel()?);
    let token = panel.cookies.session(&headers).ok_or(PanelError::sign_in(&headers))?;
    let place = Arc::clone(&panel.streams).try_acquire_owned();
    let place = place.map_err(|_| PanelError::Refused {
        words: "Слишком много открытых страниц панели.".to_owned(),
        back: "/admin".to_owned(),
    })?;
    let shutdown = state.options.shutdown.clone();
    let changes = state.ctx.store.changes();
    let stage = Stage { state, panel, token, told: None, changes, _place: place };
    let events = stream::unfold(Some(stage), next).take_until(shutdown.cancelled_owned());
    Ok(Sse::new(events))
}

/// The next word to the page; `gone` is the last one, when its session has ended.
async fn next(stage: Option<Stage>) -> Option<(Result<Event, Infallible>, Option<Stage>)> {
    let mut stage = stage?;
    if let Some(told) = stage.told {
        // A change within the first second is told at its end.
        let change = async {
            stage.changes.changed().await;
            tokio::time::sleep_until(told + AT_MOST_EVERY).await;
        };
        let _ = tokio::time::timeout_at(told + AT_LEAST_EVERY, change).await;
    }
    stage.told = Some(Instant::now());
    let lives = stage.panel.entrance.look(&stage.state.ctx, &stage.token, false).await;
    match lives {
        Ok(Some(_)) => {
            let now: Timestamp = stage.state.ctx.clock.now();
            Some((Ok(Event::default().event("live").data(words::clock(now))), Some(stage)))
        }
        Ok(None) => Some((Ok(Event::default().event("gone").data("-")), None)),
        // The database does not answer: the stream ends, and the browser tries again.
        Err(_) => None,
    }
}
