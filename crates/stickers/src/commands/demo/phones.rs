//! The outside world of a demo: the simulator with a bot and a few guests, kept on disk between runs.

use super::data::DataFolder;
use crate::failure::Failure;
use crate::system::SystemRng;
use domain::Rng;
use simulator::{Clock, NewPerson, SystemClock, World};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// A token that only the simulator knows.
pub const BOT_TOKEN: &str = "7000000001:demo-token-of-the-simulator";
/// The bot's username.
pub const BOT_USERNAME: &str = "stickers_demo_bot";
/// How the bot is called in a chat.
const BOT_NAME: &str = "Stickers";
/// Guests with a phone: name and language.
const GUESTS: [(&str, &str); 3] = [("Лола", "ru"), ("Jasur", "uz"), ("Emma", "en")];

/// The world and where it is kept.
#[derive(Clone)]
pub struct Phones {
    world: World,
    folder: PathBuf,
}

impl Phones {
    /// The world as the last demo left it, or a new one with a few guests.
    ///
    /// # Errors
    /// When what is on disk cannot be read.
    pub fn open(folder: &DataFolder) -> Result<Phones, Failure> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let folder = folder.world();
        let fail = |error: io::Error| {
            Failure::of(
                "the simulated world of the last demo cannot be read (stickers demo --reset forgets it)",
                &error,
            )
        };
        let kept = World::load(&folder, Arc::clone(&clock)).map_err(fail)?;
        let is_new = kept.is_none();
        let world = kept.unwrap_or_else(|| World::new(clock, seed()));
        world.add_bot(BOT_TOKEN, BOT_USERNAME, BOT_NAME);
        if is_new {
            for (name, language) in GUESTS {
                world.add_person(NewPerson::named(name, language)).map_err(|trouble| {
                    Failure::Failed(format!("a guest of the demo cannot be made: {trouble}"))
                })?;
            }
        }
        Ok(Phones { world, folder })
    }

    /// Answers the Bot API and the chat pages.
    pub fn serve(&self, listener: TcpListener) -> impl Future<Output = io::Result<()>> + Send + 'static {
        simulator::serve(listener, self.world.clone())
    }

    /// Writes the world to disk now.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn save(&self) -> Result<(), Failure> {
        self.world
            .save(&self.folder)
            .map_err(|error| Failure::of("the simulated world cannot be kept", &error))
    }

    /// Writes the world to disk again and again, so that a killed demo loses seconds only.
    pub async fn save_every(self, every: Duration) {
        let mut ticks = tokio::time::interval(every);
        loop {
            ticks.tick().await;
            let phones = self.clone();
            match tokio::task::spawn_blocking(move || phones.save()).await {
                Ok(Ok(())) => {}
                Ok(Err(failure)) => tracing::warn!(?failure, "the demo goes on without being kept"),
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "the world was not kept")
                }
            }
        }
    }
}

/// A world that is not the same in every demo.
fn seed() -> u64 {
    let mut bytes = [0; 8];
    SystemRng.fill(&mut bytes);
    u64::from_le_bytes(bytes)
}
