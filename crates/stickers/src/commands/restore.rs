//! `stickers restore`: brings a copy of the database back. The one that stands there is kept.

use crate::config::Config;
use crate::failure::{Failure, chain};
use crate::out::{put, say};
use crate::system::{SystemClock, SystemRng};
use crate::{logs, parts};
use app::backup::restore::{RestoreError, Restored, With, restore};
use clap::Args;
use domain::Clock;
use serde_json::json;
use std::path::PathBuf;

/// Bring a copy of the database back; api and bot must be stopped.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  stickers restore /var/backups/sticker-pack/app-20261128-033005.db.gz\n\nThe copy is checked before anything is touched, and the present database is kept beside it as app.db.before-restore-<time>. A PostgreSQL server is brought back by pg_restore into a new database, which takes the name of the old one. Active jobs are failed and unsent messages dropped, so that nobody is messaged; guests and leads erased since the copy was made are erased again."
)]
pub struct RestoreArgs {
    /// The copy: app-….db.gz, app-….db.gz.age, or a plain app.db.bak-…; for a PostgreSQL server app-….pgdump.gz and so on
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// File of the secret key of age, for an encrypted copy
    #[arg(long, value_name = "KEYFILE")]
    identity: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &RestoreArgs, config: &Config) -> Result<(), Failure> {
    let _logs = logs::start(&config.logs)?;
    let database = parts::source(config)?;
    let with = With {
        backups: &config.backups,
        identity: args.identity.as_deref(),
        link_url: &config.telegram.link_url,
        rng: &SystemRng,
        now: SystemClock.now(),
    };
    let restored =
        parts::runtime()?.block_on(restore(&database, &args.file, &with)).map_err(|error| match error {
            RestoreError::NoFile(_) => Failure::input(chain(&error)),
            _ => Failure::of("nothing was restored", &error),
        })?;
    if args.json {
        say!("{}", report(&restored))
    } else {
        put(format_args!("{}", told(&restored)))
    }
    Ok(())
}

fn report(restored: &Restored) -> serde_json::Value {
    let (contents, settled) = (&restored.contents, &restored.settled);
    json!({
        "jobs": contents.jobs, "users": contents.users, "sessions": contents.sessions, "leads": contents.leads,
        "made_at": restored.made_at.map(|at| at.to_string()),
        "failed_jobs": settled.jobs, "dropped_messages": settled.messages, "dropped_updates": settled.updates,
        "reminders": settled.reminders, "cards_to_repeat": settled.cards,
        "guests_erased_again": restored.guests, "leads_erased_again": restored.leads,
        "kept": restored.kept.as_ref().map(|path| path.display().to_string()),
        "left": restored.left.as_ref().map(|left| json!({"database": left.name, "reason": left.reason})),
    })
}

fn told(restored: &Restored) -> String {
    let (contents, settled) = (&restored.contents, &restored.settled);
    let mut text = format!(
        "restored: integrity=ok jobs={} users={} sessions={} leads={}\n",
        contents.jobs, contents.users, contents.sessions, contents.leads
    );
    text.push_str(&format!(
        "settled: {} active jobs failed, {} messages and {} updates dropped, {} reminders taken as sent, {} cards to post as possible repeats\n",
        settled.jobs, settled.messages, settled.updates, settled.reminders, settled.cards
    ));
    text.push_str(&format!("erased again: {} guests, {} leads\n", restored.guests, restored.leads));
    if restored.made_at.is_none() {
        text.push_str(
            "the name does not tell when the copy was made, so every erasure of the journal was repeated\n",
        );
    }
    if let Some(kept) = &restored.kept {
        text.push_str(&format!(
            "the database that was there is kept as {}; it goes after 14 days\n",
            kept.display()
        ));
    }
    if let Some(left) = &restored.left {
        text.push_str(&format!(
            "the database that was there could not be copied ({}) and stays on the server as {}: look at it, then drop it; it goes after 14 days\n",
            left.reason, left.name
        ));
    }
    text.push_str("start the services now: stickers api, stickers bot\n");
    text
}
