//! `stickers cost-report`: what image providers cost, by day of California and stage. Reads the database only; names no person.

use crate::config::Config;
use crate::failure::Failure;
use crate::out::{put, say};
use crate::system::SystemClock;
use crate::{logs, parts};
use app::spend::{Report, Row};
use clap::Args;
use domain::Clock;
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// AI spend by day of California and by stage.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  stickers cost-report --days 2 --csv event_cost.csv --env-file /etc/stickers/kiosk.env"
)]
pub struct CostReportArgs {
    /// Days, today included
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=366))]
    days: u16,

    /// Also write a CSV file; its folder must exist
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &CostReportArgs, config: &Config) -> Result<(), Failure> {
    let _logs = logs::start(&config.logs)?;
    let report = parts::runtime()?.block_on(async {
        let store = parts::open(config).await?;
        let report = app::spend::report(&store, SystemClock.now(), args.days).await;
        store.close().await;
        report.map_err(|error| Failure::of("the costs cannot be read", &error))
    })?;
    if let Some(path) = &args.csv {
        fs::write(path, csv(&report))
            .map_err(|error| Failure::of(&format!("{} cannot be written", path.display()), &error))?;
    }
    if args.json {
        say!("{}", json!({"rows": report.rows, "total_usd": report.total_usd()}));
    } else {
        put(format_args!("{}", table(&report)));
    }
    Ok(())
}

const HEAD: [&str; 9] =
    ["day", "stage", "provider", "model", "calls", "input_tokens", "output_tokens", "images", "cost_usd"];

fn cells(row: &Row) -> [String; 9] {
    [
        row.day.clone(),
        row.stage.clone(),
        row.provider.clone(),
        row.model.clone(),
        row.calls.to_string(),
        row.input_tokens.to_string(),
        row.output_tokens.to_string(),
        row.images.to_string(),
        format!("{:.4}", row.cost_usd),
    ]
}

/// The table with commas. Names of models and stages hold no comma and no quote.
pub(super) fn csv(report: &Report) -> String {
    let mut out = HEAD.join(",");
    out.push('\n');
    for row in &report.rows {
        out.push_str(&cells(row).join(","));
        out.push('\n');
    }
    out
}

fn table(report: &Report) -> String {
    if report.rows.is_empty() {
        return "no calls to image providers\n".to_owned();
    }
    let head = HEAD.map(str::to_owned);
    let rows: Vec<[String; 9]> = std::iter::once(head).chain(report.rows.iter().map(cells)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 9] = std::array::from_fn(width);
    let mut out = String::new();
    for row in &rows {
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            // Writing to a String cannot fail. Words stand left, numbers right.
            let _ =
                if column < 4 { write!(out, "{cell:<width$}  ") } else { write!(out, "{cell:>width$}  ") };
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    for (day, usd) in report.by_day() {
        let _ = writeln!(out, "{day}  {usd:.4} USD");
    }
    let _ = writeln!(out, "total  {:.4} USD", report.total_usd());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(day: &str, cost_usd: f64) -> Row {
        Row {
            day: day.to_owned(),
            stage: "sheet".to_owned(),
            provider: "gemini".to_owned(),
            model: "m".to_owned(),
            calls: 2,
            input_tokens: 3_470,
            output_tokens: 3_780,
            images: 2,
            cost_usd,
        }
    }

    #[test]
    fn the_table_ends_with_each_day_and_the_sum() {
        let report = Report { rows: vec![row("2026-11-28", 0.1), row("2026-11-29", 0.25)] };
        let text = table(&report);
        let last: Vec<&str> = text.lines().rev().take(3).collect();
        assert_eq!(last, ["total  0.3500 USD", "2026-11-29  0.2500 USD", "2026-11-28  0.1000 USD"]);
        assert_eq!(csv(&report).lines().nth(1), Some("2026-11-28,sheet,gemini,m,2,3470,3780,2,0.1000"));
        assert_eq!(table(&Report { rows: Vec::new() }), "no calls to image providers\n");
    }
}
