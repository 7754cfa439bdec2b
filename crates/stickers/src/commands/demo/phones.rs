//! The outside world of a demo: the simulator with a bot and a few guests, kept on disk between runs.

use super::data::DataFolder;
use crate::failure::Failure;
use crate::system::SystemRng;
use domain::Rng;
use serde::{Deserialize, Serialize};
use simulator::{Clock, NewGroup, NewPerson, SystemClock, World};
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

/// The team that works with leads; the first one is the administrator.
const TEAM: [&str; 3] = ["Нодира", "Тимур", "Саида"];
/// The team's group.
const GROUP: &str = "Заявки";

/// The group of the team, and the administrator in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    /// The group's id.
    pub group: i64,
    /// Who may press buttons and send commands; has pressed Start, so that exports arrive.
    pub admin: i64,
}

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

    /// The team with its group: the one that was kept, wherever its group went, or a new one.
    ///
    /// # Errors
    /// When the world is full.
    pub fn team(&self, kept: Option<Team>) -> Result<Team, Failure> {
        if let Some(team) = kept
            && let Some(group) = self.newest_group(team.group)
            && self.world.person(team.admin).is_some()
        {
            return Ok(Team { group, ..team });
        }
        self.new_team()
            .map_err(|trouble| Failure::Failed(format!("the team of the demo cannot be made: {trouble}")))
    }

    fn new_team(&self) -> Result<Team, simulator::Trouble> {
        let mut members = Vec::new();
        for name in TEAM {
            members.push(self.world.add_person(NewPerson::named(name, "ru"))?.id);
        }
        let admin = members[0];
        let bot = self.world.add_bot(BOT_TOKEN, BOT_USERNAME, BOT_NAME);
        self.world.start(admin, bot, None)?;
        let group =
            NewGroup { title: GROUP.to_owned(), members, bots: Some(vec![bot]), ..NewGroup::default() };
        Ok(Team { group: self.world.add_group(group)?, admin })
    }

    /// The id under which a group is reached now. None when it is gone.
    fn newest_group(&self, mut id: i64) -> Option<i64> {
        // A group is upgraded once; the bound is for a world that somebody wrote by hand.
        for _ in 0..8 {
            let group = self.world.group(id)?;
            match group["upgraded_to"].as_i64() {
                Some(next) => id = next,
                None => return (group["deleted"] != true).then_some(id),
            }
        }
        None
    }

    /// The group becomes a supergroup; answers the new id.
    #[cfg(test)]
    pub fn upgrade(&self, group: i64) -> i64 {
        let to = self.world.upgrade_group(group, false).expect("a basic group");
        self.save().unwrap_or_else(|failure| panic!("{failure:?}"));
        to
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
