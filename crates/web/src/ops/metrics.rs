//! `GET /metrics`: figures as Prometheus text. Those of this process, and behind them those of the product, which stand in the database.

use crate::WebState;
use app::figures::{self, Figures};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::maintenance::Maintenance;
use http::header::CONTENT_TYPE;
use std::fmt::Write;

/// The figures of this process and of the product.
#[utoipa::path(
    get, path = "/metrics", tag = "ops",
    responses((status = 200, body = String, content_type = "text/plain", description = "Prometheus text"))
)]
pub async fn metrics(State(state): State<WebState>) -> Response {
    let mut text = (state.options.figures)();
    let build = format!(
        "stickers_build_info{{version=\"{}\",revision=\"{}\"}}",
        state.options.version, state.options.revision
    );
    gauge(&mut text, "What answers.", &[(build, 1)]);
    let product = figures::look(&state.ctx).await;
    if let Err(error) = &product {
        tracing::error!(error = error as &dyn std::error::Error, "the figures of the product cannot be read");
    }
    gauge(
        &mut text,
        "Whether the database can be read.",
        &[("stickers_database_up".to_owned(), u64::from(product.is_ok()))],
    );
    if let Ok(product) = product {
        tell(&mut text, &product);
    }
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

fn tell(text: &mut String, product: &Figures) {
    let count = |number: i64| number.max(0).unsigned_abs();
    for (name, help, value) in [
        ("stickers_active_jobs", "Jobs queued, processing or delivering.", Some(count(product.active_jobs))),
        (
            "stickers_failed_jobs_last_hour",
            "Jobs that failed within an hour.",
            Some(count(product.failed_jobs)),
        ),
        (
            "stickers_messages_waiting",
            "Messages that wait for Telegram or are being sent.",
            Some(count(product.messages_waiting)),
        ),
        (
            "stickers_lead_cards_due",
            "Cards of leads that are due and not in the group, 100 at most.",
            Some(product.cards_due as u64),
        ),
        ("stickers_leads_waiting", "Leads that nobody has taken.", Some(count(product.leads_waiting))),
        (
            "stickers_bot_seen_seconds",
            "Since when the bot has not told that it lives.",
            product.bot_seen.map(|age| age.as_secs()),
        ),
        (
            "stickers_backup_age_seconds",
            "Age of the last good copy of the database.",
            product.backup_age.map(|age| age.as_secs()),
        ),
    ] {
        // What never was has no age: the line is missing, and an alarm can ask for that.
        if let Some(value) = value {
            gauge(text, help, &[(name.to_owned(), value)]);
        }
    }
    let paused = [Maintenance::Env, Maintenance::Auto, Maintenance::Admin].map(|by| {
        (format!("stickers_maintenance{{by=\"{}\"}}", by.word()), u64::from(product.maintenance == Some(by)))
    });
    gauge(text, "Who paused the kiosk.", &paused);
}

/// One figure with its lines; the name ends where labels begin.
fn gauge(text: &mut String, help: &str, lines: &[(String, u64)]) {
    let name = lines.first().and_then(|(line, _)| line.split('{').next()).unwrap_or_default();
    // Writing to a text cannot fail.
    let _ = writeln!(text, "# HELP {name} {help}");
    let _ = writeln!(text, "# TYPE {name} gauge");
    for (line, value) in lines {
        let _ = writeln!(text, "{line} {value}");
    }
}
