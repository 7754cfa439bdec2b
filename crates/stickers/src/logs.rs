//! Log lines: to standard error as text or JSON (with a priority when that is the systemd journal), and into daily files when `LOG_DIR` says so.

use crate::config::logs::{LogFormat, Logs};
use crate::failure::Failure;
use crate::journal::{self, ToJournal};
use std::fs;
use std::io::{self, IsTerminal};
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

/// Daily files that are kept.
const FILES_KEPT: usize = 14;

/// Keeps the file writer alive; dropping it writes what is still in its queue.
pub struct LogGuard {
    _file: Option<WorkerGuard>,
}

/// Starts logging for the whole process.
///
/// # Errors
/// When the folder cannot be used.
pub fn start(logs: &Logs) -> Result<LogGuard, Failure> {
    let on_terminal = io::stderr().is_terminal();
    let format = logs.format.unwrap_or(if on_terminal { LogFormat::Text } else { LogFormat::Json });
    let mut layers: Vec<Box<dyn Layer<Registry> + Send + Sync>> = Vec::new();
    let stderr = || match journal::is_stderr(logs.journal.as_deref()) {
        true => BoxMakeWriter::new(ToJournal),
        false => BoxMakeWriter::new(io::stderr),
    };
    layers.push(match format {
        LogFormat::Text => fmt::layer().with_writer(stderr()).with_ansi(on_terminal).boxed(),
        LogFormat::Json => fmt::layer().json().flatten_event(true).with_writer(stderr()).boxed(),
    });
    let mut guard = LogGuard { _file: None };
    if let Some(dir) = &logs.dir {
        let fail = |error: &(dyn std::error::Error + 'static)| {
            Failure::of(&format!("LOG_DIR {} cannot be used", dir.display()), error)
        };
        fs::create_dir_all(dir).map_err(|error| fail(&error))?;
        let appender = RollingFileAppender::builder()
            .rotation(Rotation::DAILY)
            .filename_prefix("app.log")
            .max_log_files(FILES_KEPT)
            .build(dir)
            .map_err(|error| fail(&error))?;
        // A full disk or a slow one must not hold the server up: lines beyond the queue are dropped, not waited for.
        let (writer, worker) = tracing_appender::non_blocking(appender);
        guard._file = Some(worker);
        layers.push(match format {
            LogFormat::Text => fmt::layer().with_writer(writer).with_ansi(false).boxed(),
            LogFormat::Json => fmt::layer().json().flatten_event(true).with_writer(writer).boxed(),
        });
    }
    // The driver would log parameters of DATABASE_URL that it does not know, with their values.
    let quiet = format!("{},sqlx_postgres::options=off", logs.filter);
    let filter = EnvFilter::try_new(&logs.filter)
        .and_then(|_| EnvFilter::try_new(quiet))
        .map_err(|error| Failure::of("RUST_LOG", &error))?;
    tracing_subscriber::registry()
        .with(layers.with_filter(filter))
        .try_init()
        .map_err(|error| Failure::of("logging cannot start", &error))?;
    // A panic is a line of the log as any other, with its priority.
    std::panic::set_hook(Box::new(|panic| tracing::error!("{}", panic.to_string().replace('\n', " "))));
    Ok(guard)
}
