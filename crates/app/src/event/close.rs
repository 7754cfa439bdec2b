//! The checklist of seed 002, "After an event", step by step: done where a program can do it, and proven. Nothing is begun before the photos'
//! time is over, unless they are to go at once and no job needs them.

use crate::backup::copies;
use crate::health::BOT_SEEN_AT;
use crate::privacy::{self, AuditError, Scope};
use crate::{AppError, guest};
use domain::{Timestamp, names, schedule};
use futures::future::BoxFuture;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::audit_log::{self, Audit};
use store::backup::{BackupError, Source};
use store::{event, settings};

/// A bot that was heard of within this runs.
const BOT_RUNS: Duration = Duration::from_secs(3_600);

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Done, and looked at.
    Done,
    /// Not so.
    Failed,
    /// Only a person can do it.
    ByHand,
    /// Not begun, because an earlier one failed.
    NotBegun,
}

/// A step of the checklist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Its number in the seed.
    pub number: u8,
    /// What it is.
    pub what: &'static str,
    /// How it ended.
    pub state: State,
    /// What was found or done.
    pub says: String,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Closed {
    /// All nine.
    pub steps: Vec<Step>,
    /// When the photos' time is over, if it is not.
    pub passes_at: Option<Timestamp>,
}

impl Closed {
    /// Whether every step is done, or left to a person on purpose.
    pub fn is_closed(&self) -> bool {
        self.steps.iter().all(|step| matches!(step.state, State::Done | State::ByHand))
    }
}

/// What closing needs beside the places where personal data lies.
pub struct Closing<'a> {
    /// Database, media, copies, logs and the present time.
    pub scope: &'a Scope,
    /// Whether photos go at once.
    pub at_once: bool,
    /// Makes a copy of the database; the line of its log either way.
    pub copy: BoxFuture<'a, Result<String, String>>,
    /// Writes the counts; where they are.
    pub export: BoxFuture<'a, Result<Vec<PathBuf>, String>>,
}

