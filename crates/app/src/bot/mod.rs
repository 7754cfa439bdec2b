//! The bot: understands an update, calls a verb, queues the answer. Everything it says goes through the outbox, so handling an update twice
//! says nothing twice; only the end of a button's spinner is a direct call.

mod commands;
mod consent;
mod forget;
mod incoming;
mod leads;
mod operator;
mod start;

pub use incoming::{Incoming, Press, parse, sender_of};
pub use leads::{GroupEvent, LeadPress, group_commands, group_event, lead_press};
pub use operator::operator_commands;

use crate::lead::status::Toast;
use crate::operator::is_operator;
use crate::outbox::{self, GuestMessage};
use crate::{AppError, Ctx};
use clients::telegram::BotCommand;
use domain::guest::Guest;
use domain::{Language, Timestamp};
use store::{Tx, users};

/// An update being handled: its number makes the keys of its answers.
#[derive(Clone, Copy, Debug)]
pub struct Receipt {
    /// `update_id` of Telegram.
    pub update_id: i64,
}

impl Receipt {
    /// Queues the answer to this update.
    async fn reply(
        self,
        tx: &mut Tx,
        guest: &Guest,
        message: &GuestMessage,
        now: Timestamp,
    ) -> Result<(), AppError> {
        let key = format!("reply:{}", self.update_id);
        outbox::queue(tx, &key, guest.id, None, message, now).await?;
        Ok(())
    }
}

/// Handles one understood update; what to show to whoever pressed a button. Safe to run twice.
///
/// # Errors
/// When the database or the media store fails; the update is then handled again later.
pub async fn handle(ctx: &Ctx, receipt: Receipt, incoming: Incoming) -> Result<Option<Toast>, AppError> {
    if let Incoming::Press(press) = &incoming
        && let Some(what) = lead_press(&press.data)
    {
        return leads::pressed(ctx, receipt, press.clone(), what).await;
    }
    handle_silently(ctx, receipt, incoming).await.map(|()| None)
}

/// Whether the answer to this press is known only after the work, because it says what came of it.
pub fn answers_after(press: &Press) -> bool {
    lead_press(&press.data).is_some()
}

async fn handle_silently(ctx: &Ctx, receipt: Receipt, incoming: Incoming) -> Result<(), AppError> {
    match incoming {
        Incoming::Start { guest, token: Some(token) } => start::with_token(ctx, receipt, guest, token).await,
        Incoming::Start { guest, token: None } => start::without_token(ctx, receipt, guest).await,
        Incoming::Command { guest, name, rest } => command(ctx, receipt, guest, &name, &rest).await,
        Incoming::Press(press) => match press.data.split_once(':') {
            Some(("consent", token)) => consent::pressed(ctx, receipt, &press.guest, token.to_owned()).await,
            Some(("forget", "yes")) => forget::confirmed(ctx, receipt, press.guest).await,
            Some(("forget", "no")) => forget::kept(ctx, receipt, press.guest).await,
            // Forged or from an older version: the spinner was ended, nothing else to do.
            _ => Ok(()),
        },
        Incoming::Chatter { guest } => commands::help(ctx, receipt, guest).await,
        Incoming::Group(event) => leads::handle(ctx, receipt, event).await,
        Incoming::Other => Ok(()),
    }
}

async fn command(ctx: &Ctx, receipt: Receipt, guest: Guest, name: &str, rest: &str) -> Result<(), AppError> {
    if is_operator(ctx, guest.id) && operator::command(ctx, receipt, &guest, name, rest).await?.is_some() {
        return Ok(());
    }
    match name {
        "mypack" => commands::my_pack(ctx, receipt, guest).await,
        "forget_me" => forget::ask(ctx, receipt, guest).await,
        // Commands of the leads group are not talked about elsewhere.
        name if name.starts_with("stickers_") => Ok(()),
        // Anything else is answered with what can be done here.
        _ => commands::help(ctx, receipt, guest).await,
    }
}

/// The commands that Telegram offers to guests, in a language.
pub fn guest_commands(language: Language) -> Vec<BotCommand> {
    let (my_pack, forget, help) = match language {
        Language::Ru => ("Прислать набор ещё раз", "Удалить мои данные", "Как это работает"),
        Language::Uz => ("Toʻplamni yana yuborish", "Maʼlumotlarimni oʻchirish", "Bu qanday ishlaydi"),
        Language::En => ("Send my pack again", "Delete my data", "How it works"),
    };
    [("mypack", my_pack), ("forget_me", forget), ("help", help)]
        .map(|(command, description)| BotCommand { command: command.into(), description: description.into() })
        .to_vec()
}

/// Queues one text. A stranger is not stored for it; of a known guest what Telegram shows now is.
async fn say(ctx: &Ctx, receipt: Receipt, guest: Guest, message: GuestMessage) -> Result<(), AppError> {
    let now = ctx.clock.now();
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                let _ = users::refresh(tx, &guest).await?;
                receipt.reply(tx, &guest, &message, now).await
            })
        })
        .await
}
