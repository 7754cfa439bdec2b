//! What keeps the machine from taking what guests and visitors send: a full disk, a lock that another program holds, a folder without
//! permission. Nothing of it can be queued in the database, which is what fails, so the words go to the log and straight to the operators.
//!
//! **Invariant:** a trouble ends nothing: loops go on, and what failed is tried again by whoever tried it.

use crate::outbox::ALERT_EVERY;
use crate::timer::Timer;
use crate::{AppError, Ctx};
use clients::telegram::{SendMessage, Telegram};
use domain::{Timestamp, names};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use store::{Trouble, settings};

/// How often is looked.
pub const LOOK_EVERY: Duration = Duration::from_secs(10);
/// Folders that the folder of files consists of.
const FOLDERS: [&str; 2] = [names::SESSIONS_FOLDER, names::DEBUG_FOLDER];
/// Key in `settings` that is written to see whether the database takes writes again.
const PROBE: &str = "write_probe";

/// One thing that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Matter {
    /// The database cannot be written.
    Database(Trouble),
    /// The folder of photos and stickers takes no files.
    Files(FolderTrouble),
}

/// Why a folder takes no files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FolderTrouble {
    /// The disk is full.
    Full,
    /// No permission, a read-only file system, or no such folder.
    NoAccess,
    /// The disk does not take what is written, or takes too long.
    Failing,
}

impl FolderTrouble {
    fn of(error: &io::Error) -> FolderTrouble {
        use io::ErrorKind as Kind;
        match error.kind() {
            Kind::StorageFull | Kind::QuotaExceeded => FolderTrouble::Full,
            Kind::PermissionDenied | Kind::ReadOnlyFilesystem | Kind::NotFound | Kind::NotADirectory => {
                FolderTrouble::NoAccess
            }
            _ => FolderTrouble::Failing,
        }
    }
}

impl Matter {
    /// What is wrong and what to do, for operators.
    pub fn words(self) -> &'static str {
        match self {
            Matter::Database(Trouble::Full) => {
                "Диск полон: база не записывается. Гости и заявки получают отказ и могут повторить, записанное не потеряно. Что делать: \
                 освободить место (df -h; старые копии app.db.bak-*, логи, чужие файлы). Перезапуск не нужен."
            }
            Matter::Database(Trouble::Locked) => {
                "База занята другой программой: записи не проходят. Что делать: найти, кто держит app.db (fuser -v app.db), и закрыть. \
                 Перезапуск не нужен."
            }
            Matter::Database(Trouble::NoAccess) => {
                "Нет прав на запись в базу. Что делать: вернуть владельца и права папки данных (DATA_DIR) и файлов app.db*. \
                 Перезапуск не нужен."
            }
            Matter::Database(Trouble::Failing) => {
                "Диск не принимает запись в базу. Что делать: проверить место, лимиты и исправность диска (df -h, dmesg). Перезапуск не нужен."
            }
            Matter::Database(Trouble::Damaged) => {
                "База повреждена. Что делать: остановить службы и вернуть копию (stickers backups, затем stickers restore ФАЙЛ)."
            }
            Matter::Database(Trouble::Unreachable) => {
                "Сервер базы не отвечает. Что делать: проверить PostgreSQL и сеть. Перезапуск не нужен."
            }
            Matter::Files(FolderTrouble::Full) => {
                "Диск полон: фото не сохраняются. Что делать: освободить место (df -h). Перезапуск не нужен."
            }
            Matter::Files(FolderTrouble::NoAccess) => {
                "Нет доступа к папке данных: фото не сохраняются. Что делать: вернуть папку, владельца и права (DATA_DIR). Перезапуск не нужен."
            }
            Matter::Files(FolderTrouble::Failing) => {
                "Диск не принимает файлы: фото не сохраняются. Что делать: проверить место, лимиты и исправность диска (df -h, dmesg). \
                 Перезапуск не нужен."
            }
        }
    }

    /// The same in two parts: what is wrong, and what to do.
    pub fn in_two(self) -> (&'static str, &'static str) {
        let (what, todo) = self.words().split_once("Что делать: ").unwrap_or((self.words(), ""));
        (what.trim_end(), todo)
    }

    /// What is well again.
    fn over(self) -> &'static str {
        match self {
            Matter::Database(_) => "База снова записывается.",
            Matter::Files(_) => "Файлы снова сохраняются.",
        }
    }
}

/// What is wrong now. A trouble of the database is looked at again by a write, because the last one may be long ago.
pub async fn look(ctx: &Ctx) -> BTreeSet<Matter> {
    if ctx.store.trouble().is_some() {
        let now = ctx.clock.now();
        let tried: Result<(), AppError> = ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    settings::set(tx, PROBE, &now.as_millis().to_string(), now).await.map_err(AppError::from)
                })
            })
            .await;
        if let Err(error) = tried {
            tracing::debug!(error = &error as &dyn std::error::Error, "the database takes no writes yet");
        }
    }
    known(ctx).await
}

