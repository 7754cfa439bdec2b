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
    /// Erasures of the journal that were known when the copy was cleaned of them.
    seen: usize,
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
    let restored = match database {
        Source::File(file) => file::restore(file, from, with).await?,
        Source::Server(server) => server::restore(server, from, with).await?,
    };
    erase_late(database, restored, with).await
}

/// Whoever was erased while the copy was prepared: their erasure was noted, and the copy had been cleaned already.
async fn erase_late(
    database: &Source,
    restored: Restored,
    with: &With<'_>,
) -> Result<Restored, RestoreError> {
    let entries = erasures(restored.made_at, with)?;
    if entries.len() == restored.seen {
        return Ok(restored);
    }
    let url = match database {
        Source::File(file) => format!("sqlite://{}", file.display()),
        Source::Server(server) => server.url().to_owned(),
    };
    let store = Store::open(StoreOptions::new(url)).await?;
    let erased = erase_again(&store, &entries, restored.made_at, with).await;
    let emptied = store.checkpoint_truncate().await;
    store.close().await;
    let (guests, leads) = erased?;
    emptied.map_err(AppError::from)?;
    Ok(Restored { guests: restored.guests + guests, leads: restored.leads + leads, ..restored })
}

/// Erasures that a copy of this time may not know.
fn erasures(made_at: Option<Timestamp>, with: &With<'_>) -> Result<Vec<Entry>, RestoreError> {
    let folder = &with.backups.folder;
    let since = made_at.map_or(Timestamp::from_millis(0), |at| at.minus(BEFORE_A_COPY));
    let unread = |source| RestoreError::Journal { path: folder.join(super::journal::FILE), source };
    Journal::within(folder).since(since).map_err(unread)
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
    let entries = erasures(made_at, with)?;
    let store = Store::open(StoreOptions::new(url)).await?;
    let settled = settle(&store, &entries, made_at, with).await;
    let emptied = store.checkpoint_truncate().await;
    store.close().await;
    let (settled, guests, leads) = settled?;
    emptied.map_err(AppError::from)?;
    Ok(Restored { contents, made_at, settled, guests, leads, seen: entries.len(), kept: None, left: None })
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
    let now = with.now;
    store.migrate().await?;
    let settled = store
        .write(move |tx| {
            Box::pin(async move {
                Ok::<_, AppError>(
                    store::backup::settle(tx, backup::RESTORED, &schedule::day(now), now).await?,
                )
            })
        })
        .await?;
    let (guests, leads) = erase_again(store, entries, made_at, with).await?;
    if let Some(at) = made_at {
        super::late::note(store, "restored".to_owned(), at).await?;
    }
    Ok((settled, guests, leads))
}

/// Erases whoever the journal says was erased since. How many guests and leads.
async fn erase_again(
    store: &Store,
    entries: &[Entry],
    made_at: Option<Timestamp>,
    with: &With<'_>,
) -> Result<(usize, usize), AppError> {
    let With { link_url, rng, now, .. } = *with;
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
    store
        .write(move |tx| {
            Box::pin(async move {
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
                Ok::<_, AppError>(())
            })
        })
        .await?;
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Language;
    use domain::guest::{Guest, Personal};
    use domain::rng::SeededRng;

    /// An erasure was noted and done in the old database after the copy had been cleaned: the copy is cleaned of it too.
    #[tokio::test]
    async fn who_is_erased_while_a_copy_is_prepared_does_not_come_back_with_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("app.db");
        let now = Timestamp::from_millis(1_795_959_000_000);
        let url = format!("sqlite://{}", file.display());
        let store = Store::open(StoreOptions::new(url.clone())).await.expect("opens");
        store.migrate().await.expect("migrates");
        for id in [1, 2] {
            let guest = Guest {
                id: TelegramId(id),
                first_name: Personal("Lola".into()),
                last_name: None,
                username: None,
                language: Language::Ru,
            };
            let written: Result<(), AppError> = store
                .write(move |tx| Box::pin(async move { Ok(store::users::upsert(tx, &guest, now).await?) }))
                .await;
            written.expect("writes");
        }
        store.close().await;
        let contents = store::backup::check(&file).await.expect("is sound");
        let place = Place::new(folder.path().join("backups"), 14);
        let rng = SeededRng::new(7);
        Journal::within(&place.folder).append(&Entry::new(now, What::ResetGuest, "1", &rng)).expect("notes");
        let with = With { backups: &place, identity: None, link_url: "https://t.me", rng: &rng, now };
        let restored = |seen| Restored {
            contents,
            made_at: None,
            settled: Settled::default(),
            guests: 0,
            leads: 0,
            seen,
            kept: None,
            left: None,
        };
        let source = Source::File(file.clone());
        let known = erase_late(&source, restored(1), &with).await.expect("looks");
        assert_eq!(known.guests, 0, "the copy was cleaned of this one");
        let late = erase_late(&source, restored(0), &with).await.expect("erases");
        assert_eq!((late.guests, store::backup::check(&file).await.expect("is sound").users), (1, 1));
    }
}
