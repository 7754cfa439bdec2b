//! A whole event: guests at tablets, packs drawn by an image provider that fails every third time, Telegram's limits, deaths of processes. In the
//! end every guest has one pack or one honest message, and the figures are told.
//!
//! One description ([`plan::Event`]) is played twice: [`inside`] one process on a clock that moves as fast as the work allows, and as real
//! [`processes`]. `make event` plays both with a thousand guests.

mod books;
mod dice;
mod faces;
mod figures;
mod guests;
mod inside;
mod memory;
mod plan;
#[path = "../path/postgres.rs"]
mod postgres;
mod processes;
#[path = "../path/stage.rs"]
mod stage;

use plan::{Event, asked};

/// The variable that asks for another number of guests.
const GUESTS: &str = "STICKERS_EVENT_GUESTS";

/// The variable that asks for another number of slots.
const SLOTS: &str = "STICKERS_EVENT_SLOTS";

/// An event of so many guests, as issue 4 describes it.
fn event(guests: usize) -> Event {
    let seed = asked("STICKERS_EVENT_SEED").unwrap_or(20_261_130) as u64;
    let slots = asked(SLOTS).and_then(|slots| u32::try_from(slots).ok()).unwrap_or(4);
    Event { guests: asked(GUESTS).unwrap_or(guests), kiosks: 10, slots, failing: 30, seed }
}

#[test]
fn every_guest_of_an_event_with_deaths_and_failures_ends_with_one_pack_or_one_honest_message() {
    inside::run(event(16));
}

#[test]
fn a_role_is_one_bots_and_passes_on_at_once_after_a_stop_or_a_death_here_and_in_seconds_after_one_elsewhere()
{
    inside::run_leases();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_of_real_processes_killed_at_work_ends_the_same() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = format!("sqlite://{}/app.db", folder.path().display());
    processes::run(folder, database, event(8)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_of_real_processes_on_postgresql_ends_the_same() {
    let database = postgres::Database::new().await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let guests = asked("STICKERS_EVENT_GUESTS_ON_POSTGRES").unwrap_or(6);
    processes::run(folder, database.url.clone(), Event { guests, kiosks: 4, ..event(8) }).await;
}
