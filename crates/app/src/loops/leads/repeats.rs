//! Repeat contacts: the card is rewritten and a short ping replies to it (seed 001, "Repeat contacts").

use super::desk::{BATCH, Desk, UNKNOWN_PAUSE, Until, pause_after, short};
use crate::AppError;
use clients::telegram::{SendMessage, TelegramError};
use domain::lead::{CardPlace, Lead, LeadStatus, REPEAT_GIVES_UP_AFTER, texts};
use store::leads::{self, DueRepeat};

impl Desk {
    /// Tells of repeats that are due, ten at most.
    pub(super) async fn tell_of_repeats(&mut self) -> Result<Until, AppError> {
        let now = self.ctx.clock.now();
        for repeat in leads::due_repeats(&mut self.ctx.store.reader(), now, BATCH).await? {
            match self.tell_of(repeat).await {
                Ok(None) => {}
                Ok(Some(until)) => return Ok(Some(until)),
                Err(error) => {
                    tracing::error!(
                        repeat = repeat.id,
                        error = &error as &dyn std::error::Error,
                        "a repeat could not be handled"
                    );
                    self.repeat_failed(repeat, &TelegramError::not_sent(short(&error.to_string()))).await?;
                }
            }
        }
        Ok(None)
    }

    async fn tell_of(&mut self, repeat: DueRepeat) -> Result<Until, AppError> {
        let Some(lead) = leads::find(&mut self.ctx.store.reader(), repeat.lead).await? else {
            return Ok(None);
        };
        if lead.erased_at.is_some() || lead.status == LeadStatus::Spam {
            self.repeat_done(repeat.id, None).await?;
            return Ok(None);
        }
        // For the card and for the ping: with room for one alone the card would be rewritten over and over.
        if let Some(until) = self.room(2) {
            return Ok(Some(until));
        }
        let again_at = self.ctx.clock.now().plus(UNKNOWN_PAUSE);
        let begun = self
            .ctx
            .store
            .write(move |tx| {
                Box::pin(
                    async move { leads::begin_notify(tx, &repeat, again_at).await.map_err(AppError::from) },
                )
            })
            .await?;
        if !begun.happened() {
            return Ok(None);
        }
        let told = match self.show(&lead).await? {
            Ok(place) => self.ping(&lead, place).await,
            Err(error) => Err(error),
        };
        match told {
            Ok(()) => self.repeat_done(repeat.id, None).await?,
            Err(error) => self.repeat_failed(repeat, &error).await?,
        }
        Ok(None)
    }

    async fn ping(&mut self, lead: &Lead, place: CardPlace) -> Result<(), TelegramError> {
        let mut ping = SendMessage::plain(self.chat, texts::repeat_ping(lead.id));
        ping.reply_to = Some(place.message_id);
        self.send(ping).await.map(drop)
    }

    async fn repeat_failed(&mut self, repeat: DueRepeat, error: &TelegramError) -> Result<(), AppError> {
        tracing::warn!(repeat = repeat.id, status = error.status, description = %error.description, "a repeat was not told");
        let failures = repeat.attempts + 1;
        let words = short(&error.to_string());
        if failures >= REPEAT_GIVES_UP_AFTER {
            return self.repeat_done(repeat.id, Some(words)).await;
        }
        let again_at = self.ctx.clock.now().plus(pause_after(error, failures));
        self.ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    leads::notify_failed(tx, repeat.id, &words, again_at)
                        .await
                        .map(drop)
                        .map_err(AppError::from)
                })
            })
            .await
    }

    async fn repeat_done(&mut self, id: i64, error: Option<String>) -> Result<(), AppError> {
        let now = self.ctx.clock.now();
        self.ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    leads::notified(tx, id, error.as_deref(), now).await.map(drop).map_err(AppError::from)
                })
            })
            .await
    }
}
