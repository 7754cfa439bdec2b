//! Copies of the database: `BACKUP_DIR`, `BACKUP_KEEP`, `BACKUP_RECIPIENT`, `BACKUP_REMOTE_URL`.

use super::reader::Reader;
use super::storage::{Storage, absolute};
use app::backup::{Place, Recipient, Remote};
use clients::media::MediaUrl;
use std::path::Path;

/// Reads the section. The folder is `BACKUP_DIR`, default `<DATA_DIR>/backups`; `BACKUP_KEEP`, default 14, copies stay.
pub fn read(r: &mut Reader<'_>, storage: &Storage) -> Place {
    let folder = match r.env().get("BACKUP_DIR") {
        Some(_) => absolute(Path::new(&r.text("BACKUP_DIR", ""))),
        None => {
            let folder = storage.data_dir.join("backups");
            r.derived("BACKUP_DIR", folder.display().to_string());
            folder
        }
    };
    let keep = r.number("BACKUP_KEEP", 14, 1..=1_000);
    let recipient = r.parsed("BACKUP_RECIPIENT", "", "a public key of age (age1…)", |value| match value {
        "" => Some(None),
        key => key.parse::<Recipient>().ok().map(Some),
    });
    let allowed = "a folder from the root, file://… or s3://bucket/prefix";
    let remote = r.parsed("BACKUP_REMOTE_URL", "", allowed, |value| match value {
        "" => Some(None),
        value => address(value).map(|url| Some((url, value.to_owned()))),
    });
    let remote = remote.flatten().map(|(url, shown)| Remote { shown, url, aws: storage.aws.clone() });
    Place { folder, keep, recipient: recipient.flatten(), remote }
}

/// A folder may be written without a scheme.
fn address(value: &str) -> Option<MediaUrl> {
    let folder = Path::new(value.strip_prefix("file://").unwrap_or(value));
    if folder.is_absolute() {
        return Some(MediaUrl::Folder(absolute(folder)));
    }
    MediaUrl::parse(value).ok().filter(|url| matches!(url, MediaUrl::S3 { .. }))
}
