//! SIGTERM and SIGINT: the first asks everything to finish, the second ends the process at once.

use crate::failure::Failure;
use std::process;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Status of a process that was forced to end: 128 and the number of SIGINT, as shells count.
const FORCED: i32 = 130;

/// Sent by the system when a file would grow over the limit of the process; the same number on every Linux and BSD.
const SIGXFSZ: i32 = 25;

/// A token that is cancelled by the first signal.
///
/// # Errors
/// When the system refuses a handler.
pub fn shutdown() -> Result<CancellationToken, Failure> {
    let handler = |kind| signal(kind).map_err(|error| Failure::of("signals cannot be handled", &error));
    let (mut term, mut int) = (handler(SignalKind::terminate())?, handler(SignalKind::interrupt())?);
    // A limit on the size of files is an error of one write, as a full disk is; without a handler it would kill the process.
    let mut too_large = handler(SignalKind::from_raw(SIGXFSZ))?;
    tokio::spawn(async move { while too_large.recv().await.is_some() {} });
    let token = CancellationToken::new();
    let cancel = token.clone();
    tokio::spawn(async move {
        either(&mut term, &mut int).await;
        tracing::info!("shutting down; a second signal ends the process at once");
        cancel.cancel();
        either(&mut term, &mut int).await;
        tracing::warn!("ended by a second signal");
        process::exit(FORCED);
    });
    Ok(token)
}

async fn either(term: &mut Signal, int: &mut Signal) {
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
}
