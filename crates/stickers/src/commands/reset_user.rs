//! `stickers reset-user`: what would go of a guest, and with `--yes` the deletion of their rows and files.

use crate::config::Config;
use crate::failure::Failure;
use crate::out::say;
use crate::system::SystemClock;
use crate::{logs, parts};
use app::guest::{self, Forgotten};
use clap::Args;
use domain::guest::TelegramId;
use domain::{Clock, backup, names};
use serde_json::json;
use store::Store;
use store::privacy::{self, Footprint};

/// Delete a guest's rows and files; without --yes only say what would go.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  stickers reset-user 4242424242\n  stickers reset-user 4242424242 --yes\n\nThe guest can then begin anew. The database is copied first, as app.db.bak-<time>; that copy still holds the guest and goes after 24 hours. Exit status 1 when nobody has this id."
)]
pub struct ResetUserArgs {
    /// Telegram id of the guest
    #[arg(value_name = "ID", value_parser = clap::value_parser!(i64).range(1..))]
    id: i64,

    /// Delete
    #[arg(long)]
    yes: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &ResetUserArgs, config: &Config) -> Result<(), Failure> {
    let _logs = logs::start(&config.logs)?;
    let guest = TelegramId(args.id);
    parts::runtime()?.block_on(async {
        if args.yes { reset(args, guest, config).await } else { rehearse(args, guest, config).await }
    })
}

/// What would go.
async fn rehearse(args: &ResetUserArgs, guest: TelegramId, config: &Config) -> Result<(), Failure> {
    let store = open_known(config, guest).await?;
    let found = privacy::footprint(&mut store.reader(), guest).await;
    store.close().await;
    let found = found.map_err(|error| Failure::of("the database cannot be read", &error))?;
    let files = files(config, &found).await?;
    let (id, users, sessions, jobs) = (args.id, found.users, found.sessions.len(), found.jobs.len());
    if args.json {
        say!(
            "{}",
            json!({"id": id, "deleted": false, "users": users, "sessions": sessions, "jobs": jobs,
                "active_jobs": found.active, "files": files})
        );
        return Ok(());
    }
    say!("будет удалено для {id}: users={users}, sessions={sessions}, jobs={jobs}");
    say!("файлов: {files}; из заданий в работе: {} (закончатся без сообщения гостю)", found.active);
    say!("это проверка, ничего не удалено; удалить: stickers reset-user {id} --yes");
    Ok(())
}

/// The database, when the guest is in it.
async fn open_known(config: &Config, guest: TelegramId) -> Result<Store, Failure> {
    if let Some(file) = config.storage.database_file().filter(|file| !file.exists()) {
        return Err(Failure::Failed(format!("there is no database {}", file.display())));
    }
    let store = parts::open(config).await?;
    match store::users::find(&mut store.reader(), guest).await {
        Ok(Some(_)) => return Ok(store),
        Ok(None) => {}
        Err(error) => return Err(Failure::of("the database cannot be read", &error)),
    }
    store.close().await;
    Err(Failure::Failed(format!("nobody has the id {guest}")))
}

/// How many files there are of these sessions and jobs.
async fn files(config: &Config, found: &Footprint) -> Result<usize, Failure> {
    let media = parts::media(config)?;
    let failed = |error| Failure::of("the files cannot be listed", &error);
    let mut count = 0;
    for token in &found.sessions {
        count += media.list(&names::session_folder(token)).await.map_err(failed)?.len();
    }
    let debug = media.list(names::DEBUG_FOLDER).await.map_err(failed)?;
    let mine = |key: &str| found.jobs.iter().any(|job| key.starts_with(&names::debug_key(*job, "")));
    Ok(count + debug.iter().filter(|file| mine(&file.key)).count())
}

async fn reset(args: &ResetUserArgs, guest: TelegramId, config: &Config) -> Result<(), Failure> {
    open_known(config, guest).await?.close().await;
    let ctx = parts::ctx(config).await?;
    let done = guest::reset_by_command(&ctx, guest).await;
    let checked = ctx.store.integrity_check().await;
    ctx.store.close().await;
    let done = done.map_err(|error| Failure::of("the guest was not deleted whole; run it again", &error))?;
    if !done.known {
        return Err(Failure::Failed(format!("nobody has the id {guest}")));
    }
    let checked = checked.map_err(|error| Failure::of("the database cannot be checked", &error))?;
    tell(args, &done, checked.as_deref());
    match checked.as_deref() {
        None | Some("ok") => Ok(()),
        Some(_) => Err(Failure::Failed(
            "the guest is deleted, and the database is damaged: see docs/handbook/backups.md".to_owned(),
        )),
    }
}

fn tell(args: &ResetUserArgs, done: &Forgotten, checked: Option<&str>) {
    let (id, sessions, jobs) = (args.id, done.sessions, done.jobs);
    let copy = done.copy.as_ref().map(|copy| copy.display().to_string());
    if args.json {
        say!(
            "{}",
            json!({"id": id, "deleted": true, "users": 1, "sessions": sessions, "jobs": jobs, "files": done.files,
                "copy": copy, "integrity_check": checked})
        );
        return;
    }
    if let Some(copy) = copy {
        let until = backup::log_time(SystemClock.now().plus(backup::RESET_COPY_KEPT_FOR));
        say!("копия до удаления: {copy} (в ней гость ещё есть; удалится сама после {until})");
    }
    say!("удалено для {id}: users=1, sessions={sessions}, jobs={jobs}");
    if let Some(checked) = checked {
        say!("integrity_check: {checked}");
    }
    say!(
        "файлов удалено: {}; готовый набор остаётся в Telegram; ночные копии хранят гостя до 14 дней",
        done.files
    );
}
