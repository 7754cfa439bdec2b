//! The world: bots, persons, chats, messages, packs. One lock around plain data, one signal for every change.

mod chats;
mod control;
mod files;
mod groups;
mod membership;
mod pairs;
mod people;
mod save;
pub(crate) mod state;
mod topics;
mod trouble;
mod view;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{Semaphore, watch};

use crate::chance::Chance;
use crate::clock::Clock;
use crate::faults::{Fault, Plan, Upgrade};
use crate::methods;
use crate::refusal::Refusal;
use crate::updates::{self, Look};
use crate::wire::{Params, Reply};
pub use control::{NewGroup, NewPerson, NewPress, NewSet, StrangeUpdate, Telling};
pub(crate) use files::Picture;
use state::{Bot, State};
pub use state::{Person, Received, Settings, Standing};
pub use trouble::Trouble;

/// Calls that the list keeps.
const MOST_LOGGED: usize = 10_000;
/// Calls on their way at one time; one more is refused after a while.
const MOST_CALLS: usize = 1_000;
/// How long the server holds a call that it refuses for too many.
const CROWDED_HOLD: Duration = Duration::from_secs(3);
/// What it tells such a client to wait.
const CROWDED_S: u64 = 60;
/// How long the server waits itself for flood control, when it does.
const LONGEST_FLOOD_MS: i64 = 60_000;
/// Longest token that is looked at.
const MOST_TOKEN: usize = 80;

/// A handle to the world; clones share it.
#[derive(Debug, Clone)]
pub struct World {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    clock: Arc<dyn Clock>,
    changes: watch::Sender<u64>,
    /// Calls that may be on their way at one time.
    room: Semaphore,
    /// One writer to the disk; the count of changes that the disk has.
    saved: Mutex<Option<u64>>,
}

