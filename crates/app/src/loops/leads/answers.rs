//! Answers to commands in the group, and messages of deleted leads: rows of the outbox whose chat is a group.

use super::desk::{BATCH, Desk, Until, pause_after, short};
use crate::AppError;
use crate::outbox::{GuestMessage, deliver};
use domain::guest::TelegramId;
use domain::lead::{CardPlace, LeadId};
use std::time::Duration;
use store::outbox::{self, Chats, OutboxMessage};

impl Desk {
    /// Sends what is due to the group, oldest first.
    pub(super) async fn answer(&mut self) -> Result<Until, AppError> {
        for _ in 0..BATCH {
            let now = self.ctx.clock.now();
            // One of each chat is due at a time, so it is asked anew after each.
            let due = outbox::due(&mut self.ctx.store.reader(), Chats::Groups, now, 1).await?;
            let Some(message) = due.into_iter().next() else { return Ok(None) };
            if let Some(until) = self.room(1) {
                return Ok(Some(until));
            }
            self.answer_one(message).await?;
        }
        Ok(None)
    }

    async fn answer_one(&mut self, message: OutboxMessage) -> Result<(), AppError> {
        let blank = match serde_json::from_str(&message.body) {
            Ok(GuestMessage::Blank { lead, chat_id, message_id, text }) => {
                Some((LeadId(lead), CardPlace { chat_id, message_id }, text))
            }
            _ => None,
        };
        if let Some((lead, place, text)) = blank {
            return self.blank_row(message, lead, place, text).await;
        }
        // Queued for the group as it was then; it goes to where the group is now.
        let message = OutboxMessage { chat: TelegramId(self.chat), ..message };
        if let Some(seconds) = deliver(&self.ctx, &self.outside, message).await? {
            let description = format!("Too Many Requests: retry after {seconds}");
            let parameters = clients::telegram::Parameters {
                retry_after_s: Some(seconds.into()),
                migrate_to_chat_id: None,
            };
            self.note(&clients::telegram::TelegramError::refused(429, description, parameters)).await;
        }
        Ok(())
    }

    /// The intent is not stored: taking words away twice does no harm.
    async fn blank_row(
        &mut self,
        message: OutboxMessage,
        lead: LeadId,
        place: CardPlace,
        text: String,
    ) -> Result<(), AppError> {
        let answer = self.blank(lead, place, text).await;
        let now = self.ctx.clock.now();
        let (id, failures) = (message.id, message.attempts + 1);
        self.ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    if !outbox::begin_send(tx, id, now).await?.happened() {
                        return Ok(());
                    }
                    match answer {
                        Ok(()) => outbox::sent(tx, id, now).await,
                        Err(error) => {
                            let pause = pause_after(&error, failures).max(Duration::from_secs(1));
                            outbox::retry(tx, id, &short(&error.to_string()), now.plus(pause), now).await
                        }
                    }
                    .map(drop)
                    .map_err(AppError::from)
                })
            })
            .await
    }
}
