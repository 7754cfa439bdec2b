//! Once a minute: pings, the digest, retention (seed 000). Each step is due until it is done; what the group has no room for now
//! goes on with the next pass.

use super::desk::{BATCH, Desk, Until};
use crate::AppError;
use crate::lead::{forget, report};
use clients::telegram::SendMessage;
use domain::Timestamp;
use domain::lead::{LeadId, texts};
use domain::schedule::{self, HOUSEKEEP_EVERY};
use store::leads;

/// Which steps of this minute are not done yet. All are due right after the start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Steps {
    begun_at: Option<Timestamp>,
    reminders: bool,
    digest: bool,
    retention: bool,
}

impl Steps {
    /// Makes all steps due when a minute has passed.
    pub(super) fn beat(&mut self, now: Timestamp) {
        if self.begun_at.is_some_and(|at| now.since(at) < HOUSEKEEP_EVERY && at <= now) {
            return;
        }
        *self = Self { begun_at: Some(now), reminders: true, digest: true, retention: true };
    }

    /// A step that failed waits for the next minute.
    pub(super) fn failed(&mut self, reminders: bool, digest: bool, retention: bool) {
        self.reminders &= !reminders;
        self.digest &= !digest;
        self.retention &= !retention;
    }
}

impl Desk {
    /// One ping for each lead that waits too long, in working hours only.
    pub(super) async fn remind(&mut self) -> Result<Until, AppError> {
        if !self.steps.reminders || !schedule::is_work_time(self.ctx.clock.now()) {
            self.steps.reminders = false;
            return Ok(None);
        }
        let created_by = schedule::remind_created_by(self.ctx.clock.now());
        let due = leads::due_for_reminder(&mut self.ctx.store.reader(), created_by, BATCH).await?;
        self.steps.reminders = due.len() == BATCH as usize;
        for id in due {
            if let Some(until) = self.room(1) {
                self.steps.reminders = true;
                return Ok(Some(until));
            }
            if let Err(error) = self.remind_of(id, created_by).await {
                tracing::error!(lead = %id, error = &error as &dyn std::error::Error, "a ping could not be handled");
            }
        }
        Ok(None)
    }

    /// `reminded_at` is set first and the ping is sent once, whatever comes of it: one that failed must not come every minute.
    async fn remind_of(&mut self, id: LeadId, created_by: Timestamp) -> Result<(), AppError> {
        let now = self.ctx.clock.now();
        let claimed = self
            .ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    leads::claim_reminder(tx, id, created_by, now).await.map_err(AppError::from)
                })
            })
            .await?;
        if !claimed.happened() {
            return Ok(());
        }
        let Some(lead) = leads::find(&mut self.ctx.store.reader(), id).await? else { return Ok(()) };
        let hours = schedule::hours_waiting(lead.created_at, now);
        let mut ping = SendMessage::plain(self.chat, texts::reminder(id, hours));
        ping.reply_to = lead.card.filter(|place| place.chat_id == self.chat).map(|place| place.message_id);
        if let Err(error) = self.send(ping).await {
            tracing::warn!(status = error.status, description = %error.description, "LEAD_REMIND #{id} не отправлен");
        }
        Ok(())
    }

    /// The morning digest: sent first and marked then, so that an error tries again a minute later.
    pub(super) async fn report(&mut self) -> Result<Until, AppError> {
        if !self.steps.digest {
            return Ok(None);
        }
        let Some(digest) = report::due_digest(&self.ctx).await? else {
            self.steps.digest = false;
            return Ok(None);
        };
        if let Some(text) = digest.text {
            if let Some(until) = self.room(1) {
                return Ok(Some(until));
            }
            self.send(SendMessage::plain(self.chat, text)).await?;
        }
        report::digest_done(&self.ctx, digest.day).await?;
        self.steps.digest = false;
        Ok(None)
    }

    /// Contacts past their period go from the database; the rewriting of their cards follows with the other cards.
    pub(super) async fn forget(&mut self) -> Result<Until, AppError> {
        if self.steps.retention {
            self.steps.retention = forget::erase_expired(&self.ctx).await?;
        }
        Ok(None)
    }
}
