//! `/admin/guests`: the list, one guest, and the reset with what it takes and what it leaves.

use super::access::Signed;
use super::error::PanelError;
use super::form::{Fields, numbered};
use super::jobs::Row;
use super::journal::key;
use super::page::{self, Frame, Place};
use super::words;
use crate::WebState;
use app::panel::{self, GuestDetails, GuestLine};
use askama::Template;
use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Redirect, Response};
use domain::guest::TelegramId;
use domain::job::{ACTIVE_JOB_STATUSES, JobStatus};
use http::{HeaderMap, StatusCode};

/// What has to be typed before a guest is reset.
const WORD: &str = "сбросить";

/// The list.
#[derive(Template)]
#[template(path = "admin/guests.html")]
struct GuestsPage {
    frame: Frame,
    guests: Vec<GuestLine>,
    more: Option<String>,
    is_first: bool,
}

/// One guest.
#[derive(Template)]
#[template(path = "admin/guest.html")]
struct GuestPage {
    frame: Frame,
    details: GuestDetails,
    rows: Vec<Row>,
}

/// The question before a reset.
#[derive(Template)]
#[template(path = "admin/reset.html")]
struct ResetPage {
    frame: Frame,
    details: GuestDetails,
    packs: Vec<String>,
    wrong: bool,
}

/// Shows the list, newest first.
pub async fn page(
    State(state): State<WebState>,
    signed: Signed,
    RawQuery(query): RawQuery,
) -> Result<Response, PanelError> {
    let before = key(Fields::of_query(query.as_deref()).text("before"));
    let behind = before.map(|(at, id)| (at, TelegramId(id)));
    let (guests, has_more) = panel::guest_list(&state.ctx, behind).await?;
    let last = guests.last().filter(|_| has_more);
    let page = GuestsPage {
        more: last.map(|guest| format!("/admin/guests?before={}-{}", guest.created_at.as_millis(), guest.id)),
        is_first: before.is_none(),
        guests,
        frame: Frame::new(&state, &signed, Place::Jobs).await?,
    };
    Ok(page::html(StatusCode::OK, &page))
}

impl GuestsPage {
    fn came(&self, guest: &GuestLine) -> String {
        words::moment(guest.created_at, self.frame.now)
    }
}

/// Shows a guest.
pub async fn guest(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
) -> Result<Response, PanelError> {
    let details =
        panel::guest_details(&state.ctx, numbered(&id, TelegramId)?).await?.ok_or(PanelError::NotFound)?;
    let now = state.ctx.clock.now();
    let page = GuestPage {
        rows: details.jobs.iter().cloned().map(|job| Row::new(&state, job, now)).collect(),
        details,
        frame: Frame::new(&state, &signed, Place::Jobs).await?,
    };
    Ok(page::html(StatusCode::OK, &page))
}

impl GuestPage {
    fn came(&self) -> String {
        words::full_moment(self.details.guest.created_at, self.frame.now)
    }

    fn agreed(&self) -> String {
        let at = self.details.guest.consented_at;
        at.map_or("нет".to_owned(), |at| words::full_moment(at, self.frame.now))
    }

    fn language(&self) -> &'static str {
        match self.details.guest.language.as_str() {
            "uz" => "узбекский",
            "en" => "английский",
            _ => "русский",
        }
    }
}

/// Asks before a reset.
pub async fn ask(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
) -> Result<Response, PanelError> {
    asked(&state, &signed, numbered(&id, TelegramId)?, StatusCode::OK).await
}

async fn asked(
    state: &WebState,
    signed: &Signed,
    id: TelegramId,
    status: StatusCode,
) -> Result<Response, PanelError> {
    let details = panel::guest_details(&state.ctx, id).await?.ok_or(PanelError::NotFound)?;
    let done = details.jobs.iter().filter(|job| job.status == JobStatus::Done);
    let page = ResetPage {
        packs: done.filter_map(|job| job.pack_name.clone()).collect(),
        wrong: status != StatusCode::OK,
        details,
        frame: Frame::new(state, signed, Place::Jobs).await?,
    };
    Ok(page::html(status, &page))
}

impl ResetPage {
    fn goes(&self) -> String {
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let (sessions, jobs, files) =
            (count(self.details.sessions), count(self.details.jobs.len()), count(self.details.files));
        format!(
            "{sessions} {}, {jobs} {}, {files} {}",
            words::plural(sessions, "сессия", "сессии", "сессий"),
            words::plural(jobs, "задание", "задания", "заданий"),
            words::plural(files, "файл", "файла", "файлов")
        )
    }

    fn is_busy(&self) -> bool {
        self.details.jobs.iter().any(|job| ACTIVE_JOB_STATUSES.contains(&job.status))
    }
}

/// Resets a guest. The typed word is the confirmation: without it nothing goes.
pub async fn reset(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PanelError> {
    let id = numbered(&id, TelegramId)?;
    let fields = signed.form(&headers, body).await?;
    if fields.text("confirm").to_lowercase() != WORD {
        return asked(&state, &signed, id, StatusCode::CONFLICT).await;
    }
    let gone = app::guest::reset(&state.ctx, id, &signed.admin.login).await?;
    if !gone.known {
        return Err(PanelError::NotFound);
    }
    Ok(Redirect::to("/admin/guests?said=reset").into_response())
}
