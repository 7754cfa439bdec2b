//! The desk from which everything to the group is sent: where the group is, whether it may be written to now, and what each answer
//! of Telegram means for all that follows.

use super::housekeeping::Steps;
use super::log;
use crate::lead::group;
use crate::outbox::alert_of_kind;
use crate::{AppError, Ctx, LeadsGroup, Outside};
use clients::telegram::{EditMessage, ErrorKind, Lane, MessageRef, SendBuckets, SendMessage, TelegramError};
use domain::Timestamp;
use domain::lead::{CardPlace, texts};
use domain::schedule::PUBLISH_EVERY;
use std::time::Duration;
use store::outbox::{self, Chats};

/// Rows of one kind looked at in a pass (seed 003: ten due leads).
pub(super) const BATCH: u32 = 10;
/// Pause after a send whose outcome nobody knows (product.md).
pub(super) const UNKNOWN_PAUSE: Duration = Duration::from_secs(900);
/// Pause of a message while the bot may not write to the group.
pub(super) const SLOW_RETRY: Duration = Duration::from_secs(900);
/// Longest error text that is stored.
const ERROR_MAX: usize = 200;
/// Of so many messages one is a rewriting, also while a backlog of cards waits.
const TURN: u64 = 4;

/// What the log calls an error outside the steps.
const PASS: &str = "LEADS: ошибка прохода";

/// Why a step ended early: the group may not be written to before this.
pub(super) type Until = Option<Timestamp>;

/// One kind of work of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Answers,
    Publish,
    Repeats,
    Edits,
    Reminders,
    Digest,
    Retention,
}

const USUAL: [Work; 7] = [
    Work::Answers,
    Work::Publish,
    Work::Repeats,
    Work::Edits,
    Work::Reminders,
    Work::Digest,
    Work::Retention,
];
const EDITS_FIRST: [Work; 7] = [
    Work::Repeats,
    Work::Edits,
    Work::Digest,
    Work::Reminders,
    Work::Answers,
    Work::Publish,
    Work::Retention,
];

impl Work {
    /// What the log calls it; the last three are the words of seed 000.
    fn name(self) -> &'static str {
        match self {
            Work::Answers => "LEADS: ошибка шага «ответы»",
            Work::Publish => "LEADS: ошибка шага «публикация»",
            Work::Repeats => "LEADS: ошибка шага «повторы»",
            Work::Edits => "LEADS: ошибка шага «карточки»",
            Work::Reminders => "LEADS: ошибка шага «пинги»",
            Work::Digest => "LEADS: ошибка шага «дайджест»",
            Work::Retention => "LEADS: ошибка шага «сроки хранения»",
        }
    }
}

/// The leads loop of one process. Ticked; holds nothing that the database does not hold too, except how fast it has been sending.
pub struct Desk {
    pub(super) ctx: Ctx,
    pub(super) outside: Outside,
    pub(super) group: LeadsGroup,
    /// Where the group is now.
    pub(super) chat: i64,
    pub(super) steps: Steps,
    buckets: SendBuckets,
    /// The group rests until then: Telegram asked for it, or cannot be written to.
    quiet_until: Until,
    thread_gone: bool,
    turn: u64,
}

impl Desk {
    /// A desk with full buckets.
    pub fn new(ctx: Ctx, outside: Outside, group: LeadsGroup) -> Self {
        Self {
            chat: group.chat_id,
            steps: Steps::default(),
            buckets: SendBuckets::new(),
            quiet_until: None,
            thread_gone: false,
            turn: 0,
            ctx,
            outside,
            group,
        }
    }

