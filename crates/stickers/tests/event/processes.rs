//! The event of real processes: the built binary as API and bot, the image service's stand-in over a socket, a simulated Telegram with its
//! limits, the machine's clock, and `kill -9`.

use crate::books::{self, Books, Deaths, Has};
use crate::dice::Dice;
use crate::figures;
use crate::guests::{self, Guest, QUEUE_A_SLOT, Room};
use crate::memory::Memory;
use crate::plan::{Event, Failing};
use crate::stage::Stage;
use app::timer::TokioTimer;
use domain::{Clock, Timestamp};
use simulator::images::{GEMINI_KEY, ImageFault, ImageWorld, Scripted};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;

/// How long the last guests are waited for: longer than any deadline.
const PATIENCE: Duration = Duration::from_secs(40 * 60);
/// Between two looks at what became of the guests.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Failures that are ordered ahead of the calls that meet them.
const ORDERED_AHEAD: usize = 200;

/// The machine's clock.
struct Machine;

impl Clock for Machine {
    #[expect(clippy::disallowed_methods, reason = "real processes live in real time")]
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

/// Orders failures of the image service, as many and as various as the event says.
struct Trouble {
    world: ImageWorld,
    dice: Dice,
    failing: u64,
    /// Calls whose end is decided.
    decided: usize,
    ends: Vec<Option<Failing>>,
}

impl Trouble {
    /// Decides the ends of calls that have not come yet.
    fn decide(&mut self) {
        let made = self.world.calls().len();
        while self.decided < made + ORDERED_AHEAD {
            let failed = (self.dice.below(100) < self.failing).then(|| Failing::drawn(&mut self.dice));
            if let Some(failed) = failed {
                let skip = u32::try_from(self.decided - made).unwrap_or(u32::MAX);
                assert!(
                    self.world.order(Scripted::once(fault(failed)).after(skip)),
                    "too many failures wait"
                );
            }
            self.ends.push(failed);
            self.decided += 1;
        }
    }

    /// Calls by how they ended.
    fn calls(&self) -> BTreeMap<&'static str, usize> {
        let mut calls = BTreeMap::new();
        for end in self.ends.iter().take(self.world.calls().len()) {
            *calls.entry(end.map_or("well", Failing::word)).or_default() += 1;
        }
        calls
    }
}

/// In the words of the stand-in. A call that hangs does so for a while only: the time-outs of the product are minutes, and have tests of their own.
fn fault(failing: Failing) -> ImageFault {
    match failing {
        Failing::TooMany => ImageFault::RateLimited { retry_after_s: 1 },
        Failing::Trouble => ImageFault::ServerError { status: 500 },
        Failing::Overloaded => ImageFault::ServerError { status: 503 },
        Failing::Hangs => ImageFault::Slow { seconds: 20 },
        Failing::Lost => ImageFault::Drop,
        Failing::Prose => ImageFault::Prose,
    }
}

/// The image service, and the address it is at.
async fn image_service() -> (ImageWorld, String) {
    let world = ImageWorld::new(Arc::new(simulator::SystemClock)).expect("the built-in figures");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(simulator::images::serve(listener, world.clone()));
    (world, url)
}

fn room(stage: &Stage, event: Event) -> Room {
    Room {
        world: stage.world.clone(),
        http: stage.http.clone(),
        api: Arc::new(Mutex::new(stage.url(""))),
        clock: Arc::new(Machine),
        timer: Arc::new(TokioTimer),
        calling: Arc::new(|| Box::new(())),
        // Nobody needs to see them smile.
        pace: 2,
        look_every: Duration::from_millis(150),
        queue_max: u64::from(event.slots) * QUEUE_A_SLOT,
    }
}

/// Waits until so many guests have left their tablets.
async fn after(came: &AtomicUsize, count: usize) {
    let mut beat = tokio::time::interval(Duration::from_millis(50));
    while came.load(Ordering::SeqCst) < count {
        beat.tick().await;
    }
}

/// Waits until so many jobs have ended and another is being drawn, or until nobody comes any more and nothing is left to draw.
async fn at_work(database: &str, came: &AtomicUsize, guests: usize, ended: usize) {
    let mut beat = tokio::time::interval(Duration::from_millis(100));
    loop {
        beat.tick().await;
        let jobs = Books::read(database).await.jobs;
        let (over, open): (Vec<_>, Vec<_>) =
            jobs.iter().partition(|job| job.status == "done" || job.status == "failed");
        let drawing = open.iter().any(|job| job.status == "processing");
        let at_end = came.load(Ordering::SeqCst) >= guests && open.is_empty();
        if (drawing && over.len() >= ended) || at_end {
            return;
        }
    }
}

