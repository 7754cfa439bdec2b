//! The guest taps an outfit (seed 001, row 5, and the pack limit at the outfit).

use super::limit;
use super::view::{SessionView, view};
use crate::{Ctx, Refusal, health};
use domain::session::{SessionMove, SessionStatus};
use store::{Change, sessions};

/// Chooses the outfit.
///
/// # Errors
/// In the order of product.md: unknown session, maintenance, wrong status, unknown template, pack limit.
pub async fn choose_template(ctx: &Ctx, token: &str, template_id: &str) -> Result<SessionView, Refusal> {
    let Some(session) = sessions::find(&mut ctx.store.reader(), token).await? else {
        return Err(Refusal::UnknownSession);
    };
    if health::maintenance(ctx).await?.is_some() {
        return Err(Refusal::Maintenance);
    }
    let status = session.status();
    let Some(guest) = session.guest().filter(|_| SessionMove::ChooseTemplate.from().contains(&status)) else {
        return Err(Refusal::WrongStatus { status });
    };
    if ctx.renderer.templates().get(template_id).is_none() {
        return Err(Refusal::UnknownTemplate);
    }
    let (limit, now) = (ctx.settings.pack_limit, ctx.clock.now());
    let (owned, template) = (token.to_owned(), template_id.to_owned());
    let outcome = ctx
        .store
        .write(move |tx| {
            Box::pin(async move {
                if let Some(notice) = limit::reached(tx, guest, limit).await? {
                    // The block is committed: the answer is a refusal, the transaction is not a failure.
                    let change = sessions::block(tx, &owned, notice, SessionMove::Block, now).await?;
                    return Ok::<_, Refusal>((change, Some(notice)));
                }
                Ok((sessions::choose_template(tx, &owned, &template, now).await?, None))
            })
        })
        .await?;
    match outcome {
        (Change::Changed, None) => view(ctx, token).await,
        (Change::Changed, Some(notice)) => Err(Refusal::PackLimit { status: SessionStatus::Expired, notice }),
        (Change::Stale, _) => Err(Refusal::WrongStatus { status: view(ctx, token).await?.status }),
    }
}
