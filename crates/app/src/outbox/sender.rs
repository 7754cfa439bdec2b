//! The sender: takes due rows, one a chat at a time, keeps to the send buckets, and follows each answer of Telegram.

use super::{GuestMessage, exports, to_buttons};
use crate::{AppError, Ctx, Outside};
use clients::telegram::{ErrorKind, Lane, SendBuckets, SendMessage, TelegramError};
use domain::{Timestamp, delivery};
use std::collections::HashSet;
use std::time::Duration;
use store::outbox::{self, Chats, OutboxMessage};
use tokio::task::JoinSet;

/// Sends under way at once; one chat that hangs for a minute must not hold the others.
const IN_FLIGHT_MAX: usize = 8;
/// Rows looked at per pass.
const BATCH: u32 = 32;
/// A row whose failures reach this is given up: five quick tries and then 15 minutes each, a bit over a day.
const GIVE_UP_AFTER: i64 = 100;

/// Sends what is due. One per process that holds the `updates` role.
pub struct Sender {
    ctx: Ctx,
    outside: Outside,
    buckets: SendBuckets,
    in_flight: JoinSet<Sent>,
    busy_chats: HashSet<i64>,
}

struct Sent {
    chat_id: i64,
    flood_s: Option<u32>,
}

impl Sender {
    /// A sender with full buckets.
    pub fn new(ctx: Ctx, outside: Outside) -> Self {
        Self {
            ctx,
            outside,
            buckets: SendBuckets::new(),
            in_flight: JoinSet::new(),
            busy_chats: HashSet::new(),
        }
    }

    /// Rows left in `sending` by a process that died: whether Telegram took them is unknown, and a guest's link twice is harmless while
    /// none is not, so they go again after a pause.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn recover(&self) -> Result<(), AppError> {
        let now = self.ctx.clock.now();
        let not_before = now.plus(delivery::UNKNOWN_RESEND_AFTER);
        let count = self
            .ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    outbox::recover_sending(tx, Chats::Private, not_before, now).await.map_err(AppError::from)
                })
            })
            .await?;
        if count > 0 {
            tracing::warn!(count, "messages whose outcome is unknown will be sent again in 60 s");
        }
        Ok(())
    }

    /// Starts every send that is due and has room, and says how long the caller may wait for the next look when nothing changes.
    ///
    /// # Errors
    /// When the database fails; the caller logs it and comes back.
    pub async fn tick(&mut self) -> Result<Duration, AppError> {
        while let Some(ended) = self.in_flight.try_join_next() {
            self.settle(ended);
        }
        let now = self.ctx.clock.now();
        let mut wait = Duration::from_secs(2);
        for message in outbox::due(&mut self.ctx.store.reader(), Chats::Private, now, BATCH).await? {
            if self.in_flight.len() >= IN_FLIGHT_MAX {
                break;
            }
            if self.busy_chats.contains(&message.chat.0) {
                continue;
            }
            if let Err(again_at) = self.buckets.try_take(Lane::Chat(message.chat.0), now.as_millis()) {
                wait = wait.min(Timestamp::from_millis(again_at).since(now).max(Duration::from_millis(10)));
                continue;
            }
            self.busy_chats.insert(message.chat.0);
            self.in_flight.spawn(send_one(self.ctx.clone(), self.outside.clone(), message));
        }
        Ok(wait)
    }

    /// Waits for one send to end; never resolves when none is under way.
    pub async fn one_ended(&mut self) {
        match self.in_flight.join_next().await {
            Some(ended) => self.settle(ended),
            None => std::future::pending().await,
        }
    }

    /// Waits until no send is under way.
    pub async fn drain(&mut self) {
        while let Some(ended) = self.in_flight.join_next().await {
            self.settle(ended);
        }
    }

    fn settle(&mut self, ended: Result<Sent, tokio::task::JoinError>) {
        match ended {
            Ok(sent) => {
                self.busy_chats.remove(&sent.chat_id);
                if let Some(seconds) = sent.flood_s {
                    self.buckets.block(Lane::Chat(sent.chat_id), seconds, self.ctx.clock.now().as_millis());
                }
            }
            // A send that panicked leaves its row in `sending`; no chat may stay blocked for it.
            Err(error) => {
                tracing::error!(%error, "a send ended abnormally");
                self.busy_chats.clear();
            }
        }
    }
}

/// Sends one row and stores what became of it.
async fn send_one(ctx: Ctx, outside: Outside, message: OutboxMessage) -> Sent {
    let chat_id = message.chat.0;
    let id = message.id;
    match deliver(&ctx, &outside, message).await {
        Ok(flood_s) => Sent { chat_id, flood_s },
        Err(error) => {
            tracing::error!(
                outbox_id = id,
                error = &error as &dyn std::error::Error,
                "a message could not be handled"
            );
            Sent { chat_id, flood_s: None }
        }
    }
}

