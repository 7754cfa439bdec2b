//! Copies of the database, and logs.

use super::{AuditError, Check, PASS, Scope, number};
use crate::backup::copies;
use crate::backup::journal::Journal;
use domain::Timestamp;
use domain::backup::{self, Automatic};
use std::io;
use std::path::Path;
use std::time::Duration;
use store::backup::{Server, Source};

const BACKUP: &str =
    "stickers backup and the hourly pass of stickers bot delete them: look at the rights on BACKUP_DIR";
const BESIDE: &str = "the hourly pass of stickers bot deletes them: is it running, and may it write to the folder of the database?";

pub(super) fn checks(scope: &Scope) -> Result<Vec<Check>, AuditError> {
    let late = scope.now.minus(PASS);
    let mut checks = vec![nightly(scope, late)?, unpacked(scope, late)?];
    checks.extend(automatic(&scope.backups.automatic(scope.store.source()), late)?);
    if let Some(folder) = &scope.logs {
        checks.push(logs(folder, scope.now)?);
    }
    Ok(checks)
}

/// Lines of the journal of erasures.
pub(super) fn journal(scope: &Scope) -> Result<u64, AuditError> {
    let folder = &scope.backups.folder;
    Journal::within(folder).count().map(number).map_err(|source| at(folder, source))
}

fn nightly(scope: &Scope, late: Timestamp) -> Result<Check, AuditError> {
    let folder = &scope.backups.folder;
    let copies = scope.backups.list().map_err(|source| at(folder, source))?;
    let named = copies.iter().map(|copy| (copy.at, copy.name.clone())).collect();
    let past = backup::outdated(named, scope.backups.keep, late).len();
    let oldest = copies.iter().map(|copy| copy.at).min();
    let lone = oldest.is_some_and(|oldest| copies.len() == 1 && late.since(oldest) > backup::KEPT_FOR);
    let mut says = format!("nightly copies: the newest {}, none older than 14 days", scope.backups.keep);
    if lone {
        says.push_str("; the only one is older and stays, because the newest good copy always does");
    }
    Ok(Check {
        rule: "nightly_copies",
        says,
        count: number(copies.len()),
        past: number(past),
        oldest,
        advice: BACKUP,
    })
}

/// Copies that went to another machine.
pub(super) async fn elsewhere(scope: &Scope) -> Result<Option<Check>, AuditError> {
    let Some(remote) = &scope.backups.remote else { return Ok(None) };
    let copies = remote.list().await?;
    let count = number(copies.len());
    let oldest = copies.iter().map(|(made, _)| *made).min();
    // They are let go when the next one is sent, once a night.
    let late = scope.now.minus(PASS + backup::LATE_AFTER);
    let past = number(backup::outdated(copies, scope.backups.keep, late).len());
    let says = format!("copies elsewhere: the newest {}, none older than 14 days", scope.backups.keep);
    Ok(Some(Check { rule: "remote_copies", says, count, past, oldest, advice: BACKUP }))
}

/// Databases that restores left on the server.
pub(super) async fn left(scope: &Scope) -> Result<Option<Check>, AuditError> {
    let Source::Server(server) = scope.store.source() else { return Ok(None) };
    let names = server.left().await?;
    let made = |of: &Server| backup::left_time(of.name());
    // One without a time was prepared by a restore that was killed.
    let past = names
        .iter()
        .filter(|of| made(of).is_none_or(|made| scope.now.minus(PASS).since(made) > backup::KEPT_FOR))
        .count();
    Ok(Some(Check {
        rule: "left_databases",
        says: "databases that a restore left beside the new one: at most 14 days".to_owned(),
        count: number(names.len()),
        past: number(past),
        oldest: names.iter().filter_map(made).min(),
        advice: "stickers backup and stickers event close drop them: is somebody connected to one?",
    }))
}

fn unpacked(scope: &Scope, late: Timestamp) -> Result<Check, AuditError> {
    let folder = &scope.backups.folder;
    let found = scope.backups.unpacked().map_err(|source| at(folder, source))?;
    let past = found.iter().filter(|(_, made)| late.since(*made) > backup::KEPT_FOR).count();
    Ok(Check {
        rule: "damaged_copies",
        says: "damaged copies kept for inspection: at most 14 days".to_owned(),
        count: number(found.len()),
        past: number(past),
        oldest: found.iter().map(|(_, made)| *made).min(),
        advice: BACKUP,
    })
}

fn automatic(beside: &Path, late: Timestamp) -> Result<[Check; 2], AuditError> {
    let folder = beside.parent().unwrap_or(Path::new("."));
    let mut found = copies::list(beside).map_err(|source| at(folder, source))?;
    found.retain(|(path, ..)| !copies::is_mark(path));
    let check = |rule, says: &str, kinds: &[Automatic]| {
        let of_it: Vec<_> = found.iter().filter(|(_, _, of)| kinds.contains(of)).collect();
        let past = of_it.iter().filter(|(_, made, of)| backup::automatic_outdated(*made, *of, late)).count();
        Check {
            rule,
            says: says.to_owned(),
            count: number(of_it.len()),
            past: number(past),
            oldest: of_it.iter().map(|(_, made, _)| *made).min(),
            advice: BESIDE,
        }
    };
    Ok([
        check(
            "reset_copies",
            "copies that hold somebody who was erased since, as those made before a reset: at most 24 h",
            &[Automatic::Reset],
        ),
        check(
            "automatic_copies",
            "copies made before a migration or a restore: at most 14 days",
            &[Automatic::Plain, Automatic::BeforeRestore],
        ),
    ])
}

/// A day's file holds lines until its end.
const LOG_KEPT: Duration = Duration::from_secs(15 * 24 * 3_600);

fn logs(folder: &Path, now: Timestamp) -> Result<Check, AuditError> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        other => Some(other.map_err(|source| at(folder, source))?),
    };
    let mut days = Vec::new();
    for entry in entries.into_iter().flatten() {
        let name = entry.map_err(|source| at(folder, source))?.file_name();
        days.extend(backup::log_day(&name.to_string_lossy()));
    }
    Ok(Check {
        rule: "logs",
        says: "log files: 14 days".to_owned(),
        count: number(days.len()),
        past: number(days.iter().filter(|day| now.since(**day) > LOG_KEPT).count()),
        oldest: days.iter().copied().min(),
        advice: "a running stickers deletes the oldest at midnight: delete what a stopped one left in LOG_DIR",
    })
}

fn at(folder: &Path, source: io::Error) -> AuditError {
    AuditError::Folder { folder: folder.to_owned(), source }
}
