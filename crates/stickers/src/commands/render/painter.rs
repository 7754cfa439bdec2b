//! Who makes the pack of a photo: the built-in renderer, or an image provider that is asked and paid, without bot and database.

use super::{Choice, Refused};
use crate::config::Config;
use crate::config::providers::Name;
use crate::failure::Failure;
use crate::parts;
use crate::system::SystemClock;
use app::job::{ByHand, draw_by_hand};
use app::providers::Providers;
use app::timer::TokioTimer;
use clap::ValueEnum;
use render::{CompositeError, Language, Renderer, Sticker, Template};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::Arc;
use store::ai_usage::Usage;
use tokio::runtime::Runtime;

/// Who makes packs.
pub(super) enum Painter {
    /// The built-in renderer.
    Local,
    /// A provider.
    Provider(Box<Studio>),
}

/// Whom to ask, and what waits for the answers.
pub(super) struct Studio {
    runtime: Runtime,
    providers: Providers,
}

/// What is wanted of one photo.
pub(super) struct Wish<'a> {
    pub renderer: &'a Arc<Renderer>,
    pub template: &'a Template,
    pub language: Language,
    /// As the check leaves it.
    pub photo: Vec<u8>,
}

/// What came of it, and what it cost.
#[derive(Default)]
pub(super) struct Bill {
    pub calls: Vec<Usage>,
    /// What a provider drew on the way.
    pub drawings: Vec<(String, Vec<u8>)>,
}

impl Painter {
    /// Ready to work.
    ///
    /// # Errors
    /// Status 2 when the provider cannot be asked with this configuration.
    pub fn new(choice: Choice, config: &Config) -> Result<Painter, Failure> {
        let name = match choice {
            Choice::Local => return Ok(Painter::Local),
            Choice::Gemini => Name::Gemini,
            Choice::Openai => Name::OpenAi,
        };
        let shown = choice.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        let providers =
            config.drawing.only(name).map_err(|why| Failure::input(format!("--provider {shown}: {why}")))?;
        Ok(Painter::Provider(Box::new(Studio { runtime: parts::runtime()?, providers })))
    }

    /// Makes a pack; `finished` hears of each sticker.
    ///
    /// # Errors
    /// When the renderer fails in a way that is no refusal of the photo.
    pub fn pack(
        &self,
        wish: Wish<'_>,
        finished: impl Fn(u64),
    ) -> Result<(Result<Vec<Sticker>, Refused>, Bill), CompositeError> {
        let Painter::Provider(studio) = self else {
            let on_sticker = &mut |_: usize, _: &Sticker| {
                finished(1);
                ControlFlow::Continue(())
            };
            let drawn = wish.renderer.composite(&wish.photo, &wish.template.id, wish.language, on_sticker);
            return match drawn {
                Ok(stickers) => Ok((Ok(stickers), Bill::default())),
                Err(CompositeError::Photo(refusal)) => {
                    Ok((Err(Refused { code: refusal.code(), reason: refusal.to_string() }), Bill::default()))
                }
                Err(error) => Err(error),
            };
        };
        let made = studio.runtime.block_on(draw_by_hand(ByHand {
            renderer: wish.renderer,
            clock: &SystemClock,
            timer: &TokioTimer,
            providers: &studio.providers,
            photo: wish.photo.into(),
            template: wish.template,
            language: wish.language,
        }));
        finished(wish.template.slots.len() as u64);
        let stickers = made.stickers.map_err(|why| Refused { code: why.code, reason: why.reason });
        let drawings = made.files.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
        Ok((stickers, Bill { calls: made.calls, drawings }))
    }
}

impl Bill {
    /// US dollars.
    pub fn total(&self) -> f64 {
        domain::cost::sum_usd(self.calls.iter().map(|call| call.cost_usd))
    }

    /// For people; empty when nobody was paid.
    pub fn words(&self) -> String {
        if self.calls.is_empty() {
            return String::new();
        }
        let calls: Vec<String> =
            self.calls.iter().map(|call| format!("{} {:.4}", call.stage, call.cost_usd)).collect();
        format!(", {:.4} USD ({})", self.total(), calls.join(", "))
    }

    /// For programs.
    pub fn as_json(&self) -> Value {
        let call = |call: &Usage| {
            json!({
                "stage": call.stage, "provider": call.provider, "model": call.model, "images": call.images,
                "input_tokens": call.input_tokens, "output_tokens": call.output_tokens, "cost_usd": call.cost_usd,
            })
        };
        Value::Array(self.calls.iter().map(call).collect())
    }
}
