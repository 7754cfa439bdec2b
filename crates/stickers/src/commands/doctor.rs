//! `stickers doctor`: what would fail on the event day, one line each with what to do.

use crate::config::Config;
use crate::failure::{Failure, chain};
use crate::out::say;
use crate::system::{SystemClock, SystemRng, disk};
use crate::{logs, parts};
use app::doctor::{self, Finding, Mark, Rehearsal};
use app::timer::TokioTimer;
use app::{AppError, Outside, Settings};
use clap::Args;
use clients::telegram::BotApi;
use domain::Clock;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::Store;

/// Check everything that the event day needs.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  stickers doctor --rehearse me.jpg --env-file /etc/stickers/kiosk.env\n\nLooks at configuration, database, disk, clock, Telegram, providers and copies; says nothing to anybody. With --rehearse it makes one real pack from the photo, which may cost money, and deletes it. Exit status 1 when something would fail on the day."
)]
pub struct DoctorArgs {
    /// Make one real pack from this photo and delete it
    #[arg(long, value_name = "PHOTO")]
    rehearse: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &DoctorArgs, config: &Config) -> Result<(), Failure> {
    let _logs = logs::start(&config.logs)?;
    let photo = args.rehearse.as_deref().map(read).transpose()?;
    let found = parts::runtime()?.block_on(look(config, photo))?;
    let failures = found.iter().filter(|finding| finding.mark == Mark::Failure).count();
    if args.json {
        say!("{}", json!({"ok": failures == 0, "findings": found}));
    } else {
        found.iter().for_each(|finding| say!("{}", line(finding)));
        match failures {
            0 => say!("nothing would fail on the day"),
            failures => say!("{failures} things would fail on the day"),
        }
    }
    if failures == 0 { Ok(()) } else { Err(Failure::Reported) }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::input(format!("{} cannot be read: {error}", path.display())))
}

fn line(finding: &Finding) -> String {
    let mark = match finding.mark {
        Mark::Ok => "ok  ",
        Mark::Warning => "WARN",
        Mark::Failure => "FAIL",
    };
    let advice = if finding.advice.is_empty() { String::new() } else { format!(" — {}", finding.advice) };
    format!("{mark}  {}: {}{advice}", finding.about, domain::readable::plain(&finding.says))
}

/// Each part is looked at by itself: one that is broken hides no other.
async fn look(config: &Config, photo: Option<Vec<u8>>) -> Result<Vec<Finding>, Failure> {
    let now = SystemClock.now();
    let settings = parts::settings(config);
    let mut found = doctor::settings(&settings, config.telegram.bot_token.is_some());
    let store = open(config, &mut found).await;
    if let Some(store) = &store {
        taken(&mut found, "database", doctor::database(store, now).await);
        // Tables are asked only when they are there.
        if store.pending_migrations().await.is_ok_and(|pending| pending.is_empty()) {
            taken(&mut found, "clock", doctor::clock(store, now).await.map(|one| vec![one]));
        }
    }
    let ready = match &store {
        Some(store) if store.pending_migrations().await.is_ok_and(|pending| pending.is_empty()) => {
            Some(store)
        }
        _ => None,
    };
    found.push(doctor::disk(disk(&config.storage.data_dir)));
    match parts::media(config) {
        Ok(media) => found.push(doctor::media(&media, &SystemRng).await),
        Err(failure) => found.push(Finding::failure("files", failure.words(), "look at MEDIA_URL")),
    }
    taken(&mut found, "backups", doctor::backups(ready, &config.backups, now).await);
    outside(config, &settings, ready, photo, &mut found).await?;
    if let Some(store) = store {
        store.close().await;
    }
    Ok(found)
}

/// The database as it is; a file that is not there yet is made by nobody who only looks.
async fn open(config: &Config, found: &mut Vec<Finding>) -> Option<Store> {
    if let Some(file) = config.storage.database_file().filter(|file| !file.exists()) {
        found.push(Finding::warning(
            "database",
            format!("there is no {} yet", file.display()),
            "start stickers api and stickers bot once, or stickers migrate",
        ));
        return None;
    }
    match parts::open(config).await {
        Ok(store) => Some(store),
        Err(failure) => {
            let advice = "look at DATABASE_URL, the rights on the folder, and docs/handbook/backups.md";
            found.push(Finding::failure("database", failure.words(), advice));
            None
        }
    }
}

/// Telegram, providers, and the rehearsal.
async fn outside(
    config: &Config,
    settings: &Settings,
    store: Option<&Store>,
    photo: Option<Vec<u8>>,
    found: &mut Vec<Finding>,
) -> Result<(), Failure> {
    let providers = config.drawing.providers();
    let providers =
        providers.map_err(|error| Failure::of("the client for an image provider cannot be made", &error))?;
    taken(found, "providers", doctor::providers(&providers, store).await);
    let Some(token) = config.telegram.bot_token.clone() else { return Ok(()) };
    let api = BotApi::new(&config.telegram.api_url, token)
        .map_err(|error| Failure::of("the client for Telegram cannot be made", &error))?;
    let api = Arc::new(api);
    found.extend(doctor::telegram(&api, store, settings).await);
    let Some(photo) = photo else { return Ok(()) };
    let Some(owner) = settings.admin_user_ids.first().copied() else {
        found.push(Finding::failure(
            "rehearsal",
            "ADMIN_USER_IDS is empty",
            "the set needs an owner for a moment",
        ));
        return Ok(());
    };
    let renderer = Arc::new(parts::renderer(parts::templates(config.work.templates_dir.as_deref())?)?);
    let outside = Outside {
        telegram: Arc::clone(&api) as Arc<dyn clients::telegram::Telegram>,
        timer: Arc::new(TokioTimer),
        providers: Arc::new(providers),
        neighbours: Arc::new(app::neighbours::Strangers),
    };
    let with = Rehearsal {
        renderer: &renderer,
        outside: &outside,
        clock: &SystemClock,
        rng: &SystemRng,
        photo,
        owner,
    };
    found.extend(doctor::rehearse(with).await);
    Ok(())
}

fn taken(found: &mut Vec<Finding>, about: &'static str, outcome: Result<Vec<Finding>, AppError>) {
    match outcome {
        Ok(more) => found.extend(more),
        Err(error) => {
            found.push(Finding::failure(about, chain(&error), "look at the log and at DATABASE_URL"))
        }
    }
}
