//! `/admin/journal` and `/admin/settings`: who did what, and what is configured.

use super::access::Signed;
use super::error::PanelError;
use super::form::Fields;
use super::page::{self, Frame, Place};
use super::{Setting, words};
use crate::WebState;
use app::panel::{self, AuditLine};
use askama::Template;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use domain::{Timestamp, schedule};
use http::StatusCode;

/// The page of the audit log.
#[derive(Template)]
#[template(path = "admin/journal.html")]
struct JournalPage {
    frame: Frame,
    lines: Vec<AuditLine>,
    /// The next page, if there is one.
    more: Option<String>,
    is_first: bool,
}

/// Shows a page of the audit log, newest first; `before` is `<ms>-<id>` of the last line of the page before.
pub async fn page(
    State(state): State<WebState>,
    signed: Signed,
    RawQuery(query): RawQuery,
) -> Result<Response, PanelError> {
    let fields = Fields::of_query(query.as_deref());
    let before = key(fields.text("before"));
    let (lines, has_more) = panel::audit(&state.ctx, before).await?;
    let last = lines.last().filter(|_| has_more);
    let page = JournalPage {
        more: last.map(|line| format!("/admin/journal?before={}-{}", line.at.as_millis(), line.id)),
        is_first: before.is_none(),
        frame: Frame::new(&state, &signed, Place::Journal).await?,
        lines,
    };
    Ok(page::html(StatusCode::OK, &page))
}

/// Two numbers joined by a hyphen.
pub(super) fn key(text: &str) -> Option<(Timestamp, i64)> {
    let (at, id) = text.split_once('-')?;
    Some((Timestamp::from_millis(at.parse().ok()?), id.parse().ok()?))
}

impl JournalPage {
    fn time(&self, line: &AuditLine) -> String {
        schedule::full_time(line.at)
    }

    fn what<'l>(&self, line: &'l AuditLine) -> &'l str {
        words::action(&line.action)
    }

    /// What it was done to, and its page.
    fn subject(&self, line: &AuditLine) -> (String, Option<String>) {
        words::subject(&line.subject)
    }
}

/// The page of the settings.
#[derive(Template)]
#[template(path = "admin/settings.html")]
struct SettingsPage {
    frame: Frame,
    settings: Vec<Setting>,
    version: &'static str,
    revision: &'static str,
}

/// Shows what is configured, as `stickers config` does. Nothing is changed here.
pub async fn settings(State(state): State<WebState>, signed: Signed) -> Result<Response, PanelError> {
    let page = SettingsPage {
        settings: state.panel()?.settings.clone(),
        version: state.options.version,
        revision: state.options.revision,
        frame: Frame::new(&state, &signed, Place::Journal).await?,
    };
    Ok(page::html(StatusCode::OK, &page))
}
