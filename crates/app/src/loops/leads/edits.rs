//! Rewriting what stands in the group: the card from the row, pointers where it stood before, stubs of erased leads. Changes that
//! come close together are one rewriting, because the row is read when it is done.

use super::desk::{BATCH, Desk, SLOW_RETRY, UNKNOWN_PAUSE, Until, short};
use crate::AppError;
use crate::lead::card;
use clients::telegram::{EditMessage, ErrorKind, MessageRef, SendMessage, TelegramError};
use domain::Timestamp;
use domain::lead::card::stub;
use domain::lead::{CardPlace, Lead, LeadId, texts};
use std::time::Duration;
use store::leads::{self, StandingCard};

/// Shortest and longest pause after a rewriting that failed; in between it is as long as the card has been behind.
const PAUSES: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(900));
/// Kind of the alert about a message that can be neither rewritten nor deleted.
const ALERT_ERASE: &str = "leads_erase";

/// What became of one message.
enum Step {
    /// It is as it should be.
    Done,
    /// The group may not be written to before this.
    Wait(Timestamp),
    /// Telegram refused; to be tried again.
    Later(TelegramError),
}

impl Desk {
    /// Rewrites what is behind, ten leads at most.
    pub(super) async fn rewrite(&mut self) -> Result<Until, AppError> {
        let now = self.ctx.clock.now();
        for id in leads::dirty_due(&mut self.ctx.store.reader(), now, BATCH).await? {
            match self.rewrite_lead(id).await {
                Ok(Step::Done) => {}
                Ok(Step::Wait(until)) => return Ok(Some(until)),
                Ok(Step::Later(error)) => {
                    tracing::warn!(lead = %id, status = error.status, description = %error.description, "a card was not rewritten");
                    self.edit_later(id, Some(&error)).await?;
                }
                Err(error) => {
                    tracing::error!(lead = %id, error = &error as &dyn std::error::Error, "a card could not be rewritten");
                    self.edit_later(id, None).await?;
                }
            }
        }
        Ok(None)
    }

    async fn rewrite_lead(&mut self, id: LeadId) -> Result<Step, AppError> {
        let mut reader = self.ctx.store.reader();
        let Some(lead) = leads::find(&mut reader, id).await? else { return Ok(Step::Done) };
        let Some(dirty_at) = lead.card_dirty_at else { return Ok(Step::Done) };
        let step = if lead.erased_at.is_some() {
            self.blank_all(&lead).await?
        } else if lead.published_at.is_some() {
            self.refresh(&lead).await?
        } else {
            // Its first card is made from the row when its turn comes.
            Step::Done
        };
        if matches!(step, Step::Done) {
            self.ctx
                .store
                .write(move |tx| {
                    Box::pin(async move {
                        // Stale: it changed meanwhile, and is rewritten again.
                        leads::clear_dirty(tx, id, dirty_at).await.map(drop).map_err(AppError::from)
                    })
                })
                .await?;
        }
        Ok(step)
    }

    /// The card, and pointers where it stood before. What is done first stays done: the card itself comes last.
    async fn refresh(&mut self, lead: &Lead) -> Result<Step, AppError> {
        let mut fresh = None;
        if self.stands_elsewhere(lead) {
            if let Some(until) = self.room(1) {
                return Ok(Step::Wait(until));
            }
            match self.post_anew(lead).await? {
                Ok(place) => fresh = Some(place),
                Err(error) => return Ok(Step::Later(error)),
            }
        }
        let current = fresh.or(lead.card);
        for standing in leads::standing_cards(&mut self.ctx.store.reader(), lead.id).await? {
            if standing.moved || Some(standing.place) == current {
                continue;
            }
            match self.point(lead.id, standing).await? {
                Step::Done => {}
                other => return Ok(other),
            }
        }
        if fresh.is_some() {
            return Ok(Step::Done);
        }
        if let Some(until) = self.room(1) {
            return Ok(Step::Wait(until));
        }
        Ok(match self.show(lead).await? {
            Ok(_) => Step::Done,
            Err(error) => Step::Later(error),
        })
    }