async fn deliver(ctx: &Ctx, outside: &Outside, message: OutboxMessage) -> Result<Option<u32>, AppError> {
    let (id, now) = (message.id, ctx.clock.now());
    let begun = ctx
        .store
        .write(move |tx| {
            Box::pin(async move { outbox::begin_send(tx, id, now).await.map_err(AppError::from) })
        })
        .await?;
    if begun == store::Change::Stale {
        return Ok(None);
    }
    let body: GuestMessage = match serde_json::from_str(&message.body) {
        Ok(body) => body,
        // A row that nobody can read never gets better; it must not hold its chat.
        Err(error) => {
            let words = format!("unreadable body: {error}");
            let now = ctx.clock.now();
            ctx.store
                .write(move |tx| {
                    Box::pin(async move {
                        outbox::give_up(tx, id, &words, now).await.map(drop).map_err(AppError::from)
                    })
                })
                .await?;
            return Ok(None);
        }
    };
    let answer = match body {
        GuestMessage::LeadsExport { group, reply_to, thread } => {
            let to = exports::Asked { admin: message.chat, group, reply_to, thread, outbox_id: id };
            exports::send(ctx, outside, &to).await?
        }
        // Only the leads loop edits what stands in the group; see `loops::leads`.
        GuestMessage::Blank { .. } => Ok(()),
        GuestMessage::Text { text, buttons, reply_to, thread } => {
            let mut send = SendMessage { reply_to, thread, ..SendMessage::plain(message.chat.0, text) };
            if let Some(buttons) = to_buttons(buttons) {
                send = send.with_buttons(buttons);
            }
            outside.telegram.send_message(send).await.map(drop)
        }
        GuestMessage::RemoveSets { names } => remove_sets(outside, &names).await,
        GuestMessage::Backup => {
            let text = crate::backup::run::by_operator(ctx).await?;
            // The answer is a row of its own: when it cannot be sent, no second copy is made for it.
            let (key, to, now) = (format!("backup_answer:{id}"), message.chat, ctx.clock.now());
            let queued: Result<(), AppError> = ctx
                .store
                .write(move |tx| {
                    let answer = GuestMessage::text(text);
                    Box::pin(async move { super::queue(tx, &key, to, None, &answer, now).await })
                })
                .await;
            queued?;
            Ok(())
        }
        GuestMessage::Sticker { file_id } => {
            outside.telegram.send_sticker(message.chat.0, &file_id).await.map(drop)
        }
    };
    settle_row(ctx, id, message.attempts, answer).await
}

/// Removes each set; removing one again, or one that is not there, is success.
async fn remove_sets(outside: &Outside, names: &[String]) -> Result<(), TelegramError> {
    for name in names {
        outside.telegram.delete_sticker_set(name).await?;
    }
    Ok(())
}

/// Stores the outcome of a send; answers the seconds that Telegram asked this chat to rest.
pub(crate) async fn settle_row(
    ctx: &Ctx,
    id: i64,
    failures: i64,
    answer: Result<(), TelegramError>,
) -> Result<Option<u32>, AppError> {
    let now = ctx.clock.now();
    let next = match &answer {
        Ok(()) => Next::Sent,
        Err(error) => next_step(error, failures, now),
    };
    let words = answer.as_ref().err().map(ToString::to_string).unwrap_or_default();
    if let Err(error) = &answer {
        tracing::warn!(outbox_id = id, status = error.status, description = %error.description, "a message was not sent");
    }
    let flood_s = answer.err().and_then(|error| error.retry_after_s());
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                match next {
                    Next::Sent => outbox::sent(tx, id, now).await,
                    Next::Again(not_before) => outbox::retry(tx, id, &words, not_before, now).await,
                    Next::GiveUp => outbox::give_up(tx, id, &words, now).await,
                }
                .map(drop)
                .map_err(AppError::from)
            })
        })
        .await?;
    Ok(flood_s)
}

enum Next {
    Sent,
    Again(Timestamp),
    GiveUp,
}

/// What each class of refusal means for a guest's message (telegram.md, section 2, "Sending").
fn next_step(error: &TelegramError, failures: i64, now: Timestamp) -> Next {
    if failures + 1 >= GIVE_UP_AFTER {
        return Next::GiveUp;
    }
    match error.kind {
        ErrorKind::Flood { retry_after_s } => {
            Next::Again(now.plus(Duration::from_secs(retry_after_s.into())))
        }
        ErrorKind::Unknown => Next::Again(now.plus(delivery::UNKNOWN_RESEND_AFTER)),
        _ if error.is_final_for_guest() => Next::GiveUp,
        _ if error.is_retryable() => Next::Again(now.plus(delivery::outbox_pause(failures + 1))),
        _ => Next::GiveUp,
    }
}
