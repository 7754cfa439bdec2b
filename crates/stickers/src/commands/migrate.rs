//! `stickers migrate`: applies the database's migrations. `api` and `bot` do the same when they start; this is for who wants to see it.

use crate::config::Config;
use crate::failure::Failure;
use crate::out::say;
use crate::{logs, parts};
use clap::Args;
use serde_json::json;

/// Apply the database's migrations.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  stickers migrate --env-file /etc/stickers/kiosk.env")]
pub struct MigrateArgs {
    /// Only say what would be applied; exit status 1 when something is missing
    #[arg(long)]
    check: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &MigrateArgs, config: &Config) -> Result<(), Failure> {
    let _logs = logs::start(&config.logs)?;
    let names = parts::runtime()?.block_on(async {
        let store = parts::open(config).await?;
        let names = if args.check {
            store
                .pending_migrations()
                .await
                .map_err(|error| Failure::of("the database cannot be read", &error))
        } else {
            parts::migrate(&store, config).await
        };
        store.close().await;
        names
    })?;
    let word = if args.check { "pending" } else { "applied" };
    if args.json {
        say!("{}", json!({ word: names }));
    } else if names.is_empty() {
        say!("the database is up to date");
    } else {
        names.iter().for_each(|name| say!("{word} {name}"));
    }
    if args.check && !names.is_empty() { Err(Failure::Reported) } else { Ok(()) }
}
