//! Forgetting a lead: on request, whole test leads, and by retention. The database is clean when the verb returns; the leads loop
//! rewrites what stands in the group.

use super::group;
use crate::backup::journal::{self, What};
use crate::guest::wipe;
use crate::outbox::{self, GuestMessage};
use crate::{AppError, Ctx};
use domain::Timestamp;
use domain::guest::TelegramId;
use domain::lead::{Lead, LeadId, card};
use domain::schedule;
use store::audit_log::{self, Audit};
use store::{Tx, leads};

/// Leads forgotten by one pass of the retention; the next pass takes the rest.
const BATCH: u32 = 100;

/// What came of a request to forget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgotten {
    /// The contacts are gone.
    Erased,
    /// They had gone before.
    Before(Timestamp),
    /// The whole lead is gone.
    Deleted,
    /// It is no test lead, and stays as it is.
    NoTest,
    /// There is no such lead.
    Unknown,
}

/// `/stickers_forget <N>`: erases the contacts of a lead.
///
/// # Errors
/// When the database fails.
pub async fn forget(ctx: &Ctx, id: LeadId, by: TelegramId) -> Result<Forgotten, AppError> {
    let now = ctx.clock.now();
    note(ctx, id, What::Lead, |lead| lead.erased_at.is_none()).await?;
    let forgotten = ctx
        .store
        .write(move |tx| {
            Box::pin(async move {
                let Some(lead) = leads::find_locked(tx, id).await? else {
                    return Ok::<_, AppError>(Forgotten::Unknown);
                };
                if let Some(at) = lead.erased_at {
                    return Ok(Forgotten::Before(at));
                }
                leads::erase(tx, id, now).await.map(drop)?;
                audit(tx, "stickers_forget", id, by, now).await?;
                Ok(Forgotten::Erased)
            })
        })
        .await?;
    if forgotten == Forgotten::Erased {
        tracing::info!("LEAD_ERASED #{id} по запросу, user={by}");
        wipe(ctx).await?;
    }
    Ok(forgotten)
}

/// `/stickers_forget <N> тест`: removes a test lead with everything of it; its messages in the group are queued to be rewritten.
///
/// # Errors
/// When the database fails.
pub async fn delete(ctx: &Ctx, id: LeadId, by: TelegramId) -> Result<Forgotten, AppError> {
    let now = ctx.clock.now();
    note(ctx, id, What::WholeLead, is_test).await?;
    let group = ctx.settings.leads.group.clone();
    let forgotten = ctx
        .store
        .write(move |tx| {
            Box::pin(async move {
                let Some(lead) = leads::find_locked(tx, id).await? else {
                    return Ok::<_, AppError>(Forgotten::Unknown);
                };
                if !is_test(&lead) {
                    return Ok(Forgotten::NoTest);
                }
                if let Some(group) = group {
                    let chat = group::chat_id(tx, &group).await?;
                    take_messages_back(tx, &lead, chat, now).await?;
                }
                leads::delete(tx, id).await.map(drop)?;
                audit(tx, "stickers_forget_test", id, by, now).await?;
                Ok(Forgotten::Deleted)
            })
        })
        .await?;
    if forgotten == Forgotten::Deleted {
        tracing::info!("LEAD_DELETED #{id} тест, user={by}");
        wipe(ctx).await?;
    }
    Ok(forgotten)
}

/// Notes in the journal beside the copies that a lead is about to be forgotten, if it is one that will be.
async fn note(ctx: &Ctx, id: LeadId, what: What, will_be: fn(&Lead) -> bool) -> Result<(), AppError> {
    match leads::find(&mut ctx.store.reader(), id).await? {
        Some(lead) if will_be(&lead) => journal::note(ctx, what, lead.request_id).await,
        _ => Ok(()),
    }
}

/// The row goes and with it the list of its messages, so each is queued by itself.
async fn take_messages_back(tx: &mut Tx, lead: &Lead, chat: i64, now: Timestamp) -> Result<(), AppError> {
    for standing in leads::standing_cards(tx, lead.id).await? {
        let place = standing.place;
        let blank = GuestMessage::Blank {
            lead: lead.id.0,
            chat_id: place.chat_id,
            message_id: place.message_id,
            text: card::stub(lead.id, now),
        };
        let key = format!("blank:{}:{}", place.chat_id, place.message_id);
        outbox::queue(tx, &key, TelegramId(chat), None, &blank, now).await?;
    }
    Ok(())
}

/// Only a lead that says so itself, in name or comment, may be removed with its statistics (seed 001, "Full deletion").
fn is_test(lead: &Lead) -> bool {
    let says = |text: &str| {
        let text = text.to_lowercase();
        text.contains("тест") || text.contains("test")
    };
    [&lead.contact.name, &lead.contact.comment].into_iter().flatten().any(|text| says(&text.0))
}

async fn audit(
    tx: &mut Tx,
    action: &'static str,
    id: LeadId,
    by: TelegramId,
    now: Timestamp,
) -> Result<(), AppError> {
    let audit = Audit {
        at: now,
        actor: format!("telegram:{by}"),
        action: action.to_owned(),
        subject: format!("lead:{id}"),
        details: None,
    };
    Ok(audit_log::insert(tx, &audit).await?)
}

/// Erases leads past their retention period (seed 000); whether more wait.
///
/// # Errors
/// When the database fails; what was erased before stays erased.
pub async fn erase_expired(ctx: &Ctx) -> Result<bool, AppError> {
    let now = ctx.clock.now();
    let due = leads::due_for_erasure(&mut ctx.store.reader(), schedule::cutoffs(now), BATCH).await?;
    let mut erased = 0;
    for id in &due {
        let (id, cutoffs) = (*id, schedule::cutoffs(now));
        let status = ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    let Some(lead) = leads::find_locked(tx, id).await? else {
                        return Ok::<_, AppError>(None);
                    };
                    // A press between the look and now restarts the clock.
                    let since = lead.status_at.unwrap_or(lead.created_at);
                    let cutoff = if lead.status == domain::lead::LeadStatus::Spam {
                        cutoffs.spam
                    } else {
                        cutoffs.any
                    };
                    if since > cutoff || !leads::erase(tx, id, now).await?.happened() {
                        return Ok(None);
                    }
                    Ok(Some(lead.status))
                })
            })
            .await?;
        if let Some(status) = status {
            tracing::info!("LEAD_ERASED #{id} по сроку (статус {status})");
            erased += 1;
        }
    }
    if erased > 0 {
        wipe(ctx).await?;
    }
    Ok(due.len() == BATCH as usize)
}
