//! The way back from a copy (seed 002, "Restore"; product.md, "Operations"). The database that stands there is kept, the copy is checked before
//! anything is touched, and settled and cleaned of everyone erased since before it takes its place.

mod file;
mod server;

use super::journal::{BEFORE_A_COPY, Entry, Journal, What};
use super::{DiskError, Place, packed};
use crate::AppError;
use crate::guest::{self, By};
use domain::backup::{self, Kind};
use domain::guest::TelegramId;
use domain::lead::LeadId;
use domain::{Rng, Timestamp, schedule};
use std::io;
use std::path::{Path, PathBuf};
use store::backup::{BackupError, Contents, Settled, Source};
use store::{OpenError, Store, StoreOptions, leads};

/// What a restore did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// What the copy held.
    pub contents: Contents,
    /// When it was made, if its name says so.
    pub made_at: Option<Timestamp>,
    /// What was settled.
    pub settled: Settled,
    /// Guests erased again.
    pub guests: usize,
    /// Leads erased again.
    pub leads: usize,
    /// The database that was there before.
    pub kept: Option<PathBuf>,
    /// On a server: the one that was there before, where it could not be copied and so stays beside the new one.
    pub left: Option<Left>,
}

/// A database that stays on a server until somebody removes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Its name.
    pub name: String,
    /// Why it could not be copied or removed.
    pub reason: String,
}

