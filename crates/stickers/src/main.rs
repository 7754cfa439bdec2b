//! The `stickers` binary: reads the command line and the configuration, builds the outside and runs one command. No rule of the
//! product lives here.

mod cli;
mod commands;
mod config;
mod failure;
mod journal;
mod logs;
mod out;
mod parts;
mod running;
mod signals;
mod system;

use cli::{Cli, Command, Parsed};
use config::Config;
use config::env::Env;
use config::landing::LandingConfig;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::parse(std::env::args_os()) {
        Ok(Parsed::Print(text)) => {
            out::put(format_args!("{text}"));
            ExitCode::SUCCESS
        }
        Ok(Parsed::Run(cli)) => match run(*cli) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => failure.end(to_journal()),
        },
        Err(failure) => failure.end(to_journal()),
    }
}

/// Whether standard error goes to the systemd journal.
fn to_journal() -> bool {
    journal::is_stderr(config::env::journal_stream().as_deref())
}

/// Reads the environment and runs the command.
fn run(cli: Cli) -> Result<(), Failure> {
    let env = Env::of_process(cli.env_file.as_deref()).map_err(Failure::input)?;
    let read = |env: &Env| Config::read(env).map_err(Failure::Input);
    match cli.command {
        Command::Demo(args) => commands::demo::run(&args, env),
        Command::Api(args) => commands::api::run(&args, read(&env)?),
        Command::Bot(args) => commands::bot::run(&args, read(&env)?),
        Command::Landing(args) => {
            commands::landing::run(&args, LandingConfig::read(&env).map_err(Failure::Input)?)
        }
        Command::Render(args) => commands::render::run(&args, &read(&env)?),
        Command::Templates(args) => commands::templates::run(&args),
        Command::Migrate(args) => commands::migrate::run(&args, &read(&env)?),
        Command::Backup(args) => commands::backup::run(&args, &read(&env)?),
        Command::Backups(args) => commands::backups::run(&args, &read(&env)?),
        Command::Restore(args) => commands::restore::run(&args, &read(&env)?),
        Command::ResetUser(args) => commands::reset_user::run(&args, &read(&env)?),
        Command::PrivacyAudit(args) => commands::privacy_audit::run(&args, &read(&env)?),
        Command::Doctor(args) => commands::doctor::run(&args, &read(&env)?),
        Command::Event(args) => commands::event::run(&args, &read(&env)?),
        Command::Sql(args) => commands::sql::run(&args, &read(&env)?),
        Command::CostReport(args) => commands::cost_report::run(&args, &read(&env)?),
        Command::Config(args) => commands::config::run(&args, &read(&env)?),
        Command::AdminPassword(args) => commands::admin_password::run(&args),
    }
}
