//! `stickers event`: the counts for the client, and the checklist after an event.

use super::backup;
use crate::config::Config;
use crate::failure::Failure;
use crate::out::{put, say};
use crate::system::SystemClock;
use crate::{logs, parts};
use app::event::{self, Closed, Closing, Figures, Period, State};
use app::privacy::Scope;
use clap::{Args, Subcommand};
use domain::{Clock, Timestamp, backup as names, schedule};
use render::Templates;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// After an event: the counts for the client, and the checklist that closes it.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  stickers event report --from 2026-11-28 --to 2026-11-29 --html report.html\n  stickers event close"
)]
pub struct EventArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Count guests, packs, waiting times, outfits, languages and costs; no personal data
    Report(ReportArgs),
    /// Do and prove the checklist after an event
    Close(CloseArgs),
}

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  stickers event report --from 2026-11-28 --to 2026-11-29 --html report.html --csv report.csv\n\nDays are those of Tashkent, both included. Operators' own trials do not count."
)]
struct ReportArgs {
    /// First day [default: the first of all]
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    from: Option<Timestamp>,

    /// Last day [default: today]
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    to: Option<Timestamp>,

    /// Also write a page for the client; its folder must exist
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Also write a table for a spreadsheet; its folder must exist
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  stickers event close\n\nBefore PHOTO_TTL_HOURS after the last guest are over it changes nothing, says when it will pass and exits with status 1. It makes a copy of the database, writes the counts to DATA_DIR/reports, deletes photos that are left and every automatic copy, forgets who was erased, and proves it by the privacy audit."
)]
struct CloseArgs {
    /// Delete the photos at once; refused while a job is active
    #[arg(long)]
    now: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn day(text: &str) -> Result<Timestamp, String> {
    schedule::beginning_of(text).ok_or_else(|| "a day is YYYY-MM-DD, for example 2026-11-28".to_owned())
}

/// Runs the command.
pub fn run(args: &EventArgs, config: &Config) -> Result<(), Failure> {
    let _logs = logs::start(&config.logs)?;
    let now = SystemClock.now();
    let runtime = parts::runtime()?;
    match &args.what {
        What::Report(args) => runtime.block_on(report(args, config, now)),
        What::Close(args) => runtime.block_on(close(args, config, now)),
    }
}

async fn report(args: &ReportArgs, config: &Config, now: Timestamp) -> Result<(), Failure> {
    let period = Period {
        from: args.from.unwrap_or(Timestamp::from_millis(0)),
        // The end is not included; a day is.
        to: args.to.map_or(now.plus(schedule::MOMENT), |day| day.plus(schedule::DAY)),
    };
    if period.from >= period.to {
        return Err(Failure::input("--from is after --to"));
    }
    let store = existing(config).await?;
    let figures = event::figures(&store, period, &config.event.admin_user_ids).await;
    store.close().await;
    let figures = figures.map_err(|error| Failure::of("the event cannot be counted", &error))?;
    if let Some(path) = &args.html {
        write(path, &page(config, &figures)?)?;
    }
    if let Some(path) = &args.csv {
        write(path, &event::csv(&figures))?;
    }
    if args.json {
        say!("{}", json!(figures));
    } else {
        put(format_args!("{}", told(&figures)));
    }
    Ok(())
}

/// The database, which has to be there.
async fn existing(config: &Config) -> Result<store::Store, Failure> {
    match config.storage.database_file().filter(|file| !file.exists()) {
        Some(file) => Err(Failure::Failed(format!("there is no database {}", file.display()))),
        None => parts::open(config).await,
    }
}

fn page(config: &Config, figures: &Figures) -> Result<String, Failure> {
    let templates: Templates = parts::templates(config.work.templates_dir.as_deref())?;
    let title = |id: &str| templates.get(id).map_or_else(|| id.to_owned(), |outfit| outfit.titles.ru.clone());
    Ok(event::html(&config.event.event_name, figures, title))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text)
        .map_err(|error| Failure::of(&format!("{} cannot be written", path.display()), &error))
}

