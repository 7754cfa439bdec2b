//! `stickers backup`: one copy of the database now. A timer of the system runs it every night; a run by hand counts like one of those.

use crate::config::Config;
use crate::failure::{Failure, chain};
use crate::system::SystemClock;
use crate::{logs, parts};
use app::backup::nightly::{self, Failed, Made};
use app::backup::{copies, late};
use clap::Args;
use domain::{Clock, Timestamp};
use serde_json::json;
use std::path::Path;

/// Copy the database: consistent, checked, compressed, the last BACKUP_KEEP copies stay.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  stickers backup --env-file /etc/stickers/kiosk.env\n\nPrints the line of the backup's log. Exit status 1 when no copy was made; operators are told then."
)]
pub struct BackupArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &BackupArgs, config: &Config) -> Result<(), Failure> {
    let _logs = logs::start(&config.logs)?;
    parts::runtime()?.block_on(async {
        let (outcome, line) = make(config, SystemClock.now()).await?;
        if args.json {
            println!("{}", report(&outcome, &line));
        } else {
            println!("{line}");
        }
        match outcome {
            Ok(_) | Err(Failed::NoDatabase(_)) => Ok(()),
            Err(error) => Err(Failure::of("no copy was made", &error)),
        }
    })
}

/// Makes a copy and notes what came of it: in the log of the copies, in the database, and with the operators when there is none. The outcome
/// with its line.
///
/// # Errors
/// When there is nothing that could be copied so.
pub(super) async fn make(config: &Config, now: Timestamp) -> Result<(Result<Made, Failed>, String), Failure> {
    let database = parts::database_file(config, "backup")?;
    let outcome = nightly::make(&database, &config.backups, now).await;
    let line = nightly::log_line(&outcome, now);
    if let Err(error) = config.backups.log(&line) {
        tracing::error!(%error, "backup.log in BACKUP_DIR cannot be written");
    }
    tell(config, &database, &outcome, &line, now).await;
    Ok((outcome, line))
}

/// Notes the copy in the database, or tells the operators that there is none. What goes wrong here changes nothing about the copy.
async fn tell(config: &Config, database: &Path, outcome: &Result<Made, Failed>, line: &str, now: Timestamp) {
    if matches!(outcome, Err(Failed::NoDatabase(_))) {
        return;
    }
    if let Err(error) = copies::rotate(database, now) {
        tracing::error!(error = chain(&error), "old copies beside the database cannot be removed");
    }
    let told = async {
        let store = parts::open(config).await.map_err(|failure| format!("{failure:?}"))?;
        let told = match outcome {
            Ok(made) => late::note(&store, made.copy.name.clone(), now).await,
            Err(_) => late::tell_failed(&store, config.event.admin_user_ids.clone(), line, now).await,
        };
        store.close().await;
        told.map_err(|error| chain(&error))
    };
    if let Err(error) = told.await {
        tracing::error!(error, "the outcome of the backup cannot be noted in the database");
    }
}

fn report(outcome: &Result<Made, Failed>, line: &str) -> serde_json::Value {
    match outcome {
        Ok(made) => json!({
            "ok": true, "line": line, "name": made.copy.name, "size": made.copy.size, "jobs": made.contents.jobs,
            "users": made.contents.users, "sessions": made.contents.sessions, "leads": made.contents.leads,
            "deleted": made.deleted,
        }),
        Err(error) => json!({"ok": false, "line": line, "error": chain(error)}),
    }
}
