//! The board of leads.

use super::books::{cut, one_more};
use crate::{AppError, Ctx};
use domain::lead::{Lead, LeadId, LeadStatus, Repeat};
use store::leads;
use store::panel::{self, LeadChange};

/// Leads of a column on the board.
const COLUMN: usize = 12;
/// Leads of a page of one column.
const PAGE: usize = 30;
/// What a search answers at most.
const FOUND_MAX: u32 = 50;
/// Leads among which a name is looked for: the engines fold letters differently, so it is done here.
const NAMED_AMONG: u32 = 500;
/// Changes and repeats that are listed.
const HISTORY_MAX: u32 = 100;

/// A column.
#[derive(Clone, Debug)]
pub struct LeadColumn {
    /// Its status.
    pub status: LeadStatus,
    /// How many leads it has, [`panel::COUNT_MAX`] being so many or more.
    pub count: i64,
    /// The newest of them, each with its last change.
    pub leads: Vec<(Lead, Option<LeadChange>)>,
    /// Whether there are older ones.
    pub has_more: bool,
}

/// The board: every status, the newest leads of each.
///
/// # Errors
/// When the database fails.
pub async fn lead_board(ctx: &Ctx) -> Result<Vec<LeadColumn>, AppError> {
    let mut board = Vec::new();
    for status in LeadStatus::ALL {
        board.push(column(ctx, status, None, COLUMN).await?);
    }
    Ok(board)
}

/// A page of one column, with numbers below `before`.
///
/// # Errors
/// When the database fails.
pub async fn lead_column(
    ctx: &Ctx,
    status: LeadStatus,
    before: Option<LeadId>,
) -> Result<LeadColumn, AppError> {
    column(ctx, status, before, PAGE).await
}

async fn column(
    ctx: &Ctx,
    status: LeadStatus,
    before: Option<LeadId>,
    page: usize,
) -> Result<LeadColumn, AppError> {
    let mut reader = ctx.store.reader();
    let before = before.unwrap_or(LeadId(i64::MAX));
    let found = panel::leads_by_status(&mut reader, status, before, one_more(page)).await?;
    let (found, has_more) = cut(found, page);
    let count = panel::count_leads(&mut reader, status).await?;
    Ok(LeadColumn { status, count, leads: with_changes(ctx, found).await?, has_more })
}

async fn with_changes(ctx: &Ctx, found: Vec<Lead>) -> Result<Vec<(Lead, Option<LeadChange>)>, AppError> {
    let mut reader = ctx.store.reader();
    let mut leads = Vec::with_capacity(found.len());
    for lead in found {
        let change = match lead.status {
            LeadStatus::New => None,
            _ => panel::lead_history(&mut reader, lead.id, 1).await?.into_iter().next(),
        };
        leads.push((lead, change));
    }
    Ok(leads)
}

/// Looks for what somebody typed: a number, a phone, a username, a `request_id`, or a part of a name among the newest leads.
///
/// # Errors
/// When the database fails.
pub async fn find_leads(ctx: &Ctx, typed: &str) -> Result<Vec<(Lead, Option<LeadChange>)>, AppError> {
    let mut reader = ctx.store.reader();
    let typed = typed.trim();
    let found = match Sought::of(typed) {
        Sought::Nothing => Vec::new(),
        Sought::Number(id) => leads::find(&mut reader, id).await?.into_iter().collect(),
        Sought::Phone(phone) => panel::leads_by_phone(&mut reader, &phone, FOUND_MAX).await?,
        Sought::Username(name) => panel::leads_by_telegram(&mut reader, &name, FOUND_MAX).await?,
        Sought::Request(id) => leads::by_request_id(&mut reader, &id).await?.into_iter().collect(),
        Sought::Name(part) => {
            let newest = leads::latest_unerased(&mut reader, NAMED_AMONG).await?;
            let fits = |lead: &Lead| {
                lead.contact.name.as_ref().is_some_and(|name| name.0.to_lowercase().contains(&part))
            };
            newest.into_iter().filter(fits).take(FOUND_MAX as usize).collect()
        }
    };
    with_changes(ctx, found).await
}

/// What a typed text looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Sought {
    Nothing,
    Number(LeadId),
    Phone(String),
    Username(String),
    Request(String),
    Name(String),
}

impl Sought {
    fn of(typed: &str) -> Sought {
        let bare: String = typed.chars().filter(|c| !matches!(c, ' ' | '-' | '(' | ')')).collect();
        let digits = bare.trim_start_matches('+');
        let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let number = typed.trim_start_matches('#').trim_start_matches("stickers_").parse::<i64>();
        if typed.is_empty() {
            Sought::Nothing
        } else if typed.len() == 36 && typed.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-') {
            // Before the phones: one may be made of digits alone.
            Sought::Request(typed.to_lowercase())
        } else if is_number && (bare.starts_with('+') || digits.len() >= 9) {
            Sought::Phone(format!("+{digits}"))
        } else if let Ok(number) = number {
            Sought::Number(LeadId(number))
        } else if typed.starts_with('@') {
            Sought::Username(typed.to_owned())
        } else {
            Sought::Name(typed.to_lowercase())
        }
    }
}

/// Everything that is known of a lead.
#[derive(Clone, Debug)]
pub struct LeadDetails {
    /// The lead.
    pub lead: Lead,
    /// What happened to it, newest first.
    pub history: Vec<LeadChange>,
    /// Who wrote again, newest first.
    pub repeats: Vec<Repeat>,
}

/// Reads it; none: there is no such lead.
///
/// # Errors
/// When the database fails.
pub async fn lead_details(ctx: &Ctx, id: LeadId) -> Result<Option<LeadDetails>, AppError> {
    let mut reader = ctx.store.reader();
    let Some(lead) = leads::find(&mut reader, id).await? else { return Ok(None) };
    Ok(Some(LeadDetails {
        history: panel::lead_history(&mut reader, id, HISTORY_MAX).await?,
        repeats: leads::of_lead(&mut reader, id, HISTORY_MAX).await?,
        lead,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_taken_for_what_it_looks_like() {
        let cases = [
            ("", Sought::Nothing),
            ("214", Sought::Number(LeadId(214))),
            ("#stickers_214", Sought::Number(LeadId(214))),
            ("#214", Sought::Number(LeadId(214))),
            ("+998 90 123-45-67", Sought::Phone("+998901234567".into())),
            ("998901234567", Sought::Phone("+998901234567".into())),
            ("@Aziz_Toy", Sought::Username("@Aziz_Toy".into())),
            (
                "018F6F2A-1111-7000-8000-0123456789AB",
                Sought::Request("018f6f2a-1111-7000-8000-0123456789ab".into()),
            ),
            (
                "00000000-0000-4000-8000-000000000001",
                Sought::Request("00000000-0000-4000-8000-000000000001".into()),
            ),
            ("Азиз", Sought::Name("азиз".into())),
        ];
        for (typed, sought) in cases {
            assert_eq!(Sought::of(typed), sought, "{typed}");
        }
    }
}
