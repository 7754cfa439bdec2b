//! `stickers config`: the effective configuration, secrets masked.

use crate::config::Config;
use crate::config::reader::Shown;
use crate::failure::Failure;
use clap::Args;
use serde_json::json;
use std::io::{self, Write};

/// Print the effective configuration with secrets masked.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  stickers config --env-file /etc/stickers/kiosk.env")]
pub struct ConfigArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &ConfigArgs, config: &Config) -> Result<(), Failure> {
    let text = if args.json { as_json(&config.shown) } else { as_lines(&config.shown) };
    io::stdout().write_all(text.as_bytes()).map_err(|error| Failure::of("cannot write", &error))
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
