//! The guest taps an outfit (seed 001, row 5, and the pack limit at the outfit).

use super::view::{SessionView, view};
use super::{expects, limit};
use crate::{Ctx, Refusal};
use domain::session::{SessionMove, SessionStatus};
use store::{Change, sessions};

/// Whether an outfit may be chosen now; asked before the body is read.
///
/// # Errors
/// Unknown session, maintenance, wrong status, in this order.
pub async fn template_expected(ctx: &Ctx, token: &str) -> Result<(), Refusal> {
    expects::session_for(ctx, token, SessionMove::ChooseTemplate).await.map(drop)
}

/// Chooses the outfit.
///
/// # Errors
/// Those of [`template_expected`], then unknown template, pack limit.
pub async fn choose_template(ctx: &Ctx, token: &str, template_id: &str) -> Result<SessionView, Refusal> {
    let session = expects::session_for(ctx, token, SessionMove::ChooseTemplate).await?;
    let Some(guest) = session.guest() else {
        return Err(Refusal::WrongStatus { status: session.status() });
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
                    if change == Change::Changed {
                        limit::tell(tx, &owned, guest, notice, now).await?;
                    }
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
