//! The roles that only one process may have, seen on several bots of one database.

use super::{Bot, Stage, now};
use crate::inside::time::Moving;
use crate::plan::Event;
use domain::Clock;
use std::sync::Arc;
use std::time::Duration;

/// Typed again from product.md, "Growing past one machine", and the leads loop.
const SINGLE: [&str; 4] = ["updates", "leads", "sweeper", "cleanup"];

/// Plays it.
pub fn run() {
    let clock = Moving::at(now());
    let story = story(Arc::clone(&clock));
    clock.run(story);
}

impl Stage {
    /// Whose every single role is, when it is one bot's.
    async fn holder(&self) -> Option<String> {
        let mut holders = Vec::new();
        for name in SINGLE {
            let held = store::leases::holder(&mut self.ctx.store.reader(), name, self.clock.now()).await;
            holders.push(held.expect("readable")?);
        }
        holders.dedup();
        (holders.len() == 1).then(|| holders.remove(0))
    }

    /// How long it takes until every single role is this bot's.
    async fn taken_over_by(&self, bot: &Bot) -> Duration {
        let began = self.clock.now();
        while self.holder().await.as_deref() != Some(bot.name.as_str()) {
            assert!(self.clock.now().since(began) < Duration::from_secs(60), "nobody took over");
            self.timer.sleep(Duration::from_millis(100)).await;
        }
        self.clock.now().since(began)
    }

    /// A guest writes to the bot and is answered.
    async fn answers(&self) {
        let person = simulator::NewPerson::named("Lola", "en");
        let id = self.room.world.add_person(person).expect("a new person").id;
        self.room.world.start(id, crate::stage::BOT, None).expect("the chat opens");
        let began = self.clock.now();
        while self.room.chat(id).len() < 2 {
            assert!(self.clock.now().since(began) < Duration::from_secs(60), "nobody answered");
            self.timer.sleep(Duration::from_millis(100)).await;
        }
    }
}

async fn story(clock: Arc<Moving>) {
    let event = Event { guests: 0, kiosks: 0, slots: 1, failing: 0, seed: 5 };
    let mut stage = Stage::new(event, clock).await;
    let second = Duration::from_secs(1);

    let first = stage.start_bot();
    assert!(stage.taken_over_by(&first).await < second, "nobody else is there");
    let waiting = stage.start_bot();
    stage.timer.sleep(Duration::from_secs(120)).await;
    assert_eq!(stage.holder().await, Some(first.name.clone()), "renewed as long as it works");
    stage.answers().await;

    first.stop.cancel();
    first.running.await.expect("no panic").expect("a stop in order");
    assert!(stage.taken_over_by(&waiting).await <= 2 * second, "a stop frees the roles at once");
    stage.answers().await;

    stage.kill(waiting, true).await;
    let after_death = stage.start_bot();
    assert!(stage.taken_over_by(&after_death).await < second, "its machine knows that it died");
    stage.answers().await;

    stage.kill(after_death, false).await;
    let elsewhere = stage.start_bot();
    let took = stage.taken_over_by(&elsewhere).await;
    assert!(took >= 3 * second, "nothing is known of it, so its lease is waited out: {took:?}");
    assert!(took <= 10 * second, "within seconds: {took:?}");
    stage.answers().await;

    elsewhere.stop.cancel();
    elsewhere.running.await.expect("no panic").expect("a stop in order");
    let conflicts = stage.room.world.log().iter().filter(|call| call.status == 409).count();
    assert_eq!(conflicts, 0, "whoever has not the role does not ask for updates");
}
