//! The calls of the tablet about a session: what each answers, in which order it refuses, and what a refusal leaves behind.

mod harness;

use axum::body::Body;
use bytes::Bytes;
use futures::stream;
use harness::{Kiosk, OUTFIT, json};
use http::{Method, Request, StatusCode};
use serde_json::{Value, json as object};
use std::convert::Infallible;
use std::time::Duration;

/// Every `POST` of a tablet, with a body that it takes.
const POSTS: [(&str, &str); 6] = [
    ("/session", "{}"),
    ("/session/nobody/template", r#"{"template_id":"hoodie"}"#),
    ("/session/nobody/photo", ""),
    ("/session/nobody/face", ""),
    ("/session/nobody/expire?reason=cancel", ""),
    ("/kiosk/heartbeat", r#"{"kiosk":"left","camera":"ok","battery":null,"version":"1"}"#),
];

fn refused(answer: &(StatusCode, Value), status: u16, code: &str) {
    assert_eq!((answer.0.as_u16(), answer.1["error"].as_str()), (status, Some(code)), "{}", answer.1);
    assert!(answer.1["message"].as_str().is_some_and(|message| !message.is_empty()), "{}", answer.1);
}

#[tokio::test]
async fn start_gives_a_session_with_a_link_and_a_qr() {
    let kiosk = Kiosk::open().await;
    let (status, session) = kiosk.post("/session", "").await;
    assert_eq!(status, StatusCode::CREATED);
    let token = session["token"].as_str().expect("a token");
    assert!(token.len() >= 26, "128 random bits: {token}");
    assert_eq!(session["status"], "idle");
    assert_eq!(session["deep_link"], format!("https://t.me/stickers_test_bot?start={token}"));
    assert!(session["qr_svg"].as_str().is_some_and(|svg| svg.contains("<svg")));
    let (status, view) = kiosk.get(&format!("/session/{token}")).await;
    assert_eq!(status, StatusCode::OK);
    let expected = object!({
        "token": token, "status": "idle", "template_id": null, "closed_reason": null, "notice": null,
        "first_name": null, "language": "ru", "pack_link": null, "job": null,
    });
    assert_eq!(view, expected);
}

#[tokio::test]
async fn a_body_that_is_no_json_opens_no_session() {
    let kiosk = Kiosk::open().await;
    refused(&kiosk.post("/session", "{").await, 422, "bad_body");
    refused(&kiosk.post("/session", "[1]").await, 422, "bad_body");
    refused(
        &kiosk.post("/session", format!(r#"{{"kiosk":"{}"}}"#, "x".repeat(5_000))).await,
        413,
        "body_too_large",
    );
}

#[tokio::test]
async fn until_the_bot_told_its_name_there_is_no_session() {
    let kiosk = Kiosk::without_bot(|_| {}, None).await;
    refused(&kiosk.post("/session", "{}").await, 503, "bot_not_ready");
}

#[tokio::test]
async fn every_post_of_a_tablet_wants_the_key_before_anything_else() {
    let kiosk = Kiosk::with(|settings| settings.maintenance = true, Some("the right key")).await;
    for (path, body) in POSTS {
        refused(&kiosk.post(path, body).await, 401, "kiosk_key");
    }
    let kiosk = kiosk.showing("a wrong key");
    for (path, body) in POSTS {
        refused(&kiosk.post(path, body).await, 401, "kiosk_key");
    }
    let kiosk = kiosk.showing("the right key");
    for (path, body) in POSTS {
        let (status, answer) = kiosk.post(path, body).await;
        assert_ne!(status, StatusCode::UNAUTHORIZED, "{path}: {answer}");
    }
}

#[tokio::test]
async fn reading_needs_no_key() {
    let kiosk = Kiosk::with(|_| {}, Some("the right key")).await.showing("the right key");
    let token = kiosk.start().await;
    let kiosk = kiosk.showing("");
    for path in [format!("/session/{token}"), "/templates".into(), "/health".into(), "/kiosk/config".into()] {
        assert_eq!(kiosk.get(&path).await.0, StatusCode::OK, "{path}");
    }
}

#[tokio::test]
async fn an_unknown_token_is_404_even_during_maintenance() {
    let kiosk = Kiosk::with(|settings| settings.maintenance = true, None).await;
    for (path, body) in &POSTS[1..5] {
        refused(&kiosk.post(path, *body).await, 404, "unknown_session");
    }
    refused(&kiosk.get("/session/nobody").await, 404, "unknown_session");
    refused(&kiosk.get("/session/nobody/events").await, 404, "unknown_session");
}

/// product.md, "Decided once": key, unknown token, maintenance, wrong status, and only then what the body says.
#[tokio::test]
async fn refusals_come_in_their_order_whatever_the_body_holds() {
    let kiosk = Kiosk::with(|_| {}, Some("the right key")).await.showing("the right key");
    let bodies = || ["{".to_owned(), "[]".to_owned(), "x".repeat(70_000)];
    let token = kiosk.start().await;
    for body in bodies() {
        for call in ["template", "photo", "face"] {
            refused(
                &kiosk.post(&format!("/session/nobody/{call}"), body.clone()).await,
                404,
                "unknown_session",
            );
        }
        for call in ["template", "photo"] {
            refused(
                &kiosk.post(&format!("/session/{token}/{call}"), body.clone()).await,
                409,
                "wrong_status",
            );
        }
    }
    kiosk.set("maintenance", "admin").await;
    for body in bodies() {
        refused(&kiosk.post("/session", body.clone()).await, 503, "maintenance");
        for call in ["template", "photo"] {
            refused(&kiosk.post(&format!("/session/{token}/{call}"), body.clone()).await, 503, "maintenance");
            refused(
                &kiosk.post(&format!("/session/nobody/{call}"), body.clone()).await,
                404,
                "unknown_session",
            );
        }
    }
    let kiosk = kiosk.showing("a wrong key");
    for path in ["/session", "/session/nobody/template", "/session/nobody/photo", "/session/nobody/face"] {
        refused(&kiosk.post(path, "{").await, 401, "kiosk_key");
    }
}

#[tokio::test]
async fn maintenance_stops_new_steps_and_lets_the_tablet_leave() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.agreed().await;
    kiosk.set("maintenance", "admin").await;
    refused(&kiosk.post("/session", "{}").await, 503, "maintenance");
    // Not `unknown_template`, not `wrong_status`: maintenance is told first.
    refused(
        &kiosk.post(&format!("/session/{token}/template"), r#"{"template_id":"?"}"#).await,
        503,
        "maintenance",
    );
    refused(&kiosk.post_photo(&token, harness::PORTRAIT).await, 503, "maintenance");
    assert_eq!(kiosk.get(&format!("/session/{token}")).await.0, StatusCode::OK);
    let (status, answer) = kiosk.post(&format!("/session/{token}/expire?reason=cancel"), "").await;
    assert_eq!((status, &answer["changed"]), (StatusCode::OK, &Value::Bool(true)));
}

#[tokio::test]
async fn an_outfit_is_chosen_after_consent_and_may_be_changed() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.start().await;
    let path = format!("/session/{token}/template");
    let early = kiosk.post(&path, r#"{"template_id":"hoodie"}"#).await;
    refused(&early, 409, "wrong_status");
    assert_eq!(early.1["status"], "idle");
    // The status is told before the outfit is looked at.
    refused(&kiosk.post(&path, r#"{"template_id":"?"}"#).await, 409, "wrong_status");
    kiosk.lola_agrees(&token).await;
    refused(&kiosk.post(&path, r#"{"template_id":"?"}"#).await, 422, "unknown_template");
    refused(&kiosk.post(&path, "{}").await, 422, "bad_body");
    for outfit in ["hoodie", "chapan", "chapan"] {
        let (status, session) = kiosk.post(&path, format!(r#"{{"template_id":"{outfit}"}}"#)).await;
        assert_eq!((status, session["template_id"].as_str()), (StatusCode::OK, Some(outfit)));
        assert_eq!((&session["status"], &session["first_name"]), (&"template_chosen".into(), &"Lola".into()));
        assert_eq!(session["language"], "uz", "the guest's language takes over");
    }
}

#[tokio::test]
async fn a_second_pack_is_refused_with_a_notice_at_the_outfit() {
    let kiosk = Kiosk::open().await;
    let first = kiosk.dressed().await;
    assert_eq!(kiosk.post_photo(&first, harness::PORTRAIT).await.0, StatusCode::ACCEPTED);
    let second = kiosk.agreed().await;
    let answer =
        kiosk.post(&format!("/session/{second}/template"), format!(r#"{{"template_id":"{OUTFIT}"}}"#)).await;
    refused(&answer, 409, "pack_limit");
    assert_eq!((&answer.1["notice"], &answer.1["status"]), (&"pack_in_progress".into(), &"expired".into()));
    let (_, session) = kiosk.get(&format!("/session/{second}")).await;
    assert_eq!((&session["status"], &session["notice"]), (&"expired".into(), &"pack_in_progress".into()));
}

#[tokio::test]
async fn a_photo_queues_one_job_however_often_it_is_sent() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.dressed().await;
    let (status, queued) = kiosk.post_photo(&token, harness::PORTRAIT).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{queued}");
    assert_eq!((&queued["status"], &queued["position"]), (&"queued".into(), &1.into()));
    assert!(queued["job_id"].is_i64() && queued["eta_seconds"].is_u64(), "{queued}");
    let again = kiosk.post_photo(&token, harness::PORTRAIT).await;
    refused(&again, 409, "wrong_status");
    assert_eq!(again.1["status"], "photo_taken");
    let (_, session) = kiosk.get(&format!("/session/{token}")).await;
    assert_eq!(session["job"]["status"], "queued");
    assert_eq!(kiosk.get("/health").await.1["active_jobs"], 1);
    assert_eq!(kiosk.ctx.media.list("sessions").await.expect("the media store").len(), 1);
}

#[tokio::test]
async fn two_photos_at_once_make_one_job_and_one_conflict() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.dressed().await;
    let (one, two) = tokio::join!(
        kiosk.post_photo(&token, harness::PORTRAIT),
        kiosk.post_photo(&token, harness::PORTRAIT)
    );
    let mut statuses = [one.0.as_u16(), two.0.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [202, 409], "{} {}", one.1, two.1);
    assert_eq!(
        kiosk.ctx.media.list("sessions").await.expect("the media store").len(),
        1,
        "the loser's photo is gone"
    );
}

#[tokio::test]
async fn a_refused_photo_is_not_kept_and_leaves_the_session_where_it_was() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.dressed().await;
    let heic = [b"\0\0\0\x18ftypheic\0\0\0\0mif1heic".as_slice(), &[0; 200]].concat();
    let grey = png(image::RgbImage::from_pixel(600, 600, image::Rgb([128, 128, 128])));
    let small = png(image::RgbImage::new(399, 800));
    let cases: [(&str, &[u8], &str); 6] = [
        ("words", b"not a picture at all", "not_an_image"),
        ("nothing", b"", "not_an_image"),
        ("HEIC", &heic, "heic"),
        ("small", &small, "too_small"),
        ("grey", &grey, "no_face"),
        ("two people", harness::TWO_PEOPLE, "several_faces"),
    ];
    for (what, photo, code) in cases {
        let answer = kiosk.post_photo(&token, photo).await;
        assert_eq!(
            (answer.0.as_u16(), answer.1["error"].as_str()),
            (422, Some(code)),
            "{what}: {}",
            answer.1
        );
        assert_eq!(kiosk.status_of(&token).await, "template_chosen", "{what}");
    }
    assert!(kiosk.ctx.media.list("sessions").await.expect("the media store").is_empty());
    assert_eq!(kiosk.post_photo(&token, harness::PORTRAIT).await.0, StatusCode::ACCEPTED);
}

fn png(picture: image::RgbImage) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Png).expect("a picture");
    bytes.into_inner()
}

#[tokio::test]
async fn a_photo_over_ten_mebibytes_is_413_announced_or_not() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.dressed().await;
    let large = vec![0xff; 10 * 1024 * 1024 + 1];
    refused(&kiosk.post_photo(&token, &large).await, 413, "body_too_large");
    // In pieces and without a length, and far over the limit: refused while it is read.
    let piece = Bytes::from(vec![b'x'; 1024 * 1024]);
    let pieces = (0..64).map(move |_| Ok::<_, Infallible>(piece.clone()));
    let head = Ok(Bytes::from_static(
        b"--frontier\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a\"\r\n\r\n",
    ));
    let body = Body::from_stream(stream::iter(std::iter::once(head).chain(pieces)));
    let request = Request::post(format!("/session/{token}/photo"))
        .header("content-type", "multipart/form-data; boundary=frontier")
        .body(body)
        .expect("a request");
    refused(&json(kiosk.send(request).await).await, 413, "body_too_large");
    assert_eq!(kiosk.status_of(&token).await, "template_chosen");
}

#[tokio::test]
async fn a_photo_in_the_wrong_status_is_refused_before_its_body_is_read() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.agreed().await;
    // A body that never comes: an answer proves that nobody waited for it.
    let body = Body::from_stream(stream::pending::<Result<Bytes, Infallible>>());
    let request = Request::post(format!("/session/{token}/photo"))
        .header("content-type", "multipart/form-data; boundary=frontier")
        .body(body)
        .expect("a request");
    let answer =
        tokio::time::timeout(Duration::from_secs(20), kiosk.send(request)).await.expect("an answer at once");
    let answer = json(answer).await;
    refused(&answer, 409, "wrong_status");
    assert_eq!(answer.1["status"], "consented");
}

#[tokio::test]
async fn a_form_without_a_photo_is_refused() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.dressed().await;
    let path = format!("/session/{token}/photo");
    refused(&kiosk.post(&path, "no form").await, 422, "bad_body");
    let request = Request::post(&path)
        .header("content-type", "multipart/form-data; boundary=frontier")
        .body(Body::from(
            "--frontier\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nx\r\n--frontier--\r\n",
        ))
        .expect("a request");
    refused(&json(kiosk.send(request).await).await, 422, "bad_body");
}

#[tokio::test]
async fn the_camera_is_told_whether_the_upload_would_be_taken_and_nothing_is_kept() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.dressed().await;
    let path = format!("/session/{token}/face");
    let (status, answer) = kiosk.post(&path, frame(harness::PORTRAIT)).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert_eq!(answer, object!({"ok": true, "hint": null}));
    let (_, answer) = kiosk.post(&path, frame(harness::TWO_PEOPLE)).await;
    assert_eq!(answer, object!({"ok": false, "hint": "several_faces"}));
    let (_, answer) = kiosk.post(&path, "no picture").await;
    assert_eq!(answer, object!({"ok": false, "hint": "no_face"}));
    refused(&kiosk.post(&path, vec![0; 64 * 1024 + 1]).await, 413, "body_too_large");
    assert!(kiosk.ctx.media.list("sessions").await.expect("the media store").is_empty());
    assert_eq!(kiosk.status_of(&token).await, "template_chosen");
}

/// A frame as the kiosk sends it: 256 px wide JPEG.
fn frame(photo: &[u8]) -> Vec<u8> {
    let picture = image::load_from_memory(photo).expect("a picture").thumbnail(256, 256).to_rgb8();
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, image::ImageFormat::Jpeg).expect("a frame");
    bytes.into_inner()
}

#[tokio::test]
async fn frames_beyond_the_places_are_refused_as_busy() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.dressed().await;
    let places = kiosk.ctx.limits.frames.available_permits();
    let _held =
        kiosk.ctx.limits.frames.acquire_many(u32::try_from(places).expect("a few")).await.expect("places");
    refused(&kiosk.post(&format!("/session/{token}/face"), frame(harness::PORTRAIT)).await, 429, "busy");
}

#[tokio::test]
async fn a_session_is_closed_once_and_an_unknown_code_is_kiosk_reset() {
    let kiosk = Kiosk::open().await;
    for (asked, stored) in [
        ("?reason=qr_timeout", "qr_timeout"),
        ("?reason=camera_error", "camera_error"),
        ("?reason=coffee", "kiosk_reset"),
        ("", "kiosk_reset"),
    ] {
        let token = kiosk.start().await;
        let path = format!("/session/{token}/expire{asked}");
        let (status, first) = kiosk.post(&path, "").await;
        assert_eq!((status, &first["changed"]), (StatusCode::OK, &Value::Bool(true)), "{asked}");
        assert_eq!(
            (&first["status"], &first["closed_reason"]),
            (&"expired".into(), &stored.into()),
            "{asked}"
        );
        let (status, second) = kiosk.post(&format!("/session/{token}/expire?reason=cancel"), "").await;
        assert_eq!((status, &second["changed"]), (StatusCode::OK, &Value::Bool(false)));
        assert_eq!(second["closed_reason"], stored, "the first reason stays");
    }
}

#[tokio::test]
async fn words_for_people_come_in_the_callers_language() {
    let kiosk = Kiosk::open().await;
    let mut messages = Vec::new();
    for language in ["ru", "uz", "en", "fr"] {
        let request = Request::builder()
            .method(Method::GET)
            .uri("/session/nobody")
            .header("accept-language", language)
            .body(Body::empty())
            .expect("a request");
        messages.push(json(kiosk.send(request).await).await.1["message"].clone());
    }
    assert!(messages[0] != messages[1] && messages[1] != messages[2] && messages[0] != messages[2]);
    assert_eq!(messages[3], messages[0]);
}
