//! `stickers config`: the effective configuration, secrets masked.

use crate::config::reader::Shown;
use crate::config::{Config, manual};
use crate::failure::Failure;
use crate::out::put;
use clap::Args;
use serde_json::json;

/// Print the effective configuration with secrets masked.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  stickers config --env-file /etc/stickers/kiosk.env")]
pub struct ConfigArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print the page of the handbook instead: every variable with its default and what is allowed
    #[arg(long, conflicts_with = "json")]
    manual: bool,
}

/// Runs the command.
pub fn run(args: &ConfigArgs, config: &Config) -> Result<(), Failure> {
    let text = match (args.json, args.manual) {
        (true, _) => as_json(&config.shown),
        (false, true) => manual::page().map_err(|lines| Failure::input(lines.join("; ")))?,
        (false, false) => as_lines(&config.shown),
    };
    put(format_args!("{text}"));
    Ok(())
}

fn as_lines(shown: &[Shown]) -> String {
    let lines = shown.iter().map(|variable| {
        let value = variable.value.as_deref().unwrap_or_default();
        format!("{}={value}  # {}\n", variable.name, variable.source.word())
    });
    lines.collect()
}

fn as_json(shown: &[Shown]) -> String {
    let variables: Vec<_> = shown
        .iter()
        .map(|variable| json!({"name": variable.name, "value": variable.value, "source": variable.source.word()}))
        .collect();
    format!("{:#}\n", json!({"variables": variables}))
}
