//! Each way to answer 200, typed from the vendor's lists.

use super::*;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nfinal";

fn with(parts: &str, reason: &str) -> String {
    format!(
        r#"{{"candidates":[{{"content":{{"role":"model","parts":[{parts}]}},"finishReason":"{reason}","index":0}}],
        "modelVersion":"another","responseId":"r-1","usageMetadata":{{"promptTokenCount":1735,"candidatesTokenCount":1680,
        "thoughtsTokenCount":210,"totalTokenCount":3625,"promptTokensDetails":[{{"modality":"TEXT","tokenCount":615}},
        {{"modality":"IMAGE","tokenCount":1120}}],"candidatesTokensDetails":[{{"modality":"IMAGE","tokenCount":1680}}]}}}}"#
    )
}

fn image(bytes: &[u8], more: &str) -> String {
    format!(r#"{{"inlineData":{{"mimeType":"image/jpeg","data":"{}"}}{more}}}"#, STANDARD.encode(bytes))
}

fn kind(body: &str) -> ErrorKind {
    picture(body.as_bytes()).expect_err("no picture").kind
}

fn stopped(reason: &str, message: &str) -> ErrorKind {
    kind(&format!(
        r#"{{"candidates":[{{"content":{{"role":"model"}},"finishReason":"{reason}","finishMessage":"{message}"}}]}}"#
    ))
}

#[test]
fn the_last_finished_picture_is_taken_and_drafts_are_not() {
    let parts = [
        r#"{"text":"draft notes","thought":true}"#.to_owned(),
        image(b"\xff\xd8\xffdraft", r#","thought":true"#),
        image(b"\xff\xd8\xfffirst", ""),
        r#"{"text":"here you are"}"#.to_owned(),
        image(PNG, r#","thoughtSignature":"x""#),
    ];
    let answered = picture(with(&parts.join(","), "STOP").as_bytes()).expect("a picture");
    assert_eq!((answered.value.kind, &answered.value.bytes[..]), (PictureType::Png, PNG));
    assert_eq!(answered.request_id.as_deref(), Some("r-1"));
    let tokens = Tokens { text_in: 615, image_in: 1_120, text_out: 210, image_out: 1_680 };
    assert_eq!(answered.paid, Paid { tokens: Some(tokens), images: 2 });
}

#[test]
fn usage_without_details_counts_the_answer_as_a_picture_and_no_usage_is_none() {
    let body = format!(
        r#"{{"candidates":[{{"content":{{"parts":[{}]}}}}],"usageMetadata":{{"promptTokenCount":15,"candidatesTokenCount":1290}}}}"#,
        image(PNG, "")
    );
    let tokens = picture(body.as_bytes()).expect("a picture").paid.tokens.expect("counted");
    assert_eq!(tokens, Tokens { text_in: 15, image_in: 0, text_out: 0, image_out: 1_290 });
    let body = format!(r#"{{"candidates":[{{"content":{{"parts":[{}]}}}}]}}"#, image(PNG, ""));
    assert_eq!(picture(body.as_bytes()).expect("a picture").paid.tokens, None);
}

#[test]
fn a_blocked_prompt_is_a_refusal_that_another_try_does_not_change() {
    for reason in ["SAFETY", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "BLOCKLIST", "OTHER"] {
        for candidates in ["", r#""candidates":[],"#] {
            let body = format!(r#"{{{candidates}"promptFeedback":{{"blockReason":"{reason}"}}}}"#);
            assert_eq!(kind(&body), ErrorKind::Refused { why: Refusal::Safety, again: reason == "OTHER" });
        }
    }
}

#[test]
fn each_reason_to_stop_without_a_picture_has_its_class() {
    for reason in ["SAFETY", "IMAGE_PROHIBITED_CONTENT", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"] {
        assert_eq!(
            stopped(reason, ""),
            ErrorKind::Refused { why: Refusal::Safety, again: false },
            "{reason}"
        );
    }
    assert_eq!(stopped("IMAGE_SAFETY", ""), ErrorKind::Refused { why: Refusal::Safety, again: true });
    for reason in ["IMAGE_RECITATION", "RECITATION"] {
        assert_eq!(stopped(reason, ""), ErrorKind::Refused { why: Refusal::LookAlike, again: true });
    }
    let glitches = [
        "NO_IMAGE",
        "IMAGE_OTHER",
        "OTHER",
        "MALFORMED_FUNCTION_CALL",
        "LANGUAGE",
        "STOP",
        "NEVER_SEEN_BEFORE",
    ];
    for reason in glitches {
        assert_eq!(stopped(reason, ""), ErrorKind::NoImage, "{reason}");
    }
    assert_eq!(stopped("MAX_TOKENS", ""), ErrorKind::Unfinished);
    assert_eq!(kind("{}"), ErrorKind::NoImage);
    assert_eq!(kind(r#"{"candidates":[]}"#), ErrorKind::NoImage);
}

#[test]
fn a_support_code_tells_a_child_and_a_celebrity_from_the_rest() {
    let why = |code: &str| match stopped("IMAGE_PROHIBITED_CONTENT", &format!("Support code: {code}.")) {
        ErrorKind::Refused { why, .. } => why,
        other => panic!("{other:?}"),
    };
    assert_eq!([why("58061214"), why("17301594")], [Refusal::Age; 2]);
    assert_eq!([why("29310472"), why("15236754")], [Refusal::Celebrity; 2]);
    assert_eq!(why("42876398"), Refusal::Safety);
}

#[test]
fn prose_instead_of_a_picture_is_kept_for_operators_and_never_printed() {
    let error =
        picture(with(r#"{"text":"I see a young woman, sorry"}"#, "STOP").as_bytes()).expect_err("no picture");
    assert_eq!(error.kind, ErrorKind::Declined);
    assert!(!format!("{error} {error:?}").contains("woman"));
    assert_eq!(error.prose, Some(Personal("I see a young woman, sorry".to_owned())));
    assert!(error.paid.tokens.is_some(), "a refusal is billed");
}

#[test]
fn an_answer_that_cannot_be_understood_is_unreadable_and_no_panic() {
    let bodies = [
        String::new(),
        "<html>".to_owned(),
        r#"{"candidates":[{"content":"#.to_owned(),
        with(r#"{"inlineData":{"data":"%%%"}}"#, "STOP"),
        with(&image(b"GIF89a", ""), "STOP"),
    ];
    for body in bodies {
        assert_eq!(kind(&body), ErrorKind::Unreadable, "{body}");
    }
}
