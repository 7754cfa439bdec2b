//! The event inside one process: the real loops of the bot, the real server, the real clients, a simulated Telegram with its limits, a database
//! on disk, and a clock that moves as fast as the work allows. Twice the bot's tasks are cut off where they stand, and once the server's.

mod artist;
mod leases;
mod telegram;
mod time;

pub use leases::run as run_leases;

use crate::books::{self, Books, Deaths, Has};
use crate::figures;
use crate::guests::{self, Guest, QUEUE_A_SLOT, Room};
use crate::plan::Event;
use crate::stage::{BOT, TOKEN};
use app::neighbours::{Life, Neighbours};
use app::providers::{Catalogue, Provider, Providers};
use app::timer::Timer;
use app::{Ctx, Limits, Outside, Roles, bot_run};
use artist::Artist;
use clients::media::Media;
use clients::telegram::BotApi;
use domain::clock::Clock;
use domain::rng::SeededRng;
use render::{Renderer, Templates};
use secrecy::SecretString;
use simulator::{NewPerson, Settings, World};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::{Store, StoreOptions};
use telegram::Counted;
use tempfile::TempDir;
use time::{Moving, Waits};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use web::WebOptions;

/// Messages that the bot sends at once.
const SENT_AT_ONCE: usize = 8;
/// How long the last guests are waited for: deadline, pauses of the outbox, and a code that ended.
const PATIENCE: Duration = Duration::from_secs(2 * 3_600);
/// The longest that a session without a tablet stays open, and a look of the sweeper.
const SESSIONS_ENDED_AFTER: Duration = Duration::from_secs(16 * 60);
/// The time to live of photos.
const PHOTOS_GONE_AFTER: Duration = Duration::from_secs(72 * 3_600);

/// Everything of an event.
struct Stage {
    event: Event,
    clock: Arc<Moving>,
    timer: Arc<dyn Timer>,
    room: Room,
    artist: Arc<Artist>,
    ctx: Ctx,
    telegram_url: String,
    /// Names of bots that were cut off.
    dead: Arc<Mutex<Vec<String>>>,
    bots: usize,
    folder: TempDir,
}

/// Knows the bots that were cut off, as a machine knows its dead processes.
struct Cemetery(Arc<Mutex<Vec<String>>>);

impl Neighbours for Cemetery {
    fn life(&self, process: &str) -> Life {
        let dead = self.0.lock().expect("no test panicked while it held the lock");
        if dead.iter().any(|name| name == process) { Life::Dead } else { Life::Unknown }
    }
}

/// A bot that runs.
struct Bot {
    name: String,
    stop: CancellationToken,
    running: JoinHandle<Result<(), app::RoleEnded>>,
}

impl Stage {
    async fn new(event: Event, clock: Arc<Moving>) -> Stage {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let database = format!("sqlite://{}/app.db", folder.path().display());
        let store = Store::open(StoreOptions::new(database)).await.expect("the database");
        store.migrate().await.expect("migrations");
        clock.heed(store.clone());
        let timer: Arc<dyn Timer> = Arc::new(Waits(Arc::clone(&clock)));
        let (world, telegram_url) = telegram_world(&clock, event.seed).await;
        let operator = world.add_person(NewPerson::named("Нодира", "ru")).expect("a new person").id;
        world.start(operator, BOT, None).expect("the operator presses Start");
        let ctx = Ctx {
            store,
            media: Media::in_memory(),
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            rng: Arc::new(SeededRng::new(event.seed)),
            renderer: Arc::new(Renderer::new(Templates::built_in()).expect("the renderer")),
            settings: Arc::new(settings(&telegram_url, operator, event.slots)),
            limits: Arc::new(Limits::default()),
            watchers: Arc::default(),
        };
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        let calling = Arc::clone(&clock);
        let room = Room {
            world,
            http,
            api: Arc::default(),
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            timer: Arc::clone(&timer),
            calling: Arc::new(move || Box::new(calling.call())),
            pace: 100,
            look_every: Duration::from_secs(1),
            queue_max: u64::from(event.slots) * QUEUE_A_SLOT,
        };
        let artist = Artist::new(Arc::clone(&timer), event.seed, event.failing);
        Stage { event, clock, timer, room, artist, ctx, telegram_url, dead: Arc::default(), bots: 0, folder }
    }

    /// Starts the server on a port of its own.
    async fn serve(&self) -> JoinHandle<()> {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let options = WebOptions {
            kiosk_key: None,
            trusted_proxies: Vec::new(),
            version: "1",
            revision: "1",
            figures: Arc::new(String::new),
            shutdown: CancellationToken::new(),
            panel: None,
            extra: None,
        };
        let router = web::router(self.ctx.clone(), options);
        *self.room.api.lock().expect("no test panicked while it held the lock") = address;
        tokio::spawn(async move {
            web::serve::serve(listener, router, CancellationToken::new())
                .await
                .expect("a server that goes on");
        })
    }

    /// Starts a bot with every role, as a process of its own name.
    fn start_bot(&mut self) -> Bot {
        self.bots += 1;
        let name = format!("{}-bot", self.bots);
        let api = BotApi::new(&self.telegram_url, SecretString::from(TOKEN.to_owned())).expect("a client");
        let telegram = Counted { api, clock: Arc::clone(&self.clock), timer: Arc::clone(&self.timer) };
        let providers = Providers {
            list: vec![Provider::new(Arc::clone(&self.artist) as Arc<_>)],
            local: true,
            job_limit_usd: 1.0,
            catalogue: Some(Catalogue::built_in().expect("the built-in file")),
        };
        let outside = Outside {
            telegram: Arc::new(telegram),
            timer: Arc::clone(&self.timer),
            providers: Arc::new(providers),
            neighbours: Arc::new(Cemetery(Arc::clone(&self.dead))),
        };
        let mut ctx = self.ctx.clone();
        ctx.settings =
            Arc::new(app::Settings { process: name.clone(), ..app::Settings::clone(&ctx.settings) });
        let stop = CancellationToken::new();
        let running = tokio::spawn(bot_run(ctx, outside, Roles::all(), stop.clone()));
        Bot { name, stop, running }
    }

