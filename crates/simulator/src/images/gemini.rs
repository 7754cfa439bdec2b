//! Gemini's `generateContent`: what it accepts, and its ways to answer.

use axum::body::Bytes;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::fault::{ImageFault, Trouble};
use super::kinds::{Asked, PictureFormat, Service, Task, Wrong, fingerprint, sniff, task_of};
use super::{GEMINI_KEY, SILENCE};
use crate::wire::Reply;

/// Models that draw, with the sizes that they know; none: the field is refused.
const DRAWING: [(&str, &[&str]); 3] = [
    ("gemini-nano-banana-2.1", &["1K", "2K", "4K"]),
    ("gemini-3.1-flash-lite-image", &["1K"]),
    ("gemini-2.5-flash-image", &[]),
];
/// Models that describe and judge.
const SEEING: [&str; 2] = ["gemini-3.5-flash-lite", "gemini-3.8-flash"];
const RATIOS: [&str; 10] = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"];
const MOST_PICTURES: usize = 14;

fn status_body(code: u16, status: &str, message: &str, details: Value) -> Value {
    json!({"error": {"code": code, "status": status, "message": message, "details": details}})
}

fn wrong(code: u16, status: &str, message: &str, details: Value) -> Wrong {
    Wrong { service: Service::Gemini, status: code, body: status_body(code, status, message, details) }
}

fn invalid(message: &str) -> Wrong {
    wrong(400, "INVALID_ARGUMENT", message, json!([]))
}

/// A member in either spelling.
fn member<'v>(value: &'v Value, camel: &str, snake: &str) -> &'v Value {
    value.get(camel).unwrap_or(&value[snake])
}

/// Reads a request below `/v1beta/models/`.
pub(super) fn read(
    rest: &str,
    query: Option<&str>,
    key: Option<String>,
    body: &Bytes,
) -> Result<Asked, Wrong> {
    // A key in the address lands in logs; the real service takes it, this one does not.
    match (key, query) {
        (Some(key), None) if key == GEMINI_KEY => {}
        (Some(_), None) => {
            let details =
                json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]);
            return Err(wrong(
                400,
                "INVALID_ARGUMENT",
                "API key not valid. Please pass a valid API key.",
                details,
            ));
        }
        _ => {
            return Err(wrong(
                403,
                "PERMISSION_DENIED",
                "Method doesn't allow unregistered callers.",
                json!([]),
            ));
        }
    }
    let model = rest.strip_suffix(":generateContent").unwrap_or_default();
    let sizes = DRAWING.iter().find(|(name, _)| *name == model).map(|(_, sizes)| *sizes);
    if sizes.is_none() && !SEEING.contains(&model) {
        let words = format!(
            "models/{model} is not found for API version v1beta, or is not supported for generateContent."
        );
        return Err(wrong(404, "NOT_FOUND", &words, json!([])));
    }
    let json: Value = serde_json::from_slice(body).map_err(|_| invalid("Invalid JSON payload received."))?;
    let known = ["contents", "generationConfig", "generation_config", "safetySettings", "systemInstruction"];
    if let Some(name) = json
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
        .find(|name| !known.contains(&name.as_str()))
    {
        return Err(invalid(&format!(
            "Invalid JSON payload received. Unknown name \"{name}\": Cannot find field."
        )));
    }
    let Contents { prompt, pictures, last } = contents(&json["contents"])?;
    let config = member(&json, "generationConfig", "generation_config");
    let mut asked = Asked {
        service: Service::Gemini,
        task: Task::Describe,
        model: model.to_owned(),
        prompt,
        pictures,
        last,
        size: (0, 0),
        format: None,
    };
    match sizes {
        Some(sizes) => {
            asked.task = Task::Draw;
            asked.size = drawing(config, sizes)?;
        }
        None => asked.task = describing(config)?,
    }
    Ok(asked)
}

/// The words, the number of pictures and the last of them.
#[derive(Default)]
struct Contents {
    prompt: String,
    pictures: usize,
    last: Option<u64>,
}

