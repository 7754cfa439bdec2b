//! `stickers privacy-audit`: what personal data exists now, and whether any of it is past its time.

use crate::config::Config;
use crate::failure::Failure;
use crate::out::{put, say};
use crate::system::SystemClock;
use crate::{logs, parts};
use app::privacy::{self, Check, Report, Scope};
use clap::Args;
use domain::{Clock, Timestamp};
use serde_json::json;
use std::fmt::Write;

/// Prove what personal data exists now, and that nothing is past its time.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  stickers privacy-audit --env-file /etc/stickers/kiosk.env\n\nLooks at rows, files (also of an S3 store), copies and logs; changes nothing and names nobody. Exit status 1 when something is past its time, each line says what to do."
)]
pub struct PrivacyAuditArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &PrivacyAuditArgs, config: &Config) -> Result<(), Failure> {
    let _logs = logs::start(&config.logs)?;
    let now = SystemClock.now();
    let report = parts::runtime()?.block_on(look(config, now))?;
    if args.json {
        say!("{}", as_json(&report, now));
    } else {
        put(format_args!("{}", told(&report, now)));
    }
    if report.is_clean() { Ok(()) } else { Err(Failure::Reported) }
}

async fn look(config: &Config, now: Timestamp) -> Result<Report, Failure> {
    if let Some(file) = config.storage.database_file().filter(|file| !file.exists()) {
        return Err(Failure::Failed(format!("there is no database {}", file.display())));
    }
    let scope = Scope {
        store: parts::open(config).await?,
        media: parts::media(config)?,
        photo_ttl_hours: config.event.photo_ttl_hours,
        backups: config.backups.clone(),
        logs: config.logs.dir.clone(),
        now,
    };
    let report = privacy::audit(&scope).await;
    scope.store.close().await;
    report.map_err(|error| Failure::of("the audit is not complete", &error))
}

fn as_json(report: &Report, now: Timestamp) -> serde_json::Value {
    let held = &report.held;
    json!({
        "ok": report.is_clean(), "at": now.to_string(), "checks": report.checks,
        "held": {"users": held.users, "sessions": held.sessions, "jobs": held.jobs, "leads": held.leads,
            "hashes_of_erased_guests": held.erasures, "journal_of_erasures": report.journal},
    })
}

fn told(report: &Report, now: Timestamp) -> String {
    let held = &report.held;
    let mut text = format!(
        "held now: users={} sessions={} jobs={} leads={}; hashes of erased guests: {}, lines in the journal of erasures: {}\n",
        held.users, held.sessions, held.jobs, held.leads, held.erasures, report.journal
    );
    for check in &report.checks {
        text.push_str(&line(check, now));
    }
    let past = report.checks.iter().filter(|check| check.past > 0).count();
    // Writing to a string cannot fail.
    let _ = match past {
        0 => writeln!(text, "nothing is past its time"),
        past => writeln!(text, "{past} rules are not kept"),
    };
    text
}

fn line(check: &Check, now: Timestamp) -> String {
    let age = check.oldest.map_or_else(String::new, |oldest| {
        format!(", the oldest {} h old", now.since(oldest).as_secs() / 3_600)
    });
    match check.past {
        0 => format!("ok    {}: {}{age}\n", check.says, check.count),
        past => format!("PAST  {}: {past} past it of {}{age}. {}\n", check.says, check.count, check.advice),
    }
}
