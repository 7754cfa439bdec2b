//! A write on its way: the closure, its outcome, and who waits for it. The outcome is told only after the commit.

use crate::error::StoreError;
use crate::opening::Opening;
use crate::tx::Tx;
use futures::FutureExt;
use futures::future::BoxFuture;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::sync::oneshot;

/// A write whose types are hidden, so that one queue holds them all.
pub(crate) trait Work: Send {
    /// The statement that may be all of it, once; see [`crate::Store::write_opening`].
    fn take_opening(&mut self) -> Option<Opening>;
    /// The opening did all of it and gave this number; the closure is not run any more.
    fn opened(&mut self, number: i64);
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
    /// What may make the closure needless, and what its number means.
    opening: Option<Opening>,
    done: Option<fn(i64) -> T>,
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
        let write = Self { opening: None, done: None, work: Some(work), outcome: None, limit, reply };
        (Box::new(write), answer)
    }

    /// A write that nearly always is `opening` alone.
    pub(crate) fn with_opening(
        opening: Opening,
        done: fn(i64) -> T,
        work: F,
        limit: Duration,
    ) -> (Box<dyn Work>, oneshot::Receiver<Result<T, E>>) {
        let (reply, answer) = oneshot::channel();
        let (opening, done) = (Some(opening), Some(done));
        (Box::new(Self { opening, done, work: Some(work), outcome: None, limit, reply }), answer)
    }
}

impl<T, E, F> Work for Request<T, E, F>
where
    F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    fn take_opening(&mut self) -> Option<Opening> {
        self.opening.take()
    }

    fn opened(&mut self, number: i64) {
        self.outcome = self.done.map(|done| Ok(done(number)));
    }

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
