//! `stickers backup`: one copy of the database now. A timer of the system runs it every night; a run by hand counts like one of those.

use crate::config::Config;
use crate::failure::{Failure, chain, one_line};
use crate::journal::{self, Priority, complain};
use crate::out::say;
use crate::system::SystemClock;
use crate::{logs, parts};
use app::backup::nightly::Failed;
use app::backup::run::{self, Outcome};
use app::timer::TokioTimer;
use app::trouble;
use clap::Args;
use clients::telegram::{BotApi, TimeOuts};
use domain::{Clock, Timestamp};
use serde_json::json;
use std::time::Duration;

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
        let outcome = make(config, SystemClock.now()).await?;
        if args.json {
            say!("{}", report(&outcome));
        } else {
            say!("{}", outcome.line);
        }
        if let Some(Err(error)) = &outcome.sent {
            let line =
                format!("stickers: the copy is good, and is not elsewhere: {}", one_line(&chain(error)));
            complain(journal::is_stderr(config.logs.journal.as_deref()), Priority::Warning, &line);
        }
        match outcome.made {
            Ok(_) | Err(Failed::NoDatabase(_)) => Ok(()),
            Err(error) => Err(Failure::of("no copy was made", &error)),
        }
    })
}

/// Makes a copy and notes what came of it: in the log of the copies, in the database, elsewhere, and with the operators when something failed.
///
/// # Errors
/// When there is nothing that could be copied so.
pub(super) async fn make(config: &Config, now: Timestamp) -> Result<Outcome, Failure> {
    let database = parts::source(config)?;
    let outcome = run::run(&database, &config.backups, now).await;
    if !matches!(outcome.made, Err(Failed::NoDatabase(_))) {
        note(config, &outcome, now).await;
    }
    Ok(outcome)
}

/// What goes wrong here changes nothing about the copy.
async fn note(config: &Config, outcome: &Outcome, now: Timestamp) {
    let noted = async {
        let store = parts::open(config).await.map_err(|failure| failure.words())?;
        let noted = run::note(&store, outcome, &config.event.admin_user_ids, now).await;
        store.close().await;
        noted.map_err(|error| chain(&error))
    };
    if let Err(error) = noted.await {
        tracing::error!(error, "the outcome of the backup cannot be noted in the database");
        tell(config, outcome).await;
    }
}

/// The longest that one call may take which tells of a failed copy. The database cannot keep it, so there is no later.
const TOLD_WITHIN: TimeOuts = TimeOuts {
    connect: Duration::from_secs(5),
    read: Duration::from_secs(10),
    send: Duration::from_secs(10),
    poll_margin: Duration::ZERO,
};

/// Sends the operators what the database could not queue for them.
async fn tell(config: &Config, outcome: &Outcome) {
    let (alerts, admins) = (run::alerts(outcome), &config.event.admin_user_ids);
    let Some(token) = config.telegram.bot_token.clone().filter(|_| !alerts.is_empty()) else { return };
    let telegram = match BotApi::with_time_outs(&config.telegram.api_url, token, TOLD_WITHIN) {
        Ok(telegram) => telegram,
        Err(error) => {
            tracing::error!(error = chain(&error), "operators cannot be told of the failed backup");
            return;
        }
    };
    for (_, text) in &alerts {
        trouble::tell_straight(&telegram, &TokioTimer, admins, text).await;
    }
}

fn report(outcome: &Outcome) -> serde_json::Value {
    let line = &outcome.line;
    match &outcome.made {
        Ok(made) => json!({
            "ok": true, "line": line, "sent": outcome.sent.as_ref().map(Result::is_ok), "name": made.copy.name, "size": made.copy.size, "jobs": made.contents.jobs,
            "users": made.contents.users, "sessions": made.contents.sessions, "leads": made.contents.leads,
            "deleted": made.deleted,
        }),
        Err(error) => json!({"ok": false, "line": line, "error": chain(error)}),
    }
}
