//! Settings, database, files, disk, clock and copies.

use super::{Finding, words};
use crate::backup::{Place, late};
use crate::health::BOT_SEEN_AT;
use crate::panel::Disk;
use crate::{AppError, Settings};
use bytes::Bytes;
use clients::media::Media;
use domain::backup::{self, LATE_AFTER};
use domain::{Rng, Timestamp, rng};
use std::time::Duration;
use store::backup::{BackupError, Source};
use store::{Store, event, settings as rows};

/// An evening with a thousand guests needs about this.
const FREE_MIN: u64 = 1 << 30;
/// Below this somebody should look.
const FREE_GOOD: u64 = 5 << 30;
/// A bot that was heard of within this runs.
const BOT_RUNS: Duration = Duration::from_secs(60);
/// Two clocks may differ by this.
const CLOCKS_DIFFER: Duration = Duration::from_secs(30);

/// What is configured and will be missed.
pub fn settings(settings: &Settings, token: bool) -> Vec<Finding> {
    const ABOUT: &str = "configuration";
    let mut found = Vec::new();
    if !token {
        found.push(Finding::failure(
            ABOUT,
            "BOT_TOKEN is not set",
            "put the token from BotFather into the environment",
        ));
    }
    if settings.admin_user_ids.is_empty() {
        found.push(Finding::failure(
            ABOUT,
            "ADMIN_USER_IDS is empty: no alert reaches anybody",
            "put the Telegram ids of the operators into it",
        ));
    }
    let local = ["http://localhost", "http://127.0.0.1", "https://"];
    if !local.iter().any(|begin| settings.public_url.starts_with(begin)) {
        found.push(Finding::failure(
            ABOUT,
            format!("PUBLIC_URL is {}: a tablet opens its camera only for https", settings.public_url),
            "put a proxy with a certificate in front (docs/handbook/install.md)",
        ));
    }
    if settings.maintenance {
        found.push(Finding::failure(
            ABOUT,
            "MAINTENANCE_MODE is 1: nobody can begin",
            "set it to 0 and restart",
        ));
    }
    if settings.privacy_url.is_none() {
        found.push(Finding::warning(
            ABOUT,
            "PRIVACY_URL is empty",
            "put the address of the privacy notice into it",
        ));
    }
    if found.is_empty() {
        found.push(Finding::ok(ABOUT, "everything that the day needs is set"));
    }
    found
}

/// The database: reachable, up to date, sound; and whether the product is paused and the bot runs.
///
/// # Errors
/// When it fails.
pub async fn database(store: &Store, now: Timestamp) -> Result<Vec<Finding>, AppError> {
    const ABOUT: &str = "database";
    let mut found = Vec::new();
    let pending = store.pending_migrations().await?;
    if store.applied_migrations().await? == 0 {
        return Ok(vec![Finding::warning(
            ABOUT,
            "it is empty",
            "start stickers api and stickers bot once, or stickers migrate",
        )]);
    }
    if !pending.is_empty() {
        return Ok(vec![Finding::warning(
            ABOUT,
            format!("{} migrations are missing", pending.len()),
            "they are applied at the next start; or stickers migrate",
        )]);
    }
    match store.integrity_check().await? {
        Some(told) if told != "ok" => found.push(Finding::failure(
            ABOUT,
            format!("it is damaged: {told}"),
            "stop the services and restore the newest good copy (docs/handbook/backups.md)",
        )),
        _ => found.push(Finding::ok(ABOUT, "it answers, is up to date and sound")),
    }
    let reader = &mut store.reader();
    if let Some(pause) = rows::get(reader, crate::health::MAINTENANCE).await? {
        found.push(Finding::failure(
            ABOUT,
            format!("the product is paused ({pause})"),
            "send /resume to the bot",
        ));
    }
    let seen =
        rows::get(reader, BOT_SEEN_AT).await?.and_then(|at| at.parse().ok()).map(Timestamp::from_millis);
    found.push(match seen {
        Some(seen) if now.since(seen) <= BOT_RUNS => Finding::ok("bot", "it runs"),
        Some(seen) => Finding::warning(
            "bot",
            format!("it was last heard of {} min ago", now.since(seen).as_secs() / 60),
            "start stickers bot: nothing is drawn or deleted without it",
        ),
        None => Finding::warning("bot", "it was never heard of", "start stickers bot"),
    });
    Ok(found)
}

/// Whether the clock is not behind what it wrote, and not apart from that of the database.
///
/// # Errors
/// When the database fails.
pub async fn clock(store: &Store, now: Timestamp) -> Result<Finding, AppError> {
    const ABOUT: &str = "clock";
    let apart = |other: Timestamp| now.since(other).max(other.since(now));
    let server = store.lease_clock(now).await?;
    if apart(server) > CLOCKS_DIFFER {
        let says = format!("it differs from the database's by {} s", apart(server).as_secs());
        return Ok(Finding::failure(ABOUT, says, "synchronise both: timedatectl"));
    }
    // Rows that were written later than now: the clock went back.
    let last = event::last_guest(&mut store.reader()).await?;
    Ok(match last.filter(|last| last.since(now) > CLOCKS_DIFFER) {
        Some(last) => Finding::failure(
            ABOUT,
            format!("it says {now}, and a guest was here at {last}"),
            "synchronise it: timedatectl; deadlines and retention count on it",
        ),
        None => Finding::ok(ABOUT, format!("{now}")),
    })
}

