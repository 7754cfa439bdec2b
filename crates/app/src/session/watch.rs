//! The event stream of a session: its view at once and at every change.

use super::view::{SessionView, view};
use super::watchers::Watchers;
use crate::{Ctx, Refusal};
use futures::stream::{self, Stream};
use std::time::Duration;

/// How long a change may stay unseen when nobody rang, such as a session that was deleted: the safety net.
const LOOK_AT_LEAST_EVERY: Duration = Duration::from_secs(5);

/// The session's views, each different from the one before. Ends when the session is gone, or when the database fails: the kiosk then
/// connects again.
pub fn watch(ctx: Ctx, token: String) -> impl Stream<Item = SessionView> + Send + 'static {
    // Before the first look, so that a change in between is not missed.
    let place = Watchers::watch(&ctx, &token);
    stream::unfold((ctx, token, place, None::<SessionView>), |(ctx, token, mut place, mut last)| async move {
        loop {
            match view(&ctx, &token).await {
                Ok(view) if last.as_ref() != Some(&view) => {
                    place.in_queue(view.job.is_some_and(|job| job.position.is_some()));
                    last = Some(view.clone());
                    return Some((view, (ctx, token, place, last)));
                }
                Ok(_) => {}
                Err(Refusal::UnknownSession) => return None,
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "an event stream ends");
                    return None;
                }
            }
            // Either news of this session or the safety net; both lead to the same look.
            let _ = tokio::time::timeout(LOOK_AT_LEAST_EVERY, place.rung()).await;
        }
    })
}
