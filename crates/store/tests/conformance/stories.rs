//! Guests, sessions and jobs in whatever status a test needs, brought there by the moves that lead there.

use crate::harness::{Db, at};
use domain::Language;
use domain::guest::{Guest, Personal, TelegramId};
use domain::job::{JobId, JobStatus, RenderMode};
use domain::session::{ClosedReason, SessionStatus};
use store::jobs::{self, Delivery, NewJob};
use store::sessions::{self, NewSession};
use store::{Change, StoreError, Tx, users};

pub const MADINA: TelegramId = TelegramId(41);
pub const TIMUR: TelegramId = TelegramId(42);

/// A guest as Telegram shows them.
pub fn guest(id: TelegramId) -> Guest {
    Guest {
        id,
        first_name: Personal(format!("Guest {id}")),
        last_name: None,
        username: Some(Personal(format!("guest_{id}"))),
        language: Language::Uz,
    }
}

/// A session to begin.
pub fn new_session(token: &str) -> NewSession {
    NewSession { token: token.to_owned(), kiosk: Some("left".to_owned()), language: Language::Ru, now: at(0) }
}

/// A job to queue.
pub fn new_job(token: &str, guest: TelegramId, second: i64) -> NewJob {
    NewJob {
        session_token: token.to_owned(),
        guest,
        template_id: "chapan".to_owned(),
        photo_path: format!("sessions/{token}/selfie_1.jpg"),
        pack_key: "abcdefghij".to_owned(),
        now: at(second),
    }
}

/// A created set.
pub fn delivery(second: i64) -> Delivery {
    Delivery {
        pack_name: "s1_abcdefghij_by_bot".to_owned(),
        provider_used: "local".to_owned(),
        render_mode: RenderMode::Composite,
        now: at(second),
    }
}

pub fn must(change: Change) {
    assert_eq!(change, Change::Changed, "the way there is legal");
}

impl Db {
    /// Makes the guest known.
    pub async fn meet(&self, id: TelegramId) {
        self.write(move |tx| Box::pin(async move { users::upsert(tx, &guest(id), at(0)).await })).await;
    }

    /// A session in `status`; of Madina unless it is idle, or expired from idle.
    pub async fn session_in(&self, token: &'static str, status: SessionStatus) {
        self.session_of(MADINA, token, status).await;
    }

    /// A session of `id` in `status`.
    pub async fn session_of(&self, id: TelegramId, token: &'static str, status: SessionStatus) {
        self.write(move |tx| Box::pin(bring_session(tx, id, token, status))).await;
    }

    /// A job of Madina in `status`, from a session of its own.
    pub async fn job_in(&self, token: &'static str, status: JobStatus) -> JobId {
        self.job_of(MADINA, token, status).await
    }

    /// A job of `id` in `status`.
    pub async fn job_of(&self, id: TelegramId, token: &'static str, status: JobStatus) -> JobId {
        self.write(move |tx| {
            Box::pin(async move {
                bring_session(tx, id, token, SessionStatus::PhotoTaken).await?;
                let job = jobs::insert(tx, &new_job(token, id, 0)).await?;
                bring_job(tx, job, status).await?;
                Ok(job)
            })
        })
        .await
    }
}

async fn bring_session(
    tx: &mut Tx,
    id: TelegramId,
    token: &'static str,
    status: SessionStatus,
) -> Result<(), StoreError> {
    use SessionStatus as S;
    users::upsert(tx, &guest(id), at(0)).await?;
    sessions::insert(tx, &new_session(token)).await?;
    if status == S::Expired {
        must(sessions::expire(tx, token, ClosedReason::QrTimeout, at(1)).await?);
    }
    if matches!(status, S::Linked | S::Consented | S::TemplateChosen | S::PhotoTaken) {
        must(sessions::link(tx, token, id, Language::Uz, at(1)).await?);
    }
    if matches!(status, S::Consented | S::TemplateChosen | S::PhotoTaken) {
        must(users::record_consent(tx, id, 1, at(2)).await?);
        must(sessions::consent(tx, token, id, at(2)).await?);
    }
    if matches!(status, S::TemplateChosen | S::PhotoTaken) {
        must(sessions::choose_template(tx, token, "chapan", at(3)).await?);
    }
    if status == S::PhotoTaken {
        must(sessions::take_photo(tx, token, at(4)).await?);
    }
    Ok(())
}

/// Brings a queued job, the only one that can be claimed, to `status`; its claim number is 1 from `processing` on.
async fn bring_job(tx: &mut Tx, job: JobId, status: JobStatus) -> Result<(), StoreError> {
    use JobStatus as S;
    if status == S::Queued {
        return Ok(());
    }
    let claimed = jobs::claim_next(tx, "worker", at(100), at(10)).await?;
    assert_eq!(claimed.map(|job| job.id), Some(job), "the way there is legal");
    match status {
        S::Queued | S::Processing => {}
        S::Failed => must(jobs::fail(tx, job, 1, "boom", at(20)).await?),
        S::Delivering => must(jobs::start_delivery(tx, job, 1, &delivery(20)).await?),
        S::Done => {
            must(jobs::start_delivery(tx, job, 1, &delivery(20)).await?);
            must(jobs::finish(tx, job, at(30)).await?);
        }
    }
    Ok(())
}
