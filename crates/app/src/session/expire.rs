//! The kiosk gives a session up (seed 001, row 7).

use super::view::{SessionView, view};
use crate::{Ctx, Refusal};
use domain::session::ClosedReason;
use store::{Change, sessions};

/// Expires the session and says whether that changed anything; an unknown code is stored as `kiosk_reset`.
///
/// # Errors
/// [`Refusal::UnknownSession`].
pub async fn expire(ctx: &Ctx, token: &str, code: &str) -> Result<(SessionView, bool), Refusal> {
    let (owned, reason, now) = (token.to_owned(), ClosedReason::from_code(code), ctx.clock.now());
    let change = ctx
        .store
        .write(move |tx| {
            Box::pin(async move { sessions::expire(tx, &owned, reason, now).await.map_err(Refusal::from) })
        })
        .await?;
    Ok((view(ctx, token).await?, change == Change::Changed))
}
