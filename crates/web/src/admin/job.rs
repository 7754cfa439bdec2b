//! `/admin/jobs/{id}`: how it went, its pictures while they exist, and the retry.

use super::access::Signed;
use super::error::PanelError;
use super::form::numbered;
use super::jobs::Row;
use super::page::{self, Frame, Place};
use super::{steps, words};
use crate::WebState;
use app::AppError;
use app::job::{RetryRefusal, retry};
use app::panel::{self, JobDetails, Picture};
use askama::Template;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use domain::job::{JobId, JobStatus};
use domain::session::Notice;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, StatusCode};
use steps::Step;

/// The page.
#[derive(Template)]
#[template(path = "admin/job.html")]
struct JobPage {
    frame: Frame,
    row: Row,
    details: JobDetails,
    steps: Vec<Step>,
    stickers_in_all: usize,
}

/// Shows the page.
pub async fn page(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
) -> Result<Response, PanelError> {
    let details = panel::job_details(&state.ctx, numbered(&id, JobId)?).await?.ok_or(PanelError::NotFound)?;
    let now = state.ctx.clock.now();
    let page = JobPage {
        row: Row::new(&state, details.job.clone(), now),
        steps: steps::of(&details, now),
        stickers_in_all: panel::stickers_of(&state.ctx, &details.job.template_id),
        details,
        frame: Frame::new(&state, &signed, Place::Jobs).await?,
    };
    Ok(page::html(StatusCode::OK, &page))
}

impl JobPage {
    fn mode(&self) -> &'static str {
        match self.row.job.render_mode.as_deref() {
            Some("figure") => "нарисовал провайдер",
            Some("composite") => "из фото, без провайдера",
            Some("composite_fallback") => "из фото: провайдер не смог",
            _ => "ещё не нарисовано",
        }
    }

    fn state(&self) -> String {
        match self.details.position {
            Some(place) if self.row.job.status == JobStatus::Queued => format!("{}, {place}", self.row.tag),
            _ => self.row.tag.to_owned(),
        }
    }

    fn may_retry(&self) -> bool {
        self.row.is_failed() && self.details.selfie
    }

    /// Why there are no stickers to see.
    fn no_stickers(&self) -> &'static str {
        match self.row.job.status {
            JobStatus::Queued => "Ещё не рисовали: задание ждёт своей очереди.",
            JobStatus::Processing => "Рисуются. Появятся здесь, когда будут готовы.",
            JobStatus::Failed => "Задание упало раньше, чем стикеры были готовы, или их срок прошёл.",
            JobStatus::Delivering | JobStatus::Done => {
                "Файлы уже удалены по сроку. Набор в Telegram остаётся у гостя."
            }
        }
    }
}

/// Has a failed job made again.
pub async fn again(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PanelError> {
    let id = numbered(&id, JobId)?;
    signed.form(&headers, body).await?;
    match retry(&state.ctx, id, &signed.admin.login).await {
        Ok(()) => Ok(Redirect::to(&format!("/admin/jobs/{id}?said=retried")).into_response()),
        Err(refusal) => Err(refused(refusal, id)),
    }
}

fn refused(refusal: RetryRefusal, id: JobId) -> PanelError {
    let words = match refusal {
        RetryRefusal::UnknownJob => return PanelError::NotFound,
        RetryRefusal::Internal(fault) => return PanelError::Fault(fault),
        RetryRefusal::NotFailed { status } => {
            format!("Повторяют только упавшее, а это задание: «{}».", words::job_tag(status).to_lowercase())
        }
        RetryRefusal::PhotoGone => {
            "Фото уже удалено, рисовать не из чего. Гость может сняться ещё раз на планшете.".to_owned()
        }
        RetryRefusal::PackLimit(Notice::PackReady) => {
            "У гостя уже есть набор по другому заданию, лимит исчерпан. Если нужен новый, сбрось гостя."
                .to_owned()
        }
        RetryRefusal::PackLimit(Notice::PackInProgress) => {
            "Другой набор этого гостя уже рисуется. Подожди, чем он кончится.".to_owned()
        }
    };
    PanelError::Refused { words, back: format!("/admin/jobs/{id}") }
}

/// The selfie, while it exists.
pub async fn selfie(
    State(state): State<WebState>,
    _signed: Signed,
    Path(id): Path<String>,
) -> Result<Response, PanelError> {
    picture(&state, &id, Picture::Selfie, "image/jpeg").await
}

/// A sticker, while it exists.
pub async fn sticker(
    State(state): State<WebState>,
    _signed: Signed,
    Path((id, place)): Path<(String, String)>,
) -> Result<Response, PanelError> {
    let place = place.parse().map_err(|_| PanelError::NotFound)?;
    picture(&state, &id, Picture::Sticker(place), "image/webp").await
}

/// Through the panel only, and kept by no browser: the answer says `no-store` as every page here.
async fn picture(
    state: &WebState,
    id: &str,
    which: Picture,
    kind: &'static str,
) -> Result<Response, PanelError> {
    let found: Result<_, AppError> = panel::picture(&state.ctx, numbered(id, JobId)?, which).await;
    let bytes = found?.ok_or(PanelError::NotFound)?;
    Ok(([(CONTENT_TYPE, HeaderValue::from_static(kind))], bytes).into_response())
}