fn contents(contents: &Value) -> Result<Contents, Wrong> {
    let parts = contents[0]["parts"].as_array().ok_or_else(|| invalid("contents is not specified"))?;
    let mut found = Contents::default();
    for part in parts {
        if let Some(text) = part["text"].as_str() {
            found.prompt.push_str(text);
            continue;
        }
        let inline = member(part, "inlineData", "inline_data");
        let mime = member(inline, "mimeType", "mime_type").as_str().unwrap_or_default();
        if !["image/jpeg", "image/png", "image/webp", "image/heic", "image/heif"].contains(&mime) {
            return Err(invalid(&format!("Unsupported MIME type: {mime}")));
        }
        let data = inline["data"].as_str().unwrap_or_default();
        let bytes = STANDARD.decode(data).map_err(|_| invalid("Base64 decoding failed"))?;
        if sniff(&bytes) != Some(mime) {
            return Err(invalid("Unable to process input image. Please retry or report."));
        }
        found.pictures += 1;
        found.last = Some(fingerprint(&bytes));
    }
    if found.pictures > MOST_PICTURES {
        return Err(invalid("Too many images in request"));
    }
    Ok(found)
}

/// Width and height of a picture that may be drawn.
fn drawing(config: &Value, sizes: &[&str]) -> Result<(u32, u32), Wrong> {
    if !member(config, "responseJsonSchema", "response_json_schema").is_null() {
        return Err(invalid("JSON mode is not enabled for this model"));
    }
    let modalities =
        member(config, "responseModalities", "response_modalities").as_array().cloned().unwrap_or_default();
    if !modalities.contains(&json!("IMAGE")) {
        return Err(invalid(
            "The requested combination of response modalities is not supported by the model.",
        ));
    }
    let thinking = member(config, "thinkingConfig", "thinking_config");
    let level = member(thinking, "thinkingLevel", "thinking_level").as_str();
    if level.is_some_and(|level| !["minimal", "medium", "high"].contains(&level)) {
        return Err(invalid("Invalid value at 'generation_config.thinking_config.thinking_level'"));
    }
    let image = member(config, "imageConfig", "image_config");
    let ratio = member(image, "aspectRatio", "aspect_ratio").as_str().unwrap_or("1:1");
    if !RATIOS.contains(&ratio) || ratio != "1:1" {
        return Err(invalid("Invalid aspect ratio; this stand-in draws 1:1 only"));
    }
    let side = match member(image, "imageSize", "image_size").as_str() {
        // The dying model answers so.
        Some(_) if sizes.is_empty() => {
            return Err(wrong(500, "INTERNAL", "An internal error has occurred.", json!([])));
        }
        Some(size) if !sizes.contains(&size) => return Err(invalid(&format!("Invalid image size: {size}"))),
        Some("2K") => 2_048,
        Some("4K") => 4_096,
        Some(_) | None => 1_024,
    };
    Ok((side, side))
}

fn describing(config: &Value) -> Result<Task, Wrong> {
    let mime = member(config, "responseMimeType", "response_mime_type");
    let schema = member(config, "responseJsonSchema", "response_json_schema");
    if mime == "application/json" && schema["type"] == "object" {
        Ok(task_of(schema))
    } else {
        Err(invalid("this stand-in describes by a JSON schema only"))
    }
}

fn usage(counts: bool, output: u64, modality: &str) -> Value {
    if !counts {
        return Value::Null;
    }
    json!({
        "promptTokenCount": 1735, "candidatesTokenCount": output, "thoughtsTokenCount": 210,
        "totalTokenCount": 1945 + output,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 615}, {"modality": "IMAGE", "tokenCount": 1120}],
        "candidatesTokensDetails": [{"modality": modality, "tokenCount": output}],
        "serviceTier": "standard"
    })
}

fn whole(parts: Value, reason: &str, usage: Value) -> Value {
    let mut body = json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason, "index": 0}],
        "modelVersion": "gemini-stand-in", "responseId": "stand-in-1"
    });
    if !usage.is_null() {
        body["usageMetadata"] = usage;
    }
    body
}

