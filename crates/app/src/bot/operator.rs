//! Commands of operators (`ADMIN_USER_IDS`), in their private chat with the bot. To anybody else these commands do not exist.

use super::{Receipt, say};
use crate::operator;
use crate::outbox::GuestMessage;
use crate::{AppError, Ctx};
use clients::telegram::BotCommand;
use domain::guest::Guest;
use domain::operator as words;

/// Handles a command of an operator; `None` when it is none of theirs.
///
/// # Errors
/// When the database fails.
pub(super) async fn command(
    ctx: &Ctx,
    receipt: Receipt,
    guest: &Guest,
    name: &str,
    rest: &str,
) -> Result<Option<()>, AppError> {
    if name == "backup" {
        return say(ctx, receipt, guest.clone(), GuestMessage::Backup).await.map(Some);
    }
    let text = match name {
        "stats" => operator::stats(ctx).await?,
        "admin_stats" => operator::report(ctx).await?,
        "pause" => operator::pause(ctx, guest.id).await?,
        "resume" => operator::resume(ctx, guest.id).await?,
        "balance" => balance(ctx, guest, rest).await?,
        _ => return Ok(None),
    };
    say(ctx, receipt, guest.clone(), GuestMessage::text(text)).await.map(Some)
}

async fn balance(ctx: &Ctx, guest: &Guest, rest: &str) -> Result<String, AppError> {
    if rest.is_empty() {
        let known = operator::balance(&mut ctx.store.reader()).await?;
        return Ok(words::balance(known.as_ref()));
    }
    match words::amount(rest) {
        Some(amount) => {
            let known = operator::set_balance(ctx, guest.id, amount).await?;
            Ok(words::balance(Some(&known)))
        }
        None => Ok(words::BALANCE_USAGE.to_owned()),
    }
}

/// The commands that Telegram offers to operators.
pub fn operator_commands() -> Vec<BotCommand> {
    [
        ("stats", "Гости и наборы"),
        ("admin_stats", "Очередь, сбои, расходы, планшеты"),
        ("pause", "Поставить на паузу"),
        ("resume", "Снять паузу"),
        ("balance", "Баланс провайдера"),
        ("backup", "Сделать копию базы сейчас"),
    ]
    .map(|(command, description)| BotCommand { command: command.into(), description: description.into() })
    .to_vec()
}
