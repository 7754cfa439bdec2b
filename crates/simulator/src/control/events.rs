//! `/sim/events`: a chat's view as server-sent events, at once and at each change.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde_json::Value;
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use super::Which;
use crate::world::{Trouble, World};

/// Streams at one time.
const MOST_STREAMS: usize = 500;
/// Pause after which a quiet stream shows that it lives.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

static STREAMS: Semaphore = Semaphore::const_new(MOST_STREAMS);

struct Watcher {
    world: World,
    changes: watch::Receiver<u64>,
    which: Which,
    last: Option<Value>,
    _place: SemaphorePermit<'static>,
}

pub(super) async fn stream(State(world): State<World>, which: Which) -> Response {
    let Ok(place) = STREAMS.try_acquire() else {
        return Trouble::new(503, "busy", "Too many pages watch already.").into_response();
    };
    if let Err(trouble) = world.view(which.person, which.chat) {
        return trouble.into_response();
    }
    let changes = world.changes();
    let watcher = Watcher { world, changes, which, last: None, _place: place };
    let events = stream::unfold(watcher, |mut watcher| async move {
        let view = watcher.next().await?;
        let event = Event::default().data(view.to_string());
        Some((Ok::<_, Infallible>(event), watcher))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}

impl Watcher {
    /// The next view that differs from the last one; None when the chat or the person is gone.
    async fn next(&mut self) -> Option<Value> {
        let world = self.world.clone();
        loop {
            self.changes.borrow_and_update();
            let (view, until) = self.world.view_until(self.which.person, self.which.chat).ok()?;
            if self.last.as_ref() != Some(&view) {
                self.last = Some(view.clone());
                return Some(view);
            }
            let revision = view["revision"].as_u64().unwrap_or(0);
            tokio::select! {
                changed = self.other_revision(revision) => changed?,
                () = ends_by_itself(&world, until) => {}
            }
        }
    }

    /// Ends when something changed in this very chat; None when the world is gone.
    async fn other_revision(&mut self, revision: u64) -> Option<()> {
        loop {
            self.changes.changed().await.ok()?;
            if self.world.revision(self.which.person, self.which.chat) != revision {
                return Some(());
            }
        }
    }
}

/// Ends when the view changes without anybody's doing.
async fn ends_by_itself(world: &World, until: Option<i64>) {
    match until {
        Some(at) => world.clock().until(at).await,
        None => std::future::pending().await,
    }
}
