//! The proof that retention is kept (seed 002, "Verify"; product.md, "Decided once"): what personal data exists now, and what of it is past
//! its time. Reads only, and tells numbers, never a person.

mod copies;
mod files;
mod rows;

use crate::AppError;
use crate::backup::{Place, RemoteError};
use clients::media::Media;
use domain::Timestamp;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;
use store::Store;
use store::privacy::Held;

/// Passes of the clean-up come once an hour: what has waited for less than this is not late yet.
const PASS: Duration = Duration::from_secs(3_600 + 300);

/// Where to look.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The database.
    pub store: Store,
    /// Photos and what was made of them.
    pub media: Media,
    /// `PHOTO_TTL_HOURS`.
    pub photo_ttl_hours: u32,
    /// `BACKUP_DIR` and `BACKUP_KEEP`.
    pub backups: Place,
    /// `LOG_DIR`.
    pub logs: Option<PathBuf>,
    /// The present time.
    pub now: Timestamp,
}

/// One rule and how it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Its name, for programs.
    pub rule: &'static str,
    /// The rule in words.
    pub says: String,
    /// Rows or files that it is about.
    pub count: u64,
    /// Those of them that are past their time.
    pub past: u64,
    /// When the oldest was written, milliseconds since 1970, UTC.
    pub oldest: Option<Timestamp>,
    /// What to do when any is past its time.
    pub advice: &'static str,
}

/// What the audit found.
#[derive(Clone, Debug)]
pub struct Report {
    /// Personal rows that exist now and may.
    pub held: Held,
    /// Lines of the journal of erasures: salted hashes.
    pub journal: u64,
    /// The rules, in the order of seed 002.
    pub checks: Vec<Check>,
}

impl Report {
    /// Whether nothing is past its time.
    pub fn is_clean(&self) -> bool {
        self.checks.iter().all(|check| check.past == 0)
    }
}

/// Looks everywhere.
///
/// # Errors
/// When something cannot be looked at: what was not seen is not proven.
pub async fn audit(scope: &Scope) -> Result<Report, AuditError> {
    let mut checks = files::checks(scope).await?;
    checks.extend(rows::checks(scope).await?);
    let at = scope.clone();
    let (copies, journal) = tokio::task::spawn_blocking(move || {
        Ok::<_, AuditError>((copies::checks(&at)?, copies::journal(&at)?))
    })
    .await
    .map_err(AppError::from)??;
    checks.extend(copies);
    checks.extend(copies::left(scope).await?);
    checks.extend(copies::elsewhere(scope).await?);
    let held = store::privacy::held(&mut scope.store.reader()).await.map_err(AppError::from)?;
    Ok(Report { held, journal, checks })
}

/// What could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The database or the media store.
    #[error("rows or files cannot be looked at")]
    App(#[from] AppError),
    /// The store of copies elsewhere.
    #[error("copies elsewhere cannot be looked at")]
    Remote(#[from] RemoteError),
    /// The server of the database.
    #[error("databases beside this one cannot be looked at")]
    Server(#[from] store::backup::BackupError),
    /// A folder.
    #[error("{} cannot be looked at", .folder.display())]
    Folder {
        /// Which.
        folder: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

/// How many things there are.
fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
