//! Pictures and other files that are not rows: a local folder or an S3 store, under the same keys.
//!
//! A file appears whole or not at all, and on a disk it is there after a power cut once `put` answered. An empty prefix is
//! refused everywhere: the local folder is also the database's.

mod key;
mod probe;
mod unfinished;
mod url;

pub use url::{MediaUrl, MediaUrlError};

use std::path::{Path as FsPath, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::TryStreamExt;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{ClientOptions, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt, RetryConfig};
use tokio::fs::File;
use tokio::io::AsyncReadExt;

/// The longest that one file may take to be written, read or deleted, tries of the store included.
const FILE_TIME_OUT: Duration = Duration::from_secs(60);
/// The longest that listing or deleting a prefix may take.
const PREFIX_TIME_OUT: Duration = Duration::from_secs(600);
/// One HTTP request to an S3 store.
const REQUEST_TIME_OUT: Duration = Duration::from_secs(20);
/// Connecting to an S3 store.
const CONNECT_TIME_OUT: Duration = Duration::from_secs(5);
/// Tries of one S3 request after the first.
const RETRIES_MAX: usize = 3;
/// A larger file is sent in parts of this size.
const PART_BYTES: usize = 8 << 20;
/// The most files that one listing gives.
const LIST_MAX: usize = 1_000_000;

/// What can go wrong with a media file.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// There is no such file.
    #[error("no media file {key}")]
    NotFound {
        /// The key asked for.
        key: String,
    },
    /// Not a key: segments of `A-Za-z0-9._-` joined by `/`, none empty or beginning with a dot.
    #[error("{key:?} is not a media key")]
    BadKey {
        /// What was given.
        key: String,
    },
    /// The disk or store did not finish in time.
    #[error("media {action} took over {seconds} s")]
    TimedOut {
        /// What was being done.
        action: &'static str,
        /// The bound.
        seconds: u64,
    },
    /// More files under a prefix than one listing holds.
    #[error("over {LIST_MAX} media files under {prefix}")]
    TooMany {
        /// The prefix.
        prefix: String,
    },
    /// The folder cannot be made or opened.
    #[error("media folder {folder:?} cannot be used")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The disk or store failed.
    #[error("media {action} failed")]
    Store {
        /// What was being done.
        action: &'static str,
        /// Why.
        #[source]
        source: object_store::Error,
    },
}

/// A file as a listing shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaFile {
    /// Its key.
    pub key: String,
    /// Bytes.
    pub size: u64,
    /// Last written, milliseconds since 1970, UTC.
    pub last_modified_ms: i64,
}

/// The media store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Media {
    store: Arc<dyn ObjectStore>,
    /// Set for a local folder, where a killed process can leave half a file behind.
    folder: Option<PathBuf>,
}

