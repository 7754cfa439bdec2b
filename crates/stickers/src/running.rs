//! The mark of a running bot: a file below `DATA_DIR` that the system keeps locked for as long as the process lives, however it ends. So
//! the next one on this machine knows at once that a lease or a claim was left by the dead, and a process id used again fools nobody.

use app::neighbours::{Life, Neighbours};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Where marks lie, below `DATA_DIR`.
pub const FOLDER: &str = "running";

/// The mark of this process; taken away when dropped.
#[derive(Debug)]
pub struct Running {
    folder: PathBuf,
    process: String,
    /// Holds the lock.
    _mark: File,
}

impl Running {
    /// Marks this process as running.
    ///
    /// # Errors
    /// When the folder cannot be written or does not know locks.
    pub fn begin(data_dir: &Path, process: &str) -> io::Result<Running> {
        let folder = data_dir.join(FOLDER);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let mark = OpenOptions::new().create(true).append(true).open(folder.join(process))?;
        mark.try_lock()?;
        Ok(Running { folder, process: process.to_owned(), _mark: mark })
    }

    /// Takes away the marks of the dead.
    fn sweep(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if life(&entry.path()) == Life::Dead {
                // One that stays is looked at again by the next process.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

impl Neighbours for Running {
    fn life(&self, process: &str) -> Life {
        // Names come from the database: only a plain one is looked up.
        let plain =
            !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if plain { life(&self.folder.join(process)) } else { Life::Unknown }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // By now this process has had its leases for long, or given them back: nobody asks any more who left them.
        let _ = fs::remove_file(self.folder.join(&self.process));
        self.sweep();
    }
}

/// What a mark says. Without a mark the process ran elsewhere, or ended in order and left nothing.
fn life(mark: &Path) -> Life {
    let Ok(file) = File::open(mark) else { return Life::Unknown };
    match file.try_lock() {
        Ok(()) => Life::Dead,
        Err(TryLockError::WouldBlock) => Life::Alive,
        Err(TryLockError::Error(_)) => Life::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_alive_while_it_holds_its_mark_and_dead_when_the_lock_is_gone() {
        let folder = tempfile::tempdir().expect("a folder");
        let me = Running::begin(folder.path(), "7-me").expect("a mark");
        let other = Running::begin(folder.path(), "8-other").expect("a mark");
        assert_eq!((me.life("7-me"), me.life("8-other")), (Life::Alive, Life::Alive));
        // A killed process leaves the file and loses the lock.
        let left = folder.path().join(FOLDER).join("9-killed");
        File::create(&left).expect("a file");
        assert_eq!(me.life("9-killed"), Life::Dead);
        drop(other);
        assert_eq!(me.life("8-other"), Life::Unknown, "it ended in order");
        assert!(!left.exists(), "marks of the dead are swept");
        assert!(folder.path().join(FOLDER).join("7-me").exists());
    }

    #[test]
    fn a_name_that_is_no_name_of_a_process_is_never_looked_up() {
        let folder = tempfile::tempdir().expect("a folder");
        let me = Running::begin(folder.path(), "7-me").expect("a mark");
        File::create(folder.path().join("app.db")).expect("a file");
        for name in ["", "../app.db", "/etc/hostname", "a b", "."] {
            assert_eq!(me.life(name), Life::Unknown, "{name}");
        }
    }
}
