//! The folder of a demo. A demo never touches a folder that holds somebody's real database, and two demos never share one.

use crate::failure::Failure;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Says that a demo made the folder, and is locked while one uses it.
const MARK: &str = ".stickers-demo";
/// The product's database.
const DATABASE: &str = "app.db";
/// The simulated world.
const WORLD: &str = "simulator";
/// Secret, salt and group of the leads.
pub const LEADS: &str = "demo-leads.json";
/// What `--reset` removes; anything else in the folder stays.
const FORGOTTEN: [&str; 9] = [
    DATABASE,
    "app.db-wal",
    "app.db-shm",
    WORLD,
    LEADS,
    "sessions",
    "debug_sheets",
    "samples",
    crate::running::FOLDER,
];

/// A folder that belongs to this demo until it ends.
#[derive(Debug)]
pub struct DataFolder {
    path: PathBuf,
    /// Holds the lock.
    _mark: File,
}

impl DataFolder {
    /// Takes the folder, made when missing; with `reset` what an earlier demo left is removed first.
    ///
    /// # Errors
    /// When it holds a database that no demo made, is used by another demo, or cannot be written.
    pub fn take(path: &Path, reset: bool) -> Result<DataFolder, Failure> {
        let shown = path.display();
        let fail = |error: io::Error| Failure::of(&format!("DATA_DIR {shown} cannot be used"), &error);
        let mark = path.join(MARK);
        if path.join(DATABASE).exists() && !mark.exists() {
            return Err(Failure::Failed(format!(
                "DATA_DIR {shown} holds a database that no demo made; set DATA_DIR to another folder"
            )));
        }
        // Faces lie in it: nobody else on this computer looks inside.
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(fail)?;
        let mark = OpenOptions::new().create(true).append(true).open(mark).map_err(fail)?;
        match mark.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::Failed(format!(
                    "another demo uses DATA_DIR {shown}; end it, or set DATA_DIR to another folder"
                )));
            }
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
        if reset {
            for name in FORGOTTEN {
                remove(&path.join(name)).map_err(fail)?;
            }
        }
        Ok(DataFolder { path: path.to_owned(), _mark: mark })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the simulated world is kept.
    pub fn world(&self) -> PathBuf {
        self.path.join(WORLD)
    }
}

fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(taken: Result<DataFolder, Failure>) -> String {
        match taken {
            Err(Failure::Failed(line)) => line,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_real_database_is_never_taken_nor_reset() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        fs::write(dir.path().join("app.db"), "real").expect("a file");
        for reset in [false, true] {
            assert!(refusal(DataFolder::take(dir.path(), reset)).contains("no demo made"));
        }
        assert_eq!(fs::read(dir.path().join("app.db")).expect("still there"), b"real");
    }

    #[test]
    fn a_folder_in_use_by_another_demo_is_refused() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let first = DataFolder::take(dir.path(), false).unwrap_or_else(|failure| panic!("{failure:?}"));
        assert!(refusal(DataFolder::take(dir.path(), true)).contains("another demo"));
        drop(first);
        assert!(DataFolder::take(dir.path(), false).is_ok());
    }

    #[test]
    fn reset_forgets_what_a_demo_made_and_nothing_else() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        drop(DataFolder::take(dir.path(), false));
        fs::create_dir_all(dir.path().join("sessions/abc")).expect("a folder");
        for name in ["app.db", "sessions/abc/selfie.jpg", "notes.txt"] {
            fs::write(dir.path().join(name), "x").expect("a file");
        }
        drop(DataFolder::take(dir.path(), true).unwrap_or_else(|failure| panic!("{failure:?}")));
        assert!(!dir.path().join("app.db").exists() && !dir.path().join("sessions").exists());
        assert!(dir.path().join("notes.txt").exists());
    }
}
