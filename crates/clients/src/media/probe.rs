//! Whether the folder takes files at this moment: found out by writing one, and by asking for the rights on the folders below it.

use super::Media;
use rustix::fs::{Access, AtFlags, CWD, accessat};
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

/// The longest that the probe may take: a disk that is slower than this is as good as none.
const TIME_OUT: Duration = Duration::from_secs(10);
/// Bytes that are written: one block of usual file systems.
const SIZE: usize = 4_096;
/// Beside the keys, and none itself: no listing shows it.
const NAME: &str = ".probe";

impl Media {
    /// Writes a small file into the folder and takes it away again, and asks whether this process may write to those of the folders `below` it that are
    /// there: they change hands on their own when somebody else runs a command. An S3 store is not asked: it has its own monitoring, and each call costs.
    ///
    /// # Errors
    /// Why one of them takes no file; [`io::ErrorKind::TimedOut`] after ten seconds.
    pub async fn probe(&self, below: &'static [&'static str]) -> io::Result<()> {
        let Some(folder) = self.folder().map(Path::to_owned) else { return Ok(()) };
        let writing = tokio::task::spawn_blocking(move || {
            write_and_remove(&folder.join(NAME))?;
            below.iter().try_for_each(|name| may_write(&folder.join(name)))
        });
        match tokio::time::timeout(TIME_OUT, writing).await {
            Ok(Ok(written)) => written,
            Ok(Err(ended)) => Err(io::Error::other(ended)),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

/// Nothing is written here: a listing would show it.
fn may_write(folder: &Path) -> io::Result<()> {
    match accessat(CWD, folder, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS) {
        // It is made with the first file.
        Err(rustix::io::Errno::NOENT) => Ok(()),
        asked => asked.map_err(io::Error::from),
    }
}

fn write_and_remove(file: &Path) -> io::Result<()> {
    let written = fs::write(file, [0; SIZE]);
    match fs::remove_file(file) {
        // Another process probes the same folder, or nothing was written.
        Err(error) if error.kind() != io::ErrorKind::NotFound && written.is_ok() => Err(error),
        _ => written,
    }
}

#[cfg(test)]
mod tests {
    use super::super::MediaUrl;
    use super::*;

    fn media(folder: &Path) -> Media {
        let url = MediaUrl::parse(&format!("file://{}", folder.display())).expect("a folder");
        Media::open(&url, []).expect("opens")
    }

    #[tokio::test]
    async fn a_folder_that_takes_files_is_left_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        media(folder.path()).probe(&["sessions"]).await.expect("it takes files");
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 0);
    }

    #[tokio::test]
    async fn a_folder_that_is_gone_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let media = media(folder.path());
        folder.close().expect("removed");
        assert_eq!(media.probe(&[]).await.expect_err("gone").kind(), io::ErrorKind::NotFound);
    }
}
