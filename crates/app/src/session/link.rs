//! A guest opens the QR deep link: `/start <token>` (seed 001, rows 2 and 3, and the pack limit at `/start`).

use super::limit;
use crate::{AppError, Ctx};
use domain::Timestamp;
use domain::guest::Guest;
use domain::session::{Notice, Session, SessionMove, SessionState};
use store::{Change, Tx, sessions, users};

/// What became of `/start <token>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkAnswer {
    /// The session is this guest's; consent comes next.
    Linked,
    /// The guest is at the outfits or the camera already: nothing changed.
    AlreadyAtTablet,
    /// The photo is in: nothing changed.
    BeingMade,
    /// Another guest was faster.
    Taken,
    /// Closed, or no such session.
    Closed,
    /// The pack limit stopped it.
    Limit(Notice),
}

/// Links the session to the guest, inside the transaction that also queues the answer. Only a guest who gets the session is stored: a second
/// phone, a stale code and a guest who was erased and had their pack leave nothing behind.
pub async fn link(
    ctx: &Ctx,
    tx: &mut Tx,
    token: &str,
    guest: &Guest,
    now: Timestamp,
) -> Result<LinkAnswer, AppError> {
    // Stale for a stranger.
    let _ = users::refresh(tx, guest).await?;
    let Some(session) = sessions::find(tx, token).await? else {
        return Ok(LinkAnswer::Closed);
    };
    if let Some(answer) = refused(&session, guest) {
        return Ok(answer);
    }
    if let Some(notice) = limit::reached(tx, guest.id, ctx.settings.pack_limit).await? {
        return Ok(match sessions::block(tx, token, notice, SessionMove::Block, now).await? {
            Change::Changed => LinkAnswer::Limit(notice),
            Change::Stale => LinkAnswer::Closed,
        });
    }
    users::upsert(tx, guest, now).await?;
    match sessions::link(tx, token, guest.id, guest.language, now).await? {
        Change::Changed => Ok(LinkAnswer::Linked),
        // Between the read and the write somebody was faster (PostgreSQL): the row now says what to answer.
        Change::Stale => {
            let _ = users::forget_stranger(tx, guest.id).await?;
            let session = sessions::find(tx, token).await?;
            Ok(session.and_then(|session| refused(&session, guest)).unwrap_or(LinkAnswer::Closed))
        }
    }
}

/// What a session that cannot be linked by this guest answers; `None` when it can.
fn refused(session: &Session, guest: &Guest) -> Option<LinkAnswer> {
    let own = session.guest() == Some(guest.id);
    match &session.state {
        SessionState::Idle => None,
        SessionState::Linked { .. } | SessionState::Consented { .. } if own => None,
        SessionState::TemplateChosen { .. } if own => Some(LinkAnswer::AlreadyAtTablet),
        SessionState::PhotoTaken { .. } if own => Some(LinkAnswer::BeingMade),
        SessionState::Linked { .. }
        | SessionState::Consented { .. }
        | SessionState::TemplateChosen { .. }
        | SessionState::PhotoTaken { .. } => Some(LinkAnswer::Taken),
        SessionState::Expired { .. } => Some(LinkAnswer::Closed),
    }
}
