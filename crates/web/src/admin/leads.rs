//! `/admin/leads`: the board, one lead, and moving it. The rules are those of the buttons in the group, and the card there follows.

use super::access::Signed;
use super::error::PanelError;
use super::form::{Fields, numbered};
use super::page::{self, Frame, Place};
use super::words;
use crate::WebState;
use app::panel::{self, COUNT_MAX, LeadChange, LeadColumn, LeadDetails};
use askama::Template;
use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Redirect, Response};
use domain::lead::{Contact, Lead, LeadId, LeadStatus, Press, texts};
use domain::schedule::REMIND_AFTER;
use domain::{Timestamp, guest::Personal};
use http::{HeaderMap, StatusCode};

/// A lead on the board.
struct Card {
    id: LeadId,
    name: String,
    /// Date and number of guests, as typed.
    about: String,
    /// Since when it waits, or who took it when.
    note: String,
    is_late: bool,
    status: LeadStatus,
}

impl Card {
    fn new(lead: &Lead, change: Option<&LeadChange>, now: Timestamp) -> Card {
        let waits = now.since(lead.created_at);
        let is_late = lead.status == LeadStatus::New && lead.erased_at.is_none() && waits >= REMIND_AFTER;
        let note = match (lead.erased_at, change) {
            (Some(_), _) => "данные удалены".to_owned(),
            (None, Some(change)) => match &change.by {
                Some(by) => format!("{}, {}", by.0, words::moment(change.at, now)),
                None => words::moment(change.at, now),
            },
            (None, None) if is_late => format!("{} без ответа", words::length(waits)),
            (None, None) => words::rough(waits),
        };
        Card {
            id: lead.id,
            name: typed(lead.contact.name.as_ref()),
            about: about(&lead.contact),
            note,
            is_late,
            status: lead.status,
        }
    }

    /// Where it can be moved to.
    fn targets(&self) -> Vec<LeadStatus> {
        LeadStatus::HANDLED.into_iter().filter(|status| *status != self.status).collect()
    }

    fn is_new(&self) -> bool {
        self.status == LeadStatus::New
    }
}

fn typed(text: Option<&Personal>) -> String {
    text.map_or_else(String::new, |text| text.0.clone())
}

fn about(contact: &Contact) -> String {
    let parts = [contact.date.as_ref(), contact.guests.as_ref()];
    let parts: Vec<_> = parts.into_iter().flatten().map(|part| part.0.as_str()).collect();
    parts.join(" · ")
}

/// A column of the board.
struct Column {
    label: &'static str,
    word: &'static str,
    count: String,
    cards: Vec<Card>,
    has_more: bool,
}

impl Column {
    fn new(column: &LeadColumn, now: Timestamp) -> Column {
        let cards = column.leads.iter().map(|(lead, change)| Card::new(lead, change.as_ref(), now));
        Column {
            label: column.status.label(),
            word: column.status.word(),
            count: words::at_least(column.count, column.count >= COUNT_MAX),
            cards: cards.collect(),
            has_more: column.has_more,
        }
    }
}

/// The board.
#[derive(Template)]
#[template(path = "admin/leads.html")]
struct BoardPage {
    frame: Frame,
    columns: Vec<Column>,
    chosen: &'static str,
    path: String,
    typed: String,
}

/// One column, or what a search found.
#[derive(Template)]
#[template(path = "admin/leads_list.html")]
struct ListPage {
    frame: Frame,
    title: String,
    cards: Vec<Card>,
    more: Option<String>,
    typed: String,
}

/// Shows the board; `status` chooses the column of a phone, with `before` it is that column alone, `q` is a search.
pub async fn page(
    State(state): State<WebState>,
    signed: Signed,
    RawQuery(query): RawQuery,
) -> Result<Response, PanelError> {
    let fields = Fields::of_query(query.as_deref());
    let typed: String = fields.text("q").chars().take(200).collect();
    if !typed.is_empty() {
        return found(&state, &signed, typed).await;
    }
    let status = LeadStatus::from_word(fields.text("status")).unwrap_or(LeadStatus::New);
    if let Some(before) = fields.number("before") {
        return column(&state, &signed, status, LeadId(before)).await;
    }
    let now = state.ctx.clock.now();
    let board = panel::lead_board(&state.ctx).await?;
    let page = BoardPage {
        columns: board.iter().map(|column| Column::new(column, now)).collect(),
        chosen: status.word(),
        path: format!("/admin/leads?status={}", status.word()),
        typed,
        frame: Frame::new(&state, &signed, Place::Leads).await?,
    };
    Ok(page::html(StatusCode::OK, &page))
}

