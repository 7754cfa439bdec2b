//! `stickers sql`: one question to the live database, which cannot be changed by it. The system's own `sqlite3` may be too old to touch a
//! live file safely.

use crate::config::Config;
use crate::failure::{Failure, chain};
use crate::out::{put, say};
use crate::{logs, parts};
use clap::Args;
use domain::readable;
use serde_json::{Value, json};
use std::time::Duration;
use store::ask::{self, Answer, AskError, Bounds, Cell};

/// A question may take this long.
const TIME_MAX: Duration = Duration::from_secs(30);

/// Ask the live database; nothing can be changed by it.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  stickers sql \"SELECT status, COUNT(*) FROM jobs GROUP BY status\"\n\nOne statement that begins with SELECT, WITH, VALUES or EXPLAIN. Times are shown as text on Tashkent's clock; the views sessions_readable, jobs_readable and leads_readable hold them so as well. What it prints may be personal data."
)]
pub struct SqlArgs {
    /// The statement
    #[arg(value_name = "SELECT")]
    statement: String,

    /// Rows shown at most
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rows: u32,

    /// Leave times as milliseconds since 1970
    #[arg(long)]
    raw_times: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &SqlArgs, config: &Config) -> Result<(), Failure> {
    let _logs = logs::start(&config.logs)?;
    let bounds = Bounds { rows: args.rows as usize, time: TIME_MAX };
    let asked = ask::ask(&config.storage.database_url, &args.statement, bounds);
    let mut answer = parts::runtime()?.block_on(asked).map_err(|error| match error {
        AskError::NotRead(_) | AskError::Refused(_) => Failure::input(chain(&error)),
        _ => Failure::of("there is no answer", &error),
    })?;
    if !args.raw_times {
        show_times(&mut answer);
    }
    if args.json {
        say!("{}", report(&answer));
    } else {
        put(format_args!("{}", table(&answer)));
        if answer.cut {
            eprintln!("stickers: only the first {} rows are shown; see --rows", answer.rows.len());
        }
    }
    Ok(())
}

fn show_times(answer: &mut Answer) {
    for row in &mut answer.rows {
        for (column, cell) in answer.columns.iter().zip(row) {
            if let Cell::Int(number) = cell
                && let Some(at) = readable::time_in(column, *number)
            {
                *cell = Cell::Text(readable::time(at));
            }
        }
    }
}

fn report(answer: &Answer) -> Value {
    let value = |cell: &Cell| match cell {
        Cell::Null => Value::Null,
        Cell::Int(number) => json!(number),
        Cell::Real(number) => json!(number),
        Cell::Text(text) => json!(text),
        Cell::Bytes(_) => json!(shown(cell)),
    };
    let rows: Vec<Vec<Value>> = answer.rows.iter().map(|row| row.iter().map(value).collect()).collect();
    json!({"columns": answer.columns, "rows": rows, "cut": answer.cut})
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Int(number) => number.to_string(),
        Cell::Real(number) => number.to_string(),
        Cell::Text(text) => readable::plain(text),
        Cell::Bytes(bytes) => format!("({bytes} bytes)"),
    }
}

/// Columns are as wide as their widest value; the last one is not filled up.
fn table(answer: &Answer) -> String {
    let head: Vec<String> = answer.columns.iter().map(|column| readable::plain(column)).collect();
    let rows = answer.rows.iter().map(|row| row.iter().map(shown).collect::<Vec<_>>());
    let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let width =
        |place: usize| lines.iter().filter_map(|line| line.get(place)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..answer.columns.len()).map(|place| width(place).unwrap_or(0)).collect();
    let mut text = String::new();
    for line in &lines {
        let cells: Vec<String> =
            line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_head_times_as_text_and_nothing_that_a_terminal_obeys() {
        let mut answer = Answer {
            columns: vec!["first_name".to_owned(), "created_at".to_owned(), "n".to_owned()],
            rows: vec![
                vec![Cell::Text("Ло\u{1b}[2J".to_owned()), Cell::Int(1_795_959_000_000), Cell::Int(3)],
                vec![Cell::Null, Cell::Null, Cell::Real(0.5)],
            ],
            cut: false,
        };
        show_times(&mut answer);
        assert_eq!(
            table(&answer),
            "first_name   created_at                 n\n\
             Ло\\u{1b}[2J  2026-11-29 18:30:00+05:00  3\n\
             \x20                                       0.5\n"
        );
        assert_eq!(report(&answer)["rows"][0][1], "2026-11-29 18:30:00+05:00");
    }
}