impl World {
    /// An empty world. The same seed gives the same ids and chances again.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, seed: u64) -> Self {
        Self::from_state(State::new(seed, Settings::default()), clock)
    }

    fn from_state(state: State, clock: Arc<dyn Clock>) -> Self {
        let inner = Inner {
            state: Mutex::new(state),
            clock,
            changes: watch::Sender::new(0),
            room: Semaphore::new(MOST_CALLS),
            saved: Mutex::new(None),
        };
        Self { inner: Arc::new(inner) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic under the lock leaves plain data behind; the next caller may go on with it.
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the state and tells everybody who waits for a change.
    pub(crate) fn change<R>(&self, act: impl FnOnce(&mut State, i64) -> R) -> R {
        let now = self.now_ms();
        let result = act(&mut self.lock(), now);
        self.inner.changes.send_modify(|count| *count += 1);
        result
    }

    /// Looks at the state.
    pub(crate) fn look<R>(&self, act: impl FnOnce(&mut State, i64) -> R) -> R {
        let now = self.now_ms();
        act(&mut self.lock(), now)
    }

    /// Tells of each change.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    /// The world's clock.
    #[must_use]
    pub fn clock(&self) -> &dyn Clock {
        self.inner.clock.as_ref()
    }

    /// Milliseconds since 1970 by the world's clock.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        self.inner.clock.now_ms()
    }

    /// Moves the world's time. False when its clock goes by itself.
    pub fn advance(&self, by: Duration) -> bool {
        let moved = self.inner.clock.advance(by);
        self.inner.changes.send_modify(|count| *count += 1);
        moved
    }

    /// Changes the numbers that can be changed.
    pub fn set_settings(&self, settings: Settings) {
        self.change(|state, _| state.settings = settings);
    }

    /// The numbers as they are.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.look(|state, _| state.settings)
    }

    /// Makes a bot account, or gives an account that exists this token and these names. The id is what stands before
    /// the colon of the token.
    pub fn add_bot(&self, token: &str, username: &str, first_name: &str) -> i64 {
        let id = token.split(':').next().and_then(|id| id.parse().ok()).unwrap_or(123_456);
        self.change(|state, now| {
            let first_update = 100_000_000 + i64::try_from(state.chance.below(800_000_000)).unwrap_or(0);
            let bot = state.bots.entry(id).or_insert_with(|| Bot {
                id,
                token: None,
                username: String::new(),
                first_name: String::new(),
                reads_all: false,
                webhook: None,
                queue: updates::Queue::starting_at(first_update, now),
                commands: Default::default(),
                profile: Default::default(),
                webhook_set_ms: i64::MIN / 2,
            });
            bot.token = Some(token.to_owned());
            bot.username = username.to_owned();
            bot.first_name = first_name.to_owned();
        });
        id
    }

    /// Calls a method. Answers HTTP status and body; a lost answer is status 0 and null.
    pub async fn call(&self, token: &str, method: &str, params: impl Into<Params>) -> (u16, Value) {
        self.exchange(token, method, &params.into()).await.seen()
    }

    /// Calls a method and answers what would leave the server, faults included.
    pub async fn exchange(&self, token: &str, method: &str, params: &Params) -> Reply {
        let (bot, name) = match self.look(|state, _| route(state, token, method)) {
            Ok(found) => found,
            Err((bot, refusal)) => {
                let reply = Reply::from(refusal);
                self.record(bot, method, params, &reply);
                return reply;
            }
        };
        let reply = match self.inner.room.try_acquire() {
            Ok(_place) => {
                let plan = self.look(|state, _| state.faults.plan(name, methods::chat_of(params)));
                self.play(bot, name, params, plan).await
            }
            Err(_) => {
                self.wait(CROWDED_HOLD).await;
                Refusal::flood(CROWDED_S).into()
            }
        };
        self.record(Some(bot), name, params, &reply);
        reply
    }

    async fn play(&self, bot: i64, method: &'static str, params: &Params, plan: Plan) -> Reply {
        self.wait(plan.wait_before).await;
        self.upgrade_on_order(plan.upgrade, Upgrade::Before, params);
        let reply = if plan.apply {
            self.carry_out(bot, method, params).await
        } else {
            // Whatever stands here is replaced by the plan's own answer.
            Reply::Closed
        };
        self.upgrade_on_order(plan.upgrade, Upgrade::After, params);
        self.wait(plan.wait_after).await;
        plan.reply(reply)
    }

    /// The group of the call becomes a supergroup, when that was ordered for this moment.
    fn upgrade_on_order(&self, ordered: Option<(Upgrade, Telling)>, moment: Upgrade, params: &Params) {
        let Some((_, telling)) = ordered.filter(|(when, _)| *when == moment) else { return };
        let Some(chat) = methods::chat_of(params) else { return };
        if let Err(trouble) = self.upgrade_group_telling(chat, telling) {
            tracing::warn!(%trouble, "the ordered upgrade did not happen");
        }
    }

    async fn wait(&self, time: Duration) {
        if !time.is_zero() {
            let until = self.now_ms() + i64::try_from(time.as_millis()).unwrap_or(0);
            self.inner.clock.until(until).await;
        }
    }

    async fn carry_out(&self, bot: i64, method: &'static str, params: &Params) -> Reply {
        let result = if method == "getUpdates" {
            self.get_updates(bot, params).await.map(|found| (found, None))
        } else {
            self.run_with_patience(bot, method, params).await
        };
        match result {
            Ok((result, words)) => Reply::done(result, words),
            Err(refusal) => refusal.into(),
        }
    }

    /// Carries out a method; where short floods are waited out, it waits for as long as a server does.
    async fn run_with_patience(
        &self,
        bot: i64,
        method: &'static str,
        params: &Params,
    ) -> Result<(Value, Option<&'static str>), Refusal> {
        let until = self.now_ms() + LONGEST_FLOOD_MS;
        loop {
            let result = self.change(|state, now| methods::run(state, bot, method, params, now));
            let seconds = match &result {
                Err(Refusal { retry_after: Some(seconds), .. }) if self.settings().flood_waits => *seconds,
                _ => return result,
            };
            let due = self.now_ms() + i64::try_from(seconds).unwrap_or(i64::MAX / 2_000) * 1_000;
            if due > until {
                return result;
            }
            self.inner.clock.until(due).await;
        }
    }

    async fn get_updates(&self, bot: i64, params: &Params) -> Result<Value, Refusal> {
        let poll = self.change(|state, now| {
            let spin_guard = state.settings.spin_guard;
            let bot = state.bots.get_mut(&bot).ok_or_else(|| Refusal::new(401, "Unauthorized"))?;
            if bot.webhook.is_some() {
                return Err(updates::conflict(updates::WEBHOOK_ACTIVE));
            }
            Ok(bot.queue.begin(params, now, spin_guard))
        })?;
        let mut changes = self.changes();
        loop {
            changes.borrow_and_update();
            let seen = self.look(|state, now| state.bots.get_mut(&bot).map(|bot| bot.queue.look(&poll, now)));
            match seen {
                None => return Err(Refusal::new(401, "Unauthorized")),
                Some(Look::Found(found)) => return Ok(found),
                Some(Look::Ended(words, due_ms)) => {
                    self.inner.clock.until(due_ms).await;
                    return Err(updates::conflict(words));
                }
                Some(Look::Wait) => {}
            }
            tokio::select! {
                _ = changes.changed() => {}
                () = self.inner.clock.until(poll.until_ms) => {}
            }
        }
    }

    fn record(&self, bot: Option<i64>, method: &str, params: &Params, reply: &Reply) {
        let received = |at| Received {
            bot,
            method: method.to_owned(),
            chat: methods::chat_of(params),
            status: reply.status(),
            at,
        };
        self.look(|state, now| {
            if state.log.len() >= MOST_LOGGED {
                state.log.pop_front();
            }
            state.log.push_back(received(now));
        });
    }

    /// The calls received so far, oldest first.
    #[must_use]
    pub fn log(&self) -> Vec<Received> {
        self.look(|state, _| state.log.iter().cloned().collect())
    }

    /// Forgets the calls received so far.
    pub fn clear_log(&self) {
        self.look(|state, _| state.log.clear());
    }

    /// Orders a failure. False when too many wait already.
    pub fn fault(&self, fault: Fault) -> bool {
        self.change(|state, _| state.faults.add(fault))
    }

    /// The failures that still wait.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        self.look(|state, _| state.faults.list().to_vec())
    }

    /// Takes back all failures that still wait.
    pub fn clear_faults(&self) {
        self.change(|state, _| state.faults.clear());
    }

    /// Forgets everything but the bots and their names, as if the world began anew.
    pub fn reset(&self, seed: u64) {
        let bots: Vec<(String, String, String)> = self.change(|state, _| {
            let kept = state
                .bots
                .values()
                .filter_map(|bot| Some((bot.token.clone()?, bot.username.clone(), bot.first_name.clone())));
            let kept = kept.collect();
            *state = State::new(seed, state.settings);
            kept
        });
        for (token, username, first_name) in bots {
            self.add_bot(&token, &username, &first_name);
        }
    }
}