/// What could not be looked at or done, beside the steps that say so themselves.
#[derive(Debug, thiserror::Error)]
pub enum CloseError {
    /// The database or the media store.
    #[error("the event cannot be closed")]
    App(#[from] AppError),
    /// The last look.
    #[error("whether nothing is left cannot be proven")]
    Audit(#[from] AuditError),
    /// A database that a restore left on the server.
    #[error("a database that a restore left on the server cannot be removed")]
    Server(#[source] BackupError),
    /// A copy beside the database.
    #[error("{} cannot be removed", .path.display())]
    Disk {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// The names of the steps.
const STEPS: [&str; 9] = [
    "the bot ran until the photos' time was over",
    "no job is being made, and failed ones are closed",
    "a copy of the database",
    "the counts are exported",
    "no photo files remain",
    "automatic copies of the database are removed",
    "snapshots of the server that hold photos are deleted",
    "guest rows: kept for the next event, or removed one by one",
    "statistics for the client are counts",
];

/// Closes the event, or says what keeps it open.
///
/// # Errors
/// See [`CloseError`]; steps that were done before stay done, and closing again does the rest.
pub async fn close(with: Closing<'_>) -> Result<Closed, CloseError> {
    let (first, passes_at) = first_steps(&with).await?;
    let mut steps = Steps(first);
    if steps.have_failed() {
        return Ok(steps.end(passes_at));
    }
    let scope = with.scope;
    steps.take(3, with.copy.await);
    let exported = if steps.have_failed() { None } else { Some(with.export.await) };
    let files = match exported {
        Some(outcome) => {
            let shown = outcome.map(|files| paths(&files));
            steps.take(4, shown.clone());
            shown.unwrap_or_default()
        }
        None => return Ok(steps.end(None)),
    };
    if steps.have_failed() {
        return Ok(steps.end(None));
    }
    let left = delete_photos(scope, with.at_once).await?;
    steps.take(5, left);
    if steps.have_failed() {
        return Ok(steps.end(None));
    }
    steps.add(6, State::Done, remove_copies(scope).await?);
    steps.add(
        7,
        State::ByHand,
        "look into the hosting panel: delete every snapshot taken while guests were there".to_owned(),
    );
    steps.add(8, State::ByHand, decide_about_rows(scope).await?);
    steps.add(9, State::Done, format!("hand over {files}"));
    prove(scope, &mut steps).await?;
    Ok(steps.end(None))
}

/// Whether it is time, and nobody waits.
async fn first_steps(with: &Closing<'_>) -> Result<(Vec<Step>, Option<Timestamp>), AppError> {
    let scope = with.scope;
    let mut reader = scope.store.reader();
    let ttl = Duration::from_secs(u64::from(scope.photo_ttl_hours) * 3_600);
    let last = event::last_guest(&mut reader).await?;
    let passes_at = last.map(|last| last.plus(ttl)).filter(|at| *at > scope.now);
    let seen = settings::get(&mut reader, BOT_SEEN_AT).await?.and_then(|at| at.parse().ok());
    let seen = seen.map(Timestamp::from_millis);
    let (active, failed) = event::open_jobs(&mut reader).await?;
    let mut steps = Steps(Vec::new());
    match (passes_at, with.at_once) {
        (Some(at), false) => steps.add(
            1,
            State::Failed,
            format!(
                "the last guest was here {}; it passes {} (Tashkent). Keep stickers bot running until then, or delete the photos now: --now",
                last.map(schedule::short_time).unwrap_or_default(),
                schedule::short_time(at)
            ),
        ),
        (Some(_), true) => steps.add(1, State::Done, "not over yet; the photos go now".to_owned()),
        (None, _) => steps.add(1, State::Done, bot_words(seen, scope.now)),
    }
    if active > 0 {
        let says = format!("{active} jobs are still being made: wait for them, or look into the panel");
        steps.add(2, State::Failed, says);
    } else {
        steps.add(2, State::Done, format!("0 are being made; {failed} failed ones stay as they are"));
    }
    Ok((steps.0, passes_at.filter(|_| !with.at_once)))
}

fn bot_words(seen: Option<Timestamp>, now: Timestamp) -> String {
    match seen {
        Some(seen) if now.since(seen) <= BOT_RUNS => "it is over, and the bot runs".to_owned(),
        Some(seen) => format!(
            "it is over; the bot was last heard of {} h ago, so step 5 deletes what it left",
            now.since(seen).as_secs() / 3_600
        ),
        None => "it is over; no bot was ever heard of, so step 5 deletes what is there".to_owned(),
    }
}

/// Deletes what is past its time, or everything; how many files went, and how many are left.
async fn delete_photos(scope: &Scope, everything: bool) -> Result<Result<String, String>, AppError> {
    // Somebody may have begun since the first look.
    let (active, _) = event::open_jobs(&mut scope.store.reader()).await?;
    if active > 0 {
        return Ok(Err(format!("{active} jobs were begun meanwhile; nothing was deleted")));
    }
    let ttl = Duration::from_secs(u64::from(scope.photo_ttl_hours) * 3_600);
    let before = if everything { scope.now } else { scope.now.minus(ttl) };
    let (mut gone, mut left) = (0, 0);
    for folder in [names::SESSIONS_FOLDER, names::DEBUG_FOLDER] {
        gone += scope.media.delete_unfinished(folder, before.as_millis()).await?;
        for file in scope.media.list(folder).await? {
            if file.last_modified_ms <= before.as_millis() {
                scope.media.delete(&file.key).await?;
                gone += 1;
            }
        }
        left += scope.media.list(folder).await?.len();
    }
    let says = format!("{left} files left, {gone} deleted now");
    Ok(if left == 0 { Ok(says) } else { Err(format!("{says}: somebody still takes photos")) })
}

/// Every automatic copy: a copy in the folder of nightly ones was made a moment ago.
async fn remove_copies(scope: &Scope) -> Result<String, CloseError> {
    let beside = scope.backups.automatic(scope.store.source());
    let removed = tokio::task::spawn_blocking(move || {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| CloseError::Disk { path, source }
        };
        let mut count = 0;
        for (path, ..) in copies::list(&beside).map_err(failed(&beside))? {
            std::fs::remove_file(&path).map_err(failed(&path))?;
            count += usize::from(copies::is_copy(&beside, &path));
        }
        Ok::<_, CloseError>(count)
    });
    let mut count = removed.await.map_err(AppError::from)??;
    if let Source::Server(server) = scope.store.source() {
        for left in server.left().await.map_err(CloseError::Server)? {
            left.drop_database().await.map_err(CloseError::Server)?;
            count += 1;
        }
    }
    Ok(format!("{count} removed"))
}

/// The rows stay; hashes of erased guests go, for the next event begins anew.
async fn decide_about_rows(scope: &Scope) -> Result<String, AppError> {
    let now = scope.now;
    let held = privacy_counts(scope).await?;
    let gone = scope
        .store
        .write(move |tx| {
            Box::pin(async move {
                let gone = event::forget_erased(tx, guest::ALLOWANCE_KEY).await?;
                let entry = Audit {
                    at: now,
                    actor: "command".to_owned(),
                    action: "event_close".to_owned(),
                    subject: String::new(),
                    details: None,
                };
                audit_log::insert(tx, &entry).await?;
                Ok::<_, AppError>(gone)
            })
        })
        .await?;
    Ok(format!(
        "the owner decides: {held} guests are kept (their pack limit and links go on working); one goes with stickers reset-user ID --yes. \
         {gone} hashes of erased guests were forgotten"
    ))
}

async fn privacy_counts(scope: &Scope) -> Result<i64, AppError> {
    Ok(store::privacy::held(&mut scope.store.reader()).await?.users)
}

/// The audit has the last word.
async fn prove(scope: &Scope, steps: &mut Steps) -> Result<(), CloseError> {
    let report = privacy::audit(scope).await?;
    if report.is_clean() {
        return Ok(());
    }
    let late: Vec<&str> =
        report.checks.iter().filter(|check| check.past > 0).map(|check| check.rule).collect();
    steps.fail(5, format!("the audit finds more that is past its time: {}", late.join(", ")));
    Ok(())
}

fn paths(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Steps so far.
struct Steps(Vec<Step>);

impl Steps {
    fn add(&mut self, number: u8, state: State, says: String) {
        let what = STEPS[usize::from(number) - 1];
        self.0.push(Step { number, what, state, says });
    }

    fn take(&mut self, number: u8, outcome: Result<String, String>) {
        match outcome {
            Ok(says) => self.add(number, State::Done, says),
            Err(says) => self.add(number, State::Failed, says),
        }
    }

    fn fail(&mut self, number: u8, says: String) {
        for step in self.0.iter_mut().filter(|step| step.number == number) {
            step.state = State::Failed;
            step.says.push_str("; ");
            step.says.push_str(&says);
        }
    }

    fn have_failed(&self) -> bool {
        self.0.iter().any(|step| step.state == State::Failed)
    }

    fn end(mut self, passes_at: Option<Timestamp>) -> Closed {
        for number in 1..=9 {
            if !self.0.iter().any(|step| step.number == number) {
                self.add(number, State::NotBegun, String::new());
            }
        }
        Closed { steps: self.0, passes_at }
    }
}
