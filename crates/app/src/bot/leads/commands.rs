//! Commands of lead admins in the group.

use super::Place;
use super::incoming::typed_number;
use crate::lead::forget::{self, Forgotten};
use crate::lead::report;
use crate::outbox::{self, ButtonBody, GuestMessage};
use crate::{AppError, Ctx};
use domain::guest::TelegramId;
use domain::lead::{LeadId, card, texts};
use store::audit_log::{self, Audit};
use store::leads;

/// Leads offered by `/stickers_forget` without a number.
const OFFERED: u32 = 8;
/// Letters of a `request_id`.
const UUID_LENGTH: usize = 36;

/// Runs a command of somebody who may.
///
/// # Errors
/// When the database fails.
pub(super) async fn run(
    ctx: &Ctx,
    place: Place,
    who: TelegramId,
    name: &str,
    rest: &str,
) -> Result<(), AppError> {
    match name {
        "stickers_lead" => lead(ctx, place, rest).await,
        "stickers_new" => place.say(ctx, report::waiting(ctx).await?).await,
        "stickers_stats" => place.say(ctx, report::stats(ctx).await?).await,
        "stickers_export" => export(ctx, place, who).await,
        "stickers_forget" => forget_command(ctx, place, who, rest).await,
        // Somebody else's, or a slip.
        _ => Ok(()),
    }
}

/// `/stickers_lead N|request_id`: the card comes anew, as the answer.
async fn lead(ctx: &Ctx, place: Place, rest: &str) -> Result<(), AppError> {
    if rest.is_empty() {
        return place.say(ctx, texts::LEAD_USAGE).await;
    }
    let mut reader = ctx.store.reader();
    let found = match typed_number(rest) {
        Some(id) => leads::find(&mut reader, id).await?,
        None if rest.len() == UUID_LENGTH => {
            leads::by_request_id(&mut reader, &rest.to_ascii_lowercase()).await?
        }
        None => None,
    };
    let Some(lead) = found else { return place.say(ctx, texts::unknown(rest)).await };
    if let Some(at) = lead.erased_at {
        return place.say(ctx, card::stub(lead.id, at)).await;
    }
    let (id, now) = (lead.id, ctx.clock.now());
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                if leads::post_again(tx, id, now).await?.happened() {
                    return Ok(());
                }
                // Never published: it is tried now, unless a send without an answer may still show up.
                leads::publish_now(tx, id, now).await.map(drop)?;
                place.queue(tx, texts::on_its_way(id), Vec::new(), now).await
            })
        })
        .await
}

/// `/stickers_export`: queued for the private chat of whoever asked; the file is made when it is sent.
async fn export(ctx: &Ctx, place: Place, who: TelegramId) -> Result<(), AppError> {
    let now = ctx.clock.now();
    let message =
        GuestMessage::LeadsExport { group: place.chat, reply_to: place.message_id, thread: place.thread };
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                let audit = Audit {
                    at: now,
                    actor: format!("telegram:{who}"),
                    action: "stickers_export".to_owned(),
                    subject: "leads".to_owned(),
                    details: None,
                };
                audit_log::insert(tx, &audit).await?;
                let key = format!("export:{}", place.receipt.update_id);
                outbox::queue(tx, &key, who, None, &message, now).await
            })
        })
        .await
}

/// `/stickers_forget`, `/stickers_forget N`, `/stickers_forget N тест`.
async fn forget_command(ctx: &Ctx, place: Place, who: TelegramId, rest: &str) -> Result<(), AppError> {
    let mut words = rest.split_whitespace();
    let Some(number) = words.next() else { return offer(ctx, place).await };
    let Some(id) = typed_number(number) else { return place.say(ctx, texts::FORGET_USAGE).await };
    match (words.next().map(str::to_lowercase).as_deref(), words.next()) {
        (None, _) => forget(ctx, place, who, id).await,
        (Some("тест"), None) => {
            let forgotten = forget::delete(ctx, id, who).await?;
            say_forgotten(ctx, place, id, forgotten).await
        }
        _ => place.say(ctx, texts::FORGET_USAGE).await,
    }
}

/// Erases the contacts of one lead and says so.
///
/// # Errors
/// When the database fails.
pub(super) async fn forget(ctx: &Ctx, place: Place, who: TelegramId, id: LeadId) -> Result<(), AppError> {
    let forgotten = forget::forget(ctx, id, who).await?;
    say_forgotten(ctx, place, id, forgotten).await
}

async fn say_forgotten(ctx: &Ctx, place: Place, id: LeadId, forgotten: Forgotten) -> Result<(), AppError> {
    let text = match forgotten {
        Forgotten::Erased => texts::forgotten(id),
        Forgotten::Before(at) => texts::already_forgotten(id, at),
        Forgotten::Deleted => texts::deleted(id),
        Forgotten::NoTest => texts::no_test(id),
        Forgotten::Unknown => texts::unknown(&id.to_string()),
    };
    place.say(ctx, text).await
}

/// Without a number: the latest leads as buttons, by number, time and status; nothing personal.
async fn offer(ctx: &Ctx, place: Place) -> Result<(), AppError> {
    let latest = leads::latest_unerased(&mut ctx.store.reader(), OFFERED).await?;
    if latest.is_empty() {
        return place.say(ctx, texts::FORGET_NONE).await;
    }
    let button = |lead: &domain::lead::Lead| {
        let label = texts::list_label(lead.id, lead.created_at, lead.status);
        vec![ButtonBody::callback(label, format!("stickers_forget:{}", lead.id))]
    };
    place.answer(ctx, texts::FORGET_WHICH.to_owned(), latest.iter().map(button).collect()).await
}
