//! Copies of the database: `BACKUP_DIR`, `BACKUP_KEEP`.

use super::reader::Reader;
use super::storage::{Storage, absolute};
use app::backup::Place;
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
    Place { folder, keep: r.number("BACKUP_KEEP", 14, 1..=1_000) }
}