/// Token first, then method.
fn route(state: &State, token: &str, method: &str) -> Result<(i64, &'static str), (Option<i64>, Refusal)> {
    let malformed =
        token.starts_with('0') || token.len() > MOST_TOKEN || token.contains('/') || !token.contains(':');
    if malformed {
        return Err((None, Refusal::new(401, "Unauthorized: invalid token specified")));
    }
    let found = state.bots.values().find(|bot| bot.token.as_deref() == Some(token));
    let Some(bot) = found else { return Err((None, Refusal::new(401, "Unauthorized"))) };
    match methods::named(method) {
        Some(name) => Ok((bot.id, name)),
        None => Err((Some(bot.id), Refusal::new(404, "Not Found: method not found"))),
    }
}

impl State {
    /// Puts an update in line for a bot.
    pub(crate) fn push_update(&mut self, bot: i64, kind: &str, body: Value, lives_ms: i64, now: i64) {
        let fresh = fresh_update_id(&mut self.chance);
        if let Some(bot) = self.bots.get_mut(&bot) {
            bot.queue.push(kind, body, now + lives_ms, now, fresh);
        }
    }
}

fn fresh_update_id(chance: &mut Chance) -> i64 {
    1 + i64::try_from(chance.below(1 << 30)).unwrap_or(0)
}