/// Why nothing was restored. The database is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// There is no such file.
    #[error("there is no file {}", .0.display())]
    NoFile(PathBuf),
    /// Somebody works on the database.
    #[error("the database is in use: stop stickers api and stickers bot first")]
    InUse,
    /// The copy is no copy.
    #[error("{} cannot be restored: {reason}", .file.display())]
    Copy {
        /// The copy.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The disk refused.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The journal of erasures cannot be read; without it erased people would come back.
    #[error("the journal of erasures {} cannot be read", .path.display())]
    Journal {
        /// The journal.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The copy cannot be opened.
    #[error("the copy cannot be opened")]
    Open(#[from] OpenError),
    /// The copy cannot be settled.
    #[error("the copy cannot be settled")]
    Settle(#[from] AppError),
    /// The server refuses a step that is about no copy.
    #[error("the database server cannot do it")]
    Server(#[source] BackupError),
    /// A task of ours ended early.
    #[error("an internal task ended")]
    Task(#[from] tokio::task::JoinError),
}

impl RestoreError {
    /// Of a step on the server.
    fn server(error: BackupError) -> Self {
        match error {
            BackupError::InUse => RestoreError::InUse,
            other => RestoreError::Server(other),
        }
    }

    fn copy(file: &Path, error: &(dyn std::error::Error + 'static)) -> Self {
        let mut reason = error.to_string();
        if let Some(cause) = error.source() {
            reason = format!("{reason} ({cause})");
        }
        RestoreError::Copy { file: file.to_owned(), reason }
    }
}

/// What a restore needs beside the files.
#[derive(Clone, Copy)]
pub struct With<'a> {
    /// The folder of the copies, with the journal of erasures.
    pub backups: &'a Place,
    /// The file of the secret key, for a copy that is encrypted.
    pub identity: Option<&'a Path>,
    /// `TELEGRAM_LINK_URL`: packs of guests who are erased again are named by their links in the audit log.
    pub link_url: &'a str,
    /// Chance.
    pub rng: &'a dyn Rng,
    /// The present time.
    pub now: Timestamp,
}

/// Brings `from` back as `database`. Erasures are those of the journal that are younger than the copy; of a copy whose name does not tell its
/// time, all of them.
///
/// # Errors
/// See [`RestoreError`]; nothing is changed then.
pub async fn restore(database: &Source, from: &Path, with: &With<'_>) -> Result<Restored, RestoreError> {
    if !from.is_file() {
        return Err(RestoreError::NoFile(from.to_owned()));
    }
    match database {
        Source::File(file) => file::restore(file, from, with).await,
        Source::Server(server) => server::restore(server, from, with).await,
    }
}

/// Unpacks the copy into the new file `to`.
async fn unpack(from: &Path, to: &Path, kind: Kind, with: &With<'_>) -> Result<(), RestoreError> {
    let (source, target) = (from.to_owned(), to.to_owned());
    let identity = with.identity.map(Path::to_owned);
    let unpacking =
        tokio::task::spawn_blocking(move || packed::unpack(&source, &target, kind, identity.as_deref()));
    unpacking.await?.map_err(|error| RestoreError::copy(from, &error))
}

/// Opens the copy where it was unpacked, brings it up to date, settles it and erases again.
async fn open_and_settle(
    url: &str,
    from: &Path,
    contents: Contents,
    with: &With<'_>,
) -> Result<Restored, RestoreError> {
    let made_at = made_at(from);
    let journal = Journal::within(&with.backups.folder);
    let entries =
        journal.since(made_at.map_or(Timestamp::from_millis(0), |at| at.minus(BEFORE_A_COPY))).map_err(
            |source| RestoreError::Journal { path: with.backups.folder.join(super::journal::FILE), source },
        )?;
    let store = Store::open(StoreOptions::new(url)).await?;
    let settled = settle(&store, &entries, made_at, with).await;
    let emptied = store.checkpoint_truncate().await;
    store.close().await;
    let (settled, guests, leads) = settled?;
    emptied.map_err(AppError::from)?;
    Ok(Restored { contents, made_at, settled, guests, leads, kept: None, left: None })
}

/// From the name; copies that people renamed tell nothing.
fn made_at(from: &Path) -> Option<Timestamp> {
    let name = from.file_name()?.to_string_lossy();
    backup::nightly_time(&name).or_else(|| backup::any_automatic_time(&name))
}

async fn settle(
    store: &Store,
    entries: &[Entry],
    made_at: Option<Timestamp>,
    with: &With<'_>,
) -> Result<(Settled, usize, usize), AppError> {
    let With { link_url, rng, now, .. } = *with;
    store.migrate().await?;
    let gone_guests: Vec<(TelegramId, By)> = store::backup::guests(&mut store.reader())
        .await?
        .into_iter()
        .filter_map(|(guest, since)| {
            // Of a moment before the copy it counts for who was there then, and not for who has come back since.
            let counts = |entry: &&Entry| made_at.is_none_or(|made| entry.at >= made) || since <= entry.at;
            let last = entries.iter().filter(counts).rfind(|entry| entry.is_guest(guest))?;
            let by = match last.what {
                What::ResetGuest => By::Command,
                _ => By::Guest { fresh_key: guest::new_key(rng) },
            };
            Some((guest, by))
        })
        .collect();
    let gone_leads: Vec<(LeadId, bool)> = store::backup::lead_requests(&mut store.reader())
        .await?
        .into_iter()
        .filter_map(|(id, request)| {
            let of_it: Vec<&Entry> = entries.iter().filter(|entry| entry.is_lead(&request)).collect();
            (!of_it.is_empty()).then(|| (id, of_it.iter().any(|entry| entry.what == What::WholeLead)))
        })
        .collect();
    let counts = (gone_guests.len(), gone_leads.len());
    let link_url = link_url.to_owned();
    let settled = store
        .write(move |tx| {
            Box::pin(async move {
                let settled = store::backup::settle(tx, backup::RESTORED, &schedule::day(now), now).await?;
                for (guest, by) in gone_guests {
                    guest::erase_rows(tx, guest, &by, &link_url, now).await.map(drop)?;
                }
                for (lead, whole) in gone_leads {
                    if whole {
                        leads::delete(tx, lead).await.map(drop)?;
                    } else {
                        leads::erase(tx, lead, now).await.map(drop)?;
                    }
                }
                Ok::<_, AppError>(settled)
            })
        })
        .await?;
    if let Some(at) = made_at {
        super::late::note(store, "restored".to_owned(), at).await?;
    }
    Ok((settled, counts.0, counts.1))
}
