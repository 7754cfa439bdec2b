//! The verifier looks at fresh sets until they are ready.

use super::log_error;
use crate::{AppError, Ctx, Outside, job};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The safety net; a commit wakes it earlier.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Runs until `stop`.
pub(super) async fn run(ctx: Ctx, outside: Outside, stop: CancellationToken) -> Result<(), AppError> {
    let mut changes = ctx.store.changes();
    while !stop.is_cancelled() {
        if let Err(error) = job::verify(&ctx, &outside).await {
            log_error("verification", &error);
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = changes.changed() => {}
            () = outside.timer.sleep(LOOK_EVERY) => {}
        }
    }
    Ok(())
}
