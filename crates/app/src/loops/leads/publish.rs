//! Cards that are due (seed 003, branch 1 and the outbox retry schedule).

use super::desk::{BATCH, Desk, SLOW_RETRY, UNKNOWN_PAUSE, Until, pause_after, short};
use crate::lead::card;
use crate::outbox::alert_of_kind;
use crate::{AppError, Ctx};
use clients::telegram::{ErrorKind, SendMessage, TelegramError};
use domain::lead::card::stub;
use domain::lead::{CardPlace, Lead, LeadId, UNKNOWN, texts};
use store::leads::{self, Failed, Posted};
use store::{Change, StoreError};

/// From this failure of one lead on operators are told (seed 003).
const ALERT_FROM: i64 = 5;
/// Kind of that alert.
const ALERT_PUBLISH: &str = "leads_publish";

impl Desk {
    /// Publishes what is due, ten at most, as far as the group may be written to.
    pub(super) async fn publish(&mut self) -> Result<Until, AppError> {
        let now = self.ctx.clock.now();
        for id in leads::due(&mut self.ctx.store.reader(), now, BATCH).await? {
            if let Some(until) = self.room(1) {
                return Ok(Some(until));
            }
            if let Err(error) = self.publish_one(id).await {
                tracing::error!(lead = %id, error = &error as &dyn std::error::Error, "a card could not be handled");
                self.put_off(id, &error).await?;
            }
        }
        Ok(None)
    }

    async fn publish_one(&mut self, id: LeadId) -> Result<(), AppError> {
        let mut reader = self.ctx.store.reader();
        let Some(lead) = leads::find(&mut reader, id).await? else { return Ok(()) };
        let view = card::view(&mut reader, &lead, self.group.card_pii).await?;
        let (before, now) = (lead.clone(), self.ctx.clock.now());
        let begun = self
            .ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    let again_at = now.plus(UNKNOWN_PAUSE);
                    leads::begin_publish(tx, &before, again_at, now).await.map_err(AppError::from)
                })
            })
            .await?;
        if begun == Change::Stale {
            return Ok(());
        }
        let mut message = SendMessage::html(self.chat, view.html);
        message.buttons = view.buttons;
        message.link_preview = false;
        match self.send(message).await {
            Ok(place) => self.published(&lead, place, view.last_repeat).await,
            Err(error) => self.publish_failed(&lead, &error).await,
        }
    }

    async fn published(&mut self, lead: &Lead, place: CardPlace, last_repeat: i64) -> Result<(), AppError> {
        let posted = Posted {
            lead: lead.id,
            place,
            status: lead.status,
            last_repeat,
            maybe_twice: lead.may_be_posted_twice(),
            now: self.ctx.clock.now(),
        };
        let stored = self
            .ctx
            .store
            .write(move |tx| {
                Box::pin(async move { leads::published(tx, &posted).await.map_err(AppError::from) })
            })
            .await?;
        match stored {
            Change::Changed => Ok(()),
            // Erased, deleted or found otherwise while it was on its way: a message too many.
            Change::Stale => self.stray(lead.id, place).await,
        }
    }

    /// A message of a lead that is not its card: it is rewritten with the rest, or at once when the lead is gone.
    pub(super) async fn stray(&mut self, id: LeadId, place: CardPlace) -> Result<(), AppError> {
        let now = self.ctx.clock.now();
        let recorded = self
            .ctx
            .store
            .write(move |tx| {
                Box::pin(
                    async move { leads::record_stray_card(tx, id, place, now).await.map_err(AppError::from) },
                )
            })
            .await?;
        if recorded == Change::Stale {
            self.blank(id, place, stub(id, now)).await.map_err(AppError::from)?;
        }
        Ok(())
    }

    async fn publish_failed(&mut self, lead: &Lead, error: &TelegramError) -> Result<(), AppError> {
        let now = self.ctx.clock.now();
        tracing::warn!(lead = %lead.id, status = error.status, description = %error.description, "a card was not sent");
        // A send without an answer stays one until it is settled, whatever a later one says.
        let unknown = error.kind == ErrorKind::Unknown || lead.may_be_posted_twice();
        let failed = Failed {
            lead: lead.id,
            error: if unknown { UNKNOWN.to_owned() } else { short(&error.to_string()) },
            again_at: match error.kind {
                // All of the group waits for it, so the lead keeps its place before those that came later.
                ErrorKind::Flood { .. } => lead.next_publish_at.unwrap_or(lead.created_at),
                _ => now.plus(pause_after(error, lead.publish_attempts + 1)),
            },
        };
        let (ctx, words) = (self.ctx.clone(), short(&error.to_string()));
        self.ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    let Some(failures) = leads::publish_failed(tx, &failed).await? else { return Ok(()) };
                    if failures < ALERT_FROM {
                        return Ok(());
                    }
                    let text = texts::alert_publish(failed.lead, failures, &words);
                    alert_of_kind(tx, &ctx.settings.admin_user_ids, ALERT_PUBLISH, &text, now).await
                })
            })
            .await
    }

    /// A row that nobody can read must not be tried again with every pass. A database that fails is no reason to put a row off.
    async fn put_off(&mut self, id: LeadId, error: &AppError) -> Result<(), AppError> {
        let AppError::Store(StoreError::BadRow { .. }) = error else { return Ok(()) };
        let failed = Failed {
            lead: id,
            error: short(&error.to_string()),
            again_at: self.ctx.clock.now().plus(SLOW_RETRY),
        };
        put_off(&self.ctx, failed).await
    }
}

async fn put_off(ctx: &Ctx, failed: Failed) -> Result<(), AppError> {
    ctx.store
        .write(move |tx| {
            Box::pin(
                async move { leads::publish_failed(tx, &failed).await.map(drop).map_err(AppError::from) },
            )
        })
        .await
}
