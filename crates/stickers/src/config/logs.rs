//! Logs: `LOG_FORMAT`, `LOG_DIR`, `RUST_LOG`.

use super::reader::Reader;
use std::path::PathBuf;
use tracing_subscriber::EnvFilter;

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// What is logged and where.
#[derive(Clone)]
pub struct Logs {
    /// `LOG_FORMAT`; unset means text on a terminal and JSON elsewhere.
    pub format: Option<LogFormat>,
    /// `LOG_DIR`: daily files `app.log.<date>` beside standard error, 14 kept.
    pub dir: Option<PathBuf>,
    /// `RUST_LOG`, default `info`.
    pub filter: String,
    /// `JOURNAL_STREAM`, set by systemd: the stream to its journal. Nothing to configure.
    pub journal: Option<String>,
}

impl Logs {
    /// Reads the section.
    pub fn read(r: &mut Reader<'_>) -> Logs {
        let format = r.parsed("LOG_FORMAT", "", "text or json", |value| match value {
            "" => Some(None),
            "text" => Some(Some(LogFormat::Text)),
            "json" => Some(Some(LogFormat::Json)),
            _ => None,
        });
        let dir = r.optional("LOG_DIR").map(PathBuf::from);
        let filter = r.parsed("RUST_LOG", "info", "a filter such as info or info,store=debug", |value| {
            EnvFilter::try_new(value).is_ok().then(|| value.to_owned())
        });
        let journal = r.env().get(crate::journal::VARIABLE).map(|(stream, _)| stream.to_owned());
        Logs { format: format.flatten(), dir, filter: filter.unwrap_or_else(|| "info".to_owned()), journal }
    }
}
