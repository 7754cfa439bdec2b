//! Answers to commands in the group, and messages of deleted leads: rows of the outbox whose chat is a group.

use super::desk::{BATCH, Desk, Until, pause_after, short};
use crate::AppError;
use crate::outbox::{GuestMessage, settle_row, to_buttons};
use clients::telegram::{Parameters, SendMessage, TelegramError};
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
        let body = serde_json::from_str(&message.body);
        if let Ok(GuestMessage::Blank { lead, chat_id, message_id, text }) = body {
            let place = CardPlace { chat_id, message_id };
            return self.blank_row(message, LeadId(lead), place, text).await;
        }
        let (id, now) = (message.id, self.ctx.clock.now());
        let begun = self
            .ctx
            .store
            .write(move |tx| {
                Box::pin(async move { outbox::begin_send(tx, id, now).await.map_err(AppError::from) })
            })
            .await?;
        if !begun.happened() {
            return Ok(());
        }
        let answer = match body {
            // Queued for the group as it was then; it goes to where the group is now.
            Ok(GuestMessage::Text { text, buttons, reply_to, thread }) => {
                let plain = SendMessage::plain(self.chat, text);
                let send = SendMessage { buttons: to_buttons(buttons), reply_to, thread, ..plain };
                self.send_in(send).await.map(drop)
            }
            // A row that nobody can read never gets better.
            _ => Err(TelegramError::refused(400, "unreadable body", Parameters::default())),
        };
        settle_row(&self.ctx, id, message.attempts, answer).await.map(drop)
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