fn told(figures: &Figures) -> String {
    let mut text = format!(
        "guests {} (agreed {}), taps {} (with a phone {}), photos {}, packs {}, failed {}, active {}\n",
        figures.guests,
        figures.agreed,
        figures.taps,
        figures.linked,
        figures.photos,
        figures.packs,
        figures.failed,
        figures.active
    );
    if let Some(waiting) = &figures.waiting {
        text.push_str(&format!(
            "waiting: half no longer than {} s, nine of ten {} s, the longest {} s\n",
            waiting.median_s, waiting.nine_of_ten_s, waiting.longest_s
        ));
    }
    for (name, list) in [
        ("outfits", &figures.outfits),
        ("languages", &figures.languages),
        ("drawn", &figures.modes),
        ("tablets", &figures.tablets),
        ("closed without a photo", &figures.closed),
    ] {
        let shown: Vec<String> =
            list.iter().map(|(name, count)| format!("{} {count}", domain::readable::plain(name))).collect();
        if !shown.is_empty() {
            text.push_str(&format!("{name}: {}\n", shown.join(", ")));
        }
    }
    let each = figures.cost_per_pack_usd.map(|each| format!(", {each:.4} a pack")).unwrap_or_default();
    text.push_str(&format!("cost: {:.2} USD{each}\n", figures.cost_usd));
    text
}

async fn close(args: &CloseArgs, config: &Config, now: Timestamp) -> Result<(), Failure> {
    let scope = Scope {
        store: existing(config).await?,
        media: parts::media(config)?,
        photo_ttl_hours: config.event.photo_ttl_hours,
        backups: config.backups.clone(),
        logs: config.logs.dir.clone(),
        now,
    };
    let copying = async {
        let outcome = backup::make(config, now).await.map_err(|failure| failure.words())?;
        if outcome.made.is_ok() { Ok(outcome.line) } else { Err(outcome.line) }
    };
    let exporting = async { export(config, &scope, now).await.map_err(|failure| failure.words()) };
    let closed = event::close(Closing {
        scope: &scope,
        at_once: args.now,
        copy: Box::pin(copying),
        export: Box::pin(exporting),
    })
    .await;
    scope.store.close().await;
    let closed = closed.map_err(|error| Failure::of("the event is not closed", &error))?;
    if args.json {
        say!(
            "{}",
            json!({"closed": closed.is_closed(), "steps": closed.steps,
                "passes_at": closed.passes_at.map(|at| at.to_string())})
        );
    } else {
        put(format_args!("{}", checklist(&closed)));
    }
    if closed.is_closed() { Ok(()) } else { Err(Failure::Reported) }
}

/// Writes the counts of the whole database and what providers cost, for whoever writes the bill.
async fn export(config: &Config, scope: &Scope, now: Timestamp) -> Result<Vec<PathBuf>, Failure> {
    const DAYS: u16 = 366;
    let folder = config.storage.data_dir.join("reports");
    private_folder(&folder)
        .map_err(|error| Failure::of(&format!("{} cannot be made", folder.display()), &error))?;
    let period = Period { from: Timestamp::from_millis(0), to: now.plus(schedule::MOMENT) };
    let failed = |error: &app::AppError| Failure::of("the event cannot be counted", error);
    let figures = event::figures(&scope.store, period, &config.event.admin_user_ids).await;
    let figures = figures.map_err(|error| failed(&error))?;
    let costs = app::spend::report(&scope.store, now, DAYS).await.map_err(|error| failed(&error))?;
    let stamp = names::stamp(now);
    let files = [
        (folder.join(format!("event-{stamp}.html")), page(config, &figures)?),
        (folder.join(format!("event-{stamp}.csv")), event::csv(&figures)),
        (folder.join(format!("costs-{stamp}.csv")), super::cost_report::csv(&costs)),
    ];
    for (path, text) in &files {
        write(path, text)?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

fn private_folder(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn checklist(closed: &Closed) -> String {
    let mut text = String::new();
    for step in &closed.steps {
        let mark = match step.state {
            State::Done => "done    ",
            State::Failed => "FAILED  ",
            State::ByHand => "by hand ",
            State::NotBegun => "-       ",
        };
        let says = if step.says.is_empty() { String::new() } else { format!(": {}", step.says) };
        text.push_str(&format!("{} {mark}{}{says}\n", step.number, step.what));
    }
    let end = match (closed.is_closed(), closed.passes_at) {
        (true, _) => "the event is closed".to_owned(),
        (false, Some(at)) => format!("the event is not closed; it passes {at}"),
        (false, None) => "the event is not closed".to_owned(),
    };
    text.push_str(&end);
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_that_of_tashkent_and_nothing_else_is_a_day() {
        assert_eq!(day("2026-11-28").map(|at| at.to_string()), Ok("2026-11-27T19:00:00Z".to_owned()));
        for wrong in ["28.11.2026", "2026-11-31", "today", ""] {
            assert!(day(wrong).is_err(), "{wrong}");
        }
    }
}
