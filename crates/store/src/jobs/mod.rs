//! Table `jobs`: the queue. Moves are the rows of "Job transitions", seed 001; the statuses they start from come from
//! `domain::job`. A worker's writes repeat its claim number, so that one that wakes up late changes nothing.
//!
//! `queue`: questions about the queue. `work`: moves of whoever holds a claim. `rescue`: claims of the dead.
//! `delivery`: from the created set to its end, deadlines, the delay notice.

mod delivery;
mod queue;
mod rescue;
mod work;

pub use delivery::{
    admin_retry, claim_delay_notice, clear_photo, delivering, due_for_deadline, due_for_delay_notice,
    due_for_verify, fail_undelivered, finish, looked, next_verify,
};
pub use queue::{
    count_active, count_against_limit, count_by_status, count_failed_since, failed_since, has_active,
    next_not_before, of_guest, of_session, packs_between, packs_since, position, recent_durations,
};
pub use rescue::{Stale, fail_stale_over_limit, first_lease_end, owners, requeue_stale};
pub use work::{
    Delivery, Shutdown, appearance, claim_next, clear_appearance, fail, renew, retry_later,
    return_on_shutdown, set_appearance, start_delivery, with_appearance_left,
};

use crate::error::StoreError;
use crate::query::{Number, Query};
use crate::tx::{Read, Tx};
use domain::Timestamp;
use domain::guest::TelegramId;
use domain::job::{ACTIVE_JOB_STATUSES, Claim, Job, JobId, JobMove, JobState, JobStatus, Pack};

const COLUMNS: &str = "job_id, session_token, telegram_user_id, template_id, status, attempts, error, photo_path, pack_key, \
    pack_name, pack_created_at, delay_notice_sent_at, link_sent_at, claim_no, lease_owner, lease_until, not_before, \
    shutdown_returns, verify_looks, created_at, updated_at";

#[derive(sqlx::FromRow)]
struct JobRow {
    job_id: i64,
    session_token: String,
    telegram_user_id: i64,
    template_id: String,
    status: String,
    attempts: i64,
    error: Option<String>,
    photo_path: Option<String>,
    pack_key: String,
    pack_name: Option<String>,
    pack_created_at: Option<i64>,
    delay_notice_sent_at: Option<i64>,
    link_sent_at: Option<i64>,
    claim_no: i64,
    lease_owner: Option<String>,
    lease_until: Option<i64>,
    not_before: Option<i64>,
    shutdown_returns: i64,
    verify_looks: i64,
    created_at: i64,
    updated_at: i64,
}

impl JobRow {
    fn bad(&self, column: &'static str, value: &str) -> StoreError {
        StoreError::BadRow { table: "jobs", column, key: self.job_id.to_string(), value: value.to_owned() }
    }

    fn time(&self, column: &'static str, value: Option<i64>) -> Result<Timestamp, StoreError> {
        value.map(Timestamp::from_millis).ok_or_else(|| self.bad(column, "NULL"))
    }

    fn pack(&self) -> Result<Pack, StoreError> {
        let name = self.pack_name.clone().ok_or_else(|| self.bad("pack_name", "NULL"))?;
        Ok(Pack { name, created_at: self.time("pack_created_at", self.pack_created_at)? })
    }

    fn claim(&self) -> Result<Claim, StoreError> {
        let owner = self.lease_owner.clone().ok_or_else(|| self.bad("lease_owner", "NULL"))?;
        Ok(Claim { claim_no: self.claim_no, owner, until: self.time("lease_until", self.lease_until)? })
    }

    fn into_job(self) -> Result<Job, StoreError> {
        let status = JobStatus::from_word(&self.status).ok_or_else(|| self.bad("status", &self.status))?;
        let state = match status {
            JobStatus::Queued => JobState::Queued { not_before: self.not_before.map(Timestamp::from_millis) },
            JobStatus::Processing => JobState::Processing(self.claim()?),
            JobStatus::Delivering => JobState::Delivering(self.pack()?),
            JobStatus::Done => JobState::Done {
                pack: self.pack()?,
                link_sent_at: self.time("link_sent_at", self.link_sent_at)?,
            },
            JobStatus::Failed => JobState::Failed,
        };
        Ok(Job {
            id: JobId(self.job_id),
            session_token: self.session_token,
            guest: TelegramId(self.telegram_user_id),
            template_id: self.template_id,
            state,
            attempts: self.attempts,
            photo_path: self.photo_path,
            pack_key: self.pack_key,
            error: self.error,
            verify_looks: self.verify_looks,
            shutdown_returns: self.shutdown_returns,
            delay_notice_sent_at: self.delay_notice_sent_at.map(Timestamp::from_millis),
            created_at: Timestamp::from_millis(self.created_at),
            updated_at: Timestamp::from_millis(self.updated_at),
        })
    }
}

/// Words of the statuses from which `by` is legal.
fn from(by: JobMove) -> impl Iterator<Item = &'static str> {
    words(by.from())
}

/// Words of the active statuses.
pub(crate) fn active() -> impl Iterator<Item = &'static str> {
    words(ACTIVE_JOB_STATUSES)
}

fn words(statuses: &'static [JobStatus]) -> impl Iterator<Item = &'static str> {
    statuses.iter().map(|status| status.word())
}

/// The job of a query that finds one at most.
async fn one(query: Query, on: &mut impl Read) -> Result<Option<Job>, StoreError> {
    query.first::<JobRow>(on).await?.map(JobRow::into_job).transpose()
}

/// The jobs of a query.
async fn many(query: Query, on: &mut impl Read) -> Result<Vec<Job>, StoreError> {
    query.all::<JobRow>(on).await?.into_iter().map(JobRow::into_job).collect()
}

/// The job with this id.
pub async fn find(on: &mut impl Read, id: JobId) -> Result<Option<Job>, StoreError> {
    let query = Query::new("SELECT {columns} FROM jobs WHERE job_id = $1").columns(COLUMNS).bind(id);
    one(query, on).await
}

/// A job to queue.
#[derive(Clone, Debug)]
pub struct NewJob {
    /// The session that took the photo.
    pub session_token: String,
    /// The guest who gets the pack.
    pub guest: TelegramId,
    /// The outfit.
    pub template_id: String,
    /// Media key of the selfie.
    pub photo_path: String,
    /// Letters of the pack's name.
    pub pack_key: String,
    /// When the photo was accepted.
    pub now: Timestamp,
}

/// Queues a job (row `Enqueue`) and says its number. A second one for the same session is a unique violation: a session takes
/// one photo.
pub async fn insert(tx: &mut Tx, new: &NewJob) -> Result<JobId, StoreError> {
    let row = Query::new(
        "INSERT INTO jobs (session_token, telegram_user_id, template_id, status, photo_path, pack_key, created_at, \
         updated_at) VALUES ($1, $2, $3, 'queued', $4, $5, $6, $6) RETURNING job_id AS value",
    )
    .bind(new.session_token.as_str())
    .bind(new.guest)
    .bind(new.template_id.as_str())
    .bind(new.photo_path.as_str())
    .bind(new.pack_key.as_str())
    .bind(new.now)
    .first::<Number>(tx)
    .await?;
    row.and_then(|row| row.value).map(JobId).ok_or_else(|| sqlx::Error::RowNotFound.into())
}
