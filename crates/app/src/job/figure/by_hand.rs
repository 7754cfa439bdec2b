//! A pack ordered by hand: the same way with one provider, without a job. Nothing is stored; what was spent and drawn is handed back.

use super::books::{Books, Slip};
use super::{Ended, Order};
use crate::providers::Providers;
use crate::timer::Timer;
use bytes::Bytes;
use domain::Clock;
use render::{Language, Renderer, Sticker, Template};
use std::sync::Arc;
use store::ai_usage::Usage;

/// An order by hand.
pub struct ByHand<'a> {
    /// Cuts and finishes.
    pub renderer: &'a Arc<Renderer>,
    /// The time, for prices and for providers that rest.
    pub clock: &'a dyn Clock,
    /// Waits between tries.
    pub timer: &'a dyn Timer,
    /// Who may be asked, and up to which cost.
    pub providers: &'a Providers,
    /// A photo as `check_photo` leaves it.
    pub photo: Bytes,
    /// The outfit.
    pub template: &'a Template,
    /// Language of the captions.
    pub language: Language,
}

/// What came of it.
pub struct HandMade {
    /// The stickers, in the order of the outfit's slots.
    pub stickers: Result<Vec<Sticker>, NotMade>,
    /// Every call with what it cost, failed ones too.
    pub calls: Vec<Usage>,
    /// Anchor, sheets and report, by name.
    pub files: Vec<(String, Bytes)>,
}

/// Why there are no stickers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotMade {
    /// In one word, for programs.
    pub code: &'static str,
    /// In words, for people.
    pub reason: String,
}

impl From<Ended> for NotMade {
    fn from(ended: Ended) -> Self {
        let code = match &ended {
            Ended::OutOfFunds(_) => "out_of_funds",
            Ended::Ceiling(_) => "cost_limit",
            Ended::Refused(_) => "refused_by_provider",
            Ended::Failed(..) => "provider_failed",
            Ended::Lost | Ended::Ours(_) => "internal",
        };
        NotMade { code, reason: ended.words() }
    }
}

/// Draws a pack.
pub async fn draw_by_hand(order: ByHand<'_>) -> HandMade {
    let slip = Slip::default();
    let figures = super::draw(&Order {
        renderer: order.renderer,
        clock: order.clock,
        timer: order.timer,
        providers: order.providers,
        books: Books::Slip(&slip),
        selfie: order.photo,
        template: order.template,
        language: order.language,
    })
    .await;
    let written = slip.read();
    let stickers = figures.map(|figures| figures.stickers).map_err(NotMade::from);
    HandMade { stickers, calls: written.calls, files: written.files }
}
