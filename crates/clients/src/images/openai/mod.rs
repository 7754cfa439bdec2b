//! OpenAI's `/v1/images/edits` and `/v1/responses`, and every server that speaks like them: with another base address the same client
//! draws with a local stable-diffusion server, which wants no key, counts no tokens and says its errors as plain text.

mod answer;
mod refused;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::multipart::{Form, Part};
use reqwest::{Body, RequestBuilder};
use secrecy::SecretString;
use serde_json::{Value, json};

use super::error::ImageError;
use super::orders::{
    Answered, DrawOrder, Outcome, Picture, Question, ReferencePicture, Resolution, plain_prompt,
};
use super::service::{image_provider, log};
use super::wire::{self, Answer, ConfigError, TimeOuts, Wire};

/// The longest prompt, in characters.
const PROMPT_MAX: usize = 32_000;

/// How the service is asked. Names and sizes are the operator's.
#[derive(Clone, Debug)]
pub struct OpenAiSettings {
    /// `OPENAI_API_URL`: the base without the version path.
    pub base_url: String,
    /// `OPENAI_API_KEY`; a local server wants none.
    pub api_key: Option<SecretString>,
    /// `OPENAI_MODEL`: the model that draws.
    pub image_model: String,
    /// The model that describes and judges; none: photos are not described, sheets not judged.
    pub vision_model: Option<String>,
    /// `size` of one figure (`1024x1024`).
    pub portrait_size: String,
    /// `size` of a sheet (`2048x2048`).
    pub sheet_size: String,
    /// `quality`; always sent when set, because the cost of `auto` cannot be foreseen.
    pub quality: Option<String>,
    /// How long calls may take.
    pub time_outs: TimeOuts,
}

/// OpenAI, or anything that speaks like it, over HTTP.
pub struct OpenAi {
    wire: Wire,
    authorization: Option<HeaderValue>,
    settings: OpenAiSettings,
}

impl OpenAi {
    /// A client. Connects to nothing yet.
    ///
    /// # Errors
    /// An address, key or model that cannot be one, or broken TLS on this machine.
    pub fn new(settings: OpenAiSettings) -> Result<OpenAi, ConfigError> {
        let wire = Wire::new(&settings.base_url, settings.time_outs)?;
        let authorization = match &settings.api_key {
            Some(key) => Some(wire::secret_header(&format!("Bearer {}", wire::checked_key(key)?))?),
            None => None,
        };
        wire::checked_model(&settings.image_model)?;
        settings.vision_model.as_deref().map_or(Ok(()), wire::checked_model)?;
        Ok(OpenAi { wire, authorization, settings })
    }

    async fn send(&self, request: RequestBuilder) -> Result<Answer, ImageError> {
        let request = match &self.authorization {
            Some(value) => request.header(AUTHORIZATION, value.clone()),
            None => request,
        };
        let answer = wire::send(request).await?;
        if answer.status == 200 {
            return Ok(answer);
        }
        let mut error = refused::read(&answer);
        error.description = wire::without_key(&error.description, self.settings.api_key.as_ref());
        Err(error)
    }

    fn form(&self, order: DrawOrder) -> Result<Form, ImageError> {
        let settings = &self.settings;
        let size = match order.resolution {
            Resolution::Portrait => &settings.portrait_size,
            Resolution::Sheet => &settings.sheet_size,
        };
        let prompt: String = plain_prompt(&order.prompt).chars().take(PROMPT_MAX).collect();
        // The key colour is asked for in words: a transparent ground has its own haloes, and half of the servers refuse it.
        let mut form = Form::new()
            .text("model", settings.image_model.clone())
            .text("prompt", prompt)
            .text("size", size.clone())
            .text("n", "1")
            .text("background", "opaque")
            .text("output_format", "png");
        if let Some(quality) = &settings.quality {
            form = form.text("quality", quality.clone());
        }
        for (place, picture) in order.pictures.into_iter().take(DrawOrder::PICTURES_MAX).enumerate() {
            form = form.part("image[]", part(picture, place)?);
        }
        Ok(form)
    }

    async fn draw_one(&self, order: DrawOrder) -> Result<Answered<Picture>, ImageError> {
        let request =
            self.wire.post("/v1/images/edits", self.settings.time_outs.draw).multipart(self.form(order)?);
        let result = match self.send(request).await {
            Ok(answer) => answer::picture(&answer),
            Err(error) => Err(error),
        };
        log("openai", "draw", &self.settings.image_model, &result);
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
        let mut content = vec![json!({"type": "input_text", "text": plain_prompt(question.prompt)})];
        content.extend(question.pictures.iter().map(inline));
        let format =
            json!({"type": "json_schema", "name": question.what, "strict": true, "schema": question.schema});
        let body = json!({
            "model": model,
            // Nothing about guests is kept there.
            "store": false,
            "input": [{"role": "user", "content": content}],
            "text": {"format": format},
        });
        let request = self.wire.post("/v1/responses", self.settings.time_outs.describe).json(&body);
        let result = match self.send(request).await {
            Ok(answer) => answer::told(&answer, understand),
            Err(error) => Err(error),
        };
        log("openai", question.what, model, &result);
        result
    }
}

fn inline(picture: &ReferencePicture) -> Value {
    let url = format!("data:{};base64,{}", picture.kind.mime(), STANDARD.encode(&picture.bytes));
    json!({"type": "input_image", "image_url": url})
}

fn part(picture: ReferencePicture, place: usize) -> Result<Part, ImageError> {
    let (kind, length) = (picture.kind, picture.bytes.len() as u64);
    Part::stream_with_length(Body::from(picture.bytes), length)
        .file_name(format!("reference{place}.{}", kind.extension()))
        .mime_str(kind.mime())
        .map_err(|_| ImageError::not_sent("a picture without a MIME type"))
}

image_provider!(OpenAi, "openai");
