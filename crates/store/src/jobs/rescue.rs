//! Claims of the dead: jobs found in `processing` whose worker is gone.

use super::{COLUMNS, from, many};
use crate::error::StoreError;
use crate::query::{Number, Query, Word};
use crate::tx::{Read, Tx};
use domain::Timestamp;
use domain::delivery::REQUEUED_AFTER_RESTART;
use domain::job::{Job, JobId, JobMove};

/// Which jobs in `processing` count as left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stale<'a> {
    /// All: at the start of the only working process.
    All,
    /// Those of a process that is known to be dead.
    Of(&'a str),
    /// Those whose lease ended at this time or before: when other machines may be at work.
    LeaseEndedBy(Timestamp),
}

impl<'a> Stale<'a> {
    /// The latest end of a lease that counts.
    fn latest(self) -> Timestamp {
        match self {
            Stale::All => Timestamp::from_millis(i64::MAX),
            Stale::Of(_) => Timestamp::from_millis(i64::MIN),
            Stale::LeaseEndedBy(time) => time,
        }
    }

    /// The owner whose claims count whenever they end.
    fn owner(self) -> Option<&'a str> {
        match self {
            Stale::Of(owner) => Some(owner),
            Stale::All | Stale::LeaseEndedBy(_) => None,
        }
    }
}

/// Who has claimed what is being worked on, each once.
pub async fn owners(on: &mut impl Read) -> Result<Vec<String>, StoreError> {
    let rows = Query::new(
        "SELECT DISTINCT lease_owner AS value FROM jobs WHERE status = 'processing' ORDER BY lease_owner",
    )
    .all::<Word>(on)
    .await?;
    Ok(rows.into_iter().filter_map(|row| row.value).collect())
}

/// When the first lease of what is being worked on ends.
pub async fn first_lease_end(on: &mut impl Read) -> Result<Option<Timestamp>, StoreError> {
    let first = Query::new("SELECT MIN(lease_until) AS value FROM jobs WHERE status = 'processing'")
        .number(on)
        .await?;
    Ok(first.map(Timestamp::from_millis))
}

/// Takes back the jobs left behind that have an attempt left of `attempts_max` (row `RequeueAfterRestart`). The interrupted
/// attempt counts.
pub async fn requeue_stale(
    tx: &mut Tx,
    stale: Stale<'_>,
    attempts_max: i64,
    now: Timestamp,
) -> Result<Vec<JobId>, StoreError> {
    let rows = Query::new(
        "UPDATE jobs SET status = 'queued', attempts = attempts + 1, error = $3, lease_owner = NULL, \
         lease_until = NULL, updated_at = $4 \
         WHERE status IN ({from}) AND (lease_until <= $1 OR lease_owner = $5) AND attempts + 1 < $2 \
         RETURNING job_id AS value",
    )
    .words("{from}", from(JobMove::RequeueAfterRestart))
    .bind(stale.latest())
    .bind(attempts_max)
    .bind(REQUEUED_AFTER_RESTART)
    .bind(now)
    .bind(stale.owner())
    .all::<Number>(tx)
    .await?;
    let mut ids: Vec<JobId> = rows.into_iter().filter_map(|row| row.value).map(JobId).collect();
    // Neither engine promises an order of RETURNING.
    ids.sort_unstable();
    Ok(ids)
}

/// Fails the jobs left behind whose last attempt this was (row `FailAfterRestart`), so that a job that kills its worker does
/// not do it for ever. The caller queues the messages for them.
pub async fn fail_stale_over_limit(
    tx: &mut Tx,
    stale: Stale<'_>,
    attempts_max: i64,
    error: &str,
    now: Timestamp,
) -> Result<Vec<Job>, StoreError> {
    let query = Query::new(
        "UPDATE jobs SET status = 'failed', attempts = attempts + 1, error = $3, appearance_json = NULL, \
         lease_owner = NULL, lease_until = NULL, updated_at = $4 \
         WHERE status IN ({from}) AND (lease_until <= $1 OR lease_owner = $5) AND attempts + 1 >= $2 \
         RETURNING {columns}",
    )
    .words("{from}", from(JobMove::FailAfterRestart))
    .columns(COLUMNS)
    .bind(stale.latest())
    .bind(attempts_max)
    .bind(error)
    .bind(now)
    .bind(stale.owner());
    let mut jobs = many(query, tx).await?;
    jobs.sort_unstable_by_key(|job| job.id);
    Ok(jobs)
}
