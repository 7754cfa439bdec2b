//! A copy comes back as a SQLite file: prepared beside the old one, and renamed over it when it is whole.

use super::{RestoreError, Restored, With, open_and_settle, unpack};
use crate::backup::{LOCK_WAIT, alone, beside, copies, disk, private_folder, remove, sync_folder};
use domain::Timestamp;
use domain::backup::{Automatic, Kind};
use std::path::{Path, PathBuf};

pub(super) async fn restore(database: &Path, from: &Path, with: &With<'_>) -> Result<Restored, RestoreError> {
    // Where the folder of the copies cannot be made, nobody else makes any.
    let _held = match private_folder(&with.backups.folder) {
        Ok(()) => Some(alone(&with.backups.folder, LOCK_WAIT).await?),
        Err(_) => None,
    };
    refuse_in_use(database).await?;
    let part = beside(database, ".restoring");
    clear(&part)?;
    let prepared = match prepare(&part, from, with).await {
        // Copying may have taken a while.
        Ok(restored) => refuse_in_use(database).await.map(|()| restored),
        Err(error) => Err(error),
    };
    match prepared {
        Ok(restored) => Ok(Restored { kept: swap(database, &part, with.now)?, ..restored }),
        Err(error) => {
            clear(&part)?;
            Err(error)
        }
    }
}

/// A damaged database is in nobody's use that we could see; it is kept as it is.
async fn refuse_in_use(database: &Path) -> Result<(), RestoreError> {
    if database.exists() && store::backup::in_use(database).await.unwrap_or(false) {
        return Err(RestoreError::InUse);
    }
    Ok(())
}

fn clear(part: &Path) -> Result<(), RestoreError> {
    for tail in ["", "-wal", "-shm"] {
        let path = beside(part, tail);
        remove(&path).map_err(disk("removing", &path))?;
    }
    Ok(())
}

/// Unpacks, checks, migrates, settles and cleans the copy, in a file of its own.
async fn prepare(part: &Path, from: &Path, with: &With<'_>) -> Result<Restored, RestoreError> {
    unpack(from, part, Kind::Sqlite, with).await?;
    let contents = store::backup::check(part).await.map_err(|error| RestoreError::copy(from, &error))?;
    let url = format!("sqlite://{}", part.display());
    let restored = open_and_settle(&url, from, contents, with).await?;
    store::backup::check(part).await.map_err(|error| RestoreError::copy(from, &error))?;
    Ok(restored)
}

/// Puts the prepared copy in the place of the database, which gets another name. There is no moment without a database.
fn swap(database: &Path, part: &Path, now: Timestamp) -> Result<Option<PathBuf>, RestoreError> {
    let mut kept = None;
    if database.exists() {
        let old = copies::free_name(database, now, Automatic::BeforeRestore);
        std::fs::hard_link(database, &old).map_err(disk("keeping the old database as", &old))?;
        // A database that could not be opened may have left these; they belong to it.
        for tail in ["-wal", "-shm"] {
            let path = beside(database, tail);
            if path.exists() {
                std::fs::rename(&path, beside(&old, tail)).map_err(disk("keeping", &path))?;
            }
        }
        kept = Some(old);
    }
    std::fs::rename(part, database).map_err(disk("naming", database))?;
    sync_folder(database).map_err(disk("closing", database))?;
    Ok(kept)
}
