//! Gemini over `generateContent`, which everything speaks. Facts of November 2026 that shape it: the current models send JPEG and know
//! no transparency, put drafts into `thought` parts, answer 200 when they refuse, and say "pay" and "slow down" with the same status.

mod answer;
mod refused;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{HeaderName, HeaderValue};
use secrecy::SecretString;
use serde_json::{Value, json};

use super::error::ImageError;
use super::orders::{
    Answered, DrawOrder, Outcome, Picture, Question, ReferencePicture, Resolution, plain_prompt,
};
use super::service::{image_provider, log};
use super::wire::{self, ConfigError, TimeOuts, Wire};

/// The header of the key. Never the `?key=` form, which lands in logs.
const KEY: HeaderName = HeaderName::from_static("x-goog-api-key");

/// How Gemini is asked. Names and sizes are the operator's.
#[derive(Clone, Debug)]
pub struct GeminiSettings {
    /// `GEMINI_API_URL`: the base without the version path.
    pub base_url: String,
    /// `GEMINI_API_KEY`.
    pub api_key: SecretString,
    /// `GEMINI_MODEL`: the model that draws.
    pub image_model: String,
    /// The model that describes and judges; none: photos are not described, sheets not judged.
    pub vision_model: Option<String>,
    /// `imageSize` of one figure (`1K`); none for models that refuse the field.
    pub portrait_size: Option<String>,
    /// `imageSize` of a sheet (`2K`).
    pub sheet_size: Option<String>,
    /// `thinkingLevel`; none for models without.
    pub thinking: Option<String>,
    /// How long calls may take.
    pub time_outs: TimeOuts,
}

/// Gemini, or anything that speaks like it, over HTTP.
pub struct Gemini {
    wire: Wire,
    key: HeaderValue,
    settings: GeminiSettings,
}

impl Gemini {
    /// A client. Connects to nothing yet.
    ///
    /// # Errors
    /// An address, key or model that cannot be one, or broken TLS on this machine.
    pub fn new(settings: GeminiSettings) -> Result<Gemini, ConfigError> {
        let wire = Wire::new(&settings.base_url, settings.time_outs)?;
        let key = wire::secret_header(wire::checked_key(&settings.api_key)?)?;
        wire::checked_model(&settings.image_model)?;
        settings.vision_model.as_deref().map_or(Ok(()), wire::checked_model)?;
        Ok(Gemini { wire, key, settings })
    }

    async fn ask(
        &self,
        model: &str,
        body: Value,
        time_out: std::time::Duration,
    ) -> Result<wire::Answer, ImageError> {
        let request = self
            .wire
            .post(&format!("/v1beta/models/{model}:generateContent"), time_out)
            .header(KEY, self.key.clone())
            .json(&body);
        let answer = wire::send(request).await?;
        if answer.status == 200 {
            return Ok(answer);
        }
        let mut error = refused::read(answer.status, &answer.body);
        error.description = wire::without_key(&error.description, Some(&self.settings.api_key));
        Err(error)
    }

    fn draw_body(&self, order: &DrawOrder) -> Value {
        let settings = &self.settings;
        let size = match order.resolution {
            Resolution::Portrait => &settings.portrait_size,
            Resolution::Sheet => &settings.sheet_size,
        };
        // Left out, the ratio would be that of the last picture.
        let mut image = json!({"aspectRatio": "1:1"});
        if let Some(size) = size {
            image["imageSize"] = json!(size);
        }
        // Asking for text too is what makes the wording of a refusal visible.
        let mut config = json!({"responseModalities": ["TEXT", "IMAGE"], "imageConfig": image});
        if let Some(level) = &settings.thinking {
            config["thinkingConfig"] = json!({"thinkingLevel": level});
        }
        let mut parts = vec![json!({"text": plain_prompt(&order.prompt)})];
        parts.extend(order.pictures.iter().take(DrawOrder::PICTURES_MAX).map(inline));
        json!({"contents": [{"role": "user", "parts": parts}], "generationConfig": config})
    }

    async fn draw_one(&self, order: DrawOrder) -> Result<Answered<Picture>, ImageError> {
        let body = self.draw_body(&order);
        drop(order);
        let model = &self.settings.image_model;
        let result = match self.ask(model, body, self.settings.time_outs.draw).await {
            Ok(answer) => answer::picture(&answer.body),
            Err(error) => Err(error),
        };
        log("gemini", "draw", model, &result);
        result
    }

    /// Asks the model that sees about pictures, and reads its answer by a schema.
    async fn look<T>(
        &self,
        question: Question<'_>,
        understand: impl FnOnce(&str) -> Option<T>,
    ) -> Outcome<T> {
        let Some(model) = &self.settings.vision_model else {
            return Err(ImageError::not_sent("no model that describes is configured"));
        };
        let mut parts = vec![json!({"text": plain_prompt(question.prompt)})];
        parts.extend(question.pictures.iter().map(inline));
        let body = json!({
            "contents": [{"role": "user", "parts": parts}],
            "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": question.schema},
        });
        let result = match self.ask(model, body, self.settings.time_outs.describe).await {
            Ok(answer) => answer::told(&answer.body, understand),
            Err(error) => Err(error),
        };
        log("gemini", question.what, model, &result);
        result
    }
}

fn inline(picture: &ReferencePicture) -> Value {
    json!({"inlineData": {"mimeType": picture.kind.mime(), "data": STANDARD.encode(&picture.bytes)}})
}

image_provider!(Gemini, "gemini");
