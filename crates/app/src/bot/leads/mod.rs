//! The leads module in the bot: commands and buttons in the team's group (interfaces.md, "Telegram"). Answers are queued; the leads
//! loop sends them.

mod commands;
mod incoming;

pub use incoming::{GroupEvent, LeadPress, group_event, lead_press};

use super::{Press, Receipt};
use crate::lead::group;
use crate::lead::status::{self, Toast};
use crate::outbox::{self, ButtonBody, GuestMessage};
use crate::{AppError, Ctx};
use clients::telegram::BotCommand;
use domain::Timestamp;
use domain::guest::TelegramId;
use domain::lead::{LeadId, texts};
use store::Tx;

/// Handles what happened in a group.
///
/// # Errors
/// When the database fails; the update is then handled again later.
pub(super) async fn handle(ctx: &Ctx, receipt: Receipt, event: GroupEvent) -> Result<(), AppError> {
    match event {
        GroupEvent::Moved { old, new } => moved(ctx, old, new).await,
        GroupEvent::Standing { chat, may_write, why } => {
            group::standing_changed(ctx, chat, may_write, why).await
        }
        GroupEvent::Command { chat, message_id, thread, from, name, rest } => {
            let place = Place { receipt, chat, message_id, thread };
            let who = from.map(|guest| guest.id);
            match status::access(ctx, chat, who.map_or(0, |id| id.0)).await? {
                None => Ok(()),
                Some(false) if who.is_none() => place.say(ctx, texts::ANONYMOUS).await,
                Some(false) => place.say(ctx, texts::NO_ACCESS).await,
                Some(true) => match who {
                    Some(who) => commands::run(ctx, place, who, &name, &rest).await,
                    None => Ok(()),
                },
            }
        }
    }
}

async fn moved(ctx: &Ctx, old: i64, new: i64) -> Result<(), AppError> {
    let Some(group) = ctx.settings.leads.group.clone() else { return Ok(()) };
    let now = ctx.clock.now();
    ctx.store
        .write(move |tx| {
            // Stale: known already, or another group.
            Box::pin(async move { group::follow_migration(tx, &group, old, new, now).await.map(drop) })
        })
        .await
}

/// A button of the module was pressed; what to show.
///
/// # Errors
/// When the database fails; the press is then handled again later.
pub(super) async fn pressed(
    ctx: &Ctx,
    receipt: Receipt,
    press: Press,
    what: LeadPress,
) -> Result<Option<Toast>, AppError> {
    let id = match what {
        LeadPress::Status(id, to) => {
            return status::press(ctx, &press.guest, press.place, id, to).await.map(Some);
        }
        LeadPress::Forget(id) | LeadPress::ForgetYes(id) => id,
    };
    let Some(place) = press.place else { return Ok(Some(Toast::brief(texts::NO_ACCESS))) };
    if status::access(ctx, place.chat_id, press.guest.id.0).await? != Some(true) {
        return Ok(Some(Toast::brief(texts::NO_ACCESS)));
    }
    let place = Place { receipt, chat: place.chat_id, message_id: place.message_id, thread: press.thread };
    match what {
        LeadPress::ForgetYes(_) => commands::forget(ctx, place, press.guest.id, id).await?,
        _ => ask_whether_to_forget(ctx, place, id).await?,
    }
    Ok(None)
}

async fn ask_whether_to_forget(ctx: &Ctx, place: Place, id: LeadId) -> Result<(), AppError> {
    let yes = ButtonBody::callback(texts::FORGET_YES, format!("stickers_forget:{id}:yes"));
    place.answer(ctx, texts::forget_question(id), vec![vec![yes]]).await
}

/// Where a command or a press stands in the group, and which update it is.
#[derive(Clone, Copy, Debug)]
struct Place {
    receipt: Receipt,
    chat: i64,
    message_id: i64,
    thread: Option<i64>,
}

impl Place {
    /// Queues an answer to it.
    async fn answer(self, ctx: &Ctx, text: String, buttons: Vec<Vec<ButtonBody>>) -> Result<(), AppError> {
        let now = ctx.clock.now();
        ctx.store.write(move |tx| Box::pin(async move { self.queue(tx, text, buttons, now).await })).await
    }

    async fn say(self, ctx: &Ctx, text: impl Into<String>) -> Result<(), AppError> {
        self.answer(ctx, text.into(), Vec::new()).await
    }

    async fn queue(
        self,
        tx: &mut Tx,
        text: String,
        buttons: Vec<Vec<ButtonBody>>,
        now: Timestamp,
    ) -> Result<(), AppError> {
        let message =
            GuestMessage::Text { text, buttons, reply_to: Some(self.message_id), thread: self.thread };
        let key = format!("reply:{}", self.receipt.update_id);
        outbox::queue(tx, &key, TelegramId(self.chat), None, &message, now).await
    }
}

/// The commands that Telegram offers in the group.
pub fn group_commands() -> Vec<BotCommand> {
    [
        ("stickers_new", "Заявки без статуса"),
        ("stickers_lead", "Карточка заявки: номер или request_id"),
        ("stickers_stats", "Сводка: сегодня, 7 и 30 дней"),
        ("stickers_export", "Все заявки файлом в личку"),
        ("stickers_forget", "Удалить контакты заявки"),
    ]
    .map(|(command, description)| BotCommand { command: command.into(), description: description.into() })
    .to_vec()
}
