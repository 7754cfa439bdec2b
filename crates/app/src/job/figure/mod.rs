//! Stickers drawn by an image provider: description, anchor portrait, sheet, cut, checks, judgement, bad cells again, finish.
//!
//! Providers are asked in their order; one that fails is followed by the next. A safety refusal and the job's ceiling are answers: they end
//! the search. Nothing here decides what the guest gets then.

mod books;
mod by_hand;
mod files;
mod judge;
mod prompt;
mod purse;
mod sheets;

pub(super) use books::Books;
pub use by_hand::{ByHand, HandMade, NotMade, draw_by_hand};
pub(crate) use files::{Made, drop_debug, made_as, mark_made};

use super::JobError;
use crate::AppError;
use crate::providers::{Catalogue, Provider, Providers, Why};
use crate::timer::Timer;
use bytes::Bytes;
use clients::images::{AgeGroup, Appearance, DescribeOrder, DrawOrder, ReferencePicture, Resolution};
use domain::Clock;
use purse::{Asked, Purse};
use render::{Grid, KeyColour, Language, Renderer, Sticker, Template};
use std::sync::Arc;
use std::time::Duration;

/// From this confidence on a child is a child.
const CHILD_FROM: f64 = 0.5;

/// What is to be drawn, for whom.
pub(super) struct Order<'a> {
    pub renderer: &'a Arc<Renderer>,
    pub clock: &'a dyn Clock,
    pub timer: &'a dyn Timer,
    pub providers: &'a Providers,
    pub books: Books<'a>,
    pub selfie: Bytes,
    pub template: &'a Template,
    pub language: Language,
}

/// Nine stickers and who drew them.
pub(super) struct Figures {
    pub stickers: Vec<Sticker>,
    pub provider: &'static str,
}

/// Why there are none.
#[derive(Debug)]
pub(super) enum Ended {
    /// No provider has money.
    OutOfFunds(String),
    /// The next call would pass the job's ceiling.
    Ceiling(String),
    /// Refused by the rules of safety.
    Refused(String),
    /// Another attempt may succeed.
    Failed(String, Duration),
    /// The job is no longer ours.
    Lost,
    /// Database or media failed.
    Ours(AppError),
}

impl From<AppError> for Ended {
    fn from(error: AppError) -> Self {
        Ended::Ours(error)
    }
}

impl Ended {
    fn failed(words: impl Into<String>) -> Self {
        Ended::Failed(words.into(), domain::delivery::RETRY_DELAY)
    }

    /// The error of an attempt that has no other way to a pack.
    pub fn into_job_error(self) -> JobError {
        match self {
            Ended::OutOfFunds(words) => JobError::OutOfFunds(words),
            Ended::Ceiling(words) => JobError::Permanent(format!("JobCostExceeded: {words}")),
            Ended::Refused(words) => JobError::Refused(words),
            Ended::Failed(error, pause) => JobError::Retry { error, pause },
            Ended::Lost => JobError::Lost,
            Ended::Ours(error) => error.into(),
        }
    }

    /// In words, for operators.
    pub fn words(&self) -> String {
        match self {
            Ended::OutOfFunds(words)
            | Ended::Ceiling(words)
            | Ended::Refused(words)
            | Ended::Failed(words, _) => words.clone(),
            Ended::Lost => "the job is no longer ours".to_owned(),
            Ended::Ours(error) => error.to_string(),
        }
    }
}

/// Asks the providers in their order.
pub(super) async fn draw(order: &Order<'_>) -> Result<Figures, Ended> {
    let providers = order.providers;
    let Some(catalogue) = &providers.catalogue else {
        return Err(Ended::failed("no provider is configured"));
    };
    let mut ends = Vec::new();
    for provider in &providers.list {
        let name = provider.client().name();
        match provider.resting(order.clock.now()) {
            Some(Why::OutOfFunds) => ends.push(Ended::OutOfFunds(format!("{name} is out of funds"))),
            Some(why) => ends.push(Ended::failed(format!("{name} rests: {why:?}"))),
            None => match with(order, provider, catalogue).await {
                Ok(stickers) => return Ok(Figures { stickers, provider: name }),
                Err(ended @ (Ended::OutOfFunds(_) | Ended::Failed(..))) => ends.push(ended),
                Err(ended) => return Err(ended),
            },
        }
    }
    let trouble = ends.iter().position(|ended| !matches!(ended, Ended::OutOfFunds(_)));
    let decides = trouble.unwrap_or(ends.len().saturating_sub(1));
    Err(if ends.is_empty() { Ended::failed("no provider is configured") } else { ends.swap_remove(decides) })
}

