//! OpenAI's `images/edits` and `responses`: what they accept, and their ways to answer.

use axum::RequestExt;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Multipart, Request};
use axum::http::header::CONTENT_TYPE;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::fault::{ImageFault, Trouble};
use super::kinds::{Asked, PictureFormat, Service, Task, Wrong, fingerprint, sniff, task_of};
use super::{OPENAI_KEY, SILENCE};
use crate::wire::Reply;

const DRAWING: [&str; 5] = [
    "gpt-image-2.6-flare",
    "gpt-image-2.6-sunburst",
    "gpt-image-2.5-flare",
    "gpt-image-2.5-sunburst",
    "gpt-image-2",
];
const SEEING: [&str; 1] = ["gpt-6-luna"];
const MOST_PICTURES: usize = 16;
const MOST_PROMPT: usize = 32_000;
const MOST_PICTURE_BYTES: usize = 50 * 1024 * 1024;

fn told(message: &str, kind: &str, code: &str) -> Value {
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}

fn wrong(status: u16, message: &str, code: &str) -> Wrong {
    Wrong { service: Service::OpenAi, status, body: told(message, "invalid_request_error", code) }
}

/// Reads a request.
pub(super) async fn read(
    path: &str,
    authorization: Option<String>,
    kind: &str,
    body: Bytes,
) -> Result<Asked, Wrong> {
    match authorization.as_deref().map(|value| value.strip_prefix("Bearer ").unwrap_or_default()) {
        Some(OPENAI_KEY) => {}
        Some(other) => {
            // The real one shows a part of the key too.
            let shown: String = other.chars().take(8).collect();
            return Err(wrong(401, &format!("Incorrect API key provided: {shown}***."), "invalid_api_key"));
        }
        None => return Err(wrong(401, "You didn't provide an API key.", "invalid_api_key")),
    }
    match path {
        "/v1/images/edits" => edits(kind, body).await,
        "/v1/responses" => responses(&body),
        _ => Err(wrong(404, "Invalid URL", "unknown_url")),
    }
}

/// The fields of a form that was read.
#[derive(Default)]
struct Fields {
    model: String,
    prompt: String,
    size: String,
    quality: Option<String>,
    background: Option<String>,
    format: Option<String>,
    pictures: usize,
}

async fn edits(kind: &str, body: Bytes) -> Result<Asked, Wrong> {
    let broken = || wrong(400, "Could not parse multipart form", "invalid_multipart_form_data");
    let mut request = Request::new(Body::from(body));
    request.headers_mut().insert(CONTENT_TYPE, kind.parse().map_err(|_| broken())?);
    // The body was read whole and bounded before; here it only changes its shape.
    DefaultBodyLimit::disable().apply(&mut request);
    let mut form: Multipart = request.extract().await.map_err(|_| broken())?;
    let mut fields = Fields::default();
    while let Some(field) = form.next_field().await.map_err(|_| broken())? {
        let name = field.name().unwrap_or_default().to_owned();
        let named = field.file_name().is_some();
        let mime = field.content_type().unwrap_or_default().to_owned();
        let bytes = field.bytes().await.map_err(|_| broken())?;
        fields.take(&name, named, &mime, &bytes)?;
    }
    let size = fields.check()?;
    Ok(Asked {
        service: Service::OpenAi,
        task: Task::Draw,
        model: fields.model,
        prompt: fields.prompt,
        pictures: fields.pictures,
        last: None,
        size,
        format: Some(if fields.format.as_deref() == Some("jpeg") {
            PictureFormat::Jpeg
        } else {
            PictureFormat::Png
        }),
    })
}