/// What is wrong as far as it is known: what the last write met, and whether the folder takes files.
pub async fn known(ctx: &Ctx) -> BTreeSet<Matter> {
    let mut found: BTreeSet<Matter> = ctx.store.trouble().map(Matter::Database).into_iter().collect();
    if let Err(error) = ctx.media.probe(&FOLDERS).await {
        tracing::debug!(%error, "the folder of files takes none");
        found.insert(Matter::Files(FolderTrouble::of(&error)));
    }
    found
}

/// Looks, logs what begins and ends, and tells operators: each matter at once, then every [`ALERT_EVERY`] while it lasts, and once that it is
/// over.
pub struct Watch {
    ctx: Ctx,
    /// None in a process that never calls Telegram.
    telegram: Option<Arc<dyn Telegram>>,
    known: BTreeSet<Matter>,
    told: BTreeMap<Matter, Timestamp>,
}

impl Watch {
    /// Knows of nothing yet.
    pub fn new(ctx: Ctx, telegram: Option<Arc<dyn Telegram>>) -> Watch {
        Watch { ctx, telegram, known: BTreeSet::new(), told: BTreeMap::new() }
    }

    /// Looks once.
    pub async fn tick(&mut self) {
        let found = look(&self.ctx).await;
        for matter in found.difference(&self.known) {
            tracing::error!("TROUBLE {}", matter.words());
        }
        let over: Vec<Matter> = self.known.difference(&found).copied().collect();
        self.known = found;
        for matter in self.known.clone() {
            let now = self.ctx.clock.now();
            let recent = self.told.get(&matter).is_some_and(|at| *at <= now && now.since(*at) < ALERT_EVERY);
            if !recent && self.tell(&format!("⚠️ {}", matter.words())).await {
                self.told.insert(matter, now);
            }
        }
        for matter in over {
            tracing::warn!("TROUBLE over: {}", matter.over());
            // Who was told of it is told of its end; when it comes back within half an hour, that is no news.
            if self.told.contains_key(&matter) {
                self.tell(&format!("✅ {}", matter.over())).await;
            }
        }
    }

    /// Whether every operator got it. With none, or without Telegram, the log is all there is.
    async fn tell(&self, text: &str) -> bool {
        let Some(telegram) = &self.telegram else { return true };
        let mut all = true;
        for admin in &self.ctx.settings.admin_user_ids {
            if let Err(error) = telegram.send_message(SendMessage::plain(*admin, text)).await {
                tracing::warn!(status = error.status, description = %error.description, "an operator could not be told");
                // What may have arrived is not sent again.
                all &= !error.is_retryable();
            }
        }
        all
    }
}

/// How long a process that ends soon may take to tell operators something.
const TOLD_WITHIN: Duration = Duration::from_secs(20);
/// What it waits before it tries again.
const TOLD_AGAIN: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(5)];

/// Tells operators what cannot be queued, from a process that ends soon: at most three tries for each of them, all of it within 20 s. Whoever
/// is not reached stands in the log.
pub async fn tell_straight(telegram: &dyn Telegram, timer: &dyn Timer, admins: &[i64], text: &str) {
    tracing::error!("ALERT {text}");
    let all = futures::future::join_all(admins.iter().map(|admin| tell_one(telegram, timer, *admin, text)));
    if tokio::time::timeout(TOLD_WITHIN, all).await.is_err() {
        tracing::warn!("Telegram did not answer in time: an operator may not have been told");
    }
}

/// Tells one operator. What may have arrived is not sent again.
async fn tell_one(telegram: &dyn Telegram, timer: &dyn Timer, admin: i64, text: &str) {
    let mut again = TOLD_AGAIN.into_iter();
    while let Err(error) = telegram.send_message(SendMessage::plain(admin, text)).await {
        tracing::warn!(status = error.status, description = %error.description, "an operator could not be told");
        let Some(wait) = again.next().filter(|_| error.is_retryable()) else { return };
        let asked = error.retry_after_s().map_or(wait, |seconds| Duration::from_secs(seconds.into()));
        timer.sleep(wait.max(asked)).await;
    }
}

/// Looks every [`LOOK_EVERY`], for as long as the process runs.
pub async fn watch(ctx: Ctx, telegram: Option<Arc<dyn Telegram>>, timer: Arc<dyn Timer>) -> Infallible {
    let mut watch = Watch::new(ctx, telegram);
    loop {
        timer.beat(LOOK_EVERY).await;
        watch.tick().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_a_folder_are_told_apart() {
        use io::ErrorKind as Kind;
        for (kind, trouble) in [
            (Kind::StorageFull, FolderTrouble::Full),
            (Kind::QuotaExceeded, FolderTrouble::Full),
            (Kind::PermissionDenied, FolderTrouble::NoAccess),
            (Kind::ReadOnlyFilesystem, FolderTrouble::NoAccess),
            (Kind::NotFound, FolderTrouble::NoAccess),
            (Kind::FileTooLarge, FolderTrouble::Failing),
            (Kind::TimedOut, FolderTrouble::Failing),
        ] {
            assert_eq!(FolderTrouble::of(&kind.into()), trouble, "{kind:?}");
        }
    }
}
