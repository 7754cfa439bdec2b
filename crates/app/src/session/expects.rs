//! Whether a session call of the tablet would be heard at all. Asked before its body is read: the order of refusals is that of product.md
//! ("Decided once") whatever the body holds.

use crate::{Ctx, Refusal, health};
use domain::session::{Session, SessionMove};
use store::sessions;

/// The session of a call that moves it.
///
/// # Errors
/// Unknown session, maintenance, wrong status, in this order.
pub(super) async fn session_for(ctx: &Ctx, token: &str, by: SessionMove) -> Result<Session, Refusal> {
    let session = known(ctx, token).await?;
    if health::maintenance(ctx).await?.is_some() {
        return Err(Refusal::Maintenance);
    }
    let status = session.status();
    if by.from().contains(&status) { Ok(session) } else { Err(Refusal::WrongStatus { status }) }
}

/// The session of a call that needs only one that there is.
///
/// # Errors
/// [`Refusal::UnknownSession`].
pub(super) async fn known(ctx: &Ctx, token: &str) -> Result<Session, Refusal> {
    sessions::find(&mut ctx.store.reader(), token).await?.ok_or(Refusal::UnknownSession)
}
