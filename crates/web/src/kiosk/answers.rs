//! The session as it is sent, and the shape of refusals: shared by several operations.

use app::session::{JobView, SessionView};
use domain::Language;
use domain::job::JobStatus;
use domain::session::{ClosedReason, Notice, SessionStatus};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

/// A session as the kiosk sees it. Absent fields are null.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionAnswer {
    /// Secret of the interaction.
    #[schema(example = "k3x9…")]
    pub token: String,
    /// Where it stands.
    #[schema(schema_with = session_status)]
    pub status: &'static str,
    /// The chosen outfit.
    pub template_id: Option<String>,
    /// Why the kiosk closed it.
    #[schema(schema_with = closed_reason)]
    pub closed_reason: Option<&'static str>,
    /// Why the pack limit closed it.
    #[schema(schema_with = notice)]
    pub notice: Option<&'static str>,
    /// First name of the linked guest.
    pub first_name: Option<String>,
    /// Language of the screen: the tablet's choice until a guest is linked, then the guest's.
    #[schema(schema_with = language)]
    pub language: &'static str,
    /// Link of the finished pack.
    pub pack_link: Option<String>,
    /// The job, once the photo is taken.
    pub job: Option<JobAnswer>,
}

/// The job of a session.
#[derive(Debug, Serialize, ToSchema)]
pub struct JobAnswer {
    /// Where it stands.
    #[schema(schema_with = job_status)]
    pub status: &'static str,
    /// Place in the queue: 1 is next, 0 is being made, null is over.
    pub position: Option<u32>,
    /// Expected wait in seconds, null when it is over.
    pub eta_seconds: Option<u64>,
}

/// What is answered instead of doing what was asked.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorAnswer {
    /// The code for programs.
    #[schema(example = "wrong_status")]
    pub error: String,
    /// The words for people, in the language of `Accept-Language`.
    pub message: String,
    /// Where the session stands; with every 409.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Why the pack limit stopped it; with `pack_limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl From<SessionView> for SessionAnswer {
    fn from(view: SessionView) -> Self {
        Self {
            token: view.token,
            status: view.status.word(),
            template_id: view.template_id,
            closed_reason: view.closed_reason.map(ClosedReason::word),
            notice: view.notice.map(Notice::word),
            first_name: view.first_name,
            language: view.language.code(),
            pack_link: view.pack_link,
            job: view.job.map(JobAnswer::from),
        }
    }
}

impl From<JobView> for JobAnswer {
    fn from(job: JobView) -> Self {
        Self { status: job.status.word(), position: job.position, eta_seconds: job.eta_seconds }
    }
}

/// The words of the domain as a schema, so that the description cannot drift from the tables.
fn words(list: impl IntoIterator<Item = &'static str>) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(list))
}

/// The same, or null.
fn words_or_null(list: impl IntoIterator<Item = &'static str>) -> Object {
    let values = list.into_iter().map(|word| Some(word.to_owned())).chain([None]);
    let types = [Type::String, Type::Null].into_iter().collect();
    ObjectBuilder::new()
        .schema_type(utoipa::openapi::schema::SchemaType::Array(types))
        .enum_values(Some(values))
        .build()
}

fn session_status() -> Object {
    words(SessionStatus::ALL.map(SessionStatus::word)).build()
}

/// Statuses of a job.
pub fn job_status() -> Object {
    words(JobStatus::ALL.map(JobStatus::word)).build()
}

fn closed_reason() -> Object {
    words_or_null(ClosedReason::ALL.map(ClosedReason::word))
}

fn notice() -> Object {
    words_or_null([Notice::PackReady, Notice::PackInProgress].map(Notice::word))
}

/// The three languages.
pub fn language() -> Object {
    words(Language::ALL.map(Language::code)).build()
}