/// The whole way with one provider.
async fn with(order: &Order<'_>, provider: &Provider, catalogue: &Catalogue) -> Result<Vec<Sticker>, Ended> {
    let purse = Purse::new(order, provider, catalogue);
    let Some(selfie) = ReferencePicture::new(order.selfie.clone()) else {
        return Err(Ended::failed("the selfie is of no known format"));
    };
    let appearance = appearance(order, &purse, catalogue, &selfie).await?;
    let words = prompt::Words {
        likeness: prompt::likeness(appearance.as_ref()),
        outfit: order.template.prompt.clone(),
        key: key_colour(order).await?,
    };
    let anchor = anchor(order, &purse, catalogue, &selfie, &words).await?;
    let references: Vec<ReferencePicture> = std::iter::once(selfie).chain(anchor).collect();
    let figures = sheets::figures(order, &purse, catalogue, &references, &words).await?;
    sheets::finish(order, figures).await
}

/// Who is on the photo: from an earlier attempt, or asked now. None when nobody can be asked.
async fn appearance(
    order: &Order<'_>,
    purse: &Purse<'_>,
    catalogue: &Catalogue,
    selfie: &ReferencePicture,
) -> Result<Option<Appearance>, Ended> {
    let known = order.books.appearance().await?;
    let client = purse.client();
    let Some(model) = client.vision_model() else { return Ok(known) };
    let seen = match known {
        Some(seen) => seen,
        None => {
            let asked = Asked::new("describe", model, catalogue.reserve_usd.describe);
            let prompt = &catalogue.prompts.describe;
            let question = || DescribeOrder { prompt: prompt.clone(), picture: selfie.clone() };
            let seen = purse.call(asked, || client.describe(question())).await?;
            order.books.keep_appearance(&seen, order.clock.now()).await?;
            seen
        }
    };
    if seen.age_group == AgeGroup::Child && seen.age_confidence >= CHILD_FROM {
        return Err(Ended::Refused("the photo shows a child".to_owned()));
    }
    Ok(Some(seen))
}

/// Green, unless guest or outfit are green.
async fn key_colour(order: &Order<'_>) -> Result<KeyColour, Ended> {
    if order.template.prompt.to_ascii_lowercase().contains("green") {
        return Ok(KeyColour::Magenta);
    }
    let (renderer, selfie) = (Arc::clone(order.renderer), order.selfie.clone());
    let found =
        tokio::task::spawn_blocking(move || renderer.key_colour(&selfie)).await.map_err(AppError::from)?;
    Ok(found.unwrap_or(KeyColour::Green))
}

/// The anchor portrait, which keeps all cells the same person: from an earlier attempt, or drawn now. One that cannot be cut out is
/// drawn once more; after that the sheet is drawn without.
async fn anchor(
    order: &Order<'_>,
    purse: &Purse<'_>,
    catalogue: &Catalogue,
    selfie: &ReferencePicture,
    words: &prompt::Words,
) -> Result<Option<ReferencePicture>, Ended> {
    const TRIES: usize = 2;
    if let Some(kept) = files::kept_anchor(order).await? {
        return Ok(Some(kept));
    }
    let client = purse.client();
    let prompt = prompt::anchor(&catalogue.prompts, words);
    for _ in 0..TRIES {
        let asked = Asked::new("anchor", client.image_model(), catalogue.reserve_usd.anchor);
        let question = || DrawOrder {
            prompt: prompt.clone(),
            pictures: vec![selfie.clone()],
            resolution: Resolution::Portrait,
        };
        let picture = purse.call(asked, || client.draw(question())).await?;
        let cells = sheets::cut(order, picture.bytes.clone(), Grid::of(1), words.key, 1).await?;
        if cells.is_ok_and(|cells| cells.iter().all(Result::is_ok)) {
            files::keep_anchor(order, &picture).await?;
            return Ok(ReferencePicture::new(picture.bytes));
        }
    }
    Ok(None)
}
