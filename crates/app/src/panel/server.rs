//! What the panel tells of the server: copies of the database, disk, photos. Looking costs a listing of every file, so the answer is kept for a
//! while and shared by all pages.

use crate::backup::{Copy, late};
use crate::{AppError, Ctx};
use domain::{Timestamp, names};
use std::time::Duration;
use tokio::sync::Mutex;

/// How long a look is good for.
const KEPT: Duration = Duration::from_secs(30);

/// Bytes of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disk {
    /// In all.
    pub total: u64,
    /// Free for this user.
    pub free: u64,
}

impl Disk {
    /// Whole percent in use, rounded up.
    pub fn used_percent(self) -> u64 {
        let used = self.total.saturating_sub(self.free);
        // A disk of 0 bytes is full.
        used.saturating_mul(100).div_ceil(self.total.max(1)).min(100)
    }
}

/// Photos and what was made from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Photos {
    /// Selfies that are there.
    pub selfies: usize,
    /// All files of guests.
    pub files: usize,
    /// When the oldest of them was written.
    pub oldest: Option<Timestamp>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// None: the media store did not answer.
    pub photos: Option<Photos>,
    /// The nightly copies, newest first; none where no folder is configured or it cannot be read.
    pub copies: Option<Vec<Copy>>,
    /// When the last good copy was made, as it noted itself.
    pub last_copy: Option<Timestamp>,
    /// None where the disk cannot be asked.
    pub disk: Option<Disk>,
}

/// Asks the disk below the data folder.
pub type AskDisk = Box<dyn Fn() -> Option<Disk> + Send + Sync>;

/// Looks, and remembers what was seen.
pub struct Server {
    disk: AskDisk,
    kept: Mutex<Option<(Timestamp, Facts)>>,
}

impl Server {
    /// One that asks the disk in this way.
    pub fn new(disk: AskDisk) -> Server {
        Server { disk, kept: Mutex::default() }
    }

    /// What is known; looks when the last look is too old. Others wait for the one who looks.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn facts(&self, ctx: &Ctx) -> Result<Facts, AppError> {
        let mut kept = self.kept.lock().await;
        let now = ctx.clock.now();
        // A clock that jumped back makes no look last for an hour.
        if let Some((_, facts)) = kept.as_ref().filter(|(at, _)| *at <= now && now.since(*at) < KEPT) {
            return Ok(facts.clone());
        }
        let facts = Facts {
            photos: photos(ctx).await,
            copies: copies(ctx).await,
            last_copy: late::last(&ctx.store).await?,
            disk: (self.disk)(),
        };
        *kept = Some((now, facts.clone()));
        Ok(facts)
    }
}

async fn photos(ctx: &Ctx) -> Option<Photos> {
    let mut photos = Photos::default();
    for folder in [names::SESSIONS_FOLDER, names::DEBUG_FOLDER] {
        let files = match ctx.media.list(folder).await {
            Ok(files) => files,
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "the panel cannot list photos");
                return None;
            }
        };
        photos.files += files.len();
        photos.selfies += files.iter().filter(|file| names::is_selfie(&file.key)).count();
        let oldest = files.iter().map(|file| Timestamp::from_millis(file.last_modified_ms)).min();
        photos.oldest = photos.oldest.into_iter().chain(oldest).min();
    }
    Some(photos)
}

async fn copies(ctx: &Ctx) -> Option<Vec<Copy>> {
    let place = ctx.settings.backups.clone()?;
    match tokio::task::spawn_blocking(move || place.list()).await {
        Ok(Ok(copies)) => Some(copies),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the panel cannot list copies of the database");
            None
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_said_to_be_fuller_rather_than_emptier_than_it_is() {
        for (total, free, percent) in
            [(100, 39, 61), (1_000, 1, 100), (1_000, 1_000, 0), (0, 0, 0), (3, 2, 34)]
        {
            assert_eq!(Disk { total, free }.used_percent(), percent, "{total} {free}");
        }
    }
}
