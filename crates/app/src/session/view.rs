//! The session as the kiosk sees it (interfaces.md, `GET /session/{token}`).

use crate::{AppError, Ctx, Refusal};
use domain::job::{Job, JobState, JobStatus};
use domain::session::{ClosedReason, Notice, Session, SessionStatus};
use domain::{Language, names, wait};
use serde::Serialize;
use std::time::Duration;
use store::{jobs, sessions, users};

/// The object of `GET /session/{token}` and of its event stream. Absent fields are null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SessionView {
    /// Secret of the interaction.
    pub token: String,
    /// Where it stands.
    pub status: SessionStatus,
    /// The chosen outfit.
    pub template_id: Option<String>,
    /// Why the kiosk closed it.
    pub closed_reason: Option<ClosedReason>,
    /// Why the pack limit closed it.
    pub notice: Option<Notice>,
    /// First name of the linked guest, from Telegram.
    pub first_name: Option<String>,
    /// Language of the screen.
    pub language: Language,
    /// Link of the pack, once it was decided.
    pub pack_link: Option<String>,
    /// The job of this session.
    pub job: Option<JobView>,
}

/// The job of a session, for the queue screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct JobView {
    /// Where it stands.
    pub status: JobStatus,
    /// Place in the queue: 1 is next, 0 is being made, null is over.
    pub position: Option<u32>,
    /// Expected wait in seconds, from measured recent jobs; null when it is over.
    pub eta_seconds: Option<u64>,
}

/// Reads a session.
///
/// # Errors
/// [`Refusal::UnknownSession`].
pub async fn view(ctx: &Ctx, token: &str) -> Result<SessionView, Refusal> {
    let mut reader = ctx.store.reader();
    let Some(session) = sessions::find(&mut reader, token).await? else {
        return Err(Refusal::UnknownSession);
    };
    Ok(of(ctx, session).await?)
}

/// The view of a session that was read already.
pub(super) async fn of(ctx: &Ctx, session: Session) -> Result<SessionView, AppError> {
    let mut reader = ctx.store.reader();
    let guest = match session.guest() {
        Some(id) => users::find(&mut reader, id).await?,
        None => None,
    };
    let job = match session.status() {
        SessionStatus::PhotoTaken => jobs::of_session(&mut reader, &session.token).await?,
        _ => None,
    };
    let pack_link = job.as_ref().and_then(|job| match &job.state {
        JobState::Done { pack, .. } => Some(names::pack_link(&ctx.settings.link_url, &pack.name)),
        _ => None,
    });
    let job = match job {
        Some(job) => Some(job_view(ctx, &job).await?),
        None => None,
    };
    Ok(SessionView {
        status: session.status(),
        template_id: session.template_id().map(str::to_owned),
        closed_reason: session.closed_reason(),
        notice: session.notice(),
        first_name: guest.map(|user| user.guest.first_name.0).filter(|name| !name.is_empty()),
        language: session.language,
        pack_link,
        job,
        token: session.token,
    })
}

/// A job with its place and the expected wait.
pub(crate) async fn job_view(ctx: &Ctx, job: &Job) -> Result<JobView, AppError> {
    let status = job.status();
    if matches!(status, JobStatus::Done | JobStatus::Failed) {
        return Ok(JobView { status, position: None, eta_seconds: None });
    }
    let mut reader = ctx.store.reader();
    let position = jobs::position(&mut reader, job.id).await?.unwrap_or(0);
    let recent = jobs::recent_durations(&mut reader, wait::RECENT_JOBS).await?;
    let eta = wait::expected(&recent, position, ctx.settings.worker_slots);
    Ok(JobView { status, position: Some(position), eta_seconds: Some(rounded_up(eta)) })
}

fn rounded_up(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

/// How long a note that a kiosk listens is good: a third of the 30 s after which nobody is taken to listen. Every note is a commit, and a
/// commit wakes every event stream, so a tablet that asks often must not note often.
const NOTE_GOOD_FOR: Duration = Duration::from_secs(9);

/// Notes that a kiosk still listens to this session, so that the server does not expire it.
///
/// # Errors
/// When the database fails.
pub async fn seen_by_kiosk(ctx: &Ctx, token: &str) -> Result<(), AppError> {
    let (token, now) = (token.to_owned(), ctx.clock.now());
    if !sessions::kiosk_unheard(&mut ctx.store.reader(), &token, now.minus(NOTE_GOOD_FOR)).await? {
        return Ok(());
    }
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                sessions::seen_by_kiosk(tx, &token, now).await.map(drop).map_err(AppError::from)
            })
        })
        .await
}
