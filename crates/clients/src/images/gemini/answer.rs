//! A 200 of Gemini: a picture, words in a schema, or one of the many ways to have neither.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::cost::Tokens;
use domain::guest::Personal;
use serde::Deserialize;

use crate::images::error::{ErrorKind, ImageError, Refusal};
use crate::images::orders::{Answered, Paid, Picture, PictureType};

/// The longest prose that is kept, in characters.
const PROSE_MAX: usize = 2_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(borrow, default)]
    candidates: Vec<Candidate<'a>>,
    #[serde(borrow, default)]
    prompt_feedback: Option<Feedback<'a>>,
    #[serde(default)]
    usage_metadata: Option<Usage>,
    #[serde(default)]
    response_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(borrow, default)]
    content: Option<Content<'a>>,
    #[serde(borrow, default)]
    finish_reason: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    finish_message: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow, default)]
    parts: Vec<Part<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    inline_data: Option<Inline<'a>>,
    #[serde(default)]
    thought: bool,
}

#[derive(Deserialize)]
struct Inline<'a> {
    #[serde(borrow, default)]
    data: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback<'a> {
    #[serde(borrow, default)]
    block_reason: Option<Cow<'a, str>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Usage {
    prompt_token_count: u32,
    candidates_token_count: u32,
    thoughts_token_count: u32,
    prompt_tokens_details: Vec<Share>,
    candidates_tokens_details: Vec<Share>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Share {
    modality: String,
    token_count: u32,
}

/// The picture of an answer: the last that is no draft.
pub(super) fn picture(bytes: &[u8]) -> Result<Answered<Picture>, ImageError> {
    let body = read(bytes)?;
    let finished = || parts(&body).filter(|part| !part.thought).filter_map(|part| part.inline_data.as_ref());
    let images = u32::try_from(finished().count()).unwrap_or(u32::MAX);
    let paid = Paid { tokens: tokens(&body, images > 0), images };
    let Some(last) = finished().last() else { return Err(nothing(&body, paid)) };
    if images > 1 {
        tracing::debug!(images, "gemini sent several pictures, the last is taken");
    }
    let unreadable =
        |what: &str| ImageError { paid, ..ImageError::new(ErrorKind::Unreadable, Some(200), what) };
    let bytes = STANDARD.decode(last.data.as_bytes()).map_err(|_| unreadable("the picture is no base64"))?;
    let kind = PictureType::sniff(&bytes).ok_or_else(|| unreadable("the picture is of no known format"))?;
    let value = Picture { kind, bytes: Bytes::from(bytes) };
    Ok(Answered { value, paid, request_id: body.response_id })
}

/// What an answer tells in the JSON of a schema: its texts joined, drafts left out.
pub(super) fn told<T>(
    bytes: &[u8],
    understand: impl FnOnce(&str) -> Option<T>,
) -> Result<Answered<T>, ImageError> {
    let body = read(bytes)?;
    let paid = Paid { tokens: tokens(&body, false), images: 0 };
    let text = text(&body);
    if text.is_empty() || body.candidates.is_empty() {
        return Err(nothing(&body, paid));
    }
    match understand(&text) {
        Some(value) => Ok(Answered { value, paid, request_id: body.response_id }),
        None => {
            let words = "the answer does not follow its schema";
            Err(ImageError { paid, ..ImageError::new(ErrorKind::Unreadable, Some(200), words) })
        }
    }
}

fn read(bytes: &[u8]) -> Result<Body<'_>, ImageError> {
    serde_json::from_slice(bytes).map_err(|error| {
        ImageError::new(ErrorKind::Unreadable, Some(200), &format!("not the JSON of an answer: {error}"))
    })
}

fn parts<'b, 'a>(body: &'b Body<'a>) -> impl Iterator<Item = &'b Part<'a>> {
    body.candidates
        .first()
        .and_then(|first| first.content.as_ref())
        .into_iter()
        .flat_map(|content| &content.parts)
}

fn text(body: &Body<'_>) -> String {
    parts(body).filter(|part| !part.thought).filter_map(|part| part.text.as_deref()).collect()
}

/// Counts what is billed. Without details the answer of a drawing call is taken for a picture, which is the dearer.
fn tokens(body: &Body<'_>, drew: bool) -> Option<Tokens> {
    let usage = body.usage_metadata.as_ref()?;
    let images = |list: &[Share]| -> Option<u32> {
        (!list.is_empty()).then(|| {
            list.iter().filter(|share| share.modality == "IMAGE").map(|share| share.token_count).sum()
        })
    };
    let image_in = images(&usage.prompt_tokens_details).unwrap_or(0);
    let fallback = if drew { usage.candidates_token_count } else { 0 };
    let image_out = images(&usage.candidates_tokens_details).unwrap_or(fallback);
    Some(Tokens {
        text_in: usage.prompt_token_count.saturating_sub(image_in),
        image_in,
        text_out: usage
            .candidates_token_count
            .saturating_sub(image_out)
            .saturating_add(usage.thoughts_token_count),
        image_out,
    })
}

/// Why there is nothing. Values nobody has seen before count as a glitch of the model: the lists grow.
fn nothing(body: &Body<'_>, paid: Paid) -> ImageError {
    let reason = body.candidates.first().and_then(|first| first.finish_reason.as_deref());
    let blocked = body.prompt_feedback.as_ref().and_then(|feedback| feedback.block_reason.as_deref());
    let message =
        body.candidates.first().and_then(|first| first.finish_message.as_deref()).unwrap_or_default();
    let prose = text(body);
    let (kind, words) = match (blocked, reason) {
        (Some(why), _) => (ErrorKind::Refused { why: Refusal::Safety, again: why == "OTHER" }, why),
        (None, Some(why)) => (finished(why, message, !prose.is_empty()), why),
        (None, None) if prose.is_empty() => (ErrorKind::NoImage, "no candidates"),
        (None, None) => (ErrorKind::Declined, "text only"),
    };
    let prose = (!prose.is_empty()).then(|| Personal(prose.chars().take(PROSE_MAX).collect()));
    let request_id = body.response_id.clone();
    ImageError { paid, request_id, prose, ..ImageError::new(kind, Some(200), words) }
}

fn finished(reason: &str, message: &str, wrote: bool) -> ErrorKind {
    let why = subject(message);
    match reason {
        // Judges the drawing, so a plainer try may pass.
        "IMAGE_SAFETY" => ErrorKind::Refused { why, again: true },
        "SAFETY" | "IMAGE_PROHIBITED_CONTENT" | "PROHIBITED_CONTENT" | "BLOCKLIST" | "SPII" => {
            ErrorKind::Refused { why, again: false }
        }
        "IMAGE_RECITATION" | "RECITATION" => ErrorKind::Refused { why: Refusal::LookAlike, again: true },
        "MAX_TOKENS" => ErrorKind::Unfinished,
        "STOP" if wrote => ErrorKind::Declined,
        _ => ErrorKind::NoImage,
    }
}

/// What a support code stands for (the vendor's page on responsible use, 2026).
fn subject(message: &str) -> Refusal {
    let has = |codes: [&str; 2]| codes.iter().any(|code| message.contains(code));
    if has(["58061214", "17301594"]) {
        Refusal::Age
    } else if has(["29310472", "15236754"]) {
        Refusal::Celebrity
    } else {
        Refusal::Safety
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
