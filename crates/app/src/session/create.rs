//! A guest taps Start (seed 001, first row of the session table).

use super::view::{self, SessionView};
use crate::health::{self, BOT_USERNAME};
use crate::{Ctx, Refusal};
use domain::{Language, names, rng};
use store::sessions::{self, NewSession};

/// What the kiosk tells when Start is tapped.
#[derive(Clone, Debug, Default)]
pub struct NewKioskSession {
    /// Name of the tablet.
    pub kiosk: Option<String>,
    /// Language of its screen.
    pub language: Option<Language>,
}

/// A session that waits for a phone.
#[derive(Debug)]
pub struct Created {
    /// As every later call shows it.
    pub view: SessionView,
    /// What the QR says.
    pub deep_link: String,
}

/// Longest name of a tablet, in characters.
const KIOSK_NAME_MAX: usize = 64;

/// The bot's username when a session may be opened; asked before the body is read.
///
/// # Errors
/// [`Refusal::Maintenance`], and [`Refusal::BotNotReady`] while the username is unknown: without it there is no QR.
pub async fn may_open(ctx: &Ctx) -> Result<String, Refusal> {
    if health::maintenance(ctx).await?.is_some() {
        return Err(Refusal::Maintenance);
    }
    store::settings::get(&mut ctx.store.reader(), BOT_USERNAME).await?.ok_or(Refusal::BotNotReady)
}

/// Opens a session.
///
/// # Errors
/// Those of [`may_open`].
pub async fn create(ctx: &Ctx, new: NewKioskSession) -> Result<Created, Refusal> {
    let bot = may_open(ctx).await?;
    let token = rng::session_token(ctx.rng.as_ref());
    let kiosk = new.kiosk.map(|name| domain::guest::clean_text(&name).chars().take(KIOSK_NAME_MAX).collect());
    let session = NewSession {
        token: token.clone(),
        kiosk,
        language: new.language.unwrap_or_default(),
        now: ctx.clock.now(),
    };
    ctx.store
        .write(move |tx| Box::pin(async move { sessions::insert(tx, &session).await.map_err(Refusal::from) }))
        .await?;
    let deep_link = names::deep_link(&ctx.settings.link_url, &bot, &token);
    Ok(Created { view: view::view(ctx, &token).await?, deep_link })
}