/// A drawn picture, after a draft that must not be taken.
pub(super) fn drawn(bytes: &[u8], format: PictureFormat, counts: bool, size: (u32, u32)) -> Value {
    let tokens = match size.0 {
        0..=1_024 => 1_120,
        1_025..=2_048 => 1_680,
        _ => 3_780,
    };
    let draft = STANDARD.encode(b"\xff\xd8\xff a draft that nobody should take");
    let parts = json!([
        {"text": "first the grid, then the figures", "thought": true},
        {"inlineData": {"mimeType": "image/jpeg", "data": draft}, "thought": true},
        {"inlineData": {"mimeType": format.mime(), "data": STANDARD.encode(bytes)}, "thoughtSignature": "c3RhbmQtaW4="}
    ]);
    whole(parts, "STOP", usage(counts, tokens, "IMAGE"))
}

/// A description or a judgement.
pub(super) fn described(text: &str, counts: bool) -> Value {
    whole(json!([{"text": text}]), "STOP", usage(counts, 180, "TEXT"))
}

fn refusal(reason: &str, code: &str) -> Value {
    json!({
        "candidates": [{"content": {"role": "model"}, "finishReason": reason, "index": 0,
            "finishMessage": format!("Unable to show the generated image. Support code: {code}.")}],
        "usageMetadata": {"promptTokenCount": 1400, "thoughtsTokenCount": 240, "totalTokenCount": 1640}
    })
}

/// What goes out instead of the work; none when the work is done first.
pub(super) fn trouble(trouble: &Trouble, asked: &Asked) -> Option<Reply> {
    let Trouble::Is(fault) = trouble else { return None };
    let failed = |code: u16, status: &str, message: &str, details: Value| {
        Some(Reply::Json {
            status: code,
            body: status_body(code, status, message, details),
            retry_after: None,
        })
    };
    let well = |body: Value| Some(Reply::Json { status: 200, body, retry_after: None });
    match fault {
        ImageFault::OutOfFunds => {
            failed(402, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.", json!([]))
        }
        ImageFault::RateLimited { retry_after_s } => failed(
            429,
            "RESOURCE_EXHAUSTED",
            &format!(
                "You exceeded your current quota. limit: 10, model: {}. Please retry in {retry_after_s}s.",
                asked.model
            ),
            json!([
                {"@type": "type.googleapis.com/google.rpc.QuotaFailure",
                 "violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel", "quotaValue": "10"}]},
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{retry_after_s}.5s")}
            ]),
        ),
        ImageFault::DailyQuota => failed(
            429,
            "RESOURCE_EXHAUSTED",
            "You exceeded your current quota. limit: 250",
            json!([{"@type": "type.googleapis.com/google.rpc.QuotaFailure",
                "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel", "quotaValue": "250"}]}]),
        ),
        ImageFault::ServerError { status: 503 } => {
            failed(503, "UNAVAILABLE", "This model is currently experiencing high demand.", json!([]))
        }
        ImageFault::ServerError { status: 504 } => {
            failed(504, "DEADLINE_EXCEEDED", "Deadline exceeded.", json!([]))
        }
        ImageFault::ServerError { status } => {
            failed(*status, "INTERNAL", "An internal error has occurred.", json!([]))
        }
        ImageFault::Html { status } => {
            Some(Reply::Html { status: *status, body: "<html>Bad Gateway</html>".to_owned() })
        }
        ImageFault::Hang => Some(Reply::Silent(SILENCE)),
        ImageFault::Drop => Some(Reply::Closed),
        ImageFault::Safety => well(refusal("IMAGE_PROHIBITED_CONTENT", "42876398")),
        ImageFault::Child => well(refusal("IMAGE_PROHIBITED_CONTENT", "58061214")),
        ImageFault::UnsafeDrawing => well(refusal("IMAGE_SAFETY", "43188360")),
        ImageFault::Prose => {
            let words = json!([{"text": "I can describe the sheet to you, but I would rather not draw this person."}]);
            well(whole(words, "STOP", usage(true, 24, "TEXT")))
        }
        ImageFault::NoImage => well(refusal("NO_IMAGE", "0")),
        ImageFault::ModelGone => {
            let words = format!("models/{} is not found for API version v1beta", asked.model);
            failed(404, "NOT_FOUND", &words, json!([]))
        }
        ImageFault::KeyBlocked => failed(
            403,
            "PERMISSION_DENIED",
            "Your API key was reported as leaked. Please use another API key.",
            json!([]),
        ),
        ImageFault::Half | ImageFault::Slow { .. } | ImageFault::Doubts | ImageFault::Drawn(_) => None,
    }
}
