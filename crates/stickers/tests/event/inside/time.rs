//! One clock for the product, the simulated Telegram and the guests, which stands still while anything is worked on and jumps to the next wait
//! when nothing is: an evening passes as fast as the work allows, on a fast machine and on a slow one.

use app::timer::Timer;
use domain::{Clock, Timestamp};
use futures::future::BoxFuture;
use simulator::clock::Wait;
use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::Store;
use tokio::sync::oneshot;

/// How soon the clock is looked at again when a thread was still at work and wakes nobody when it is done.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// The clock, and what it has to wait for.
#[derive(Debug)]
pub struct Moving {
    state: Mutex<State>,
    /// Calls over a socket that are under way.
    calls: AtomicUsize,
}

#[derive(Debug)]
struct State {
    now: i64,
    /// Waits by their end; the number tells those of one moment apart.
    waits: BTreeMap<(i64, u64), oneshot::Sender<()>>,
    next: u64,
    store: Option<Store>,
}

/// A call under way; the clock stands still until it is dropped.
pub struct UnderWay(Arc<Moving>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Moving {
    /// A clock that shows `now`.
    pub fn at(now: Timestamp) -> Arc<Moving> {
        let state = State { now: now.as_millis(), waits: BTreeMap::new(), next: 0, store: None };
        Arc::new(Moving { state: Mutex::new(state), calls: AtomicUsize::new(0) })
    }

    /// Runs a story on one thread whose idle moments move the clock.
    pub fn run<T: Send + 'static>(self: &Arc<Moving>, story: impl Future<Output = T> + Send + 'static) -> T {
        let clock = Arc::clone(self);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .on_thread_park(move || clock.idle())
            .build()
            .expect("a runtime");
        runtime.block_on(async move {
            let looking = tokio::spawn(async {
                let mut beat = tokio::time::interval(LOOK_AGAIN);
                loop {
                    beat.tick().await;
                }
            });
            let told = tokio::spawn(story).await;
            looking.abort();
            told.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
        })
    }

    /// From now on the clock also waits for this database.
    pub fn heed(&self, store: Store) {
        self.lock().store = Some(store);
    }

    /// The clock stands still until the answer is dropped.
    pub fn call(self: &Arc<Moving>) -> UnderWay {
        self.calls.fetch_add(1, Ordering::SeqCst);
        UnderWay(Arc::clone(self))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// No task can go on: moves to the next wait, unless a call, the database or a thread is at work.
    fn idle(&self) {
        let mut state = self.lock();
        let Some(store) = &state.store else { return };
        if self.calls.load(Ordering::SeqCst) > 0 || !store.is_idle() || threads_work() {
            return;
        }
        // A wait that nobody waits for any more moves nothing.
        while let Some(((at, _), wait)) = state.waits.pop_first() {
            if wait.is_closed() {
                continue;
            }
            state.now = state.now.max(at);
            let _ = wait.send(());
            break;
        }
    }

    fn wait_until(&self, at: i64) -> BoxFuture<'static, ()> {
        let mut state = self.lock();
        if at <= state.now {
            return Box::pin(tokio::task::yield_now());
        }
        let (wake, woken) = oneshot::channel();
        state.next += 1;
        let key = (at, state.next);
        state.waits.insert(key, wake);
        Box::pin(async move {
            // An error would mean that the clock is gone, and whoever asks holds it.
            let _ = woken.await;
        })
    }

    fn ms(wait: Duration) -> i64 {
        i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)
    }
}

/// Whether another thread of this process runs, or waits for the disk: a picture is drawn, or a transaction is written.
fn threads_work() -> bool {
    let own = fs::read_link("/proc/thread-self").unwrap_or_default();
    let own = own.file_name().map(ToOwned::to_owned);
    fs::read_dir("/proc/self/task").into_iter().flatten().flatten().any(|thread| {
        let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // `1234 (name) S …`: the name may hold anything, a bracket too.
        let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
        Some(thread.file_name()) != own && matches!(state, Some('R' | 'D'))
    })
}

impl Clock for Moving {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.lock().now)
    }
}

impl simulator::Clock for Moving {
    fn now_ms(&self) -> i64 {
        self.lock().now
    }

    fn until(&self, at_ms: i64) -> Wait<'_> {
        self.wait_until(at_ms)
    }

    fn advance(&self, by: Duration) -> bool {
        self.lock().now += Moving::ms(by);
        true
    }
}

/// Waits on the clock, for the product's loops and for people.
pub struct Waits(pub Arc<Moving>);

impl Timer for Waits {
    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        let at = self.0.lock().now.saturating_add(Moving::ms(wait));
        self.0.wait_until(at)
    }
}
