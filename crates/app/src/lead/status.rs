//! A press on a card: one transaction changes the status and appends to the history (seed 001, "Lead").

use super::group;
use crate::{AppError, Ctx, LeadsGroup};
use domain::Timestamp;
use domain::guest::{Guest, Personal, TelegramId};
use domain::lead::{CardPlace, Lead, LeadId, LeadStatus, Press, texts};
use store::Tx;
use store::audit_log::{self, Audit};
use store::leads::{self, Posted, StatusChange};

/// What a press shows to whoever pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    /// The words.
    pub text: String,
    /// As a dialog that has to be closed.
    pub alert: bool,
}

impl Toast {
    /// Words that go away by themselves.
    pub fn brief(text: impl Into<String>) -> Self {
        Self { text: text.into(), alert: false }
    }

    /// Words that have to be closed.
    pub fn dialog(text: impl Into<String>) -> Self {
        Self { text: text.into(), alert: true }
    }
}

/// Whether `who` may work with leads in this chat. None: this chat is not ours, so nothing is said there.
///
/// # Errors
/// When the database fails.
pub async fn access(ctx: &Ctx, chat: i64, who: i64) -> Result<Option<bool>, AppError> {
    let Some(group) = &ctx.settings.leads.group else { return Ok(None) };
    let ours = group::chat_id(&mut ctx.store.reader(), group).await? == chat;
    Ok(ours.then(|| group.admin_ids.contains(&who)))
}

/// `stickers_lead:<id>:<status>` was pressed on a card at `place`. A press also proves that the card it came from is there: it
/// settles a send whose answer was lost.
///
/// # Errors
/// When the database fails; nothing is written then.
pub async fn press(
    ctx: &Ctx,
    who: &Guest,
    place: Option<CardPlace>,
    id: LeadId,
    to: LeadStatus,
) -> Result<Toast, AppError> {
    let Some(group) = ctx.settings.leads.group.clone() else { return Ok(Toast::brief(texts::NO_ACCESS)) };
    if !group.admin_ids.contains(&who.id.0) {
        return Ok(Toast::brief(texts::NO_ACCESS));
    }
    let now = ctx.clock.now();
    let change = StatusChange { lead: id, to, user: who.id, user_name: Some(shown_name(who)), now };
    ctx.store.write(move |tx| Box::pin(decide(tx, group, place, change))).await
}

/// Somebody in the panel sets a status: rule, history and card are those of a button in the group. `by` is their login, which has no number in
/// Telegram: the history says 0. None: there is no such lead.
///
/// # Errors
/// When the database fails; nothing is written then.
pub async fn set_status_as(
    ctx: &Ctx,
    by: &str,
    id: LeadId,
    to: LeadStatus,
) -> Result<Option<Press>, AppError> {
    let (now, actor) = (ctx.clock.now(), by.to_owned());
    let change =
        StatusChange { lead: id, to, user: TelegramId(0), user_name: Some(Personal(actor.clone())), now };
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                let press = leads::set_status(tx, &change).await?;
                if press == Some(Press::Change) {
                    let entry = Audit {
                        at: now,
                        actor,
                        action: "lead_status".to_owned(),
                        subject: format!("lead:{id}"),
                        details: Some(to.word().to_owned()),
                    };
                    audit_log::insert(tx, &entry).await?;
                }
                Ok(press)
            })
        })
        .await
}

async fn decide(
    tx: &mut Tx,
    group: LeadsGroup,
    place: Option<CardPlace>,
    change: StatusChange,
) -> Result<Toast, AppError> {
    let Some(lead) = leads::find_locked(tx, change.lead).await? else {
        return Ok(Toast::brief(texts::GONE));
    };
    let Some(place) = place else { return Ok(Toast::brief(texts::NO_ACCESS)) };
    let here = group::chat_id(tx, &group).await? == place.chat_id;
    if !here && !leads::stands_at(tx, lead.id, place).await? {
        return Ok(Toast::brief(texts::NO_ACCESS));
    }
    if here {
        settle(tx, &lead, place, change.now).await?;
    }
    let to = change.to;
    Ok(match leads::set_status(tx, &change).await? {
        None => Toast::brief(texts::GONE),
        Some(Press::Change) => Toast::brief(to.label()),
        Some(Press::Same) => Toast::brief(texts::SAME),
        Some(Press::Frozen) => Toast::dialog(texts::FROZEN),
    })
}

/// A card that nobody knew of was pressed: it is the card, or becomes a pointer to it.
async fn settle(tx: &mut Tx, lead: &Lead, place: CardPlace, now: Timestamp) -> Result<(), AppError> {
    if lead.published_at.is_none() && lead.erased_at.is_none() {
        // What exactly it shows is not known, so it is rewritten, and a repeat that it may lack gets its notice.
        let posted =
            Posted { lead: lead.id, place, status: lead.status, last_repeat: 0, maybe_twice: false, now };
        if leads::published(tx, &posted).await?.happened() {
            tracing::info!(lead = %lead.id, "a press proved that the card is in the group");
            leads::mark_dirty(tx, lead.id, now).await.map(drop)?;
        }
        return Ok(());
    }
    let moving = lead.card.is_none() && lead.may_be_posted_twice() && lead.erased_at.is_none();
    if moving && !leads::stands_at(tx, lead.id, place).await? {
        // The card that was posted anew and had no answer; what it shows may be old, so it is rewritten.
        if leads::card_moved(tx, lead.id, place, false, now).await?.happened() {
            tracing::info!(lead = %lead.id, "a press proved that the card is in the group");
            leads::mark_dirty(tx, lead.id, now).await.map(drop)?;
        }
        return Ok(());
    }
    leads::record_stray_card(tx, lead.id, place, now).await.map(drop)?;
    Ok(())
}

/// How the card names whoever pressed.
fn shown_name(who: &Guest) -> Personal {
    match &who.username {
        Some(username) => Personal(format!("@{}", username.0)),
        None => who.first_name.clone(),
    }
}
