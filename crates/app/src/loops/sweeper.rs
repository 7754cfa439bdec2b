//! The sweeper looks every ten seconds at the clock, at the deadlines, at sessions whose tablet is gone, and at what operators are told unasked.

use super::log_error;
use crate::{AppError, Ctx, Outside, job, operator, session};
use domain::delivery::SWEEP_EVERY;
use tokio_util::sync::CancellationToken;

/// Runs until `stop`.
pub(super) async fn run(ctx: &Ctx, outside: &Outside, stop: &CancellationToken) -> Result<(), AppError> {
    let mut clock = operator::ClockWatch::default();
    while !stop.is_cancelled() {
        // First: what the others look at waits for times of day.
        if let Err(error) = clock.look(ctx).await {
            log_error("clock", &error);
        }
        if let Err(error) = job::sweep(ctx).await {
            log_error("deadlines", &error);
        }
        if let Err(error) = session::close_abandoned(ctx).await {
            log_error("sessions without a tablet", &error);
        }
        if let Err(error) = operator::watch(ctx).await {
            log_error("tablets and balance", &error);
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = outside.timer.sleep(SWEEP_EVERY) => {}
        }
    }
    Ok(())
}
