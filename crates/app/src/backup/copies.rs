//! Automatic copies beside the database (seed 002, "Automatic copies next to the database"): before a migration, which is rehearsed
//! first, before a restore, and before a guest is reset. They hold personal data, so they go by themselves. Of a database on a server they
//! are packed archives of `pg_dump`, beside the nightly copies.
//!
//! `beside` is what their names begin with ([`Place::automatic`](super::Place::automatic)).

use super::{
    DiskError, Place, Recipient, alone, beside as behind, only_for_us, packed, remove, sync_folder,
    written_at,
};
use domain::Timestamp;
use domain::backup::{self, Automatic};
use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::backup::{BackupError, Contents, Source};
use store::{OpenError, Rehearsal, Rows, Store, StoreError, StoreOptions};

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
    #[error("the migrated database would hold other numbers of rows than now: {before:?} became {after:?}")]
    Lost {
        /// Before.
        before: Rows,
        /// After.
        after: Rows,
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

/// Copies the database before its migration and rehearses the migration: of a file on another copy, on a server in a transaction that is
/// taken back. None when there is nothing to migrate, or nothing that could be lost.
///
/// # Errors
/// When the copy or the rehearsal failed: the migration must not begin then.
pub async fn before_migration(
    store: &Store,
    place: &Place,
    now: Timestamp,
) -> Result<Option<Migrated>, MigrationError> {
    if store.pending_migrations().await?.is_empty() || store.applied_migrations().await? == 0 {
        return Ok(None);
    }
    let database = store.source();
    let copy = made(database, place, now, Automatic::Plain).await.map_err(MigrationError::Copy)?;
    let rehearsed = match database {
        Source::File(file) => rehearse_beside(file, &copy).await,
        Source::Server(_) => rehearse_within(store).await,
    };
    let columns = rehearsed.map_err(|error| MigrationError::Rehearsal(Box::new(error)))?;
    Ok(Some(Migrated { columns, copy }))
}

/// Migrates the database and takes it back.
async fn rehearse_within(store: &Store) -> Result<Vec<String>, MigrationError> {
    let Rehearsal { columns, before, after } = store.rehearse_migrations().await?;
    if before == after { Ok(columns) } else { Err(MigrationError::Lost { before, after }) }
}

/// Migrates a copy of the copy, which is removed again.
async fn rehearse_beside(database: &Path, copy: &Path) -> Result<Vec<String>, MigrationError> {
    let trial = behind(database, ".rehearsal");
    let rehearsed = rehearse(copy, &trial).await;
    for tail in ["", "-wal", "-shm"] {
        let path = behind(&trial, tail);
        remove(&path).map_err(|source| MigrationError::Disk { path, source })?;
    }
    rehearsed
}

/// Migrates a copy of the copy, and compares. The new columns.
async fn rehearse(copy: &Path, trial: &Path) -> Result<Vec<String>, MigrationError> {
    let remove = |tail: &str| {
        let path = behind(trial, tail);
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
    let rows = |of: Contents| Rows { jobs: of.jobs, users: of.users, sessions: of.sessions, leads: of.leads };
    let (before, after) = (rows(before), rows(after));
    if before != after {
        return Err(MigrationError::Lost { before, after });
    }
    let has = store::backup::columns(trial).await?;
    Ok(has.into_iter().filter(|column| !had.contains(column)).collect())
}

/// Copies the database as it is now into `<database>.bak-<time>[-reset]`. One that was made within the same second by somebody else will do.
///
/// # Errors
/// When the database or the disk refuses.
pub async fn made(
    database: &Source,
    place: &Place,
    now: Timestamp,
    of: Automatic,
) -> Result<PathBuf, BackupError> {
    let path = named(&place.automatic(database), now, of);
    let _held = alone_at_server(database, place).await?;
    if !path.exists() {
        copied(database, place, &path).await?;
    }
    Ok(path)
}

/// Somebody waits for such a copy, so it waits less long than a nightly one.
const WAIT: Duration = Duration::from_secs(60);

/// Beside a file nobody else makes copies of the same name; those of a server are made where nightly ones are.
async fn alone_at_server(database: &Source, place: &Place) -> Result<Option<File>, BackupError> {
    match database {
        Source::File(_) => Ok(None),
        Source::Server(_) => match alone(&place.folder, WAIT).await {
            Ok(held) => Ok(Some(held)),
            Err(DiskError { source, .. }) => Err(BackupError::Disk(source)),
        },
    }
}

/// Copies the database; the copy has its own name only when it is whole.
pub(super) async fn copied(database: &Source, place: &Place, path: &Path) -> Result<(), BackupError> {
    let part = behind(path, ".part");
    remove(&part).map_err(BackupError::Disk)?;
    match database {
        Source::File(_) => database.copy(&part).await.map(drop)?,
        Source::Server(_) => archived(database, place.recipient.clone(), &part).await?,
    }
    only_for_us(&part)
        .and_then(|()| std::fs::rename(&part, path))
        .and_then(|()| sync_folder(path))
        .map_err(BackupError::Disk)
}

/// A packed archive of a database on a server, read back before it counts. Of a database that is not whole it is what is left of that.
async fn archived(database: &Source, recipient: Option<Recipient>, to: &Path) -> Result<(), BackupError> {
    let plain = behind(to, PLAIN);
    remove(&plain).map_err(BackupError::Disk)?;
    let work = async {
        let expected = database.copy(&plain).await?;
        match database.check(&plain, expected).await {
            Err(BackupError::Foreign(_) | BackupError::Newer { .. }) if expected.is_none() => {}
            other => other.map(drop)?,
        }
        let (from, to) = (plain.clone(), to.to_owned());
        let packed = tokio::task::spawn_blocking(move || packed::pack(&from, &to, recipient.as_ref()));
        packed.await.map_err(io::Error::other).flatten().map_err(BackupError::Disk)
    };
    let outcome = work.await;
    remove(&plain).map_err(BackupError::Disk)?;
    outcome
}

/// What a killed process leaves of a copy behind its name.
const TAILS: [&str; 4] = ["-wal", "-shm", ".part", PLAIN];
/// What it leaves of a restore and of a rehearsal, behind the name of the database.
const UNFINISHED: [&str; 2] = [".restoring", ".rehearsal"];
/// End of the name of an archive that is not packed yet.
const PLAIN: &str = ".plain";

/// Copies the database before a guest is reset. The copy still holds that guest, and goes after [`backup::RESET_COPY_KEPT_FOR`] whatever it is
/// called: one that a command makes has the name of any other copy (seed 002), so a mark of its own lies beside it.
///
/// # Errors
/// When the database or the disk refuses.
pub async fn before_reset(
    database: &Source,
    place: &Place,
    now: Timestamp,
    of: Automatic,
) -> Result<PathBuf, BackupError> {
    if of == Automatic::Reset {
        return made(database, place, now, of).await;
    }
    // A name of its own: another copy of the same second is kept for longer.
    let _held = alone_at_server(database, place).await?;
    let path = free_name(&place.automatic(database), now, Automatic::Plain);
    // The mark comes first: a crash in between leaves a mark without a copy, never a copy without its mark.
    let mark = mark_of(&path);
    remove(&mark)
        .and_then(|()| super::private_file(&mark))
        .and_then(|file| file.sync_all())
        .map_err(BackupError::Disk)?;
    if let Err(error) = copied(database, place, &path).await {
        remove(&mark).map_err(BackupError::Disk)?;
        return Err(error);
    }
    Ok(path)
}

/// The mark beside a copy that holds somebody who is erased, and whose name does not tell so.
fn mark_of(copy: &Path) -> PathBuf {
    copy.with_file_name(format!(".{}{MARK}", file_name(copy)))
}

/// End of the names of such marks.
const MARK: &str = ".reset";

/// Where such a copy belongs.
fn named(beside: &Path, now: Timestamp, of: Automatic) -> PathBuf {
    beside.with_file_name(backup::automatic_name(&file_name(beside), now, of))
}

/// A name for a copy that no copy has yet: of two within one second the later one is told a second older. Never younger: `restore` asks
/// the journal for erasures since the time in the name.
pub(super) fn free_name(beside: &Path, now: Timestamp, of: Automatic) -> PathBuf {
    let mut at = now;
    loop {
        let path = named(beside, at, of);
        if !path.exists() {
            return path;
        }
        at = at.minus(Duration::from_secs(1));
    }
}

/// Whether the path is a copy, and not a file that was kept beside one.
pub fn is_copy(beside: &Path, path: &Path) -> bool {
    backup::automatic_time(&file_name(beside), &file_name(path)).is_some()
}

/// Whether the path is the mark of a copy, which holds nothing itself.
pub fn is_mark(path: &Path) -> bool {
    file_name(path).starts_with('.')
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The automatic copies beside the database, with the files that a killed process left of them.
///
/// # Errors
/// When the folder cannot be read.
pub fn list(beside: &Path) -> io::Result<Vec<(PathBuf, Timestamp, Automatic)>> {
    let folder = beside.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let own = file_name(beside);
    let mut found = Vec::new();
    let entries = match std::fs::read_dir(folder) {
        // The folder of the nightly copies is made with the first one.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        other => other?,
    };
    for entry in entries {
        let path = entry?.path();
        let name = file_name(&path);
        // What SQLite kept beside a copy belongs to it, and so does the mark of a reset.
        let marked = name.strip_prefix('.').and_then(|name| name.strip_suffix(MARK));
        let mut bare = marked.unwrap_or(&name);
        while let Some(shorter) = TAILS.into_iter().find_map(|tail| bare.strip_suffix(tail)) {
            bare = shorter;
        }
        if bare.strip_prefix(&own).is_some_and(|rest| UNFINISHED.contains(&rest)) {
            // It has no time in its name: it is there for as long as a restore or a rehearsal runs.
            let at = written_at(&path)?;
            found.push((path, at, Automatic::Plain));
            continue;
        }
        let Some((at, of)) = backup::automatic_time(&own, bare) else { continue };
        let short = marked.is_some() || mark_of(&path.with_file_name(bare)).exists();
        found.push((path, at, if short { Automatic::Reset } else { of }));
    }
    found.sort_unstable_by_key(|(_, at, _)| *at);
    Ok(found)
}

/// Deletes the automatic copies whose time is over. How many files went.
///
/// # Errors
/// When the folder cannot be read or a file not be removed.
pub fn rotate(beside: &Path, now: Timestamp) -> io::Result<usize> {
    let mut outdated: Vec<PathBuf> = list(beside)?
        .into_iter()
        .filter(|(_, at, of)| backup::automatic_outdated(*at, *of, now))
        .map(|(path, ..)| path)
        .collect();
    // Marks last: a copy must not outlive the word that its time is short.
    outdated.sort_by_key(|path| is_mark(path));
    for path in &outdated {
        remove(path)?;
    }
    Ok(outdated.iter().filter(|path| !is_mark(path)).count())
}

/// Somebody was erased: copies that were made before a migration or a restore may hold them, and go after a day now as one of a reset does,
/// not after fourteen. Those that are older go at once. How many files went.
///
/// # Errors
/// When the folder cannot be read or a file not be removed.
pub fn somebody_was_erased(beside: &Path, now: Timestamp) -> io::Result<usize> {
    for (path, _, of) in list(beside)? {
        if of != Automatic::Reset && is_copy(beside, &path) {
            std::fs::OpenOptions::new()
                .create(true)
                .append(true)
                .mode(0o600)
                .open(mark_of(&path))?
                .sync_all()?;
        }
    }
    rotate(beside, now)
}

/// Removes databases that restores left on a server and whose time is over. How many went.
///
/// # Errors
/// When the server refuses, for example because somebody looks at one.
pub async fn rotate_left(database: &Source, now: Timestamp) -> Result<usize, BackupError> {
    let Source::Server(server) = database else { return Ok(0) };
    let mut gone = 0;
    for left in server.left().await? {
        let made = backup::left_time(left.name());
        if made.is_some_and(|made| backup::automatic_outdated(made, Automatic::BeforeRestore, now)) {
            left.drop_database().await?;
            gone += 1;
        }
    }
    Ok(gone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn row_002_copies_3_a_copy_made_by_a_command_before_a_reset_has_a_plain_name_and_goes_after_a_day()
    {
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path().join("app.db");
        let store =
            Store::open(StoreOptions::new(format!("sqlite://{}", database.display()))).await.expect("opens");
        store.migrate().await.expect("migrates");
        let now = Timestamp::from_millis(1_795_959_000_000);
        let (source, place) = (Source::File(database.clone()), Place::new(folder.path().join("backups"), 14));
        let other = made(&source, &place, now, Automatic::Plain).await.expect("copies");
        let first = before_reset(&source, &place, now, Automatic::Plain).await.expect("copies");
        let second = before_reset(&source, &place, now, Automatic::Reset).await.expect("copies");
        store.close().await;
        assert!(file_name(&first).starts_with("app.db.bak-2026") && !file_name(&first).ends_with("-reset"));
        assert!(file_name(&second).ends_with("-reset") && first != other);
        assert!(file_name(&first) < file_name(&other), "never younger than it is: {first:?}");
        let day = Duration::from_secs(24 * 3600);
        assert_eq!(
            rotate(&database, now.plus(day.saturating_sub(Duration::from_secs(2)))).expect("rotates"),
            0
        );
        assert_eq!(rotate(&database, now.plus(day + Duration::from_secs(2))).expect("rotates"), 2);
        assert!(other.exists() && !first.exists() && !second.exists() && !mark_of(&first).exists());
        assert_eq!(rotate(&database, now.plus(day * 15)).expect("rotates"), 1);
        let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
        assert_eq!(left.len(), 1, "only the database: {left:?}");
    }

    #[test]
    fn automatic_copies_go_when_their_time_is_over_and_nothing_else_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path().join("app.db");
        let now = Timestamp::from_millis(1_795_959_000_000);
        let hours = |hours: u64| now.minus(Duration::from_secs(hours * 3600));
        let place = |at, of| named(&database, at, of);
        let old = place(hours(15 * 24), Automatic::Plain);
        let gone = [
            old.clone(),
            behind(&old, "-wal"),
            behind(&old, ".part.plain"),
            place(hours(25), Automatic::Reset),
            place(hours(15 * 24), Automatic::BeforeRestore),
        ];
        let kept = [
            place(hours(25), Automatic::Plain),
            place(hours(25), Automatic::BeforeRestore),
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