    /// Answers in the group that a dead process was sending: whether Telegram took them is unknown, and one twice does no harm.
    pub async fn recover(&self) {
        let now = self.ctx.clock.now();
        let not_before = now.plus(domain::delivery::UNKNOWN_RESEND_AFTER);
        let recovered = self
            .ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    outbox::recover_sending(tx, Chats::Groups, not_before, now).await.map_err(AppError::from)
                })
            })
            .await;
        if let Err(error) = recovered {
            log(Work::Answers.name(), &error);
        }
    }

    /// One pass; how long to wait for the next one when nothing changes. Never fails.
    pub async fn tick(&mut self) -> Duration {
        if let Err(error) = self.look().await {
            log(PASS, &error);
            return PUBLISH_EVERY;
        }
        self.steps.beat(self.ctx.clock.now());
        let order = if self.turn % TURN == TURN - 1 { EDITS_FIRST } else { USUAL };
        let mut wait = PUBLISH_EVERY;
        for work in order {
            match self.work(work).await {
                Ok(None) => {}
                Ok(Some(until)) => {
                    let left = until.since(self.ctx.clock.now()).max(Duration::from_millis(10));
                    wait = wait.min(left);
                }
                Err(error) => {
                    self.steps.failed(work == Work::Reminders, work == Work::Digest, work == Work::Retention);
                    log(work.name(), &error);
                }
            }
        }
        wait
    }

    /// Where the group is and whether it rests, as another part of the bot may have stored it.
    async fn look(&mut self) -> Result<(), AppError> {
        let mut reader = self.ctx.store.reader();
        self.chat = group::chat_id(&mut reader, &self.group).await?;
        self.quiet_until = group::quiet_until(&mut reader).await?;
        Ok(())
    }

    async fn work(&mut self, work: Work) -> Result<Until, AppError> {
        match work {
            Work::Answers => self.answer().await,
            Work::Publish => self.publish().await,
            Work::Repeats => self.tell_of_repeats().await,
            Work::Edits => self.rewrite().await,
            Work::Reminders => self.remind().await,
            Work::Digest => self.report().await,
            Work::Retention => self.forget().await,
        }
    }

    /// Room for so many messages to the group now? None: yes, and they are counted.
    pub(super) fn room(&mut self, messages: u32) -> Until {
        let now = self.ctx.clock.now();
        if let Some(until) = self.quiet_until.filter(|until| *until > now) {
            return Some(until);
        }
        match self.buckets.try_take_many(Lane::Chat(self.chat), messages, now.as_millis()) {
            Ok(()) => {
                self.turn = self.turn.wrapping_add(1);
                None
            }
            Err(free_at) => Some(Timestamp::from_millis(free_at)),
        }
    }

    /// A call to the group is done.
    fn done(&mut self) {
        self.buckets.done(Lane::Chat(self.chat), self.ctx.clock.now().as_millis());
    }

    /// Sends a message to the group, wherever it is by now. What an answer means for the group is followed here; what it means for
    /// the row is the caller's.
    pub(super) async fn send(&mut self, message: SendMessage) -> Result<CardPlace, TelegramError> {
        let thread = self.group.topic_id.filter(|_| !self.thread_gone);
        self.send_in(SendMessage { thread, ..message }).await
    }

    /// The same in the topic that the message names.
    pub(super) async fn send_in(&mut self, mut message: SendMessage) -> Result<CardPlace, TelegramError> {
        // As often as one send can run into a move, a topic and a target that are gone.
        for _ in 0..4 {
            message.chat_id = self.chat;
            let thread = message.thread;
            let message_now = message.clone();
            let answer = self.outside.telegram.send_message(message_now).await;
            self.done();
            match answer {
                Ok(MessageRef { chat_id, message_id }) => return Ok(CardPlace { chat_id, message_id }),
                Err(error) => match error.kind {
                    ErrorKind::Migrated { to } if to != self.chat => self.follow(to).await,
                    ErrorKind::ThreadGone if thread.is_some() => {
                        message.thread = None;
                        if thread == self.group.topic_id {
                            self.thread_gone = true;
                            self.alert("leads_thread", texts::ALERT_THREAD.to_owned()).await;
                        }
                    }
                    ErrorKind::ReplyGone if message.reply_to.is_some() => message.reply_to = None,
                    _ => {
                        self.note(&error).await;
                        return Err(error);
                    }
                },
            }
        }
        Err(TelegramError::not_sent("the group moves faster than it can be followed"))
    }

    /// Puts new words and buttons on a message of ours.
    pub(super) async fn edit(&mut self, edit: EditMessage) -> Result<(), TelegramError> {
        let here = edit.message.chat_id == self.chat;
        let answer = self.outside.telegram.edit_message_text(edit).await;
        self.done();
        // What an old group answers says nothing about this one.
        if let (Err(error), true) = (&answer, here) {
            match error.kind {
                ErrorKind::Migrated { to } => self.follow(to).await,
                _ => self.note(error).await,
            }
        }
        answer
    }

    /// What an error means for everything that goes to the group.
    pub(super) async fn note(&mut self, error: &TelegramError) {
        let now = self.ctx.clock.now();
        let rest = match error.kind {
            ErrorKind::Flood { retry_after_s } => Duration::from_secs(retry_after_s.into()),
            ErrorKind::Removed | ErrorKind::Muted | ErrorKind::ChatGone | ErrorKind::Unauthorized => {
                self.alert(group::ALERT_GROUP, texts::alert_group(&short(&error.to_string()))).await;
                group::UNREACHABLE_PAUSE
            }
            _ => return,
        };
        let until = now.plus(rest);
        self.quiet_until = Some(until);
        let stored = self
            .ctx
            .store
            .write(move |tx| Box::pin(async move { group::be_quiet(tx, until, now).await }))
            .await;
        if let Err(error) = stored {
            log(PASS, &error);
        }
    }

    async fn follow(&mut self, to: i64) {
        let (old, group, now) = (self.chat, self.group.clone(), self.ctx.clock.now());
        let stored = self
            .ctx
            .store
            .write(move |tx| {
                Box::pin(async move { group::follow_migration(tx, &group, old, to, now).await.map(drop) })
            })
            .await;
        if let Err(error) = stored {
            log(PASS, &error);
        }
        self.chat = to;
    }

    pub(super) async fn alert(&self, kind: &'static str, text: String) {
        let (admins, now) = (self.ctx.settings.admin_user_ids.clone(), self.ctx.clock.now());
        let told = self
            .ctx
            .store
            .write(move |tx| Box::pin(async move { alert_of_kind(tx, &admins, kind, &text, now).await }))
            .await;
        if let Err(error) = told {
            log(PASS, &error);
        }
    }
}

/// An error text that fits a column.
pub(super) fn short(error: &str) -> String {
    error.chars().take(ERROR_MAX).collect()
}

/// Pause before the next try after `failures` failures of one row: as the seeds say, except where the answer says otherwise.
pub(super) fn pause_after(error: &TelegramError, failures: i64) -> Duration {
    match error.kind {
        ErrorKind::Flood { retry_after_s } => Duration::from_secs(retry_after_s.into()),
        ErrorKind::Unknown => UNKNOWN_PAUSE,
        ErrorKind::Removed | ErrorKind::Muted | ErrorKind::ChatGone | ErrorKind::Unauthorized => SLOW_RETRY,
        _ => domain::lead::publish_pause(failures),
    }
}
