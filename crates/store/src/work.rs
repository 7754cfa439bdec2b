//! A write on its way: the closure, its outcome, and who waits for it. The outcome is told only after the commit.

use crate::error::StoreError;
use crate::tx::Tx;
use futures::FutureExt;
use futures::future::BoxFuture;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::sync::oneshot;

/// A write whose types are hidden, so that one queue holds them all.
pub(crate) trait Work: Send {
    /// Runs the closure; whether what it did shall be kept.
    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, Keep>;
    /// Longest time for the closure.
    fn limit(&self) -> Duration;
    /// Tells the caller the outcome, or `failure` when the transaction around it was lost.
    fn answer(self: Box<Self>, failure: Option<StoreError>);
}

/// What to do with the statements of a closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    Commit,
    Rollback,
}

/// The closure of a write with its result.
pub(crate) struct Request<T, E, F> {
    work: Option<F>,
    outcome: Option<Result<T, E>>,
    limit: Duration,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<T, E, F> Request<T, E, F>
where
    F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    /// The write, and where its outcome will come.
    pub(crate) fn boxed(work: F, limit: Duration) -> (Box<dyn Work>, oneshot::Receiver<Result<T, E>>) {
        let (reply, answer) = oneshot::channel();
        (Box::new(Self { work: Some(work), outcome: None, limit, reply }), answer)
    }
}

impl<T, E, F> Work for Request<T, E, F>
where
    F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    fn limit(&self) -> Duration {
        self.limit
    }

    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, Keep> {
        Box::pin(async move {
            let Some(work) = self.work.take() else { return Keep::Rollback };
            // The closure itself may panic as well as its future; both end this write only.
            let within = &mut *tx;
            let running = AssertUnwindSafe(async move { work(within).await }).catch_unwind();
            let outcome = tokio::time::timeout(self.limit, running).await;
            let outcome = match (outcome, tx.take_failure()) {
                // A statement failed and the closure went on: PostgreSQL would answer its COMMIT with a silent rollback.
                (Ok(Ok(Ok(_))), Some(failure)) => Err(E::from(failure)),
                (Ok(Ok(outcome)), _) => outcome,
                (Ok(Err(_)), _) => Err(E::from(StoreError::Panicked)),
                (Err(_), _) => Err(E::from(StoreError::TimedOut)),
            };
            let keep = if outcome.is_ok() { Keep::Commit } else { Keep::Rollback };
            self.outcome = Some(outcome);
            keep
        })
    }

    fn answer(self: Box<Self>, failure: Option<StoreError>) {
        let outcome = match (failure, self.outcome) {
            // What failed by itself says why; the loss of the transaction adds nothing to that.
            (_, Some(Err(error))) => Err(error),
            (Some(failure), _) => Err(E::from(failure)),
            (None, Some(outcome)) => outcome,
            (None, None) => Err(E::from(StoreError::Closed)),
        };
        // The caller may have hung up; the write stands all the same.
        let _ = self.reply.send(outcome);
    }
}