    /// Whether there is no card in the group as it is now, so that one has to be posted.
    fn stands_elsewhere(&self, lead: &Lead) -> bool {
        lead.card.is_none_or(|place| place.chat_id != self.chat)
    }

    /// Brings the card up to date where it stands, or posts it anew where it is gone. The caller has found room.
    pub(super) async fn show(&mut self, lead: &Lead) -> Result<Result<CardPlace, TelegramError>, AppError> {
        let Some(place) = lead.card.filter(|place| place.chat_id == self.chat) else {
            return self.post_anew(lead).await;
        };
        let view = card::view(&mut self.ctx.store.reader(), lead, self.group.card_pii).await?;
        let edit = EditMessage {
            message: to_ref(place),
            text: view.html,
            parse_mode_html: true,
            buttons: view.buttons,
            link_preview: false,
        };
        match self.edit(edit).await {
            Ok(()) => Ok(Ok(place)),
            Err(error) if error.kind == ErrorKind::MessageGone => {
                let id = lead.id;
                self.ctx
                    .store
                    .write(move |tx| {
                        Box::pin(async move {
                            leads::forget_place(tx, id, place).await.map(drop).map_err(AppError::from)
                        })
                    })
                    .await?;
                self.post_anew(lead).await
            }
            Err(error) => Ok(Err(error)),
        }
    }