    /// Cuts a bot off where it stands.
    async fn kill(&self, bot: Bot, known: bool) {
        bot.running.abort();
        let ended = bot.running.await.expect_err("it ran");
        assert!(ended.is_cancelled(), "it ended by itself: {ended}");
        if known {
            self.dead.lock().expect("no test panicked while it held the lock").push(bot.name);
        }
    }

    /// Waits until so many guests have left their tablets and packs are being drawn.
    async fn busy_after(&self, came: &AtomicUsize, count: usize) {
        loop {
            let at_work = store::jobs::owners(&mut self.ctx.store.reader()).await.expect("readable");
            let came = came.load(Ordering::SeqCst);
            if came >= count && (!at_work.is_empty() || came >= self.event.guests) {
                return;
            }
            self.timer.sleep(Duration::from_millis(700)).await;
        }
    }

    /// Waits until every guest has a pack or a message, and nothing is on its way.
    async fn at_rest(&self, guests: &[Guest]) {
        let until = self.clock.now().plus(PATIENCE);
        let mut open: Vec<&Guest> = guests.iter().collect();
        loop {
            open.retain(|guest| books::has(&self.room, guest) == Has::Nothing);
            let unsent = store::outbox::count_open(&mut self.ctx.store.reader()).await.expect("readable");
            if open.is_empty() && unsent == 0 {
                return;
            }
            assert!(self.clock.now() < until, "{unsent} messages wait, and these guests: {open:?}");
            self.timer.sleep(Duration::from_secs(5)).await;
        }
    }
}

async fn telegram_world(clock: &Arc<Moving>, seed: u64) -> (World, String) {
    let world = World::new(Arc::clone(clock) as Arc<dyn simulator::Clock>, seed);
    world.add_bot(TOKEN, "stickers_sim_bot", "Stickers");
    // Polls do not wait at the server here, which would look like a client that asks without rest.
    world.set_settings(Settings { set_lag_ms: 1_500, spin_guard: false, ..world.settings() });
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(simulator::serve(listener, world.clone()));
    (world, url)
}

fn settings(telegram_url: &str, operator: i64, slots: u32) -> app::Settings {
    app::Settings {
        link_url: telegram_url.to_owned(),
        public_url: "http://localhost:8000".to_owned(),
        event_name: "Fest".to_owned(),
        brand_name: "Stickers".to_owned(),
        privacy_url: None,
        admin_user_ids: vec![operator],
        worker_slots: slots,
        pack_limit: 1,
        photo_ttl_hours: 72,
        maintenance: false,
        process: "server".to_owned(),
        several_machines: false,
        backups: None,
        leads: app::LeadsSettings::default(),
    }
}

/// The whole event.
pub fn run(event: Event) {
    let clock = Moving::at(now());
    let story = story(event, Arc::clone(&clock));
    clock.run(story);
}

async fn story(event: Event, clock: Arc<Moving>) {
    let began = clock.now();
    let mut stage = Stage::new(event, Arc::clone(&clock)).await;
    let server = stage.serve().await;
    let bot = stage.start_bot();
    let came = Arc::new(AtomicUsize::new(0));
    let (room, counting) = (stage.room.clone(), Arc::clone(&came));
    let visits = tokio::spawn(async move { guests::everybody(&room, event, counting).await });

    // The machine knows that its own process died.
    stage.busy_after(&came, event.guests / 4).await;
    stage.kill(bot, true).await;
    let bot = stage.start_bot();
    // The server is cut off in the middle of whatever it answers.
    stage.busy_after(&came, event.guests / 2).await;
    server.abort();
    let server = stage.serve().await;
    // Another machine died, of which nothing is known: its leases and claims are waited out.
    stage.busy_after(&came, event.guests * 3 / 4).await;
    stage.kill(bot, false).await;
    let bot = stage.start_bot();

    let guests = visits.await.expect("visits that end");
    stage.at_rest(&guests).await;
    let lasted = clock.now().since(began);
    // A session whose tablet never heard of it ends by itself.
    stage.timer.sleep(SESSIONS_ENDED_AFTER).await;
    bot.stop.cancel();
    bot.running.await.expect("no panic").expect("a stop in order");
    server.abort();
    // Photos go with their time.
    simulator::Clock::advance(&*clock, PHOTOS_GONE_AFTER);
    app::loops::clean_up(&stage.ctx).await.expect("a pass of the clean-up");
    let files = stage.ctx.media.list("sessions").await.expect("readable");
    assert!(files.is_empty(), "{} files of sessions are left: {:?}", files.len(), files.first());
    let database = format!("sqlite://{}/app.db", stage.folder.path().display());
    let books = Books::read(&database).await;
    let calls = stage.artist.calls();
    books::check(&stage.room, &guests, &books, Deaths { of_bot: 2, at_once: SENT_AT_ONCE }, true);
    books.check_calls(calls.values().sum(), 2 * event.slots as usize);
    println!("the event lasted {} minutes", lasted.as_secs() / 60);
    figures::print(&stage.room, &guests, &books, &calls);
}

/// Files carry the machine's time, so the evening begins now.
#[expect(clippy::disallowed_methods, reason = "an evening begins when it begins")]
fn now() -> domain::Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    domain::Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
