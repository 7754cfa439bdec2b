//! The nightly copy of the database (seed 002, "Database backups"): one moment of it while it lives, checked, compressed, for its owner only.

use super::journal::Journal;
use super::{
    Copy, DiskError, Place, Recipient, beside, disk, only_for_us, packed, private_folder, remove, sync_folder,
};
use domain::Timestamp;
use domain::backup;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::backup::{BackupError, Contents, Source};

/// A copy that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Where it is.
    pub copy: Copy,
    /// What it holds.
    pub contents: Contents,
    /// Older copies that went.
    pub deleted: usize,
}

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// No database yet: services never started.
    #[error("there is no database {0}")]
    NoDatabase(String),
    /// The copy failed.
    #[error("the database cannot be copied")]
    Copy {
        /// What copies it, as the log names it.
        tool: &'static str,
        /// Why.
        #[source]
        source: BackupError,
    },
    /// The copy is damaged; it is kept for inspection.
    #[error("the copy is damaged and is kept as {}", .kept.display())]
    Check {
        /// Where it is, uncompressed.
        kept: PathBuf,
        /// What is wrong with it.
        #[source]
        source: BackupError,
    },
    /// The disk refused.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A task of ours ended early.
    #[error("an internal task ended")]
    Task(#[from] tokio::task::JoinError),
}

/// Copies the database into `place` and lets older copies go. What was left by an interrupted run goes first.
///
/// # Errors
/// See [`Failed`]; no copy is deleted then.
pub async fn make(database: &Source, place: &Place, now: Timestamp) -> Result<Made, Failed> {
    let copying = |source| Failed::Copy { tool: database.tool(), source };
    // A folder that cannot be looked into is a failure: it does not show that services never started.
    let unseen = |error| match (error, database) {
        (BackupError::Disk(source), Source::File(path)) => Failed::from(disk("reading", path)(source)),
        (other, _) => copying(other),
    };
    if !database.exists().await.map_err(unseen)? {
        return Err(Failed::NoDatabase(database.shown()));
    }
    private_folder(&place.folder).map_err(disk("making the folder", &place.folder))?;
    let plain = place.folder.join(backup::unpacked_name(now, database.kind()));
    let _held = alone(&place.folder).await?;
    remove_unfinished(&place.folder).map_err(disk("clearing", &place.folder))?;
    let expected = match database.copy(&plain).await {
        Ok(expected) => expected,
        Err(error) => {
            remove(&plain).map_err(disk("removing", &plain))?;
            return Err(copying(error));
        }
    };
    only_for_us(&plain).map_err(disk("closing", &plain))?;
    let contents = match database.check(&plain, expected).await {
        Ok(contents) => contents,
        Err(source) => return Err(Failed::Check { kept: plain, source }),
    };
    let name = backup::nightly_name(now, database.kind(), place.recipient.is_some());
    let (file, place) = (place.folder.join(&name), place.clone());
    tokio::task::spawn_blocking(move || {
        let size = pack(&plain, &file, place.recipient.as_ref())?;
        let deleted = rotate(&place, now)?;
        Ok(Made { copy: Copy { name, at: now, size }, contents, deleted })
    })
    .await?
}

/// Held by the one who makes a copy: two at once would take each other's unfinished files away.
const LOCK: &str = "backup.lock";
/// How long one waits for the other, and how often it looks.
const LOCK_WAIT: Duration = Duration::from_secs(1_800);
const LOCK_LOOKS: Duration = Duration::from_millis(500);

/// Waits until nobody else makes a copy. Whoever dies lets go.
async fn alone(folder: &Path) -> Result<File, Failed> {
    use std::os::unix::fs::OpenOptionsExt;
    let path = folder.join(LOCK);
    let lock = std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(&path);
    let lock = lock.map_err(disk("locking", &path))?;
    let work = async {
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::WouldBlock) => tokio::time::sleep(LOCK_LOOKS).await,
                Err(TryLockError::Error(error)) => return Err(Failed::from(disk("locking", &path)(error))),
            }
        }
    };
    let busy =
        |_| disk("locking", &path)(io::Error::new(io::ErrorKind::TimedOut, "another copy is being made"));
    tokio::time::timeout(LOCK_WAIT, work).await.map_err(busy)??;
    Ok(lock)
}

/// The compressed copy appears under its name when it is whole. Its size.
fn pack(plain: &Path, file: &Path, recipient: Option<&Recipient>) -> Result<u64, Failed> {
    let part = beside(file, PART);
    packed::pack(plain, &part, recipient).map_err(disk("writing", &part))?;
    std::fs::rename(&part, file).map_err(disk("naming", file))?;
    sync_folder(file).map_err(disk("closing", file))?;
    remove(plain).map_err(disk("removing", plain))?;
    Ok(std::fs::metadata(file).map_err(disk("reading", file))?.len())
}

