//! A question to a PostgreSQL server: in a transaction that can only read.

use super::{Answer, AskError, Bounds, Cell, refused};
use crate::error::OpenError;
use futures::TryStreamExt;
use sqlx::postgres::{PgConnectOptions, PgRow};
use sqlx::{
    AssertSqlSafe, Column, ConnectOptions, Executor, PgConnection, Row, SqlSafeStr, Statement, TypeInfo,
    ValueRef,
};
use std::str::FromStr;
use std::time::Duration;

/// How much longer than our own bound that of the server is.
const SERVER_MORE: Duration = Duration::from_secs(1);

pub(super) async fn ask(server: &str, text: &str, bounds: Bounds) -> Result<Answer, AskError> {
    // The server stops by itself a little later, also when nobody listens any more.
    let limit_ms = (bounds.time + SERVER_MORE).as_millis().to_string();
    let options = PgConnectOptions::from_str(server)
        .map_err(OpenError::Address)?
        .application_name("stickers sql")
        .options([
            ("default_transaction_read_only", "on"),
            ("statement_timeout", limit_ms.as_str()),
            ("client_min_messages", "error"),
        ]);
    let work = async {
        let mut connection = options.connect().await.map_err(OpenError::from)?;
        answer(&mut connection, text, bounds.rows).await
    };
    tokio::time::timeout(bounds.time, work).await.map_err(|_| AskError::TooLong(bounds.time))?
}

async fn answer(connection: &mut PgConnection, text: &str, rows_max: usize) -> Result<Answer, AskError> {
    let told = |error: sqlx::Error| refused(&error);
    // Safe: the transaction can only read, and asking anything is the purpose. Preparing takes one statement only; running it as plain text
    // gives every type as text.
    let text = text.to_owned();
    let prepared = connection.prepare(AssertSqlSafe(text.clone()).into_sql_str()).await.map_err(told)?;
    let columns = prepared.columns().iter().map(|column| column.name().to_owned()).collect();
    let mut answer = Answer { columns, ..Answer::default() };
    sqlx::raw_sql("BEGIN TRANSACTION READ ONLY").execute(&mut *connection).await.map_err(told)?;
    let mut rows = sqlx::raw_sql(AssertSqlSafe(text)).fetch(connection);
    while let Some(row) = rows.try_next().await.map_err(told)? {
        if answer.rows.len() == rows_max {
            answer.cut = true;
            break;
        }
        answer.rows.push(cells(&row)?);
    }
    Ok(answer)
}

fn cells(row: &PgRow) -> Result<Vec<Cell>, AskError> {
    (0..row.len())
        .map(|place| {
            let value = row.try_get_raw(place).map_err(|error| refused(&error))?;
            if value.is_null() {
                return Ok(Cell::Null);
            }
            let kind = value.type_info().name().to_owned();
            let text = value.as_str().map_err(|error| AskError::Refused(error.to_string()))?;
            Ok(cell(&kind, text))
        })
        .collect()
}

fn cell(kind: &str, text: &str) -> Cell {
    let whole = || text.parse().map(Cell::Int).ok();
    let number = || text.parse().map(Cell::Real).ok();
    let known = match kind {
        "INT2" | "INT4" | "INT8" => whole(),
        "FLOAT4" | "FLOAT8" => number(),
        // A sum of whole numbers is one of these; a fraction keeps its digits as text does.
        "NUMERIC" => whole().or_else(number),
        // `\x` and two digits for each byte.
        "BYTEA" => Some(Cell::Bytes(text.len().saturating_sub(2) / 2)),
        _ => None,
    };
    known.unwrap_or_else(|| Cell::Text(text.to_owned()))
}
