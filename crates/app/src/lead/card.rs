//! The card of a lead as a message, made from the rows.

use crate::AppError;
use clients::telegram::{Button, Buttons};
use domain::lead::card::{self, Card};
use domain::lead::{Lead, Repeat, Taken};
use store::{Read, leads};

/// Repeats looked at; more are on no card.
const REPEATS_READ: u32 = 3;

/// A card, ready to be sent or to replace what stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardView {
    /// Telegram HTML.
    pub html: String,
    /// None on the card of an erased lead.
    pub buttons: Option<Buttons>,
    /// The newest repeat that it shows; 0 without one.
    pub last_repeat: i64,
}

/// Makes the card of `lead` with its repeats and who took it. `pii`: `LEADS_CARD_PII`.
///
/// # Errors
/// When the database fails.
pub async fn view(on: &mut impl Read, lead: &Lead, pii: bool) -> Result<CardView, AppError> {
    let repeats: Vec<Repeat> = leads::of_lead(on, lead.id, REPEATS_READ).await?;
    let taken: Option<Taken> = leads::last_change(on, lead.id).await?;
    let html = card::card_text(&Card { lead, repeats: &repeats, taken: taken.as_ref(), pii });
    let buttons = lead.erased_at.is_none().then(|| to_buttons(card::card_buttons(lead.id)));
    Ok(CardView { html, buttons, last_repeat: repeats.iter().map(|repeat| repeat.id).max().unwrap_or(0) })
}

fn to_buttons(rows: Vec<Vec<(String, String)>>) -> Buttons {
    Buttons(
        rows.into_iter()
            .map(|row| row.into_iter().map(|(label, data)| Button::callback(label, data)).collect())
            .collect(),
    )
}
