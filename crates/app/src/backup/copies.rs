//! Automatic copies beside the database (seed 002, "Automatic copies next to the database"): before a migration, which is rehearsed on a copy
//! first, before a restore, and before a guest is reset. They hold personal data, so they go by themselves.

use super::{beside, remove, sync_folder};
use domain::Timestamp;
use domain::backup::{self, Automatic};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::backup::{BackupError, Contents};
use store::{OpenError, Store, StoreError, StoreOptions};

/// What happened around a migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migrated {
    /// Columns that there were not before, `table.column`.
    pub columns: Vec<String>,
    /// The copy of the database as it was.
    pub copy: PathBuf,
}

/// Why a migration was not begun, or is not what its rehearsal was.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// The database could not be copied before it.
    #[error("the database cannot be copied before the migration")]
    Copy(#[source] BackupError),
    /// The rehearsal failed: the database is as it was.
    #[error("the migration was rehearsed on a copy and failed there; the database is as it was")]
    Rehearsal(#[source] Box<MigrationError>),
    /// Opening failed.
    #[error("the copy cannot be opened")]
    Open(#[from] OpenError),
    /// The database refused.
    #[error("the database refused the migration")]
    Store(#[from] StoreError),
    /// After it something is wrong with the copy.
    #[error("the migrated copy is not sound")]
    Check(#[from] BackupError),
    /// Rows were lost.
    #[error("the migrated copy holds other numbers of rows than the database: {before:?} became {after:?}")]
    Lost {
        /// Before.
        before: Contents,
        /// After.
        after: Contents,
    },
    /// The disk refused.
    #[error("{} cannot be removed", .path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// Copies the database before its migration and rehearses the migration on another copy. None when there is nothing to migrate, or nothing that could
/// be lost.
///
/// # Errors
/// When the copy or the rehearsal failed: the migration must not begin then.
pub async fn before_migration(
    store: &Store,
    database: &Path,
    now: Timestamp,
) -> Result<Option<Migrated>, MigrationError> {
    if store.pending_migrations().await?.is_empty() || store.applied_migrations().await? == 0 {
        return Ok(None);
    }
    let copy = made(database, now, Automatic::Plain).await.map_err(MigrationError::Copy)?;
    let trial = beside(database, ".rehearsal");
    let rehearsed = rehearse(&copy, &trial).await;
    for tail in ["", "-wal", "-shm"] {
        let path = beside(&trial, tail);
        remove(&path).map_err(|source| MigrationError::Disk { path, source })?;
    }
    let columns = rehearsed.map_err(|error| MigrationError::Rehearsal(Box::new(error)))?;
    Ok(Some(Migrated { columns, copy }))
}

/// Migrates a copy of the copy, and compares. The new columns.
async fn rehearse(copy: &Path, trial: &Path) -> Result<Vec<String>, MigrationError> {
    let remove = |tail: &str| {
        let path = beside(trial, tail);
        remove(&path).map_err(|source| MigrationError::Disk { path, source })
    };
    ["", "-wal", "-shm"].into_iter().try_for_each(remove)?;
    let before = store::backup::check(copy).await?;
    let had = store::backup::columns(copy).await?;
    store::backup::copy(copy, trial).await?;
    let store = Store::open(StoreOptions::new(format!("sqlite://{}", trial.display()))).await?;
    let migrated = store.migrate().await;
    store.close().await;
    migrated?;
    let after = store::backup::check(trial).await?;
    if (after.jobs, after.users, after.sessions, after.leads)
        != (before.jobs, before.users, before.sessions, before.leads)
    {
        return Err(MigrationError::Lost { before, after });
    }
    let has = store::backup::columns(trial).await?;
    Ok(has.into_iter().filter(|column| !had.contains(column)).collect())
}

/// Copies the database as it is now into `<database>.bak-<time>[-reset]`. One that was made within the same second by somebody else will do.
///
/// # Errors
/// When SQLite or the disk refuses.
pub async fn made(database: &Path, now: Timestamp, of: Automatic) -> Result<PathBuf, BackupError> {
    let path = named(database, now, of);
    if path.exists() {
        return Ok(path);
    }
    // Under its own name only when it is whole.
    let part = beside(&path, ".part");
    let failed = |error: io::Error| BackupError::Sqlite(error.into());
    remove(&part).map_err(failed)?;
    store::backup::copy(database, &part).await?;
    only_for_us(&part)
        .and_then(|()| std::fs::rename(&part, &path))
        .and_then(|()| sync_folder(&path))
        .map_err(failed)?;
    Ok(path)
}

/// Where such a copy belongs.
fn named(database: &Path, now: Timestamp, of: Automatic) -> PathBuf {
    database.with_file_name(backup::automatic_name(&file_name(database), now, of))
}

/// A name for a plain copy that no copy has yet: of two within one second the later one is told a second younger.
pub(super) fn free_name(database: &Path, now: Timestamp) -> PathBuf {
    let mut at = now;
    loop {
        let path = named(database, at, Automatic::Plain);
        if !path.exists() {
            return path;
        }
        at = at.plus(Duration::from_secs(1));
    }
}

/// Whether the path is a copy, and not a file that was kept beside one.
pub fn is_copy(database: &Path, path: &Path) -> bool {
    backup::automatic_time(&file_name(database), &file_name(path)).is_some()
}

fn file_name(database: &Path) -> String {
    database.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn only_for_us(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
}

/// The automatic copies beside the database, with the files that a killed process left of them.
///
/// # Errors
/// When the folder cannot be read.
pub fn list(database: &Path) -> io::Result<Vec<(PathBuf, Timestamp, Automatic)>> {
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let own = file_name(database);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = file_name(&path);
        // What SQLite kept beside a copy belongs to it.
        let bare =
            ["-wal", "-shm", ".part"].into_iter().find_map(|tail| name.strip_suffix(tail)).unwrap_or(&name);
        if let Some((at, of)) = backup::automatic_time(&own, bare) {
            found.push((path, at, of));
        }
    }
    found.sort_unstable_by_key(|(_, at, _)| *at);
    Ok(found)
}

/// Deletes the automatic copies whose time is over. How many files went.
///
/// # Errors
/// When the folder cannot be read or a file not be removed.
pub fn rotate(database: &Path, now: Timestamp) -> io::Result<usize> {
    let mut gone = 0;
    for (path, at, of) in list(database)? {
        if backup::automatic_outdated(at, of, now) {
            remove(&path)?;
            gone += 1;
        }
    }
    Ok(gone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn automatic_copies_go_when_their_time_is_over_and_nothing_else_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path().join("app.db");
        let now = Timestamp::from_millis(1_795_959_000_000);
        let hours = |hours: u64| now.minus(Duration::from_secs(hours * 3600));
        let place = |at, of| named(&database, at, of);
        let old = place(hours(15 * 24), Automatic::Plain);
        let gone = [old.clone(), beside(&old, "-wal"), place(hours(25), Automatic::Reset)];
        let kept = [
            place(hours(25), Automatic::Plain),
            place(hours(23), Automatic::Reset),
            database.clone(),
            folder.path().join("app.db.notes"),
        ];
        for path in gone.iter().chain(&kept) {
            std::fs::write(path, "x").expect("writes");
        }
        assert_eq!(rotate(&database, now).expect("rotates"), gone.len());
        assert!(gone.iter().all(|path| !path.exists()) && kept.iter().all(|path| path.exists()));
    }
}
