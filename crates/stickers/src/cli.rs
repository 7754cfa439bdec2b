//! The command line: what it looks like, and one clear line for what is wrong with it.

use crate::commands::{
    admin_password, api, backup, backups, bot, config, cost_report, demo, doctor, event, landing, migrate,
    privacy_audit, render, reset_user, restore, sql, templates,
};
use crate::failure::{Failure, one_line};
use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// A sticker kiosk for events: a guest taps Start, takes a selfie and gets a sticker pack in Telegram.
#[derive(Parser, Debug)]
#[command(
    name = "stickers",
    bin_name = "stickers",
    version = concat!(env!("CARGO_PKG_VERSION"), " (", env!("STICKERS_BUILT_FROM"), ")"),
    after_help = "Example:\n  stickers demo\n\nEvery command has its own --help with an example."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// File with NAME=value lines; the environment wins over it [default: .env when present]
    #[arg(long, global = true, value_name = "FILE")]
    pub env_file: Option<PathBuf>,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Everything in one process, with a Telegram simulator and no account anywhere
    Demo(demo::DemoArgs),
    /// The HTTP server: kiosk API and page, admin panel, health and figures
    Api(api::ApiArgs),
    /// Telegram updates, sticker making, delivery, deadlines and clean-up
    Bot(bot::BotArgs),
    /// The landing site: a page that sells, and a form whose requests reach the sales team
    Landing(landing::LandingArgs),
    /// Photo files in, sticker files out; no bot, no database
    Render(render::RenderArgs),
    /// Check the outfits of a folder, or start a new one
    Templates(templates::TemplatesArgs),
    /// Apply the database's migrations
    Migrate(migrate::MigrateArgs),
    /// Copy the database: consistent, checked, compressed
    Backup(backup::BackupArgs),
    /// List the copies of the database
    Backups(backups::BackupsArgs),
    /// Bring a copy of the database back
    Restore(restore::RestoreArgs),
    /// Delete a guest's rows and files, or say what would go
    ResetUser(reset_user::ResetUserArgs),
    /// Prove what personal data exists now, and that nothing is past its time
    PrivacyAudit(privacy_audit::PrivacyAuditArgs),
    /// Check everything that the event day needs
    Doctor(doctor::DoctorArgs),
    /// After an event: the counts for the client, and the checklist that closes it
    Event(event::EventArgs),
    /// Ask the live database; nothing can be changed by it
    Sql(sql::SqlArgs),
    /// What image providers cost, by day of California and stage
    CostReport(cost_report::CostReportArgs),
    /// Print the effective configuration with secrets masked
    Config(config::ConfigArgs),
    /// Hash a password for the admin panel
    AdminPassword(admin_password::AdminPasswordArgs),
}

/// What to do with a command line.
#[derive(Debug)]
pub enum Parsed {
    /// Run this.
    Run(Box<Cli>),
    /// Print this text (help, version) and end well.
    Print(String),
}

/// Reads the command line.
///
/// # Errors
/// One line that says what is wrong and where help is.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Parsed, Failure> {
    let args: Vec<OsString> = args.into_iter().collect();
    match Cli::try_parse_from(&args) {
        Ok(cli) => Ok(Parsed::Run(Box::new(cli))),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            Ok(Parsed::Print(error.to_string()))
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Err(Failure::input("a command is missing; see stickers --help"))
        }
        Err(error) => Err(Failure::input(format!("{}; see stickers --help", complaint(&error.to_string())))),
    }
}

/// The complaint of the parser without its headings, usage and hints, on one line.
fn complaint(rendered: &str) -> String {
    let told = rendered.split("\n\nUsage:").next().unwrap_or(rendered);
    let told = told.split("\n\nFor more information").next().unwrap_or(told);
    one_line(told.trim_start_matches("error: "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn refusal(args: &[&str]) -> String {
        match parse(args.iter().map(OsString::from)) {
            Err(Failure::Input(lines)) => lines.join("\n"),
            other => panic!("{args:?}: {other:?}"),
        }
    }

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_a_help_with_an_example() {
        fn look(command: &clap::Command) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Example"), "{} has no example", command.get_name());
            command.get_subcommands().for_each(look);
        }
        look(&Cli::command());
    }

    #[test]
    fn bad_input_is_one_line_that_names_it() {
        for (args, part) in [
            (&["stickers"][..], "command"),
            (&["stickers", "dance"], "dance"),
            (&["stickers", "api", "--loud"], "--loud"),
            (&["stickers", "demo", "--port", "99999"], "99999"),
            (&["stickers", "bot", "--roles", "dancer"], "dancer"),
            (&["stickers", "render", "--template", "chapan"], "<PHOTO>"),
        ] {
            let line = refusal(args);
            assert!(line.contains(part) && !line.contains('\n'), "{args:?}: {line}");
        }
    }
}
