//! Sends the table of all leads to the admin who asked, and tells the group what came of it.

use super::{GuestMessage, queue};
use crate::lead::export;
use crate::{AppError, Ctx, Outside};
use bytes::Bytes;
use clients::telegram::{SendDocument, TelegramError};
use domain::guest::TelegramId;
use domain::lead::texts;

/// Who asked for the table, and where.
pub(super) struct Asked {
    /// The admin, whose private chat has this number.
    pub(super) admin: TelegramId,
    /// The group in which the command stood.
    pub(super) group: i64,
    /// The command.
    pub(super) reply_to: i64,
    /// Its topic.
    pub(super) thread: Option<i64>,
    /// The row that is being sent, which names the answers.
    pub(super) outbox_id: i64,
}

/// Makes the table and sends it. An admin who never pressed Start is told so in the group.
///
/// # Errors
/// Outer: the database. Inner: Telegram's answer.
pub(super) async fn send(
    ctx: &Ctx,
    outside: &Outside,
    asked: &Asked,
) -> Result<Result<(), TelegramError>, AppError> {
    let Some(export) = export::export(ctx).await? else {
        tell(ctx, asked, "large", texts::EXPORT_TOO_LARGE).await?;
        return Ok(Ok(()));
    };
    let document = SendDocument {
        chat_id: asked.admin.0,
        thread: None,
        file_name: export.file_name,
        mime_type: "text/csv".to_owned(),
        bytes: Bytes::from(export.csv.into_bytes()),
        caption: None,
    };
    let answer = outside.telegram.send_document(document).await.map(drop);
    match &answer {
        Ok(()) => tell(ctx, asked, "sent", texts::EXPORT_SENT).await?,
        Err(error) if error.is_final_for_guest() => {
            tell(ctx, asked, "no_chat", texts::EXPORT_NO_CHAT).await?
        }
        // Tried again with the usual pauses.
        Err(_) => {}
    }
    Ok(answer)
}

async fn tell(ctx: &Ctx, asked: &Asked, what: &str, text: &'static str) -> Result<(), AppError> {
    let key = format!("export_{what}:{}", asked.outbox_id);
    let (group, reply_to, now) = (TelegramId(asked.group), asked.reply_to, ctx.clock.now());
    let (text, thread) = (text.to_owned(), asked.thread);
    let message = GuestMessage::Text { text, buttons: Vec::new(), reply_to: Some(reply_to), thread };
    ctx.store
        .write(move |tx| Box::pin(async move { queue(tx, &key, group, None, &message, now).await }))
        .await
}
