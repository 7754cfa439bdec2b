//! Who watches which session in this process. A commit wakes one task, which looks once what changed and then wakes only the streams that
//! have news; a thousand tablets that each look at every commit would read the database more than everything else together.

use crate::{AppError, Ctx};
use domain::Timestamp;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::news::{self, News};
use store::sessions;
use tokio::sync::watch;

/// Changes as old as this are looked at again: another process may commit a moment later than its clock says.
const OVERLAP: Duration = Duration::from_secs(5);
/// Changes looked at per pass; when there are more, every stream looks for itself.
const NEWS_MAX: u32 = 1_000;
/// How often the sessions with an open stream are noted as seen by their tablet.
const NOTE_EVERY: Duration = Duration::from_secs(10);
/// Sessions noted in one transaction: the writer is not held for longer than some milliseconds.
const NOTED_AT_ONCE: usize = 100;
/// Pause after a pass that failed, and the longest time between two.
const LOOK_AT_LEAST_EVERY: Duration = Duration::from_secs(1);

/// The event streams of this process. Empty until somebody watches.
#[derive(Debug, Default)]
pub struct Watchers(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Whether the task that looks is running.
    looking: bool,
    /// Streams of each session.
    sessions: HashMap<String, Watched>,
}

#[derive(Debug)]
struct Watched {
    streams: usize,
    /// Its job waits in the queue, so that the end of any other job moves it.
    in_queue: bool,
    bell: watch::Sender<u64>,
}

/// One stream's place among the watchers; given back when dropped.
#[derive(Debug)]
pub(super) struct Place {
    watchers: Arc<Watchers>,
    token: String,
    bell: watch::Receiver<u64>,
}

impl Watchers {
    /// Begins to watch a session; news that come after this ring, also before the first [`Place::rung`].
    pub(super) fn watch(ctx: &Ctx, token: &str) -> Place {
        let watchers = Arc::clone(&ctx.watchers);
        let mut state = watchers.lock();
        let watched = state.sessions.entry(token.to_owned()).or_insert_with(|| Watched {
            streams: 0,
            in_queue: false,
            bell: watch::Sender::new(0),
        });
        watched.streams += 1;
        let bell = watched.bell.subscribe();
        if !state.looking {
            state.looking = true;
            tokio::spawn(look(ctx.clone()));
        }
        drop(state);
        Place { watchers, token: token.to_owned(), bell }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics while it holds the lock, and what it guards is only who is to be woken.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The watched sessions; none also ends the task that looks, in the same breath, so that the next stream starts another.
    fn tokens(&self) -> Vec<String> {
        let mut state = self.lock();
        state.looking = !state.sessions.is_empty();
        state.sessions.keys().cloned().collect()
    }

    fn ring(&self, whom: impl Fn(&str, &Watched) -> bool) {
        for (token, watched) in &self.lock().sessions {
            if whom(token, watched) {
                watched.bell.send_modify(|count| *count = count.wrapping_add(1));
            }
        }
    }
}

impl Place {
    /// Returns at the next news of the session.
    pub(super) async fn rung(&mut self) {
        if self.bell.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Says whether the session's job waits in the queue.
    pub(super) fn in_queue(&self, waits: bool) {
        if let Some(watched) = self.watchers.lock().sessions.get_mut(&self.token) {
            watched.in_queue = waits;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.watchers.lock();
        if let Some(watched) = state.sessions.get_mut(&self.token) {
            watched.streams -= 1;
            if watched.streams == 0 {
                state.sessions.remove(&self.token);
            }
        }
    }
}

/// Looks after each commit what changed, and rings. Ends when nobody watches any more.
async fn look(ctx: Ctx) {
    // Subscribed before the first look, so that a change in between is not missed.
    let mut changes = ctx.store.changes();
    let mut known = Known { since: ctx.clock.now().minus(OVERLAP), seen: HashSet::new() };
    let mut note = tokio::time::interval(NOTE_EVERY);
    note.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while !ctx.watchers.tokens().is_empty() {
        if let Err(error) = known.ring(&ctx).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "event streams were not woken");
        }
        tokio::select! {
            () = changes.changed() => {}
            () = tokio::time::sleep(LOOK_AT_LEAST_EVERY) => {}
            _ = note.tick() => note_all(&ctx).await,
        }
    }
}

/// What was rung for already.
struct Known {
    since: Timestamp,
    seen: HashSet<News>,
}

impl Known {
    async fn ring(&mut self, ctx: &Ctx) -> Result<(), AppError> {
        let all = news::since(&mut ctx.store.reader(), self.since, NEWS_MAX).await?;
        let overflow = u32::try_from(all.len()).is_ok_and(|count| count == NEWS_MAX);
        let fresh: HashSet<&str> = all
            .iter()
            .filter(|news| !self.seen.contains(*news))
            .map(|news| news.session_token.as_str())
            .collect();
        let queue_moved = all.iter().any(|news| news.of_job && !self.seen.contains(news));
        ctx.watchers
            .ring(|token, watched| overflow || fresh.contains(token) || queue_moved && watched.in_queue);
        if let Some(newest) = all.last() {
            // After an overflow the window begins at what was seen last, or it would never get past it.
            self.since = if overflow { newest.at } else { self.since.max(newest.at.minus(OVERLAP)) };
        }
        self.seen = all.into_iter().filter(|news| news.at >= self.since).collect();
        Ok(())
    }
}

/// Notes that a tablet listens to each watched session. One task for all: a commit each would wake every process a hundred times a second.
async fn note_all(ctx: &Ctx) {
    let (tokens, now) = (ctx.watchers.tokens(), ctx.clock.now());
    for part in tokens.chunks(NOTED_AT_ONCE) {
        let part = part.to_vec();
        let noted = ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    for token in &part {
                        // A session that ended meanwhile needs no tablet.
                        let _ = sessions::seen_by_kiosk(tx, token, now).await?;
                    }
                    Ok::<_, AppError>(())
                })
            })
            .await;
        if let Err(error) = noted {
            tracing::warn!(error = &error as &dyn std::error::Error, "tablets were not noted as listening");
        }
    }
}