/// End of the names of files that are not whole yet.
const PART: &str = ".part";

/// Removes half-written copies of runs that were cut off. Damaged copies, kept for inspection, are no such.
fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "part") {
            remove(&path)?;
        }
    }
    Ok(())
}

/// Deletes copies by number and age, damaged ones that nobody has looked at for as long, and what the journal no longer needs. How many copies
/// went. Called after each copy, and by the hourly clean-up: a night without a copy must not keep old ones.
///
/// # Errors
/// When the disk refuses.
pub fn rotate(place: &Place, now: Timestamp) -> Result<usize, Failed> {
    for (path, _) in place
        .unpacked()
        .map_err(disk("reading", &place.folder))?
        .into_iter()
        .filter(|(_, at)| now.since(*at) > backup::KEPT_FOR)
    {
        remove(&path).map_err(disk("removing", &path))?;
    }
    let copies = place.list().map_err(disk("reading", &place.folder))?;
    let oldest_left =
        |gone: &[String]| copies.iter().filter(|copy| !gone.contains(&copy.name)).map(|copy| copy.at).min();
    let gone =
        backup::outdated(copies.iter().map(|copy| (copy.at, copy.name.clone())).collect(), place.keep, now);
    for name in &gone {
        let path = place.folder.join(name);
        remove(&path).map_err(disk("removing", &path))?;
    }
    if let Some(oldest) = oldest_left(&gone) {
        // Automatic copies beside the database may be as old as the oldest nightly one may get.
        let needed = oldest.min(now.minus(backup::KEPT_FOR));
        Journal::within(&place.folder)
            .forget_before(needed)
            .map_err(disk("shortening the journal in", &place.folder))?;
    }
    Ok(gone.len())
}

/// The line of the backup's log for what came of a run (seed 002, "Log lines").
pub fn log_line(outcome: &Result<Made, Failed>, now: Timestamp) -> String {
    let time = backup::log_time(now);
    match outcome {
        Ok(Made { copy, contents, deleted }) => format!(
            "{time} OK {} {} integrity=ok jobs={} users={} удалено старых: {deleted}",
            copy.name,
            backup::size(copy.size),
            contents.jobs,
            contents.users
        ),
        Err(Failed::NoDatabase(database)) => format!("{time} SKIP нет БД {database}"),
        Err(Failed::Check { kept, source }) => {
            format!("{time} FAIL {} (копия оставлена для разбора: {})", check_words(source), kept.display())
        }
        Err(Failed::Copy { tool, .. }) => format!("{time} FAIL {tool} вернул ошибку"),
        Err(other) => format!("{time} FAIL {other}"),
    }
}

/// Begins with the name of the check, as the seed's line does.
fn check_words(error: &BackupError) -> String {
    match error {
        BackupError::Damaged(_) | BackupError::ForeignKeys { .. } => error.to_string(),
        other => format!("integrity_check: {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_lines_are_those_of_the_seed() {
        let now = Timestamp::from_millis(1_795_836_605_000);
        let made = Made {
            copy: Copy { name: "app-20261128-033005.db.gz".to_owned(), at: now, size: 1_300_000 },
            contents: Contents { jobs: 12, users: 9, sessions: 20, leads: 3, version: 7 },
            deleted: 1,
        };
        let kept = PathBuf::from("/var/backups/sticker-pack/app-20261128-033005.db");
        let damaged = || BackupError::Damaged("row 7 missing from index jobs_of_guest".to_owned());
        for (outcome, line) in [
            (
                Ok(made),
                "2026-11-28 03:30:05 UTC OK app-20261128-033005.db.gz 1.3M integrity=ok jobs=12 users=9 удалено старых: 1",
            ),
            (
                Err(Failed::NoDatabase("/srv/data/app.db".to_owned())),
                "2026-11-28 03:30:05 UTC SKIP нет БД /srv/data/app.db",
            ),
            (
                Err(Failed::Copy { tool: "sqlite3 .backup", source: damaged() }),
                "2026-11-28 03:30:05 UTC FAIL sqlite3 .backup вернул ошибку",
            ),
            (
                Err(Failed::Copy { tool: "pg_dump", source: damaged() }),
                "2026-11-28 03:30:05 UTC FAIL pg_dump вернул ошибку",
            ),
            (
                Err(Failed::Check { kept, source: damaged() }),
                "2026-11-28 03:30:05 UTC FAIL integrity_check: row 7 missing from index jobs_of_guest \
                 (копия оставлена для разбора: /var/backups/sticker-pack/app-20261128-033005.db)",
            ),
        ] {
            assert_eq!(log_line(&outcome, now), line);
        }
    }
}