impl Media {
    /// Opens the store that `url` names. A local folder is made when missing, for this user only. `aws_vars` are the
    /// `AWS_*` variables and their values; a local folder needs none.
    ///
    /// # Errors
    /// A folder that cannot be made, or S3 settings that make no sense. The S3 store itself is not asked yet.
    pub fn open(
        url: &MediaUrl,
        aws_vars: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, MediaError> {
        match url {
            MediaUrl::Folder(folder) => Self::open_folder(folder),
            MediaUrl::S3 { bucket, prefix } => Self::open_s3(bucket, prefix, aws_vars),
        }
    }

    /// A store that forgets everything with the process, for tests.
    pub fn in_memory() -> Self {
        Self { store: Arc::new(InMemory::new()), folder: None }
    }

    fn open_folder(folder: &FsPath) -> Result<Self, MediaError> {
        let failed = |source| MediaError::Folder { folder: folder.to_owned(), source };
        make_private_folder(folder).map_err(failed)?;
        let folder = folder.canonicalize().map_err(failed)?;
        let store = LocalFileSystem::new_with_prefix(&folder)
            .map_err(|source| MediaError::Store { action: "opening", source })?
            .with_automatic_cleanup(true)
            .with_fsync(true);
        Ok(Self { store: Arc::new(store), folder: Some(folder) })
    }

    fn open_s3(
        bucket: &str,
        prefix: &str,
        aws_vars: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, MediaError> {
        let retry =
            RetryConfig { max_retries: RETRIES_MAX, retry_timeout: FILE_TIME_OUT, ..RetryConfig::default() };
        let options =
            ClientOptions::new().with_timeout(REQUEST_TIME_OUT).with_connect_timeout(CONNECT_TIME_OUT);
        let mut builder = AmazonS3Builder::new().with_client_options(options).with_retry(retry);
        for (name, value) in aws_vars {
            // A plain-http address was written down on purpose: a store beside the server.
            if name == "AWS_ENDPOINT_URL" && value.starts_with("http://") {
                builder = builder.with_allow_http(true);
            }
            if let Ok(setting) = name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>() {
                builder = builder.with_config(setting, value);
            }
        }
        let store = builder
            .with_bucket_name(bucket)
            .build()
            .map_err(|source| MediaError::Store { action: "opening", source })?;
        let store: Arc<dyn ObjectStore> = match prefix {
            "" => Arc::new(store),
            _ => Arc::new(PrefixStore::new(store, Path::from(prefix))),
        };
        Ok(Self { store, folder: None })
    }

    /// The local folder, absolute, to watch its free space; `None` for an S3 store.
    pub fn folder(&self) -> Option<&FsPath> {
        self.folder.as_deref()
    }

    /// Writes a file, whole or not at all, in place of one that is there.
    ///
    /// # Errors
    /// Not a key, or the disk or store failed; then the old file, if any, is as it was.
    pub async fn put(&self, key: &str, bytes: Bytes) -> Result<(), MediaError> {
        let path = checked(key)?;
        within("put", FILE_TIME_OUT, key, self.store.put(&path, bytes.into())).await?;
        Ok(())
    }

    /// Writes a file from the disk, part by part, whole or not at all, in place of one that is there.
    ///
    /// # Errors
    /// Not a key, the file cannot be read, or the disk or store failed; then the parts that were sent are taken back.
    pub async fn put_file(&self, key: &str, from: &FsPath) -> Result<(), MediaError> {
        let path = checked(key)?;
        let mut file =
            within("put", FILE_TIME_OUT, key, async { File::open(from).await.map_err(of_file) }).await?;
        let first = within("put", FILE_TIME_OUT, key, next_part(&mut file)).await?;
        if first.len() < PART_BYTES {
            return self.put(key, first).await;
        }
        let mut upload = within("put", FILE_TIME_OUT, key, self.store.put_multipart(&path)).await?;
        let sent = within("put", PREFIX_TIME_OUT, key, send_parts(&mut *upload, first, &mut file)).await;
        if sent.is_err() {
            // When this fails too, the parts are the store's to clear: no listing shows them.
            let _ = within("put", FILE_TIME_OUT, key, upload.abort()).await;
        }
        sent
    }

    /// Every file of the store, ordered by key: for one that holds nothing but what is listed.
    ///
    /// # Errors
    /// More than a million files, or the disk or store failed.
    pub async fn list_all(&self) -> Result<Vec<MediaFile>, MediaError> {
        self.listed(None, "/").await
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// [`MediaError::NotFound`] and the usual ones.
    pub async fn get(&self, key: &str) -> Result<Bytes, MediaError> {
        let path = checked(key)?;
        let read = async { self.store.get(&path).await?.bytes().await };
        within("get", FILE_TIME_OUT, key, read).await
    }

    /// Is there such a file?
    ///
    /// # Errors
    /// Not a key, or the disk or store failed.
    pub async fn exists(&self, key: &str) -> Result<bool, MediaError> {
        let path = checked(key)?;
        match within("head", FILE_TIME_OUT, key, self.store.head(&path)).await {
            Ok(_) => Ok(true),
            Err(MediaError::NotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Deletes a file; one that is gone already is success. Folders left empty go with it.
    ///
    /// # Errors
    /// Not a key, or the disk or store failed.
    pub async fn delete(&self, key: &str) -> Result<(), MediaError> {
        let path = checked(key)?;
        match within("delete", FILE_TIME_OUT, key, self.store.delete(&path)).await {
            Ok(()) | Err(MediaError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Deletes every file below `prefix` (whole segments: `sessions/ab` is not below `sessions/a`), also what an
    /// interrupted write left there, and answers how many.
    ///
    /// # Errors
    /// Not a key (an empty prefix is none), or the disk or store failed; then some files may be left: ask again.
    pub async fn delete_prefix(&self, prefix: &str) -> Result<usize, MediaError> {
        let unfinished = self.delete_unfinished(prefix, i64::MAX).await?;
        let mut deleted = 0;
        for file in self.list(prefix).await? {
            self.delete(&file.key).await?;
            deleted += 1;
        }
        Ok(unfinished + deleted)
    }

    /// Every file below `prefix` (whole segments), ordered by key.
    ///
    /// # Errors
    /// Not a key (an empty prefix is none), more than a million files, or the disk or store failed.
    pub async fn list(&self, prefix: &str) -> Result<Vec<MediaFile>, MediaError> {
        self.listed(Some(checked(prefix)?), prefix).await
    }

    async fn listed(&self, path: Option<Path>, prefix: &str) -> Result<Vec<MediaFile>, MediaError> {
        let collect = async {
            let mut files = Vec::new();
            let mut listing = self.store.list(path.as_ref());
            while let Some(meta) = listing.try_next().await? {
                if files.len() == LIST_MAX {
                    return Ok(None);
                }
                files.push(media_file(meta));
            }
            Ok(Some(files))
        };
        let files = within("list", PREFIX_TIME_OUT, prefix, collect).await?;
        let mut files = files.ok_or_else(|| MediaError::TooMany { prefix: prefix.to_owned() })?;
        files.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(files)
    }

    /// Deletes what a process that was killed while writing left below `prefix` and that is older than `before_ms`
    /// (milliseconds since 1970), and answers how many. A listing does not show these, and they may hold a photo.
    ///
    /// # Errors
    /// Not a key, or the disk failed. An S3 store has no such files.
    pub async fn delete_unfinished(&self, prefix: &str, before_ms: i64) -> Result<usize, MediaError> {
        self.unfinished(prefix, move |folder| unfinished::delete(folder, before_ms)).await
    }

    /// Counts what [`Media::delete_unfinished`] would delete.
    ///
    /// # Errors
    /// The same.
    pub async fn count_unfinished(&self, prefix: &str, before_ms: i64) -> Result<usize, MediaError> {
        self.unfinished(prefix, move |folder| unfinished::count(folder, before_ms)).await
    }

    async fn unfinished(
        &self,
        prefix: &str,
        work: impl FnOnce(&FsPath) -> std::io::Result<usize> + Send + 'static,
    ) -> Result<usize, MediaError> {
        checked(prefix)?;
        let Some(folder) = &self.folder else { return Ok(0) };
        let folder = folder.join(prefix);
        let sweep = {
            let folder = folder.clone();
            tokio::task::spawn_blocking(move || work(&folder))
        };
        match tokio::time::timeout(PREFIX_TIME_OUT, sweep).await {
            Ok(Ok(Ok(deleted))) => Ok(deleted),
            Ok(Ok(Err(source))) => Err(MediaError::Folder { folder, source }),
            Ok(Err(join)) => Err(MediaError::Folder { folder, source: std::io::Error::other(join) }),
            Err(_) => Err(MediaError::TimedOut { action: "sweep", seconds: PREFIX_TIME_OUT.as_secs() }),
        }
    }
}

fn checked(key: &str) -> Result<Path, MediaError> {
    if !key::is_key(key) {
        return Err(MediaError::BadKey { key: key.to_owned() });
    }
    Ok(Path::from(key))
}

/// Sends `first` and the rest of the file, one part after the other, and puts them together.
async fn send_parts(
    upload: &mut dyn MultipartUpload,
    first: Bytes,
    file: &mut File,
) -> object_store::Result<()> {
    let mut part = first;
    while !part.is_empty() {
        upload.put_part(part.into()).await?;
        part = next_part(file).await?;
    }
    upload.complete().await.map(drop)
}

/// The next bytes of a file, as many as one part has; fewer at its end.
async fn next_part(file: &mut File) -> object_store::Result<Bytes> {
    let mut part = Vec::with_capacity(PART_BYTES);
    file.take(PART_BYTES as u64).read_to_end(&mut part).await.map_err(of_file)?;
    Ok(part.into())
}

/// An error of a file that is to be sent.
fn of_file(source: std::io::Error) -> object_store::Error {
    object_store::Error::Generic { store: "file", source: source.into() }
}

async fn within<T>(
    action: &'static str,
    bound: Duration,
    key: &str,
    work: impl Future<Output = object_store::Result<T>>,
) -> Result<T, MediaError> {
    match tokio::time::timeout(bound, work).await {
        Ok(Ok(value)) => Ok(value),
        // What is written or listed need not be there: it is the bucket that is not.
        Ok(Err(object_store::Error::NotFound { .. })) if !matches!(action, "put" | "list") => {
            Err(MediaError::NotFound { key: key.to_owned() })
        }
        Ok(Err(source)) => Err(MediaError::Store { action, source }),
        Err(_) => Err(MediaError::TimedOut { action, seconds: bound.as_secs() }),
    }
}

fn media_file(meta: ObjectMeta) -> MediaFile {
    MediaFile {
        key: meta.location.to_string(),
        size: meta.size,
        last_modified_ms: meta.last_modified.timestamp_millis(),
    }
}

/// Photos are for this user only. A folder that is there already keeps its mode: the operator chose it.
fn make_private_folder(folder: &FsPath) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
