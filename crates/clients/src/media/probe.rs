//! Whether the folder takes files at this moment: found out by writing one.

use super::Media;
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
    /// Writes a small file into the folder and takes it away again. An S3 store is not asked: it has its own monitoring, and each call costs.
    ///
    /// # Errors
    /// Why the folder takes no file; [`io::ErrorKind::TimedOut`] after ten seconds.
    pub async fn probe(&self) -> io::Result<()> {
        let Some(folder) = self.folder() else { return Ok(()) };
        let file = folder.join(NAME);
        let writing = tokio::task::spawn_blocking(move || write_and_remove(&file));
        match tokio::time::timeout(TIME_OUT, writing).await {
            Ok(Ok(written)) => written,
            Ok(Err(ended)) => Err(io::Error::other(ended)),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
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
        media(folder.path()).probe().await.expect("it takes files");
        assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 0);
    }

    #[tokio::test]
    async fn a_folder_that_is_gone_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let media = media(folder.path());
        folder.close().expect("removed");
        assert_eq!(media.probe().await.expect_err("gone").kind(), io::ErrorKind::NotFound);
    }
}