    /// Posts the card anew. As with the first one, the intent is stored before the send: without an answer nobody tries again for a
    /// quarter of an hour, the next card says that it may be a repeat, and a press on this one settles it.
    async fn post_anew(&mut self, lead: &Lead) -> Result<Result<CardPlace, TelegramError>, AppError> {
        let view = card::view(&mut self.ctx.store.reader(), lead, self.group.card_pii).await?;
        let (before, now) = (lead.clone(), self.ctx.clock.now());
        let begun = self
            .ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    leads::begin_move(tx, &before, now.plus(UNKNOWN_PAUSE), now).await.map_err(AppError::from)
                })
            })
            .await?;
        if !begun.happened() {
            return Ok(Err(match lead.may_be_posted_twice() {
                true => TelegramError::unknown("an earlier send of the card has no answer"),
                false => TelegramError::not_sent("the lead changed meanwhile"),
            }));
        }
        let mut message = SendMessage::html(self.chat, view.html);
        message.buttons = view.buttons;
        message.link_preview = false;
        let place = match self.send(message).await {
            Ok(place) => place,
            Err(error) => {
                if error.outcome_known() {
                    self.not_moved(lead.clone()).await?;
                }
                return Ok(Err(error));
            }
        };
        let (id, maybe_twice, now) = (lead.id, lead.may_be_posted_twice(), self.ctx.clock.now());
        let moved = self
            .ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    leads::card_moved(tx, id, place, maybe_twice, now).await.map_err(AppError::from)
                })
            })
            .await?;
        if !moved.happened() {
            self.stray(id, place).await?;
        }
        Ok(Ok(place))
    }

    async fn not_moved(&self, lead: Lead) -> Result<(), AppError> {
        self.ctx
            .store
            .write(move |tx| {
                Box::pin(async move { leads::move_failed(tx, &lead).await.map(drop).map_err(AppError::from) })
            })
            .await
    }

    /// An old message becomes a pointer without personal data.
    async fn point(&mut self, id: LeadId, standing: StandingCard) -> Result<Step, AppError> {
        if let Some(until) = self.room(1) {
            return Ok(Step::Wait(until));
        }
        let place = standing.place;
        match self.edit(plain_edit(place, texts::pointer(id))).await {
            Ok(()) => {}
            // What an erasure has to know is kept: it looks at this message again.
            Err(error) if is_out_of_reach(&error, place, self.chat) => {}
            Err(error) => return Ok(Step::Later(error)),
        }
        let now = self.ctx.clock.now();
        self.ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    leads::became_pointer(tx, standing.id, now).await.map(drop).map_err(AppError::from)
                })
            })
            .await?;
        Ok(Step::Done)
    }

    /// Every message of an erased lead loses its words, pointers too.
    async fn blank_all(&mut self, lead: &Lead) -> Result<Step, AppError> {
        let at = lead.erased_at.unwrap_or(lead.created_at);
        for standing in leads::standing_cards(&mut self.ctx.store.reader(), lead.id).await? {
            if let Some(until) = self.room(1) {
                return Ok(Step::Wait(until));
            }
            let place = standing.place;
            if let Err(error) = self.blank(lead.id, place, stub(lead.id, at)).await {
                return Ok(Step::Later(error));
            }
            let now = self.ctx.clock.now();
            self.ctx
                .store
                .write(move |tx| {
                    Box::pin(async move {
                        leads::mark_message_erased(tx, place, now).await.map(drop).map_err(AppError::from)
                    })
                })
                .await?;
        }
        Ok(Step::Done)
    }

    /// Takes the words of one message away: rewritten, else deleted, else operators are told. An error means: try again.
    pub(super) async fn blank(
        &mut self,
        id: LeadId,
        place: CardPlace,
        text: String,
    ) -> Result<(), TelegramError> {
        let error = match self.edit(plain_edit(place, text)).await {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        tracing::warn!("LEAD_ERASE #{id}: карточку не переписать");
        if may_pass(&error) {
            return Err(error);
        }
        let error = match self.outside.telegram.delete_message(to_ref(place)).await {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        if place.chat_id == self.chat {
            self.note(&error).await;
        }
        if may_pass(&error) {
            return Err(error);
        }
        self.alert(ALERT_ERASE, texts::alert_erase(id, &short(&error.to_string()))).await;
        Ok(())
    }

    async fn edit_later(&mut self, id: LeadId, error: Option<&TelegramError>) -> Result<(), AppError> {
        let now = self.ctx.clock.now();
        let lead = leads::find(&mut self.ctx.store.reader(), id).await.ok().flatten();
        let dirty_at = lead.as_ref().and_then(|lead| lead.card_dirty_at);
        // A rewriting does no harm twice, a second card does.
        let posting = lead.is_some_and(|lead| lead.erased_at.is_none() && self.stands_elsewhere(&lead));
        let behind = dirty_at.map(|since| now.since(since)).unwrap_or(PAUSES.1).clamp(PAUSES.0, PAUSES.1);
        let pause = match error.map(|error| error.kind) {
            Some(ErrorKind::Flood { retry_after_s }) => Duration::from_secs(retry_after_s.into()),
            Some(ErrorKind::Unknown) if posting => UNKNOWN_PAUSE,
            Some(ErrorKind::Unknown) => UNKNOWN_PAUSE.min(behind.max(Duration::from_secs(60))),
            Some(ErrorKind::Removed | ErrorKind::Muted | ErrorKind::ChatGone) => SLOW_RETRY,
            _ => behind,
        };
        let again_at = now.plus(pause);
        self.ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    leads::edit_later(tx, id, again_at).await.map(drop).map_err(AppError::from)
                })
            })
            .await
    }
}

fn to_ref(place: CardPlace) -> MessageRef {
    MessageRef { chat_id: place.chat_id, message_id: place.message_id }
}

fn plain_edit(place: CardPlace, text: String) -> EditMessage {
    EditMessage { message: to_ref(place), text, parse_mode_html: false, buttons: None, link_preview: false }
}

/// An old message that nobody can reach any more: deleted, or in a group that was left behind.
fn is_out_of_reach(error: &TelegramError, place: CardPlace, chat: i64) -> bool {
    let left_behind = place.chat_id != chat && !may_pass(error);
    error.kind == ErrorKind::MessageGone || left_behind
}

/// Whether the same call may work later.
fn may_pass(error: &TelegramError) -> bool {
    error.is_retryable() || !error.outcome_known()
}
