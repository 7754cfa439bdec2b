//! The event stream of a session: its view at once and at every change.

use super::view::{SessionView, view};
use crate::{Ctx, Refusal};
use futures::stream::{self, Stream};
use std::time::Duration;

/// How long a change may stay unseen when no wake-up came: the safety net.
const LOOK_AT_LEAST_EVERY: Duration = Duration::from_secs(5);

/// The session's views, each different from the one before. Ends when the session is gone, or when the database fails: the kiosk then
/// connects again.
pub fn watch(ctx: Ctx, token: String) -> impl Stream<Item = SessionView> + Send + 'static {
    // Subscribed before the first look, so that a change in between is not missed.
    let changes = ctx.store.changes();
    stream::unfold(
        (ctx, token, changes, None::<SessionView>),
        |(ctx, token, mut changes, mut last)| async move {
            loop {
                match view(&ctx, &token).await {
                    Ok(view) if last.as_ref() != Some(&view) => {
                        last = Some(view.clone());
                        return Some((view, (ctx, token, changes, last)));
                    }
                    Ok(_) => {}
                    Err(Refusal::UnknownSession) => return None,
                    Err(error) => {
                        tracing::warn!(error = &error as &dyn std::error::Error, "an event stream ends");
                        return None;
                    }
                }
                // Either a commit somewhere or the safety net; both lead to the same look.
                let _ = tokio::time::timeout(LOOK_AT_LEAST_EVERY, changes.changed()).await;
            }
        },
    )
}
