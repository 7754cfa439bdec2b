//! A write that is nearly always one statement: that statement, and how the writer of SQLite runs many of them in one go.
//!
//! What a statement costs there is the way to the connection's thread and back, several times the insert itself. A savepoint around
//! each write makes it three ways. Openings that wait for the same commit are one text instead, under one savepoint.

use crate::error::StoreError;
use crate::query::{Query, Value, sqlite_values};
use crate::tx::{Open, Tx};
use futures::TryStreamExt;
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Either, Executor, Row};

/// The first statement of a write that takes a request: it does all of it and gives one number, or it changes nothing and gives no row.
/// Given to [`crate::Store::write_opening`].
pub struct Opening(Query);

/// Openings that are one text at most. Each number of them is a text of its own, kept prepared; so only powers of two are used.
const TOGETHER_MAX: usize = 16;

impl Opening {
    pub(crate) fn new(query: Query) -> Self {
        Self(query)
    }

    /// Runs it alone, within a write. On PostgreSQL other intakes wait until that write ends: see [`Tx::lock_intake`].
    ///
    /// # Errors
    /// When the statement fails; then the write stores nothing.
    pub async fn run(self, tx: &mut Tx) -> Result<Option<i64>, StoreError> {
        tx.lock_intake().await?;
        self.0.number(tx).await
    }
}

/// Runs as many of `openings` together as one text takes, and removes them; what each of these came to. When one of them fails the engine
/// is asked to undo all of them, and `None` says so: each has to be tried alone then.
///
/// # Errors
/// When not even that is possible: the transaction is lost.
pub(crate) async fn run_together(
    tx: &mut Tx,
    openings: &mut Vec<Opening>,
    limit: std::time::Duration,
) -> Result<Option<Vec<Option<i64>>>, StoreError> {
    let count = together(openings.len());
    let Open::Sqlite(transaction) = &mut tx.open else { return Ok(None) };
    let ran = run_text(transaction, openings.drain(..count).map(|opening| opening.0), count);
    match tokio::time::timeout(limit, ran).await {
        Ok(Ok(numbers)) => Ok(Some(numbers)),
        // Which one it was shows when each is tried alone.
        Ok(Err(_)) | Err(_) => {
            sqlx::query("ROLLBACK TO openings").execute(&mut **transaction).await?;
            sqlx::query("RELEASE openings").execute(&mut **transaction).await?;
            Ok(None)
        }
    }
}

/// How many of `waiting` openings are run together next.
pub(crate) fn together(waiting: usize) -> usize {
    let most = waiting.clamp(1, TOGETHER_MAX);
    1 << most.ilog2()
}

async fn run_text(
    connection: &mut SqliteConnection,
    openings: impl Iterator<Item = Query>,
    count: usize,
) -> Result<Vec<Option<i64>>, StoreError> {
    let mut text = String::from("SAVEPOINT openings");
    let mut values: Vec<Value> = Vec::new();
    for query in openings {
        text.push_str("; ");
        query.append_to(&mut text, &mut values);
    }
    text.push_str("; RELEASE openings");
    // Made of constants; what was typed is bound.
    let query = sqlx::query_with(AssertSqlSafe(text), sqlite_values(values)?);
    let mut answers = connection.fetch_many(query);
    // A row belongs to the statement whose end is told next: the savepoint first, then each opening, then the release.
    let (mut numbers, mut number) = (Vec::with_capacity(count + 2), None);
    while let Some(answer) = answers.try_next().await? {
        match answer {
            Either::Right(row) => number = row.try_get::<Option<i64>, _>("value")?,
            Either::Left(_) => numbers.push(number.take()),
        }
    }
    assert_eq!(numbers.len(), count + 2, "a statement was not run");
    numbers.pop();
    numbers.remove(0);
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_run_together_in_powers_of_two_up_to_sixteen() {
        let sizes: Vec<_> = [1, 2, 3, 4, 7, 8, 15, 16, 17, 64].into_iter().map(together).collect();
        assert_eq!(sizes, [1, 2, 2, 4, 4, 8, 8, 16, 16, 16]);
    }
}
