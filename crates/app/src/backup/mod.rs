//! Copies of the database and the way back (seed 002, "Database backups", "Automatic copies", "Restore").
//!
//! [`nightly`] makes a copy, [`restore`] brings one back, [`copies`] keeps the automatic ones beside the database, and [`journal`] remembers
//! erasures, so that a restored copy forgets those again who were erased after it was made.

pub mod copies;
pub mod journal;
pub mod late;
pub mod nightly;
mod packed;
mod remote;
pub mod restore;
pub mod run;
mod sealed;

pub use remote::{Remote, RemoteError};
pub use sealed::Recipient;

use domain::Timestamp;
use domain::backup;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};
use store::backup::Source;

/// The disk refused.
#[derive(Debug, thiserror::Error)]
#[error("{what} {} failed", .path.display())]
pub struct DiskError {
    /// What was tried.
    pub what: &'static str,
    /// With which file.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub source: io::Error,
}

/// What the disk refused, for `map_err`.
fn disk(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DiskError {
    let path = path.to_owned();
    move |source| DiskError { what, path, source }
}

/// Where nightly copies are, and how many.
#[derive(Clone, Debug)]
pub struct Place {
    /// `BACKUP_DIR`: mode 700.
    pub folder: PathBuf,
    /// `BACKUP_KEEP`: the newest so many stay.
    pub keep: usize,
    /// `BACKUP_RECIPIENT`: copies are encrypted to this key.
    pub recipient: Option<Recipient>,
    /// `BACKUP_REMOTE_URL`: where each copy goes as well.
    pub remote: Option<Remote>,
}

/// A nightly copy as it lies in its folder.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Copy {
    /// Its name.
    pub name: String,
    /// When it was made, milliseconds since 1970, UTC.
    pub at: Timestamp,
    /// Bytes.
    pub size: u64,
}

impl Place {
    /// A folder whose copies are neither encrypted nor sent elsewhere.
    pub fn new(folder: PathBuf, keep: usize) -> Place {
        Place { folder, keep, recipient: None, remote: None }
    }

    /// The copies, newest first; none when there is no folder yet.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> io::Result<Vec<Copy>> {
        let entries = match std::fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let mut copies = Vec::new();
        for entry in entries {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if let Some(at) = backup::nightly_time(&name) {
                copies.push(Copy { name, at, size: entry.metadata()?.len() });
            }
        }
        copies.sort_unstable_by(|a, b| (b.at, &b.name).cmp(&(a.at, &a.name)));
        Ok(copies)
    }

    /// What the names of automatic copies of this database begin with: its file, and of a database on a server `app.pgdump` in this folder,
    /// where there is no such file.
    pub fn automatic(&self, database: &Source) -> PathBuf {
        match database {
            Source::File(file) => file.clone(),
            Source::Server(_) => self.folder.join("app.pgdump"),
        }
    }

    /// Adds a line to the log of the copies, `backup.log`, which names nobody.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn log(&self, line: &str) -> io::Result<()> {
        use std::io::Write;
        use std::os::unix::fs::OpenOptionsExt;
        private_folder(&self.folder)?;
        let mut log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(self.folder.join("backup.log"))?;
        log.write_all(format!("{line}\n").as_bytes())
    }

    /// Copies that are no good: damaged ones kept for inspection, and what an interrupted run left.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn unpacked(&self) -> io::Result<Vec<(PathBuf, Timestamp)>> {
        let entries = match std::fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if let Some(at) = backup::unpacked_time(&name) {
                found.push((path, at));
            } else if is_unfinished(&path) {
                found.push((path.clone(), written_at(&path)?));
            }
        }
        Ok(found)
    }
}

/// Held by whoever makes files in the folder of the copies: two at once would take each other's unfinished files away.
const LOCK: &str = "backup.lock";
/// How long one waits for the other, and how often it looks.
const LOCK_WAIT: Duration = Duration::from_secs(1_800);
const LOCK_LOOKS: Duration = Duration::from_millis(200);

/// Waits until nobody else makes a copy or brings one back. Whoever dies lets go.
async fn alone(folder: &Path, longest: Duration) -> Result<File, DiskError> {
    private_folder(folder).map_err(disk("making the folder", folder))?;
    let path = folder.join(LOCK);
    let lock = open_lock(&path).map_err(disk("locking", &path))?;
    let work = async {
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::WouldBlock) => tokio::time::sleep(LOCK_LOOKS).await,
                Err(TryLockError::Error(error)) => return Err(disk("locking", &path)(error)),
            }
        }
    };
    let busy = |_| {
        let words = "another copy is being made or brought back";
        disk("locking", &path)(io::Error::new(io::ErrorKind::TimedOut, words))
    };
    tokio::time::timeout(longest, work).await.map_err(busy)??;
    Ok(lock)
}

fn open_lock(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

/// Ends of the names of files that are not whole yet.
const UNFINISHED: [&str; 2] = ["part", "plain"];

fn is_unfinished(path: &Path) -> bool {
    path.extension().is_some_and(|end| UNFINISHED.iter().any(|unfinished| end == *unfinished))
}

/// Makes a folder for this user only, with those above it.
fn private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // An older folder may be open to others.
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
}

/// When a file was written.
fn written_at(path: &Path) -> io::Result<Timestamp> {
    let since_1970 = std::fs::metadata(path)?.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)))
}

/// Makes a new file for this user only.
fn private_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// What is in a file is for its owner only.
fn only_for_us(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
}

/// What was written under this name is there after a power cut.
fn sync_folder(of: &Path) -> io::Result<()> {
    match of.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// Removes a file that may not be there.
fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// `path` with `tail` behind its name.
fn beside(path: &Path, tail: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(tail);
    PathBuf::from(name)
}
