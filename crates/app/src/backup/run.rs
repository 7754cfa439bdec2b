//! A copy with all that belongs to it: its line in the log, the note in the database, the copy elsewhere, and the word to the operators when
//! something failed. By the timer, by hand, and by `/backup`.

use super::nightly::{self, Failed, Made};
use super::{Place, RemoteError, copies, late};
use crate::outbox;
use crate::{AppError, Ctx};
use domain::Timestamp;
use store::Store;
use store::backup::Source;

/// What came of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The copy, or why there is none.
    pub made: Result<Made, Failed>,
    /// The line of the log (seed 002, "Log lines").
    pub line: String,
    /// What came of sending it elsewhere, when that is configured: how many older ones went there.
    pub sent: Option<Result<usize, RemoteError>>,
}

/// Makes a copy. What goes wrong behind it changes nothing about the copy.
pub async fn run(database: &Source, place: &Place, now: Timestamp) -> Outcome {
    let made = nightly::make(database, place, now).await;
    let line = nightly::log_line(&made, now);
    if let Err(error) = place.log(&line) {
        tracing::error!(%error, "backup.log in BACKUP_DIR cannot be written");
    }
    let sent = match (&made, &place.remote) {
        (Ok(made), Some(remote)) => Some(remote.send(&place.folder, &made.copy, place.keep, now).await),
        _ => None,
    };
    if !matches!(made, Err(Failed::NoDatabase(_)))
        && let Err(error) = copies::rotate(&place.automatic(database), now)
    {
        tracing::error!(%error, "old copies beside the database cannot be removed");
    }
    if made.is_ok()
        && let Err(error) = copies::rotate_left(database, now).await
    {
        tracing::error!(%error, "databases that a restore left cannot be removed");
    }
    Outcome { made, line, sent }
}

/// What operators have to hear of a run: the kind of the alert, and its words.
pub fn alerts(outcome: &Outcome) -> Vec<(&'static str, String)> {
    let mut alerts = Vec::new();
    if !matches!(outcome.made, Ok(_) | Err(Failed::NoDatabase(_))) {
        alerts.push(("backup_failed", late::failed_words(&outcome.line)));
    }
    if let Some(Err(error)) = &outcome.sent {
        let reason = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
        let text = format!(
            "⚠️ Копия базы сделана, но на другой сервер не отправлена: {error} ({reason}). Что делать: проверить BACKUP_REMOTE_URL и ключи, затем запустить stickers backup."
        );
        alerts.push(("backup_remote", text));
    }
    alerts
}

/// Notes a good copy in the database, and tells the operators what failed.
///
/// # Errors
/// When the database fails.
pub async fn note(store: &Store, outcome: &Outcome, admins: &[i64], now: Timestamp) -> Result<(), AppError> {
    if let Ok(made) = &outcome.made {
        late::note(store, made.copy.name.clone(), now).await?;
    }
    for (kind, text) in alerts(outcome) {
        let admins = admins.to_vec();
        let told: Result<(), AppError> = store
            .write(move |tx| {
                Box::pin(async move { outbox::alert_of_kind(tx, &admins, kind, &text, now).await })
            })
            .await;
        told?;
    }
    Ok(())
}

/// `/backup`: makes a copy now; the answer for whoever asked.
///
/// # Errors
/// When the database fails.
pub(crate) async fn by_operator(ctx: &Ctx) -> Result<String, AppError> {
    let now = ctx.clock.now();
    let Some(place) = &ctx.settings.backups else {
        return Ok("Копии базы здесь не настроены: их делает stickers backup на сервере.".to_owned());
    };
    let outcome = run(ctx.store.source(), place, now).await;
    // The one who asked reads it in the answer; the others are told as after any failed run.
    note(&ctx.store, &outcome, &ctx.settings.admin_user_ids, now).await?;
    let mark = if outcome.made.is_ok() { "✅" } else { "⚠️" };
    let sent = match (&outcome.sent, &place.remote) {
        (Some(Ok(_)), Some(remote)) => format!("\nОтправлена и в {}", remote.shown),
        (Some(Err(error)), _) => format!("\nНа другой сервер не отправлена: {error}"),
        _ => String::new(),
    };
    Ok(format!("{mark} {}{sent}", outcome.line))
}
