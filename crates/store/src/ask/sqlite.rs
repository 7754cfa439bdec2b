//! A question to a SQLite file: opened for reading only, beside whoever writes.

use super::{Answer, AskError, Bounds, Cell, refused};
use crate::error::OpenError;
use futures::TryStreamExt;
use sqlx::sqlite::{SqliteConnectOptions, SqliteRow, SqliteValueRef};
use sqlx::{
    AssertSqlSafe, Column, ConnectOptions, Decode, Executor, Row, SqlSafeStr, Sqlite, SqliteConnection,
    Statement, TypeInfo, ValueRef,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a question waits for a lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Steps of the engine between two looks whether time is over.
const STEPS_BETWEEN_LOOKS: i32 = 10_000;

pub(super) async fn ask(file: &Path, text: &str, bounds: Bounds) -> Result<Answer, AskError> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .read_only(true)
        .busy_timeout(BUSY_TIMEOUT)
        .pragma("query_only", "ON");
    let over = Arc::new(AtomicBool::new(false));
    let work = async {
        let mut connection = options.connect().await.map_err(OpenError::from)?;
        let stop = Arc::clone(&over);
        let mut handle = connection.lock_handle().await.map_err(OpenError::from)?;
        handle.set_progress_handler(STEPS_BETWEEN_LOOKS, move || !stop.load(Ordering::Relaxed));
        drop(handle);
        answer(&mut connection, text, bounds.rows).await
    };
    let answered = tokio::time::timeout(bounds.time, work).await;
    // The engine works in a thread of its own, which has to be told.
    over.store(true, Ordering::Relaxed);
    answered.map_err(|_| AskError::TooLong(bounds.time))?
}

async fn answer(connection: &mut SqliteConnection, text: &str, rows_max: usize) -> Result<Answer, AskError> {
    let text = text.to_owned();
    // Safe: the connection can only read, and asking anything is the purpose.
    let prepared = connection
        .prepare(AssertSqlSafe(text.clone()).into_sql_str())
        .await
        .map_err(|error| refused(&error))?;
    let columns = prepared.columns().iter().map(|column| column.name().to_owned()).collect();
    let mut answer = Answer { columns, ..Answer::default() };
    let mut rows = sqlx::query(AssertSqlSafe(text)).fetch(connection);
    while let Some(row) = rows.try_next().await.map_err(|error| refused(&error))? {
        if answer.rows.len() == rows_max {
            answer.cut = true;
            break;
        }
        answer.rows.push(cells(&row)?);
    }
    Ok(answer)
}

fn cells(row: &SqliteRow) -> Result<Vec<Cell>, AskError> {
    (0..row.len())
        .map(|place| {
            let value = row.try_get_raw(place).map_err(|error| refused(&error))?;
            cell(value).map_err(|error| AskError::Refused(error.to_string()))
        })
        .collect()
}

fn cell(value: SqliteValueRef<'_>) -> Result<Cell, sqlx::error::BoxDynError> {
    if value.is_null() {
        return Ok(Cell::Null);
    }
    let kind = value.type_info().name().to_owned();
    Ok(match kind.as_str() {
        "INTEGER" => Cell::Int(<i64 as Decode<Sqlite>>::decode(value)?),
        "REAL" => Cell::Real(<f64 as Decode<Sqlite>>::decode(value)?),
        "BLOB" => Cell::Bytes(<&[u8] as Decode<Sqlite>>::decode(value)?.len()),
        _ => Cell::Text(<String as Decode<Sqlite>>::decode(value)?),
    })
}
