//! What a local write leaves when its process is killed.
//!
//! `object_store` writes to `<name>#<number>` beside the file and renames it. A kill in between leaves the first, which its
//! own listing hides, and which may be a guest's photo: it has to be found here.

use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Folders below a prefix are at most this deep; ours are two.
const DEPTH_MAX: usize = 16;

/// Deletes unfinished files below `folder` last written before `before_ms` (milliseconds since 1970); answers how many.
pub(super) fn delete(folder: &Path, before_ms: i64) -> io::Result<usize> {
    walk(folder, before_ms, true, DEPTH_MAX)
}

/// Counts what [`delete`] would delete.
pub(super) fn count(folder: &Path, before_ms: i64) -> io::Result<usize> {
    walk(folder, before_ms, false, DEPTH_MAX)
}

fn walk(folder: &Path, before_ms: i64, delete: bool, depth: usize) -> io::Result<usize> {
    if depth == 0 {
        return Err(io::Error::other("folders are nested too deep"));
    }
    let mut found = 0;
    let Some(entries) = gone_is_none(std::fs::read_dir(folder))? else { return Ok(0) };
    for entry in entries {
        let entry = entry?;
        let Some(meta) = gone_is_none(entry.metadata())? else { continue };
        if meta.is_dir() {
            found += walk(&entry.path(), before_ms, delete, depth - 1)?;
        } else if is_unfinished(&entry.file_name().to_string_lossy()) && modified_ms(&meta)? < before_ms {
            let there = !delete || gone_is_none(std::fs::remove_file(entry.path()))?.is_some();
            found += usize::from(there);
        }
    }
    if delete && found > 0 {
        // Only an empty folder can be removed, and one that is not is as it should be.
        let _ = std::fs::remove_dir(folder);
    }
    Ok(found)
}

fn is_unfinished(name: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit());
    name.rsplit_once('#').is_some_and(|(_, number)| digits(number))
}

fn modified_ms(meta: &std::fs::Metadata) -> io::Result<i64> {
    let since = meta.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Somebody else may delete at the same time.
fn gone_is_none<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
