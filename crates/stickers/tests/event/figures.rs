//! The figures of an event, as BENCHMARKS.md shows them.

use crate::books::{Books, Has, has};
use crate::guests::{Guest, Room};
use std::collections::BTreeMap;

/// Median, 95th percentile and longest of some times in milliseconds, as seconds.
pub fn spread(mut times: Vec<i64>) -> String {
    if times.is_empty() {
        return "nobody".to_owned();
    }
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100] as f64 / 1_000.0;
    format!("median {:.1} s, p95 {:.1} s, longest {:.1} s", at(50), at(95), at(100))
}

/// Prints what became of the guests and how long it took.
pub fn print(room: &Room, guests: &[Guest], books: &Books, calls: &BTreeMap<&'static str, usize>) {
    let mut messages = 0;
    let mut waits = Vec::new();
    for guest in guests {
        match (has(room, guest), guest.photo_taken) {
            (Has::Pack(at_s), Some(taken)) => waits.push((at_s * 1_000 - taken).max(0)),
            (Has::Message, _) => messages += 1,
            _ => {}
        }
    }
    let packs = waits.len();
    println!("{} guests: {packs} packs {:?}, {messages} honest messages", guests.len(), books.ended("done"));
    println!("jobs failed: {:?}", books.failures());
    println!("photo taken to link in the chat: {}", spread(waits));
    let step = |from: fn(&Guest) -> Option<i64>, to: fn(&Guest) -> Option<i64>| {
        spread(guests.iter().filter_map(|guest| Some(to(guest)? - from(guest)?)).collect())
    };
    println!("  scan to tablet: {}", step(|guest| guest.scanned, |guest| guest.linked));
    println!("  consent to tablet: {}", step(|guest| guest.agreed, |guest| guest.consented));
    println!("  photo sent to answer: {}", step(|guest| guest.photo_sent, |guest| guest.photo_taken));
    let jobs = |from: fn(&crate::books::Job) -> Option<i64>, to: fn(&crate::books::Job) -> Option<i64>| {
        spread(books.jobs.iter().filter_map(|job| Some(to(job)? - from(job)?)).collect())
    };
    println!(
        "  queued to (last) claim: {}",
        jobs(|job| Some(job.created_at), |job| job.processing_started_at)
    );
    println!("  claim to set: {}", jobs(|job| job.processing_started_at, |job| job.pack_created_at));
    println!("  set to link decided: {}", jobs(|job| job.pack_created_at, |job| job.link_sent_at));
    println!("longest wait of a message in the outbox: {:.1} s", books.longest_outbox_wait as f64 / 1_000.0);
    let attempts = books.jobs.iter().filter(|job| job.attempts > 0).count();
    println!("jobs with an attempt that failed: {attempts} of {}", books.jobs.len());
    println!("calls to the image provider: {calls:?}");
    let cost: f64 = books.usage.iter().map(|usage| usage.cost_usd).sum();
    for usage in &books.usage {
        println!(
            "  {}: {} calls, {} pictures, {:.2} USD",
            usage.stage, usage.calls, usage.images, usage.cost_usd
        );
    }
    if packs > 0 {
        println!("cost: {cost:.2} USD, {:.4} a pack", cost / packs as f64);
    }
    let log = room.world.log();
    let refused = log.iter().filter(|call| call.status == 429).count();
    println!("calls over Telegram's limits: {refused} of the last {}", log.len());
}
