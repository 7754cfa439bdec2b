//! A job: one generation request. The `jobs` table is the queue; the transition table of seed 001 stands here as data.

use crate::clock::Timestamp;
use crate::guest::TelegramId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Key of a job; never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobId(pub i64);

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The word in `jobs.status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// Waiting for a slot.
    Queued,
    /// A slot draws it.
    Processing,
    /// The sticker set was created and is being verified.
    Delivering,
    /// The set was verified and the link given to the outbox. Final.
    Done,
    /// Ended without a pack. Final until an admin retries.
    Failed,
}

/// Active statuses (`ACTIVE_JOB_STATUSES`, seed 001).
pub const ACTIVE_JOB_STATUSES: &[JobStatus] =
    &[JobStatus::Queued, JobStatus::Processing, JobStatus::Delivering];

/// What counts against the pack limit: everything except `failed` (`QUOTA_JOB_STATUSES`, seed 001).
pub const QUOTA_JOB_STATUSES: &[JobStatus] =
    &[JobStatus::Queued, JobStatus::Processing, JobStatus::Delivering, JobStatus::Done];

impl JobStatus {
    /// Every status.
    pub const ALL: [JobStatus; 5] =
        [JobStatus::Queued, JobStatus::Processing, JobStatus::Delivering, JobStatus::Done, JobStatus::Failed];

    /// The word that is stored and sent.
    pub fn word(self) -> &'static str {
        match self {
            JobStatus::Queued => "queued",
            JobStatus::Processing => "processing",
            JobStatus::Delivering => "delivering",
            JobStatus::Done => "done",
            JobStatus::Failed => "failed",
        }
    }

    /// The status with this word.
    pub fn from_word(word: &str) -> Option<JobStatus> {
        JobStatus::ALL.into_iter().find(|status| status.word() == word)
    }
}

impl fmt::Display for JobStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How the stickers were made (seed 001, `render_mode`), not where the job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RenderMode {
    /// Drawn by an image provider.
    Figure,
    /// Made here from the selfie.
    Composite,
    /// Made here because the provider could not.
    CompositeFallback,
}

impl RenderMode {
    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            RenderMode::Figure => "figure",
            RenderMode::Composite => "composite",
            RenderMode::CompositeFallback => "composite_fallback",
        }
    }
}

/// What moves a job: one variant a row of the table "Job transitions" of seed 001.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobMove {
    /// Photo accepted.
    Enqueue,
    /// A free slot takes the oldest queued job.
    Claim,
    /// `createNewStickerSet` succeeded.
    StartDelivery,
    /// The set was verified; the link goes out.
    Finish,
    /// An attempt failed and another is left.
    RetryLater,
    /// The last attempt failed, or the error is permanent.
    Fail,
    /// The bot stops and the job did not finish in the grace period.
    ReturnOnShutdown,
    /// Found in `processing` at start-up, with an attempt left.
    RequeueAfterRestart,
    /// Found in `processing` at start-up, and this was the last attempt.
    FailAfterRestart,
    /// Fifteen minutes without a link.
    FailUndelivered,
    /// Operator presses Retry.
    AdminRetry,
    /// Operator resets the guest.
    Reset,
}

/// What a move leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobOutcome {
    /// The job stands in this status.
    Becomes(JobStatus),
    /// The row is gone.
    Deleted,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct JobTransition {
    /// The trigger.
    pub by: JobMove,
    /// Statuses in which it is legal (empty: there is no row yet).
    pub from: &'static [JobStatus],
    /// What it leads to.
    pub to: JobOutcome,
}

/// The table "Job transitions" of seed 001, in its order.
pub const JOB_TRANSITIONS: [JobTransition; 12] = {
    use JobMove as M;
    use JobOutcome::{Becomes, Deleted};
    use JobStatus as S;
    [
        JobTransition { by: M::Enqueue, from: &[], to: Becomes(S::Queued) },
        JobTransition { by: M::Claim, from: &[S::Queued], to: Becomes(S::Processing) },
        JobTransition { by: M::StartDelivery, from: &[S::Processing], to: Becomes(S::Delivering) },
        JobTransition { by: M::Finish, from: &[S::Delivering], to: Becomes(S::Done) },
        JobTransition { by: M::RetryLater, from: &[S::Processing], to: Becomes(S::Queued) },
        JobTransition { by: M::Fail, from: &[S::Processing], to: Becomes(S::Failed) },
        JobTransition { by: M::ReturnOnShutdown, from: &[S::Processing], to: Becomes(S::Queued) },
        JobTransition { by: M::RequeueAfterRestart, from: &[S::Processing], to: Becomes(S::Queued) },
        JobTransition { by: M::FailAfterRestart, from: &[S::Processing], to: Becomes(S::Failed) },
        JobTransition { by: M::FailUndelivered, from: ACTIVE_JOB_STATUSES, to: Becomes(S::Failed) },
        JobTransition { by: M::AdminRetry, from: &[S::Failed], to: Becomes(S::Queued) },
        JobTransition { by: M::Reset, from: &JobStatus::ALL, to: Deleted },
    ]
};

impl JobMove {
    /// The row of the table for this move.
    pub fn row(self) -> &'static JobTransition {
        // As for sessions: the table lists the moves in the order of their declaration, and a test checks it.
        &JOB_TRANSITIONS[self as usize]
    }

    /// Statuses in which the move is legal.
    pub fn from(self) -> &'static [JobStatus] {
        self.row().from
    }
}

/// A job with what exists in its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Key.
    pub id: JobId,
    /// The session that made it.
    pub session_token: String,
    /// The guest who gets the pack.
    pub guest: TelegramId,
    /// The outfit.
    pub template_id: String,
    /// Where it stands.
    pub state: JobState,
    /// Ended attempts (seed 001); start-up recovery adds one.
    pub attempts: i64,
    /// Media key of the selfie; empty once deleted.
    pub photo_path: Option<String>,
    /// Letters of the pack's name, drawn when the job was inserted and at each admin retry.
    pub pack_key: String,
    /// Last error or marker.
    pub error: Option<String>,
    /// Looks of the verifier so far.
    pub verify_looks: i64,
    /// Shutdown returns so far.
    pub shutdown_returns: i64,
    /// When the guest was told that it takes longer.
    pub delay_notice_sent_at: Option<Timestamp>,
    /// When the photo was accepted, or the last admin retry.
    pub created_at: Timestamp,
    /// Last change.
    pub updated_at: Timestamp,
}

/// Where a job stands, with the data of that status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobState {
    /// Waits; a retried one until `not_before`.
    Queued {
        /// Not claimed earlier than this.
        not_before: Option<Timestamp>,
    },
    /// Drawn under a claim.
    Processing(Claim),
    /// The set exists and is being verified.
    Delivering(Pack),
    /// The link was decided.
    Done {
        /// The pack.
        pack: Pack,
        /// When the link was given to the outbox.
        link_sent_at: Timestamp,
    },
    /// No pack.
    Failed,
}

/// Right to work on a job: every write of a worker repeats the number, so that one that wakes up late changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Grows with every claim of this job (fencing token).
    pub claim_no: i64,
    /// Process that holds it.
    pub owner: String,
    /// Until when, without renewal.
    pub until: Timestamp,
}

/// The sticker set of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack {
    /// Its name in Telegram.
    pub name: String,
    /// When it was created.
    pub created_at: Timestamp,
}

impl Job {
    /// The word for the state.
    pub fn status(&self) -> JobStatus {
        match self.state {
            JobState::Queued { .. } => JobStatus::Queued,
            JobState::Processing(_) => JobStatus::Processing,
            JobState::Delivering(_) => JobStatus::Delivering,
            JobState::Done { .. } => JobStatus::Done,
            JobState::Failed => JobStatus::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_lists_each_move_at_its_place() {
        for (place, row) in JOB_TRANSITIONS.iter().enumerate() {
            assert_eq!(row.by as usize, place);
        }
    }

    /// Typed again from seed 001, table "Job transitions": from and to of its twelve rows.
    #[test]
    fn the_table_is_the_one_of_the_seed() {
        let seed: [(&str, &str); 12] = [
            ("", "queued"),
            ("queued", "processing"),
            ("processing", "delivering"),
            ("delivering", "done"),
            ("processing", "queued"),
            ("processing", "failed"),
            ("processing", "queued"),
            ("processing", "queued"),
            ("processing", "failed"),
            ("queued, processing, delivering", "failed"),
            ("failed", "queued"),
            ("queued, processing, delivering, done, failed", "(deleted)"),
        ];
        for ((from, to), row) in seed.into_iter().zip(JOB_TRANSITIONS) {
            let words: Vec<_> = row.from.iter().map(|status| status.word()).collect();
            assert_eq!(words.join(", "), from, "{:?}", row.by);
            let ours = match row.to {
                JobOutcome::Becomes(status) => status.word(),
                JobOutcome::Deleted => "(deleted)",
            };
            assert_eq!(ours, to, "{:?}", row.by);
        }
    }

    #[test]
    fn only_failed_jobs_are_free_of_the_pack_limit() {
        let counted: Vec<_> = QUOTA_JOB_STATUSES.iter().map(|status| status.word()).collect();
        assert_eq!(counted, ["queued", "processing", "delivering", "done"]);
        let active: Vec<_> = ACTIVE_JOB_STATUSES.iter().map(|status| status.word()).collect();
        assert_eq!(active, ["queued", "processing", "delivering"]);
    }
}