/// Whether a file can be written, read and deleted.
pub async fn media(media: &Media, rng: &dyn Rng) -> Finding {
    const ABOUT: &str = "files";
    let key = format!("doctor/{}.txt", rng::pack_key(rng));
    let probe = async {
        media.put(&key, Bytes::from_static(b"probe")).await?;
        let read = media.get(&key).await?;
        media.delete(&key).await?;
        Ok::<_, clients::media::MediaError>(read == b"probe"[..])
    };
    match probe.await {
        Ok(true) => Finding::ok(ABOUT, "one was written, read and deleted"),
        Ok(false) => {
            Finding::failure(ABOUT, "one came back with other bytes", "look at the media store (MEDIA_URL)")
        }
        Err(error) => Finding::failure(ABOUT, words(&error), "look at MEDIA_URL, its rights and its keys"),
    }
}

/// Room for an evening.
pub fn disk(disk: Option<Disk>) -> Finding {
    const ABOUT: &str = "disk";
    let Some(disk) = disk else {
        return Finding::warning(
            ABOUT,
            "it does not tell how much room it has",
            "look at the disk of DATA_DIR",
        );
    };
    let says = format!("{} free", backup::size(disk.free));
    if disk.free < FREE_MIN {
        Finding::failure(ABOUT, says, "make room: a gibibyte is needed for an evening")
    } else if disk.free < FREE_GOOD {
        Finding::warning(ABOUT, says, "make room before the event")
    } else {
        Finding::ok(ABOUT, says)
    }
}

/// A fresh copy, a folder that takes one, and the place elsewhere.
///
/// # Errors
/// When the database fails.
pub async fn backups(store: Option<&Store>, place: &Place, now: Timestamp) -> Result<Vec<Finding>, AppError> {
    const ABOUT: &str = "backups";
    let mut found = Vec::new();
    let last = match store {
        Some(store) => late::last(store).await?,
        None => None,
    };
    found.push(match last {
        Some(last) if now.since(last) <= LATE_AFTER => {
            Finding::ok(ABOUT, format!("the last good one is {} h old", now.since(last).as_secs() / 3_600))
        }
        Some(last) => Finding::failure(
            ABOUT,
            format!("the last good one is {} h old", now.since(last).as_secs() / 3_600),
            "run stickers backup, and look at its timer",
        ),
        None => Finding::warning(ABOUT, "there was none yet", "run stickers backup before the event"),
    });
    if let Some(Source::Server(server)) = store.map(Store::source) {
        found.push(tools(server.versions().await));
    }
    if let Err(error) = place.list() {
        let says = format!("{} cannot be read: {error}", place.folder.display());
        found.push(Finding::failure(ABOUT, says, "look at the rights on BACKUP_DIR"));
    }
    if let Some(remote) = &place.remote {
        found.push(match remote.list().await {
            Ok(copies) => Finding::ok("copies elsewhere", format!("{} in {}", copies.len(), remote.shown)),
            Err(error) => {
                Finding::failure("copies elsewhere", words(&error), "look at BACKUP_REMOTE_URL and its keys")
            }
        });
    }
    Ok(found)
}

/// Whether `pg_dump` is there and knows this server.
fn tools(versions: Result<(u32, u32), BackupError>) -> Finding {
    const ABOUT: &str = "pg_dump";
    const INSTALL: &str = "install the client of PostgreSQL, of the server's version or newer";
    match versions {
        Ok((server, tool)) if tool >= server => {
            Finding::ok(ABOUT, format!("{tool}, for a server of {server}"))
        }
        Ok((server, tool)) => {
            Finding::failure(ABOUT, format!("{tool} does not copy a server of {server}"), INSTALL)
        }
        Err(error) => Finding::failure(ABOUT, words(&error), INSTALL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Mark;

    #[test]
    fn a_pg_dump_that_is_older_than_the_server_fails() {
        for (versions, mark) in [((15, 15), Mark::Ok), ((15, 17), Mark::Ok), ((17, 15), Mark::Failure)] {
            assert_eq!(tools(Ok(versions)).mark, mark, "{versions:?}");
        }
        assert_eq!(tools(Err(BackupError::InUse)).mark, Mark::Failure);
    }

    #[test]
    fn a_disk_with_less_than_a_gibibyte_fails_and_with_less_than_five_warns() {
        let mark = |free: u64| disk(Some(Disk { total: 1 << 40, free })).mark;
        assert_eq!(mark((1 << 30) - 1), Mark::Failure);
        assert_eq!(mark(1 << 30), Mark::Warning);
        assert_eq!(mark(5 << 30), Mark::Ok);
        assert_eq!(disk(None).mark, Mark::Warning);
    }
}