async fn found(state: &WebState, signed: &Signed, typed: String) -> Result<Response, PanelError> {
    let leads = panel::find_leads(&state.ctx, &typed).await?;
    let now = state.ctx.clock.now();
    let page = ListPage {
        title: format!("Найдено: {}", leads.len()),
        cards: leads.iter().map(|(lead, change)| Card::new(lead, change.as_ref(), now)).collect(),
        more: None,
        typed,
        frame: Frame::new(state, signed, Place::Leads).await?,
    };
    Ok(page::html(StatusCode::OK, &page))
}

async fn column(
    state: &WebState,
    signed: &Signed,
    status: LeadStatus,
    before: LeadId,
) -> Result<Response, PanelError> {
    let column = panel::lead_column(&state.ctx, status, Some(before)).await?;
    let now = state.ctx.clock.now();
    let last = column.leads.last().filter(|_| column.has_more);
    let page = ListPage {
        title: format!("{}: раньше #{before}", status.label()),
        more: last.map(|(lead, _)| format!("/admin/leads?status={}&before={}", status.word(), lead.id)),
        cards: column.leads.iter().map(|(lead, change)| Card::new(lead, change.as_ref(), now)).collect(),
        typed: String::new(),
        frame: Frame::new(state, signed, Place::Leads).await?,
    };
    Ok(page::html(StatusCode::OK, &page))
}

/// One lead.
#[derive(Template)]
#[template(path = "admin/lead.html")]
struct LeadPage {
    frame: Frame,
    card: Card,
    details: LeadDetails,
}

/// Shows a lead.
pub async fn lead(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
) -> Result<Response, PanelError> {
    let details =
        panel::lead_details(&state.ctx, numbered(&id, LeadId)?).await?.ok_or(PanelError::NotFound)?;
    let page = LeadPage {
        card: Card::new(&details.lead, details.history.first(), state.ctx.clock.now()),
        details,
        frame: Frame::new(&state, &signed, Place::Leads).await?,
    };
    Ok(page::html(StatusCode::OK, &page))
}

impl LeadPage {
    fn pairs(&self) -> Vec<(&'static str, String)> {
        let lead = &self.details.lead;
        let mut pairs = contact_pairs(&lead.contact);
        pairs.push(("Язык формы", lead.locale.clone()));
        let names = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"];
        let marks = names.into_iter().zip(&lead.utm);
        pairs.extend(marks.filter_map(|(name, value)| Some((name, value.clone()?))));
        pairs.push(("request_id", lead.request_id.clone()));
        pairs
    }

    fn time(&self, at: &Timestamp) -> String {
        words::full_moment(*at, self.frame.now)
    }

    fn said(&self, change: &LeadChange) -> String {
        let by = change.by.as_ref().map_or_else(|| change.user.to_string(), |by| by.0.clone());
        let place = if change.user.0 == 0 { "в панели" } else { "в группе" };
        format!("{by}, {place}")
    }

    fn repeat(&self, contact: &Contact) -> Vec<(&'static str, String)> {
        contact_pairs(contact)
    }

    /// Where its card in the group stands.
    fn group(&self) -> String {
        let lead = &self.details.lead;
        match (lead.published_at, &lead.publish_error) {
            (Some(at), _) if lead.card_dirty_at.is_some() => format!("с {}, обновляется", self.time(&at)),
            (Some(at), _) => format!("с {}", self.time(&at)),
            (None, Some(error)) => format!("ещё нет, попыток {}: {error}", lead.publish_attempts),
            (None, None) => "ещё нет".to_owned(),
        }
    }
}

fn contact_pairs(contact: &Contact) -> Vec<(&'static str, String)> {
    let pairs = [
        ("Имя", contact.name.as_ref()),
        ("Telegram", contact.telegram.as_ref()),
        ("Телефон", contact.phone.as_ref()),
        ("Дата", contact.date.as_ref()),
        ("Гостей", contact.guests.as_ref()),
        ("Комментарий", contact.comment.as_ref()),
    ];
    pairs.into_iter().filter_map(|(name, value)| Some((name, value?.0.clone()))).collect()
}

/// Moves a lead: field `status` is one of the five words of the buttons.
pub async fn mark(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PanelError> {
    let id = numbered(&id, LeadId)?;
    let fields = signed.form(&headers, body).await?;
    let back = format!("/admin/leads/{id}");
    let refused = |words: &str| PanelError::Refused { words: words.to_owned(), back: back.clone() };
    let Some(to) = LeadStatus::target(fields.text("status")) else {
        return Err(refused("Такого статуса нет: выбери один из пяти."));
    };
    match app::lead::set_status_as(&state.ctx, &signed.admin.login, id, to).await? {
        None => Err(PanelError::NotFound),
        Some(Press::Change) => {
            let to = if fields.text("from") == "board" { "/admin/leads" } else { &*back };
            Ok(Redirect::to(&format!("{to}?said=moved")).into_response())
        }
        Some(Press::Same) => Err(refused(texts::SAME)),
        Some(Press::Frozen) => Err(refused(texts::FROZEN)),
    }
}