impl Fields {
    fn take(&mut self, name: &str, named: bool, mime: &str, bytes: &[u8]) -> Result<(), Wrong> {
        let text = || String::from_utf8_lossy(bytes).into_owned();
        match name {
            "model" => self.model = text(),
            "prompt" => self.prompt = text(),
            "size" => self.size = text(),
            "quality" => self.quality = Some(text()),
            "background" => self.background = Some(text()),
            "output_format" => self.format = Some(text()),
            "n" if bytes == b"1" => {}
            "moderation" | "user" | "output_compression" => {}
            "image[]" | "image" => {
                let fine = named && sniff(bytes) == Some(mime) && bytes.len() < MOST_PICTURE_BYTES;
                if !fine {
                    return Err(wrong(400, "Invalid image file or mode for image.", "invalid_image_file"));
                }
                self.pictures += 1;
            }
            "n" => return Err(wrong(400, "Invalid value for n; this stand-in draws one", "invalid_value")),
            other => return Err(wrong(400, &format!("Unknown parameter: '{other}'."), "unknown_parameter")),
        }
        Ok(())
    }

    /// Width and height when all is well.
    fn check(&self) -> Result<(u32, u32), Wrong> {
        let value = |name: &str| wrong(400, &format!("Invalid value: '{name}'."), "invalid_value");
        if !DRAWING.contains(&self.model.as_str()) {
            return Err(wrong(400, &format!("The model '{}' does not exist", self.model), "invalid_value"));
        }
        if self.prompt.is_empty() || self.prompt.chars().count() > MOST_PROMPT {
            return Err(value("prompt"));
        }
        if self.pictures == 0 || self.pictures > MOST_PICTURES {
            return Err(value("image"));
        }
        let one_of = |field: &Option<String>, words: &[&str]| {
            field.as_deref().is_none_or(|word| words.contains(&word))
        };
        if !one_of(&self.quality, &["low", "medium", "high", "auto", "xhigh", "max"]) {
            return Err(value("quality"));
        }
        if !one_of(&self.background, &["transparent", "opaque", "auto"]) {
            return Err(value("background"));
        }
        if !one_of(&self.format, &["png", "webp", "jpeg"]) || self.format.as_deref() == Some("webp") {
            return Err(value("output_format; this stand-in writes png and jpeg"));
        }
        if self.background.as_deref() == Some("transparent") && self.format.as_deref() == Some("jpeg") {
            return Err(value("background"));
        }
        size(&self.size).ok_or_else(|| value("size"))
    }
}

/// Multiples of 16, longest side 3,840, at most 3 to 1, 655,360 to 8,294,400 px.
fn size(text: &str) -> Option<(u32, u32)> {
    let (w, h) = text.split_once('x')?;
    let (w, h): (u32, u32) = (w.parse().ok()?, h.parse().ok()?);
    let fits = w.is_multiple_of(16)
        && h.is_multiple_of(16)
        && w.max(h) <= 3_840
        && w.max(h) <= 3 * w.min(h)
        && (655_360..=8_294_400).contains(&(w * h));
    fits.then_some((w, h))
}

fn responses(body: &Bytes) -> Result<Asked, Wrong> {
    let json: Value = serde_json::from_slice(body)
        .map_err(|_| wrong(400, "We could not parse the JSON body", "invalid_json"))?;
    let model = json["model"].as_str().unwrap_or_default();
    if !SEEING.contains(&model) {
        return Err(wrong(404, &format!("The model '{model}' does not exist"), "model_not_found"));
    }
    let format = &json["text"]["format"];
    let schema = &format["schema"];
    let strict = format["type"] == "json_schema"
        && format["strict"] == true
        && schema["additionalProperties"] == false;
    let all_required = schema["properties"].as_object().map(serde_json::Map::len)
        == schema["required"].as_array().map(Vec::len);
    if !strict || !all_required {
        return Err(wrong(400, "Invalid schema for response_format", "invalid_json_schema"));
    }
    if json["store"] != false {
        return Err(wrong(
            400,
            "this stand-in keeps nothing about guests: store must be false",
            "invalid_value",
        ));
    }
    let (mut prompt, mut pictures, mut last) = (String::new(), 0, None);
    for content in json["input"][0]["content"].as_array().into_iter().flatten() {
        match content["type"].as_str().unwrap_or_default() {
            "input_text" => prompt.push_str(content["text"].as_str().unwrap_or_default()),
            "input_image" => {
                let url = content["image_url"].as_str().unwrap_or_default();
                let picture = url.split_once(";base64,").and_then(|(head, data)| {
                    let bytes = STANDARD.decode(data).ok()?;
                    (head.strip_prefix("data:") == sniff(&bytes)).then_some(bytes)
                });
                let Some(picture) = picture else {
                    return Err(wrong(
                        400,
                        "The image data you provided does not represent a valid image",
                        "invalid_image",
                    ));
                };
                pictures += 1;
                last = Some(fingerprint(&picture));
            }
            other => return Err(wrong(400, &format!("Invalid value: '{other}'."), "invalid_value")),
        }
    }
    let (service, task, model) = (Service::OpenAi, task_of(schema), model.to_owned());
    Ok(Asked { service, task, model, prompt, pictures, last, size: (0, 0), format: None })
}

