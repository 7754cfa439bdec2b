//! `MEDIA_URL`: where files are kept.

use std::path::PathBuf;

/// A parsed `MEDIA_URL`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediaUrl {
    /// `file://<folder>`: a folder of this machine. What follows the two slashes is the folder to the letter, so it may be
    /// relative (`file://./data`) and nothing in it is decoded.
    Folder(PathBuf),
    /// `s3://<bucket>/<prefix>`: an object store that speaks S3.
    S3 {
        /// The bucket.
        bucket: String,
        /// Put before every key, without slashes at its ends; may be empty.
        prefix: String,
    },
}

/// A `MEDIA_URL` that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{url:?} is not file://<folder> or s3://<bucket>/<prefix>")]
pub struct MediaUrlError {
    url: String,
}

impl MediaUrl {
    /// Reads a `MEDIA_URL`.
    ///
    /// # Errors
    /// Another scheme, no folder, no bucket, or a prefix with letters outside `A-Za-z0-9._-` and `/`.
    pub fn parse(url: &str) -> Result<Self, MediaUrlError> {
        let error = || MediaUrlError { url: url.to_owned() };
        if let Some(folder) = url.strip_prefix("file://") {
            return if folder.is_empty() { Err(error()) } else { Ok(Self::Folder(folder.into())) };
        }
        let rest = url.strip_prefix("s3://").ok_or_else(error)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let prefix = prefix.trim_matches('/');
        let good_prefix = prefix.is_empty() || super::key::is_key(prefix);
        if !super::key::is_key(bucket) || !good_prefix {
            return Err(error());
        }
        Ok(Self::S3 { bucket: bucket.to_owned(), prefix: prefix.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::MediaUrl;

    #[test]
    fn a_folder_is_taken_to_the_letter() {
        for folder in ["./data", "/var/lib/stickers", "/with space/%20", "data"] {
            assert_eq!(MediaUrl::parse(&format!("file://{folder}")), Ok(MediaUrl::Folder(folder.into())));
        }
    }

    #[test]
    fn a_bucket_may_have_a_prefix() {
        let s3 =
            |bucket: &str, prefix: &str| Ok(MediaUrl::S3 { bucket: bucket.into(), prefix: prefix.into() });
        assert_eq!(MediaUrl::parse("s3://event-media"), s3("event-media", ""));
        assert_eq!(MediaUrl::parse("s3://event-media/"), s3("event-media", ""));
        assert_eq!(MediaUrl::parse("s3://event-media/2026/tashkent/"), s3("event-media", "2026/tashkent"));
    }

    #[test]
    fn anything_else_is_named_with_what_is_allowed() {
        for url in
            ["", "file://", "s3://", "s3:///x", "s3://b/../x", "s3://b/a b", "gs://b", "/data", "S3://b"]
        {
            let error = MediaUrl::parse(url).unwrap_err().to_string();
            assert_eq!(error, format!("{url:?} is not file://<folder> or s3://<bucket>/<prefix>"));
        }
    }
}
