//! The nightly copy of the database (seed 002, "Database backups"): one moment of it while it lives, checked, compressed, for its owner only.

use super::journal::Journal;
use super::{
    Copy, DiskError, LOCK, LOCK_WAIT, Place, Recipient, alone, beside, disk, is_unfinished, only_for_us,
    open_lock, packed, remove, sync_folder,
};
use domain::Timestamp;
use domain::backup;
use std::io;
use std::path::{Path, PathBuf};
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
    let _held = alone(&place.folder, LOCK_WAIT).await?;
    let kept = place.folder.join(backup::unpacked_name(now, database.kind()));
    let plain = beside(&kept, PART);
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
        Err(source) => {
            std::fs::rename(&plain, &kept).map_err(disk("keeping", &kept))?;
            return Err(Failed::Check { kept, source });
        }
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
        if is_unfinished(&path) {
            remove(&path)?;
        }
    }
    Ok(())
}

/// Removes what killed runs left, unless somebody works there at this moment.
///
/// # Errors
/// When the disk refuses.
pub fn clear_unfinished(place: &Place) -> io::Result<()> {
    if !place.folder.exists() {
        return Ok(());
    }
    let lock = open_lock(&place.folder.join(LOCK))?;
    if lock.try_lock().is_ok() { remove_unfinished(&place.folder) } else { Ok(()) }
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
    fn what_killed_runs_left_goes_unless_somebody_works_there_and_damaged_copies_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Place::new(folder.path().to_owned(), 14);
        let files = [
            "restoring.part",
            "app-20261128-033005.pgdump.part",
            "app.pgdump.bak-20261128-033005.part.plain",
        ];
        for name in files.iter().chain(&["app-20261128-033005.pgdump"]) {
            std::fs::write(folder.path().join(name), "rows").expect("writes");
        }
        assert_eq!(place.unpacked().expect("reads").len(), 4, "the audit sees them all");
        let lock = open_lock(&folder.path().join(LOCK)).expect("opens");
        lock.lock().expect("locks");
        clear_unfinished(&place).expect("looks");
        assert!(files.iter().all(|name| folder.path().join(name).exists()), "somebody works there");
        lock.unlock().expect("lets go");
        clear_unfinished(&place).expect("removes");
        assert!(files.iter().all(|name| !folder.path().join(name).exists()));
        assert!(folder.path().join("app-20261128-033005.pgdump").exists(), "kept for inspection");
    }

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
