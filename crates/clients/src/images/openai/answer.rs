//! A 200 of OpenAI or a server like it. A local one counts no tokens.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::cost::Tokens;
use domain::guest::Personal;
use serde::Deserialize;

use crate::images::error::{ErrorKind, ImageError, Refusal};
use crate::images::orders::{Answered, Paid, Picture, PictureType};
use crate::images::wire::Answer;

/// The longest prose that is kept, in characters.
const PROSE_MAX: usize = 2_000;

#[derive(Deserialize)]
struct Images<'a> {
    #[serde(borrow, default)]
    data: Vec<Image<'a>>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Image<'a> {
    #[serde(borrow, default)]
    b64_json: Option<Cow<'a, str>>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Usage {
    input_tokens: u32,
    output_tokens: u32,
    input_tokens_details: Option<Shares>,
    output_tokens_details: Option<Shares>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Shares {
    image_tokens: u32,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    output: Vec<Item>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    content: Vec<Content>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    refusal: String,
}

/// Without details the output of a drawing call is taken for a picture, which is the dearer.
fn tokens(usage: Usage, drew: bool) -> Tokens {
    let image_in = usage.input_tokens_details.unwrap_or_default().image_tokens;
    let fallback = if drew { usage.output_tokens } else { 0 };
    let image_out = usage.output_tokens_details.map_or(fallback, |shares| shares.image_tokens);
    Tokens {
        text_in: usage.input_tokens.saturating_sub(image_in),
        image_in,
        text_out: usage.output_tokens.saturating_sub(image_out),
        image_out,
    }
}

fn unreadable(answer: &Answer, paid: Paid, words: &str) -> ImageError {
    let request_id = request_id(answer);
    ImageError { paid, request_id, ..ImageError::new(ErrorKind::Unreadable, Some(answer.status), words) }
}

/// `x-request-id`, which the service's support asks for.
pub(super) fn request_id(answer: &Answer) -> Option<String> {
    answer.header("x-request-id").map(|text| text.chars().take(100).collect())
}

/// The last picture of an answer.
pub(super) fn picture(answer: &Answer) -> Result<Answered<Picture>, ImageError> {
    let body: Images<'_> = serde_json::from_slice(&answer.body).map_err(|error| {
        unreadable(answer, Paid::default(), &format!("not the JSON of an answer: {error}"))
    })?;
    let found = || body.data.iter().filter_map(|image| image.b64_json.as_deref());
    let images = u32::try_from(found().count()).unwrap_or(u32::MAX);
    let paid = Paid { tokens: body.usage.map(|usage| tokens(usage, true)), images };
    let Some(last) = found().next_back() else {
        let request_id = request_id(answer);
        return Err(ImageError {
            paid,
            request_id,
            ..ImageError::new(ErrorKind::NoImage, Some(200), "no picture")
        });
    };
    let bytes =
        STANDARD.decode(last.as_bytes()).map_err(|_| unreadable(answer, paid, "the picture is no base64"))?;
    let kind = PictureType::sniff(&bytes)
        .ok_or_else(|| unreadable(answer, paid, "the picture is of no known format"))?;
    let value = Picture { kind, bytes: Bytes::from(bytes) };
    Ok(Answered { value, paid, request_id: request_id(answer) })
}