/// Waits until every guest has a pack or a message and no message waits.
async fn at_rest(stage: &Stage, room: &Room, guests: &[Guest]) -> Books {
    let mut open: Vec<&Guest> = guests.iter().collect();
    let resting = async {
        let mut beat = tokio::time::interval(LOOK_EVERY);
        loop {
            beat.tick().await;
            open.retain(|guest| books::has(room, guest) == Has::Nothing);
            if open.is_empty() {
                let books = Books::read(&stage.database).await;
                if books.unsent == 0 {
                    return books;
                }
            }
        }
    };
    tokio::time::timeout(PATIENCE, resting).await.expect("every guest has a pack or a message in the end")
}

/// The whole event on this database. The bot dies twice and the API once.
pub async fn run(folder: TempDir, database: String, event: Event) {
    let (images, images_url) = image_service().await;
    let more = vec![
        ("PROVIDERS", "gemini,local".to_owned()),
        ("GEMINI_API_KEY", GEMINI_KEY.to_owned()),
        ("GEMINI_API_URL", images_url),
        ("WORKER_SLOTS", event.slots.to_string()),
        ("RUST_LOG", "warn".to_owned()),
    ];
    let mut stage = Stage::with(folder, database, more).await;
    stage.start_bot("");
    let room = room(&stage, event);
    let trouble = Arc::new(Mutex::new(Trouble {
        world: images,
        dice: Dice::new(event.seed, 7),
        failing: event.failing,
        decided: 0,
        ends: Vec::new(),
    }));
    let deciding = tokio::spawn(decide_on(Arc::clone(&trouble)));
    let memory = Arc::new(Mutex::new(Memory::default()));
    let measuring = tokio::spawn(Memory::measure(Arc::clone(&memory)));
    watch(&memory, &stage);
    let came = Arc::new(AtomicUsize::new(0));
    let (visiting, counting) = (room.clone(), Arc::clone(&came));
    let visits = tokio::spawn(async move { guests::everybody(&visiting, event, counting).await });
    for share in [1, 3] {
        // The second death comes when the jobs that met the first one are through.
        after(&came, event.guests / 4).await;
        at_work(&stage.database, &came, event.guests, event.guests * (share - 1) / 4).await;
        stage.kill_bot().await;
        stage.start_bot("");
        watch(&memory, &stage);
        if share == 1 {
            stage.kill_api().await;
            stage.start_api().await;
            *room.api.lock().unwrap_or_else(PoisonError::into_inner) = stage.url("");
            watch(&memory, &stage);
        }
    }
    let guests = visits.await.expect("visits that end");
    let books = at_rest(&stage, &room, &guests).await;
    deciding.abort();
    measuring.abort();
    assert_eq!(stage.stop_bot().await, Some(0), "the bot stops in order");
    close_what_died(&room, &stage).await;
    let books = Books { open_sessions: Books::read(&stage.database).await.open_sessions, ..books };
    books::check(&room, &guests, &books, Deaths { of_bot: 2, at_once: 8 }, false);
    let kept = books.jobs.iter().filter(|job| job.status == "done" && job.photo_path.is_some()).count();
    assert_eq!(kept, 0, "the selfie of a pack is deleted with it");
    let made = trouble.lock().unwrap_or_else(PoisonError::into_inner).calls();
    books.check_calls(made.values().sum(), 2 * event.slots as usize);
    figures::print(&room, &guests, &books, &made);
    println!("{}", memory.lock().unwrap_or_else(PoisonError::into_inner));
}

async fn decide_on(trouble: Arc<Mutex<Trouble>>) {
    let mut beat = tokio::time::interval(Duration::from_millis(200));
    loop {
        beat.tick().await;
        trouble.lock().unwrap_or_else(PoisonError::into_inner).decide();
    }
}

fn watch(memory: &Mutex<Memory>, stage: &Stage) {
    memory.lock().unwrap_or_else(PoisonError::into_inner).watch(stage.ids());
}

/// A session that an API opened in the moment of its death has no tablet. The server ends it in a quarter of an hour; here it is ended by hand.
async fn close_what_died(room: &Room, stage: &Stage) {
    for token in Books::open_tokens(&stage.database).await {
        let url = stage.url(&format!("/session/{token}/expire?reason=kiosk_reset"));
        room.http.post(url).send().await.expect("an answer");
    }
}
