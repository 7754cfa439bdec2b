//! The copy of a copy on another machine (`BACKUP_REMOTE_URL`): a folder, which may be mounted, or an S3 store. It is kept by the same rule.

use super::Copy;
use clients::media::{Media, MediaError};
use domain::{Timestamp, backup};
use std::path::Path;

/// Where copies go as well.
#[derive(Clone, Debug)]
pub struct Remote {
    /// What people are told: the address, which holds no secret.
    pub shown: String,
    /// The store behind it, opened when it is used: a server that is down must not stop a start.
    pub url: clients::media::MediaUrl,
    /// `AWS_*` variables.
    pub aws: Vec<(String, String)>,
}

/// Why a copy is not there.
#[derive(Debug, thiserror::Error)]
#[error("{shown} does not take it")]
pub struct RemoteError {
    shown: String,
    #[source]
    source: MediaError,
}

impl Remote {
    /// Sends the file `folder/<name of the copy>` there, reads back how large it is, and lets older ones go. How many went.
    ///
    /// # Errors
    /// When the store fails; the copy here is good all the same.
    pub async fn send(
        &self,
        folder: &Path,
        copy: &Copy,
        keep: usize,
        now: Timestamp,
    ) -> Result<usize, RemoteError> {
        let work = async {
            let store = self.open()?;
            store.put_file(&copy.name, &folder.join(&copy.name)).await?;
            if let Some(there) = store.folder() {
                // Of a mounted folder others may read what is open to them.
                let own = super::only_for_us(&there.join(&copy.name));
                own.unwrap_or_else(
                    |error| tracing::warn!(%error, "the copy elsewhere may be open to other users"),
                );
            }
            let there = copies(&store).await?;
            let gone = backup::outdated(there, keep, now);
            for name in &gone {
                store.delete(name).await?;
            }
            Ok(gone.len())
        };
        work.await.map_err(|source| self.failed(source))
    }

    /// The copies that are there: when each was made, and its name.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn list(&self) -> Result<Vec<(Timestamp, String)>, RemoteError> {
        let work = async { copies(&self.open()?).await };
        work.await.map_err(|source| self.failed(source))
    }

    fn open(&self) -> Result<Media, MediaError> {
        Media::open(&self.url, self.aws.clone())
    }

    fn failed(&self, source: MediaError) -> RemoteError {
        RemoteError { shown: self.shown.clone(), source }
    }
}

async fn copies(store: &Media) -> Result<Vec<(Timestamp, String)>, MediaError> {
    let files = store.list_all().await?;
    Ok(files.into_iter().filter_map(|file| Some((backup::nightly_time(&file.key)?, file.key))).collect())
}