/// A drawn picture.
pub(super) fn drawn(bytes: &[u8], format: PictureFormat, counts: bool, size: (u32, u32)) -> Value {
    let name = if format == PictureFormat::Jpeg { "jpeg" } else { "png" };
    let mut body = json!({
        "created": 1_795_910_400, "background": "opaque", "output_format": name,
        "size": format!("{}x{}", size.0, size.1), "data": [{"b64_json": STANDARD.encode(bytes)}]
    });
    if counts {
        body["usage"] = json!({
            "input_tokens": 1640, "input_tokens_details": {"text_tokens": 616, "image_tokens": 1024},
            "output_tokens": 397, "output_tokens_details": {"image_tokens": 397, "text_tokens": 0}, "total_tokens": 2037
        });
    }
    body
}

/// A description or a judgement.
pub(super) fn described(text: &str, counts: bool) -> Value {
    let mut body = json!({
        "id": "resp_1", "status": "completed",
        "output": [{"type": "reasoning", "summary": []},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]
    });
    if counts {
        body["usage"] = json!({"input_tokens": 1300, "output_tokens": 170, "total_tokens": 1470});
    }
    body
}

/// What goes out instead of the work; none when the work is done first.
pub(super) fn trouble(trouble: &Trouble, asked: &Asked) -> Option<Reply> {
    let Trouble::Is(fault) = trouble else { return None };
    let failed = |status: u16, body: Value| Some(Reply::Json { status, body, retry_after: None });
    let moderated = |details: Value| {
        let mut body = told(
            "Your request was rejected by the safety system.",
            "image_generation_user_error",
            "moderation_blocked",
        );
        body["error"]["moderation_details"] = details;
        failed(400, body)
    };
    match fault {
        ImageFault::OutOfFunds => {
            failed(429, told("You exceeded your current quota.", "insufficient_quota", "insufficient_quota"))
        }
        ImageFault::RateLimited { retry_after_s } => Some(Reply::Json {
            status: 429,
            body: told("Rate limit reached. Limit: 5/1min.", "input-images", "rate_limit_exceeded"),
            retry_after: Some(*retry_after_s),
        }),
        ImageFault::DailyQuota => failed(429, told("Slow down.", "requests", "slow_down")),
        ImageFault::ServerError { status } => failed(
            *status,
            told("The server had an error while processing your request.", "server_error", ""),
        ),
        ImageFault::Html { status } => {
            Some(Reply::Html { status: *status, body: "<html>Bad Gateway</html>".to_owned() })
        }
        ImageFault::Hang => Some(Reply::Silent(SILENCE)),
        ImageFault::Drop => Some(Reply::Closed),
        ImageFault::Safety => moderated(json!({"moderation_stage": "input", "categories": ["violence"]})),
        ImageFault::Child => moderated(json!({"moderation_stage": "input", "categories": ["sexual/minors"]})),
        ImageFault::UnsafeDrawing => {
            moderated(json!({"moderation_stage": "output", "categories": ["sexual"]}))
        }
        ImageFault::Prose | ImageFault::NoImage => failed(200, json!({"created": 1_795_910_400, "data": []})),
        ImageFault::ModelGone => failed(
            404,
            told(
                &format!("The model '{}' does not exist", asked.model),
                "invalid_request_error",
                "model_not_found",
            ),
        ),
        ImageFault::KeyBlocked => {
            failed(403, told("Your organization must be verified.", "invalid_request_error", ""))
        }
        ImageFault::Half | ImageFault::Slow { .. } | ImageFault::Doubts | ImageFault::Drawn(_) => None,
    }
}
