//! How a store is opened, and its limits.

use crate::error::OpenError;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Oldest SQLite that two processes may write and checkpoint at once without damage to the WAL file.
pub const SQLITE_OLDEST: &str = "3.51.3";

/// What a store needs to know. [`StoreOptions::new`] gives the limits that the product runs with.
#[derive(Clone)]
pub struct StoreOptions {
    /// `sqlite://<file>` or `postgres://…`. May hold a password, so `Debug` masks it.
    pub url: String,
    /// Reading connections (SQLite), or connections for reads and writes together (PostgreSQL).
    pub readers: u32,
    /// Writes that may wait; past it callers get [`crate::StoreError::Busy`].
    pub write_queue: usize,
    /// Longest wait for a place in that queue.
    pub queue_wait: Duration,
    /// Longest time for the closure of one write, and for getting a connection.
    pub write_limit: Duration,
    /// How often other processes are looked for on SQLite.
    pub poll_every: Duration,
    /// How often the WAL file is written back on SQLite.
    pub checkpoint_every: Duration,
}

impl StoreOptions {
    /// The limits of the product.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            readers: 4,
            write_queue: 1024,
            queue_wait: Duration::from_secs(5),
            write_limit: Duration::from_secs(10),
            poll_every: Duration::from_millis(20),
            checkpoint_every: Duration::from_secs(60),
        }
    }
}

impl std::fmt::Debug for StoreOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scheme = self.url.split("://").next().unwrap_or_default();
        f.debug_struct("StoreOptions")
            .field("url", &format_args!("{scheme}://…"))
            .field("readers", &self.readers)
            .field("write_queue", &self.write_queue)
            .field("write_limit", &self.write_limit)
            .finish_non_exhaustive()
    }
}

/// What the URL names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target<'a> {
    File(PathBuf),
    Server(&'a str),
}

impl StoreOptions {
    pub(crate) fn target(&self) -> Result<Target<'_>, OpenError> {
        if self.url.starts_with("postgres://") || self.url.starts_with("postgresql://") {
            return Ok(Target::Server(&self.url));
        }
        // A file name may hold `?`, so nothing behind it is read as a parameter; what the engine needs is set here.
        match self.url.strip_prefix("sqlite://") {
            Some(path) if !path.is_empty() && !path.starts_with(':') && !path.ends_with('/') => {
                Ok(Target::File(PathBuf::from(path)))
            }
            _ => Err(OpenError::Url),
        }
    }
}

/// Makes the folder (mode 700) and the file (mode 600) of a database: both hold personal data.
pub(crate) fn create_private(file: &Path) -> Result<(), OpenError> {
    use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |cause| OpenError::Create { path, cause }
    };
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed(folder))?;
    }
    std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(file)
        .map(drop)
        .map_err(failed(file))
}

/// Refuses a SQLite in which two processes that write and checkpoint at once may damage the WAL file.
pub(crate) fn check_sqlite_version(found: &str) -> Result<(), OpenError> {
    if parts(found) >= parts(SQLITE_OLDEST) {
        Ok(())
    } else {
        Err(OpenError::SqliteTooOld { found: found.to_owned(), needed: SQLITE_OLDEST })
    }
}

/// The numbers of a version; what is no number counts as 0, so that an unreadable version is too old.
fn parts(version: &str) -> [u32; 3] {
    let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
    std::array::from_fn(|_| numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlite_below_3_51_3_is_refused_by_name() {
        for old in ["3.51.2", "3.40.1", "3.9.99", "2.99.0", ""] {
            let refusal = check_sqlite_version(old).expect_err(old).to_string();
            assert!(refusal.contains(old) && refusal.contains("3.51.3"), "{refusal}");
        }
        for new in ["3.51.3", "3.51.10", "3.52.0", "4.0.0"] {
            check_sqlite_version(new).expect(new);
        }
    }

    #[test]
    fn urls_name_a_file_or_a_server_and_nothing_else() {
        let target = |url: &str| StoreOptions::new(url).target().map(|target| format!("{target:?}"));
        assert_eq!(target("sqlite:///var/lib/app.db").unwrap(), "File(\"/var/lib/app.db\")");
        assert_eq!(target("sqlite://./data/app.db").unwrap(), "File(\"./data/app.db\")");
        assert_eq!(target("postgres://a@b/c").unwrap(), "Server(\"postgres://a@b/c\")");
        for wrong in ["", "app.db", "sqlite://", "sqlite://:memory:", "sqlite://data/", "mysql://a/b"] {
            assert!(target(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_password_in_a_url_is_not_printed() {
        let printed = format!("{:?}", StoreOptions::new("postgres://user:hunter2@host/db"));
        assert!(!printed.contains("hunter2") && printed.contains("postgres://…"), "{printed}");
    }
}
