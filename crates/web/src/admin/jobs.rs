//! `/admin/jobs`: the list with its filters, and the search.

use super::access::Signed;
use super::error::PanelError;
use super::form::Fields;
use super::page::{self, Frame, Place};
use super::words;
use crate::WebState;
use app::panel::{self, COUNT_MAX, Found, JobLine, JobList};
use askama::Template;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use domain::Timestamp;
use domain::guest::TelegramId;
use domain::job::{JobId, JobStatus};
use http::StatusCode;

/// A filter, which is a link.
struct Filter {
    name: &'static str,
    count: String,
    href: String,
    is_chosen: bool,
}

/// The list.
#[derive(Template)]
#[template(path = "admin/jobs.html")]
struct JobsPage {
    frame: Frame,
    filters: Vec<Filter>,
    rows: Vec<Row>,
    more: Option<String>,
    is_first: bool,
    status: Option<JobStatus>,
    path: String,
    typed: String,
}

/// What a search found.
#[derive(Template)]
#[template(path = "admin/found.html")]
struct FoundPage {
    frame: Frame,
    typed: String,
    rows: Vec<Row>,
    guests: Vec<TelegramId>,
}

/// A job on its line.
pub(super) struct Row {
    pub job: JobLine,
    pub outfit: String,
    pub waited: String,
    pub cost: String,
    pub began: String,
    pub tag: &'static str,
    pub tone: &'static str,
}

impl Row {
    pub(super) fn new(state: &WebState, job: JobLine, now: Timestamp) -> Row {
        let until = match job.status {
            JobStatus::Done => job.link_sent_at.unwrap_or(job.updated_at),
            JobStatus::Failed => job.updated_at,
            JobStatus::Queued | JobStatus::Processing | JobStatus::Delivering => now,
        };
        Row {
            outfit: panel::outfit(&state.ctx, &job.template_id),
            waited: words::length(until.since(job.created_at)),
            cost: words::dollars(job.cost_usd),
            began: words::moment(job.created_at, now),
            tag: words::job_tag(job.status),
            tone: words::job_tone(job.status),
            job,
        }
    }

    pub(super) fn is_failed(&self) -> bool {
        self.job.status == JobStatus::Failed
    }
}

/// Shows the list; `status` is a word of the seeds, `before` the number of the last line of the page before, `q` what is looked for.
pub async fn page(
    State(state): State<WebState>,
    signed: Signed,
    RawQuery(query): RawQuery,
) -> Result<Response, PanelError> {
    let fields = Fields::of_query(query.as_deref());
    let typed: String = fields.text("q").chars().take(200).collect();
    if !typed.is_empty() {
        return found(&state, &signed, typed).await;
    }
    let status = JobStatus::from_word(fields.text("status"));
    let before = fields.number("before").map(JobId);
    let list = panel::job_list(&state.ctx, status, before).await?;
    let now = state.ctx.clock.now();
    let more = list.lines.last().filter(|_| list.has_more).map(|last| address(status, Some(last.id)));
    let page = JobsPage {
        filters: filters(&list, status),
        more,
        is_first: before.is_none(),
        status,
        path: address(status, before),
        typed,
        rows: list.lines.into_iter().map(|job| Row::new(&state, job, now)).collect(),
        frame: Frame::new(&state, &signed, Place::Jobs).await?,
    };
    Ok(page::html(StatusCode::OK, &page))
}

async fn found(state: &WebState, signed: &Signed, typed: String) -> Result<Response, PanelError> {
    let Found { jobs, guests } = panel::find_jobs(&state.ctx, &typed).await?;
    let now = state.ctx.clock.now();
    let page = FoundPage {
        rows: jobs.into_iter().map(|job| Row::new(state, job, now)).collect(),
        guests,
        typed,
        frame: Frame::new(state, signed, Place::Jobs).await?,
    };
    Ok(page::html(StatusCode::OK, &page))
}

fn address(status: Option<JobStatus>, before: Option<JobId>) -> String {
    let status = status.map(|status| format!("status={}", status.word()));
    let before = before.map(|before| format!("before={before}"));
    let query: Vec<_> = [status, before].into_iter().flatten().collect();
    if query.is_empty() { "/admin/jobs".to_owned() } else { format!("/admin/jobs?{}", query.join("&")) }
}

fn filters(list: &JobList, chosen: Option<JobStatus>) -> Vec<Filter> {
    let all: i64 = list.counts.iter().map(|(_, count)| count).sum();
    let is_many = list.counts.iter().any(|(_, count)| *count >= COUNT_MAX);
    let first = Filter {
        name: "Все",
        count: words::at_least(all, is_many),
        href: address(None, None),
        is_chosen: chosen.is_none(),
    };
    let rest = list.counts.iter().map(|(status, count)| Filter {
        name: words::job_filter(*status),
        count: words::at_least(*count, *count >= COUNT_MAX),
        href: address(Some(*status), None),
        is_chosen: chosen == Some(*status),
    });
    std::iter::once(first).chain(rest).collect()
}

impl JobsPage {
    /// Title and words where there is nothing.
    fn empty(&self) -> (&'static str, &'static str) {
        match self.status {
            Some(JobStatus::Failed) => ("Упавших нет", "Все гости получили свои наборы."),
            Some(_) => ("Таких заданий нет", "Они появятся, когда гости начнут фотографироваться."),
            None => ("Заданий ещё нет", "Первое появится, когда гость снимет селфи."),
        }
    }
}
