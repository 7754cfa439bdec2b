//! One statement text for two engines: values are kept beside the text and bound by whichever engine runs it.
//!
//! Texts are constants with `$1`, `$2`, …; the only thing ever put into one is a list of status words made from the domain
//! tables ([`Query::words`]). What a guest or a visitor typed is always bound.

use crate::dialect::{Engine, text_for};
use crate::error::StoreError;
use crate::tx::{Change, Conn, Read, Tx};
use domain::guest::{Personal, TelegramId};
use domain::job::JobId;
use domain::lead::LeadId;
use domain::{Language, Timestamp};
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments, AssertSqlSafe, FromRow, Postgres, Sqlite};
use std::borrow::Cow;
use std::fmt::Write;

/// A value to bind. The kind matters also for NULL: PostgreSQL wants to know what is missing.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Int(Option<i64>),
    Text(Option<String>),
    Real(f64),
}

/// A row that both engines can decode.
pub(crate) trait Row:
    for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static
{
}
impl<T> Row for T where T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static
{}

/// A row of one number, in a column called `value`.
#[derive(FromRow)]
pub(crate) struct Number {
    pub(crate) value: Option<i64>,
}

/// A row of one text, in a column called `value`.
#[derive(FromRow)]
pub(crate) struct Word {
    pub(crate) value: Option<String>,
}

/// A text and its values.
pub(crate) struct Query {
    text: Cow<'static, str>,
    values: Vec<Value>,
}

impl Query {
    pub(crate) fn new(text: &'static str) -> Self {
        Self { text: Cow::Borrowed(text), values: Vec::new() }
    }

    /// Puts `words` in place of `{mark}`, as `'a', 'b'`. They are constants of the domain, so nothing from outside gets into
    /// the text.
    pub(crate) fn words(mut self, mark: &str, words: impl IntoIterator<Item = &'static str>) -> Self {
        let list = words.into_iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(", ");
        let placed = self.text.replace(mark, &list);
        assert!(placed != self.text, "the text has no {mark}");
        self.text = Cow::Owned(placed);
        self
    }

    /// Puts a constant column list in place of `{columns}`.
    pub(crate) fn columns(self, columns: &'static str) -> Self {
        self.part("{columns}", columns)
    }

    /// Puts a constant in place of `mark`.
    pub(crate) fn part(mut self, mark: &str, constant: &'static str) -> Self {
        self.text = Cow::Owned(self.text.replace(mark, constant));
        self
    }

    /// Binds the next value: the first call is `$1`.
    pub(crate) fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Runs a write that may or may not find its row as expected.
    pub(crate) async fn change(self, tx: &mut Tx) -> Result<Change, StoreError> {
        Ok(Change::of_rows(self.run(tx).await?))
    }

    /// Runs a write; the number of rows it touched.
    pub(crate) async fn run(self, tx: &mut Tx) -> Result<u64, StoreError> {
        let outcome = self.execute(tx).await;
        noted(tx, outcome)
    }

    async fn execute(self, tx: &mut Tx) -> Result<u64, StoreError> {
        let (conn, text, values) = self.ready(tx).await?;
        let rows = match conn {
            Conn::Sqlite(mut held) => sqlx::query_with(AssertSqlSafe(text), sqlite_values(values)?)
                .execute(held.connection())
                .await?
                .rows_affected(),
            Conn::Postgres(mut held) => sqlx::query_with(AssertSqlSafe(text), postgres_values(values)?)
                .execute(held.connection())
                .await?
                .rows_affected(),
        };
        Ok(rows)
    }

    /// All rows.
    pub(crate) async fn all<T: Row>(self, on: &mut impl Read) -> Result<Vec<T>, StoreError> {
        let outcome = self.fetch(on).await;
        noted(on, outcome)
    }

    async fn fetch<T: Row>(self, on: &mut impl Read) -> Result<Vec<T>, StoreError> {
        let (conn, text, values) = self.ready(on).await?;
        let rows = match conn {
            Conn::Sqlite(mut held) => {
                let rows = sqlx::query_as_with::<Sqlite, T, _>(AssertSqlSafe(text), sqlite_values(values)?)
                    .fetch_all(held.connection())
                    .await;
                held.let_go_after(&rows);
                rows?
            }
            Conn::Postgres(mut held) => {
                let rows =
                    sqlx::query_as_with::<Postgres, T, _>(AssertSqlSafe(text), postgres_values(values)?)
                        .fetch_all(held.connection())
                        .await;
                held.let_go_after(&rows);
                rows?
            }
        };
        Ok(rows)
    }

    /// The first row, if any.
    pub(crate) async fn first<T: Row>(self, on: &mut impl Read) -> Result<Option<T>, StoreError> {
        Ok(self.all(on).await?.into_iter().next())
    }

    /// The number in the column `value`; NULL and no row are `None`.
    pub(crate) async fn number(self, on: &mut impl Read) -> Result<Option<i64>, StoreError> {
        Ok(self.first::<Number>(on).await?.and_then(|row| row.value))
    }

