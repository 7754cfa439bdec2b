//! Photos, what was made of them, and files that no row knows.

use super::{Check, PASS, Scope, number};
use crate::AppError;
use crate::loops::{ROWLESS_AFTER, Rows};
use clients::media::MediaFile;
use domain::{Timestamp, names};
use std::time::Duration;

/// What to do about files that are still there.
const CLEAN_UP: &str = "the clean-up deletes them: is stickers bot running, with the role cleanup, and may it write to the media store? \
     To delete every photo at once when no job is active: stickers event close --now";

pub(super) async fn checks(scope: &Scope) -> Result<Vec<Check>, AppError> {
    let ttl = Duration::from_secs(u64::from(scope.photo_ttl_hours) * 3_600);
    let deadline = scope.now.minus(ttl);
    let mut checks = Vec::new();
    let (mut rowless, mut all) = (0, 0);
    for (folder, rule, what) in [
        (names::SESSIONS_FOLDER, "photos", "selfies, generated sheets and stickers"),
        (names::DEBUG_FOLDER, "debug_sheets", "debug sheets, anchor portraits and reports"),
    ] {
        let files = scope.media.list(folder).await?;
        rowless += without_a_row(scope, &files).await?;
        // What a killed process left half-written is in no listing, and may be a face all the same.
        rowless +=
            scope.media.count_unfinished(folder, scope.now.minus(ROWLESS_AFTER + PASS).as_millis()).await?;
        all += files.len();
        let written = |file: &MediaFile| Timestamp::from_millis(file.last_modified_ms);
        checks.push(Check {
            rule,
            says: format!("{what}: at most {} h after they were written", scope.photo_ttl_hours),
            count: number(files.len()),
            past: number(files.iter().filter(|file| written(file) < deadline).count()),
            oldest: files.iter().map(written).min(),
            advice: CLEAN_UP,
        });
    }
    checks.push(Check {
        rule: "files_without_a_row",
        says: "files that no row knows: at most an hour".to_owned(),
        count: number(all),
        past: number(rowless),
        oldest: None,
        advice: CLEAN_UP,
    });
    Ok(checks)
}

/// How many of the files are of no row and older than an hour.
async fn without_a_row(scope: &Scope, files: &[MediaFile]) -> Result<usize, AppError> {
    let settled = scope.now.minus(ROWLESS_AFTER);
    let mut rows = Rows::new(&scope.store);
    let mut count = 0;
    for file in files {
        if Timestamp::from_millis(file.last_modified_ms) < settled && !rows.know(file).await? {
            count += 1;
        }
    }
    Ok(count)
}