/// What an answer of `/v1/responses` tells in the JSON of a schema.
pub(super) fn told<T>(
    answer: &Answer,
    understand: impl FnOnce(&str) -> Option<T>,
) -> Result<Answered<T>, ImageError> {
    let body: Response = serde_json::from_slice(&answer.body).map_err(|error| {
        unreadable(answer, Paid::default(), &format!("not the JSON of an answer: {error}"))
    })?;
    let paid = Paid { tokens: body.usage.map(|usage| tokens(usage, false)), images: 0 };
    let contents = || body.output.iter().filter(|item| item.kind == "message").flat_map(|item| &item.content);
    let request_id = request_id(answer);
    if let Some(refused) = contents().find(|content| content.kind == "refusal") {
        let kind = ErrorKind::Refused { why: Refusal::Safety, again: false };
        let prose = Some(Personal(refused.refusal.chars().take(PROSE_MAX).collect()));
        return Err(ImageError { paid, request_id, prose, ..ImageError::new(kind, Some(200), "refusal") });
    }
    if body.status.as_deref() == Some("incomplete") {
        return Err(ImageError {
            paid,
            request_id,
            ..ImageError::new(ErrorKind::Unfinished, Some(200), "incomplete")
        });
    }
    let text: String = contents()
        .filter(|content| content.kind == "output_text")
        .map(|content| content.text.as_str())
        .collect();
    match understand(&text) {
        Some(value) => Ok(Answered { value, paid, request_id }),
        None => Err(unreadable(answer, paid, "the answer does not follow its schema")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::images::appearance::Appearance;
    use reqwest::header::HeaderMap;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nsheet";

    fn description(answer: &Answer) -> Result<Answered<Appearance>, ImageError> {
        told(answer, Appearance::read)
    }

    fn answer(body: &str) -> Answer {
        let mut headers = HeaderMap::new();
        headers.insert("x-request-id", "req_1".parse().expect("a value"));
        Answer { status: 200, headers, body: body.as_bytes().to_vec() }
    }

    #[test]
    fn a_picture_comes_with_what_it_cost_and_its_number() {
        let body = format!(
            r#"{{"created":1,"data":[{{"b64_json":"{}","generation_id":"g"}}],"usage":{{"input_tokens":1640,
            "input_tokens_details":{{"text_tokens":616,"image_tokens":1024}},"output_tokens":196,"total_tokens":1836}}}}"#,
            STANDARD.encode(PNG)
        );
        let answered = picture(&answer(&body)).expect("a picture");
        let tokens = Tokens { text_in: 616, image_in: 1_024, text_out: 0, image_out: 196 };
        assert_eq!(answered.paid, Paid { tokens: Some(tokens), images: 1 });
        assert_eq!((answered.value.kind, answered.request_id.as_deref()), (PictureType::Png, Some("req_1")));
    }

    #[test]
    fn a_local_server_counts_no_tokens() {
        let body = format!(
            r#"{{"created":1,"output_format":"png","data":[{{"b64_json":"{}"}}]}}"#,
            STANDARD.encode(PNG)
        );
        assert_eq!(picture(&answer(&body)).expect("a picture").paid, Paid { tokens: None, images: 1 });
    }

    #[test]
    fn an_answer_without_a_picture_is_told_from_one_that_cannot_be_read() {
        for body in [r#"{"data":[]}"#, r#"{"data":[{"url":"http://x"}]}"#] {
            assert_eq!(picture(&answer(body)).expect_err("none").kind, ErrorKind::NoImage, "{body}");
        }
        for body in ["", "<html>", r#"{"data":[{"b64_json":"%"}]}"#, r#"{"data":[{"b64_json":"R0lGODlh"}]}"#]
        {
            assert_eq!(picture(&answer(body)).expect_err("none").kind, ErrorKind::Unreadable, "{body}");
        }
    }

    #[test]
    fn a_refused_description_is_an_answer_and_its_words_are_for_operators() {
        let body = r#"{"status":"completed","output":[{"type":"reasoning"},{"type":"message","content":[{"type":"refusal","refusal":"a child"}]}]}"#;
        let error = description(&answer(body)).expect_err("refused");
        assert_eq!(error.kind, ErrorKind::Refused { why: Refusal::Safety, again: false });
        assert!(!format!("{error:?}").contains("a child"));
        assert_eq!(
            description(&answer(r#"{"status":"incomplete"}"#)).expect_err("cut").kind,
            ErrorKind::Unfinished
        );
        assert_eq!(description(&answer("{}")).expect_err("empty").kind, ErrorKind::Unreadable);
    }
}
