//! `stickers backups`: the copies that there are, nightly ones and those beside the database.

use crate::config::Config;
use crate::failure::Failure;
use crate::out::say;
use crate::parts;
use crate::system::SystemClock;
use app::backup::copies;
use clap::Args;
use domain::{Clock, backup};
use serde_json::json;

/// List the copies of the database, newest first.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  stickers backups --env-file /etc/stickers/kiosk.env")]
pub struct BackupsArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A line of the list.
struct Line {
    file: String,
    at: domain::Timestamp,
    size: u64,
}

/// Runs the command.
pub fn run(args: &BackupsArgs, config: &Config) -> Result<(), Failure> {
    let folder = &config.backups.folder;
    let nightly = config
        .backups
        .list()
        .map_err(|error| Failure::of(&format!("{} cannot be read", folder.display()), &error))?;
    let mut lines: Vec<Line> = nightly
        .into_iter()
        .map(|copy| Line {
            file: folder.join(&copy.name).display().to_string(),
            at: copy.at,
            size: copy.size,
        })
        .collect();
    let beside = config.backups.automatic(&parts::source(config)?);
    let automatic = copies::list(&beside)
        .map_err(|error| Failure::of("the folder of the database cannot be read", &error))?;
    for (path, at, _) in automatic.into_iter().filter(|(path, ..)| copies::is_copy(&beside, path)) {
        let size = path.metadata().map_or(0, |found| found.len());
        lines.push(Line { file: path.display().to_string(), at, size });
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.at));
    if args.json {
        let rows: Vec<_> = lines
            .iter()
            .map(|line| json!({"file": line.file, "at": line.at.to_string(), "size": line.size}))
            .collect();
        say!("{}", json!({ "copies": rows }));
    } else if lines.is_empty() {
        say!("there is no copy in {}", folder.display());
    }
    let now = SystemClock.now();
    for line in lines.iter().filter(|_| !args.json) {
        let hours = now.since(line.at).as_secs() / 3600;
        say!(
            "{}  {:>6}  {:>4} h old  {}",
            backup::log_time(line.at),
            backup::size(line.size),
            hours,
            line.file
        );
    }
    Ok(())
}
