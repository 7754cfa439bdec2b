//! A question of an engineer to the live database (`stickers sql`): one statement that reads, on a connection of its own that cannot write,
//! within bounds of rows and time.

mod postgres;
mod sqlite;
mod statement;

use crate::error::OpenError;
use crate::options::{StoreOptions, Target};
use std::path::PathBuf;
use std::time::Duration;

/// One value of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// NULL.
    Null,
    /// A whole number.
    Int(i64),
    /// Another number.
    Real(f64),
    /// Text, and what has no type of its own here.
    Text(String),
    /// So many bytes, which are not shown.
    Bytes(usize),
}

/// What came of a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows, each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
    /// Whether there are more rows than were asked for.
    pub cut: bool,
}

/// How much an answer may be.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Rows at most.
    pub rows: usize,
    /// Time at most, connecting included.
    pub time: Duration,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The text is no single statement that reads.
    #[error("{0}")]
    NotRead(String),
    /// There is no such file.
    #[error("there is no database {}", .0.display())]
    NoDatabase(PathBuf),
    /// The address is none, or the database does not answer.
    #[error("the database cannot be opened")]
    Open(#[from] OpenError),
    /// The engine refused the statement.
    #[error("the database refused: {0}")]
    Refused(String),
    /// It took too long and was stopped.
    #[error("it took over {} s and was stopped", .0.as_secs())]
    TooLong(Duration),
}

/// Asks the database at `url`.
///
/// # Errors
/// See [`AskError`]; nothing was changed in any case.
pub async fn ask(url: &str, text: &str, bounds: Bounds) -> Result<Answer, AskError> {
    if let Some(complaint) = statement::complaint(text) {
        return Err(AskError::NotRead(complaint));
    }
    let options = StoreOptions::new(url);
    match options.target()? {
        Target::File(file) if !file.exists() => Err(AskError::NoDatabase(file)),
        Target::File(file) => sqlite::ask(&file, text, bounds).await,
        Target::Server(server) => postgres::ask(server, text, bounds).await,
    }
}

/// What the engine says about a statement, on one line.
fn refused(error: &sqlx::Error) -> AskError {
    let said =
        error.as_database_error().map_or_else(|| error.to_string(), |error| error.message().to_owned());
    AskError::Refused(said.split_whitespace().collect::<Vec<_>>().join(" "))
}