    /// Adds the text and the values behind those of other statements; its parameters are counted on from theirs. For SQLite only.
    pub(crate) fn append_to(self, text: &mut String, values: &mut Vec<Value>) {
        self.check();
        let before = values.len();
        let own = text_for(Engine::Sqlite, &self.text);
        let mut parts = own.split('$');
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let end = part.find(|next: char| !next.is_ascii_digit()).unwrap_or(part.len());
            let (digits, rest) = part.split_at(end);
            // Checked above: each is a number.
            let number = digits.parse::<usize>().unwrap_or_default() + before;
            let _ = write!(text, "${number}{rest}");
        }
        values.extend(self.values);
    }

    /// Asks SQLite how it would run this.
    #[cfg(test)]
    pub(crate) fn explained(mut self) -> Self {
        self.text = Cow::Owned(format!("EXPLAIN QUERY PLAN {}", self.text));
        self
    }

    /// SQLite would make a forgotten value NULL without a word, so this is checked in production too.
    fn check(&self) {
        assert_eq!(parameters(&self.text), self.values.len(), "values of: {}", self.text);
        assert!(!self.text.contains('{'), "a mark was left in: {}", self.text);
    }

    /// The connection, and the text and values made ready for it.
    async fn ready<R: Read>(self, on: &mut R) -> Result<(Conn<'_>, String, Vec<Value>), StoreError> {
        self.check();
        let conn = on.conn().await?;
        let engine = match conn {
            Conn::Sqlite(_) => Engine::Sqlite,
            Conn::Postgres(_) => Engine::Postgres,
        };
        let text = text_for(engine, &self.text).into_owned();
        Ok((conn, text, self.values))
    }
}

/// Lets a write know that one of its statements failed.
fn noted<T>(on: &mut impl Read, outcome: Result<T, StoreError>) -> Result<T, StoreError> {
    if let Err(error) = &outcome {
        on.failed(error);
    }
    outcome
}

/// How many parameters the text names: `$1` to `$n` without a gap.
fn parameters(text: &str) -> usize {
    let mut seen = Vec::new();
    for part in text.split('$').skip(1) {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        if let Ok(number) = digits.parse::<usize>() {
            seen.push(number);
        }
    }
    seen.sort_unstable();
    seen.dedup();
    assert!(seen.iter().copied().eq(1..=seen.len()), "a parameter is left out in: {text}");
    seen.len()
}

pub(crate) fn sqlite_values(values: Vec<Value>) -> Result<SqliteArguments, StoreError> {
    let mut arguments = SqliteArguments::default();
    for value in values {
        match value {
            Value::Int(number) => arguments.add(number),
            Value::Text(text) => arguments.add(text),
            Value::Real(number) => arguments.add(number),
        }
        .map_err(sqlx::Error::Encode)?;
    }
    Ok(arguments)
}

fn postgres_values(values: Vec<Value>) -> Result<PgArguments, StoreError> {
    let mut arguments = PgArguments::default();
    for value in values {
        match value {
            Value::Int(number) => arguments.add(number),
            Value::Text(text) => arguments.add(text),
            Value::Real(number) => arguments.add(number),
        }
        .map_err(sqlx::Error::Encode)?;
    }
    Ok(arguments)
}

macro_rules! value_from {
    ($($kind:ident from $type:ty: $of:expr;)*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                let of: fn($type) -> _ = $of;
                Value::$kind(of(value))
            }
        }
    )*};
}

value_from! {
    Int from i64: Some;
    Int from Option<i64>: |value| value;
    Int from u32: |value| Some(i64::from(value));
    Int from Timestamp: |time| Some(time.as_millis());
    Int from Option<Timestamp>: |time| time.map(Timestamp::as_millis);
    Int from TelegramId: |id| Some(id.0);
    Int from Option<TelegramId>: |id| id.map(|id| id.0);
    Int from JobId: |id| Some(id.0);
    Int from Option<JobId>: |id| id.map(|id| id.0);
    Int from LeadId: |id| Some(id.0);
    Text from &str: |text| Some(text.to_owned());
    Text from String: Some;
    Text from Option<&str>: |text| text.map(str::to_owned);
    Text from Option<String>: |text| text;
    Text from &Personal: |text| Some(text.0.clone());
    Text from Option<&Personal>: |text| text.map(|text| text.0.clone());
    Text from Language: |language| Some(language.code().to_owned());
    Real from f64: |number| number;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_may_repeat_and_come_in_any_order() {
        assert_eq!(parameters("SELECT 1"), 0);
        assert_eq!(parameters("a = $2 AND b = $1 OR c = $2"), 2);
        assert_eq!(parameters("$1 $2 $3 $4 $5 $6 $7 $8 $9 $10"), 10);
    }

    #[test]
    #[should_panic(expected = "left out")]
    fn a_gap_between_parameters_is_a_mistake() {
        parameters("a = $1 AND b = $3");
    }

    #[test]
    #[should_panic(expected = "values of")]
    fn a_forgotten_value_is_a_mistake() {
        Query::new("a = $1 AND b = $2").bind(1_i64).check();
    }

    #[test]
    #[should_panic(expected = "values of")]
    fn a_value_too_many_is_a_mistake() {
        Query::new("a = $1").bind(1_i64).bind("x").check();
    }

    #[test]
    #[should_panic(expected = "mark was left")]
    fn a_forgotten_list_is_a_mistake() {
        Query::new("status IN ({from})").check();
    }

    #[test]
    fn a_text_behind_others_counts_its_parameters_on() {
        let (mut text, mut values) = (String::new(), Vec::new());
        Query::new("a = $1 AND b = $2").bind(1_i64).bind("x").append_to(&mut text, &mut values);
        text.push_str("; ");
        Query::new("$2 > $1 OR c = $2;").bind(2_i64).bind("y").append_to(&mut text, &mut values);
        assert_eq!(text, "a = $1 AND b = $2; $4 > $3 OR c = $4;");
        assert_eq!(values.len(), 4);
    }

    #[test]
    fn words_become_a_quoted_list() {
        let query = Query::new("status IN ({from})").words("{from}", ["idle", "linked"]);
        assert_eq!(query.text, "status IN ('idle', 'linked')");
    }
}
