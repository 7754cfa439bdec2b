//! `/admin/costs`: what image providers cost, and the prepaid balance.

use super::access::Signed;
use super::chart::{self, Chart, Column, Part};
use super::error::PanelError;
use super::form::Fields;
use super::page::{self, Frame, Place};
use super::words;
use crate::WebState;
use app::operator;
use app::panel::{self, Costs};
use askama::Template;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Redirect, Response};
use domain::operator::BALANCE_USAGE;
use http::{HeaderMap, StatusCode};
use std::collections::{BTreeMap, BTreeSet};

/// The periods that can be chosen, in days.
const PERIODS: [u16; 3] = [7, 14, 31];
/// Bars on a phone.
const BARS_ON_A_PHONE: usize = 7;
/// Names of colours in the style sheet; more providers than these share the last one.
const TONES: [&str; 3] = ["c1", "c3", "c2"];

/// The page.
#[derive(Template)]
#[template(path = "admin/costs.html")]
struct CostsPage {
    frame: Frame,
    costs: Costs,
    wide: Chart,
    small: Chart,
    legend: Vec<(String, &'static str)>,
    days: Vec<(String, f64)>,
    stages: Vec<StageLine>,
}

/// A stage with what it cost.
struct StageLine {
    stage: &'static str,
    provider: String,
    calls: i64,
    cost_usd: f64,
}

/// Shows the page; `days` is one of the periods.
pub async fn page(
    State(state): State<WebState>,
    signed: Signed,
    RawQuery(query): RawQuery,
) -> Result<Response, PanelError> {
    let asked = Fields::of_query(query.as_deref()).number("days");
    let days = PERIODS.into_iter().find(|days| asked == Some(i64::from(*days))).unwrap_or(PERIODS[1]);
    let costs = panel::costs(&state.ctx, days).await?;
    let legend = legend(&costs);
    let days = by_day(&state, &costs);
    let columns: Vec<_> = days.iter().map(|day| column(day, &costs, &legend)).collect();
    let small = &columns[columns.len().saturating_sub(BARS_ON_A_PHONE)..];
    let page = CostsPage {
        wide: chart::bars(&columns, 620, 260, words::short_dollars),
        small: chart::bars(small, 320, 220, words::short_dollars),
        stages: stages(&costs),
        legend,
        days,
        costs,
        frame: Frame::new(&state, &signed, Place::Costs).await?,
    };
    Ok(page::html(StatusCode::OK, &page))
}

/// Providers with their colours.
fn legend(costs: &Costs) -> Vec<(String, &'static str)> {
    let providers: BTreeSet<_> = costs.report.rows.iter().map(|row| row.provider.clone()).collect();
    let tone = |place: usize| TONES[place.min(TONES.len() - 1)];
    providers.into_iter().enumerate().map(|(place, provider)| (provider, tone(place))).collect()
}

/// Every day of the period, also those without a call.
fn by_day(state: &WebState, costs: &Costs) -> Vec<(String, f64)> {
    let spent = costs.report.by_day();
    let now = state.ctx.clock.now();
    let day = |back: u16| {
        let midnight = domain::cost::pacific_midnight(now, i32::from(back));
        // Noon of the day: midnight of California may belong to two days of a clock change.
        let noon = midnight.plus(std::time::Duration::from_secs(12 * 3_600));
        domain::cost::pacific_day(noon)
    };
    (0..costs.days)
        .rev()
        .map(|back| {
            let day = day(back);
            let usd = spent.get(day.as_str()).copied().unwrap_or(0.0);
            (day, usd)
        })
        .collect()
}

fn column((day, usd): &(String, f64), costs: &Costs, legend: &[(String, &'static str)]) -> Column {
    let mut parts: BTreeMap<&str, f64> = BTreeMap::new();
    for row in costs.report.rows.iter().filter(|row| row.day == *day) {
        *parts.entry(&row.provider).or_insert(0.0) += row.cost_usd;
    }
    let tone =
        |provider: &str| legend.iter().find(|(name, _)| name == provider).map_or("c1", |(_, tone)| tone);
    Column {
        label: day.get(8..).unwrap_or_default().to_owned(),
        parts: parts.into_iter().map(|(provider, value)| Part { tone: tone(provider), value }).collect(),
        top: if *usd > 0.0 { words::short_dollars(*usd) } else { String::new() },
    }
}

/// Stages of the whole period, the dearest first.
fn stages(costs: &Costs) -> Vec<StageLine> {
    let mut sums: BTreeMap<(&str, &str), (i64, f64)> = BTreeMap::new();
    for row in &costs.report.rows {
        let sum = sums.entry((&row.stage, &row.provider)).or_insert((0, 0.0));
        *sum = (sum.0 + row.calls, sum.1 + row.cost_usd);
    }
    let line = |((stage, provider), (calls, cost_usd)): ((&str, &str), (i64, f64))| StageLine {
        stage: words::stage(stage),
        provider: provider.to_owned(),
        calls,
        cost_usd,
    };
    let mut stages: Vec<_> = sums.into_iter().map(line).collect();
    stages.sort_by(|one, other| other.cost_usd.total_cmp(&one.cost_usd));
    stages
}

impl StageLine {
    fn each(&self) -> String {
        let calls = u32::try_from(self.calls.max(1)).unwrap_or(u32::MAX);
        words::dollars(self.cost_usd / f64::from(calls))
    }
}

impl CostsPage {
    fn in_days(&self, days: &u16) -> String {
        format!("{days} {}", words::plural(i64::from(*days), "день", "дня", "дней"))
    }

    fn money(&self, usd: &f64) -> String {
        words::dollars(*usd)
    }

    fn periods(&self) -> [u16; 3] {
        PERIODS
    }

    fn per_pack(&self) -> String {
        self.costs.per_pack().map_or("—".to_owned(), words::dollars)
    }

    fn today(&self) -> String {
        words::dollars(self.days.last().map_or(0.0, |(_, usd)| *usd))
    }

    fn total(&self) -> String {
        words::dollars(self.costs.report.total_usd())
    }

    fn free(&self) -> String {
        self.costs.free_percent().map_or("—".to_owned(), |percent| format!("{percent} %"))
    }

    fn packs(&self, count: i64) -> String {
        format!("{count} {}", words::plural(count, "набор", "набора", "наборов"))
    }

    fn sentence(&self) -> String {
        format!("Расходы по дням за {}: всего {}", self.in_days(&self.costs.days), self.total())
    }

    fn balance(&self) -> Option<(String, String)> {
        let balance = self.costs.balance?;
        let note = format!(
            "было {}, записано {}, с тех пор потрачено {}",
            words::dollars(balance.typed),
            words::moment(balance.at, self.frame.now),
            words::dollars(balance.spent)
        );
        Some((words::dollars(balance.left()), note))
    }
}

/// Stores the balance that somebody typed: field `amount`.
pub async fn balance(
    State(state): State<WebState>,
    signed: Signed,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PanelError> {
    let fields = signed.form(&headers, body).await?;
    let Some(amount) = domain::operator::amount(fields.text("amount")) else {
        let words = BALANCE_USAGE.split(": ").next().unwrap_or_default();
        return Err(PanelError::Refused { words: format!("{words}."), back: "/admin/costs".to_owned() });
    };
    operator::set_balance_as(&state.ctx, signed.admin.login.clone(), amount).await?;
    Ok(Redirect::to("/admin/costs?said=balance").into_response())
}
