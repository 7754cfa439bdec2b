//! A copy comes back as a database on a PostgreSQL server: prepared beside the old one under another name, and given its name when it is whole.
//! The old one is copied then, and goes; one that cannot be copied stays.

use super::{Left, RestoreError, Restored, With, open_and_settle, unpack};
use crate::backup::{LOCK_WAIT, alone, copies, disk, remove};
use domain::backup::{self, Automatic, Kind};
use std::path::{Path, PathBuf};
use store::backup::{BackupError, Server, Source};

pub(super) async fn restore(
    database: &Server,
    from: &Path,
    with: &With<'_>,
) -> Result<Restored, RestoreError> {
    let folder = &with.backups.folder;
    let _held = alone(folder, LOCK_WAIT).await?;
    refuse_in_use(database).await?;
    remove_prepared(database).await?;
    // One that a killed restore left goes with the next copy, or within the hour.
    let archive = folder.join("restoring.part");
    remove(&archive).map_err(disk("removing", &archive))?;
    let stamp = backup::stamp(with.now);
    let fresh = database.beside(Server::PREPARED, &stamp);
    let prepared = prepare(database, &fresh, &archive, from, with).await;
    remove(&archive).map_err(disk("removing", &archive))?;
    let old = database.beside(Server::BEFORE_RESTORE, &stamp);
    let swapped = match prepared {
        Ok(restored) => swap(database, &fresh, &old).await.map(|there| (restored, there)),
        Err(error) => Err(error),
    };
    match swapped {
        Ok((restored, false)) => Ok(restored),
        Ok((restored, true)) => Ok(keep(database, &old, restored, with).await),
        Err(error) => {
            fresh.drop_database().await.map_err(RestoreError::server)?;
            Err(error)
        }
    }
}

/// What restores prepared that were killed: nobody else restores here now.
async fn remove_prepared(database: &Server) -> Result<(), RestoreError> {
    for left in database.left().await.map_err(RestoreError::server)? {
        if left.name().contains(Server::PREPARED) {
            left.drop_database().await.map_err(RestoreError::server)?;
        }
    }
    Ok(())
}

async fn refuse_in_use(database: &Server) -> Result<(), RestoreError> {
    if database.in_use().await.map_err(RestoreError::server)? { Err(RestoreError::InUse) } else { Ok(()) }
}

/// Unpacks the copy, fills a new database with it, checks, migrates, settles and cleans that.
async fn prepare(
    database: &Server,
    fresh: &Server,
    archive: &Path,
    from: &Path,
    with: &With<'_>,
) -> Result<Restored, RestoreError> {
    unpack(from, archive, Kind::Postgres, with).await?;
    fresh.fill(archive, database).await.map_err(|error| match error {
        BackupError::Tool { .. } => RestoreError::copy(from, &error),
        other => RestoreError::server(other),
    })?;
    let contents = fresh.contents().await.map_err(|error| match error {
        BackupError::Server(_) => RestoreError::server(error),
        other => RestoreError::copy(from, &other),
    })?;
    open_and_settle(fresh.url(), from, contents, with).await
}

/// Both names change or none; whether there was a database before.
async fn swap(database: &Server, fresh: &Server, old: &Server) -> Result<bool, RestoreError> {
    database.replace(fresh, old).await.map_err(RestoreError::server)
}

/// Copies the old database into a file and removes it. The new one stands: what fails here is told and changes nothing.
async fn keep(database: &Server, old: &Server, restored: Restored, with: &With<'_>) -> Restored {
    match copied(database, old, with).await {
        Ok(kept) => Restored { kept, ..restored },
        Err(error) => {
            let cause =
                std::error::Error::source(&error).map(|cause| format!(" ({cause})")).unwrap_or_default();
            let left = Left { name: old.name().to_owned(), reason: format!("{error}{cause}") };
            Restored { left: Some(left), ..restored }
        }
    }
}

async fn copied(database: &Server, old: &Server, with: &With<'_>) -> Result<Option<PathBuf>, BackupError> {
    let source = Source::Server(Box::new(old.clone()));
    // A new database that no program of ours has worked in holds nothing to keep.
    let kept = if source.exists().await? {
        let beside = with.backups.automatic(&Source::Server(Box::new(database.clone())));
        let path = copies::free_name(&beside, with.now, Automatic::BeforeRestore);
        copies::copied(&source, with.backups, &path).await?;
        Some(path)
    } else {
        None
    };
    old.drop_database().await?;
    Ok(kept)
}
