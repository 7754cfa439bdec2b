//! The guest presses ✅ Согласен (seed 001, row 4).

use crate::AppError;
use domain::guest::Guest;
use domain::session::SessionState;
use domain::{Timestamp, consent as version};
use store::{Change, Tx, sessions, users};

/// What became of the press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsentAnswer {
    /// Stored; the outfits are on the tablet.
    Consented,
    /// Already past this step: nothing changed.
    AlreadyAtTablet,
    /// The photo is in: nothing changed.
    BeingMade,
    /// The session belongs to another guest.
    Taken,
    /// Closed, or no such session.
    Closed,
}

/// Stores the consent, inside the transaction that also queues the answer. `users.consented_at` is written before the session moves, because
/// the kiosk opens the outfits as soon as it sees `consented`.
pub async fn consent(
    tx: &mut Tx,
    token: &str,
    guest: &Guest,
    now: Timestamp,
) -> Result<ConsentAnswer, AppError> {
    let Some(session) = sessions::find(tx, token).await? else {
        return Ok(ConsentAnswer::Closed);
    };
    if session.guest().is_some_and(|owner| owner != guest.id) {
        return Ok(ConsentAnswer::Taken);
    }
    match session.state {
        SessionState::Linked { .. } | SessionState::Consented { .. } => {}
        SessionState::TemplateChosen { .. } => return Ok(ConsentAnswer::AlreadyAtTablet),
        SessionState::PhotoTaken { .. } => return Ok(ConsentAnswer::BeingMade),
        // A press on a forged button, or on one of a session that was closed meanwhile.
        SessionState::Idle | SessionState::Expired { .. } => return Ok(ConsentAnswer::Closed),
    }
    users::upsert(tx, guest, now).await?;
    // The guest was stored in the line above, so this cannot be stale.
    let _ = users::record_consent(tx, guest.id, version::VERSION, now).await?;
    Ok(match sessions::consent(tx, token, guest.id, now).await? {
        Change::Changed => ConsentAnswer::Consented,
        Change::Stale => ConsentAnswer::Closed,
    })
}
