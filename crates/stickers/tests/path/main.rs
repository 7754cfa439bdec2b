//! The main job as a black box: a selfie at the kiosk becomes a sticker pack in Telegram, also when processes die, answers get lost and two
//! do the same thing at once.

mod access;
mod alarm;
mod doctor;
mod erasing;
mod marker;
mod postgres;
mod roles;
mod s3;
mod stage;

use serde_json::Value;
use simulator::{Fault, Loss, Play};
use stage::{Stage, astronaut};
use std::time::{Duration, Instant};

/// The number of calls of a method that the simulated Telegram received.
fn calls(stage: &Stage, method: &str) -> usize {
    stage.world.log().iter().filter(|call| call.method.eq_ignore_ascii_case(method)).count()
}

/// Waits until the job of the session is in `status`.
async fn job_in(stage: &Stage, token: &str, status: &str) {
    stage
        .until(&format!("the job is {status}"), async || {
            (stage.session(token).await["job"]["status"] == status).then_some(())
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_selfie_becomes_a_pack_with_api_and_bot_as_two_processes() {
    let mut stage = Stage::new().await;
    stage.start_bot("");
    let guest = stage.person("Мадина", "ru");
    let token = stage.at_the_camera(guest, "chapan").await;
    assert_eq!(stage.session(&token).await["first_name"], "Мадина");
    let (status, queued) = stage.upload(&token, astronaut()).await;
    assert_eq!(
        (status, queued["status"].as_str(), queued["position"].as_u64()),
        (202, Some("queued"), Some(1)),
        "{queued}"
    );
    stage.pack_arrives_once(guest).await;
    let session = stage.session(&token).await;
    assert_eq!(
        (session["status"].as_str(), session["job"]["status"].as_str()),
        (Some("photo_taken"), Some("done"))
    );
    assert!(session["pack_link"].as_str().is_some_and(|link| link.contains("/addstickers/s1_")), "{session}");
    // Deleted right after the pack has been created (seed 002).
    assert!(stage.files("selfie_").is_empty(), "{:?}", stage.files("selfie_"));
    assert_eq!(stage.stop_bot().await, Some(0), "SIGTERM ends with status 0");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_path_on_postgresql() {
    let database = postgres::Database::new().await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut stage = Stage::on(folder, database.url.clone()).await;
    stage.start_bot("");
    let guest = stage.person("Lola", "en");
    let token = stage.at_the_camera(guest, "hoodie").await;
    assert_eq!(stage.upload(&token, astronaut()).await.0, 202);
    stage.pack_arrives_once(guest).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_killed_right_after_the_claim_delivers_once_after_the_restart() {
    let mut stage = Stage::new().await;
    stage.start_bot("");
    let guest = stage.person("Lola", "uz");
    let token = stage.at_the_camera(guest, "astronaut").await;
    stage.upload(&token, astronaut()).await;
    job_in(&stage, &token, "processing").await;
    stage.kill_bot().await;
    stage.start_bot("");
    stage.pack_arrives_once(guest).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_killed_while_it_draws_delivers_once_after_the_restart() {
    let mut stage = Stage::new().await;
    stage.start_bot("");
    let guest = stage.person("Lola", "uz");
    let token = stage.at_the_camera(guest, "chapan").await;
    stage.upload(&token, astronaut()).await;
    // The first sticker is on disk and the last is not.
    stage.until("a sticker is drawn", async || (!stage.files("sticker_").is_empty()).then_some(())).await;
    stage.kill_bot().await;
    assert_eq!(calls(&stage, "createNewStickerSet"), 0, "killed too late to mean anything");
    stage.start_bot("");
    stage.pack_arrives_once(guest).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_killed_after_the_set_was_received_completes_its_own_set() {
    let mut stage = Stage::new().await;
    stage.world.fault(Fault::once("createNewStickerSet", Play::Lost { how: Loss::Silence }));
    stage.start_bot("");
    let guest = stage.person("Lola", "uz");
    let token = stage.at_the_camera(guest, "chapan").await;
    stage.upload(&token, astronaut()).await;
    stage
        .until("the set is received", async || (calls(&stage, "createNewStickerSet") > 0).then_some(()))
        .await;
    stage.kill_bot().await;
    stage.start_bot("");
    stage.pack_arrives_once(guest).await;
    assert_eq!(calls(&stage, "createNewStickerSet"), 1, "its own set is found, not made again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_killed_between_done_and_the_send_sends_after_the_restart() {
    let mut stage = Stage::new().await;
    stage.start_bot("updates");
    let guest = stage.person("Lola", "uz");
    let token = stage.at_the_camera(guest, "chapan").await;
    stage.kill_bot().await;
    stage.upload(&token, astronaut()).await;
    // Only the worker runs: it decides `done` and nobody sends.
    stage.start_bot("worker");
    job_in(&stage, &token, "done").await;
    stage.kill_bot().await;
    assert_eq!(calls(&stage, "sendSticker"), 0);
    stage.start_bot("");
    stage.pack_arrives_once(guest).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_to_the_new_set_makes_one_set_and_one_link() {
    for how in [Loss::Close, Loss::Half] {
        let mut stage = Stage::new().await;
        stage.world.fault(Fault::once("createNewStickerSet", Play::Lost { how }));
        stage.start_bot("");
        let guest = stage.person("Lola", "uz");
        let token = stage.at_the_camera(guest, "chapan").await;
        stage.upload(&token, astronaut()).await;
        stage.pack_arrives_once(guest).await;
        assert_eq!(calls(&stage, "createNewStickerSet"), 1, "{how:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_error_although_the_set_was_made_makes_no_second_one() {
    let mut stage = Stage::new().await;
    stage.world.fault(Fault::once(
        "createNewStickerSet",
        Play::Status {
            code: 500,
            description: "Internal Server Error: created sticker set not found".into(),
            applied: true,
        },
    ));
    stage.start_bot("");
    let guest = stage.person("Lola", "en");
    let token = stage.at_the_camera(guest, "hoodie").await;
    stage.upload(&token, astronaut()).await;
    stage.pack_arrives_once(guest).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_held_up_by_flow_control_arrives_later() {
    let mut stage = Stage::new().await;
    stage.start_bot("");
    let guest = stage.person("Lola", "uz");
    let token = stage.at_the_camera(guest, "chapan").await;
    stage.world.fault(Fault::once("sendSticker", Play::Flood { retry_after: 2, applied: false }));
    stage.upload(&token, astronaut()).await;
    job_in(&stage, &token, "done").await;
    stage.world.fault(Fault::once("sendMessage", Play::Flood { retry_after: 1, applied: false }));
    stage.pack_arrives_once(guest).await;
    let refused = stage.world.log().iter().filter(|call| call.status == 429).count();
    assert!(refused >= 1, "flow control was met");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_photos_at_once_make_one_job() {
    let mut stage = Stage::new().await;
    stage.start_bot("updates");
    let guest = stage.person("Lola", "uz");
    let token = stage.at_the_camera(guest, "chapan").await;
    let (first, second) = tokio::join!(stage.upload(&token, astronaut()), stage.upload(&token, astronaut()));
    let mut statuses = [first.0, second.0];
    statuses.sort_unstable();
    assert_eq!(statuses, [202, 409], "{first:?} {second:?}");
    let refused = if first.0 == 409 { &first.1 } else { &second.1 };
    assert_eq!(
        (refused["error"].as_str(), refused["status"].as_str()),
        (Some("wrong_status"), Some("photo_taken"))
    );
    assert_eq!(stage.files("selfie_").len(), 1, "the refused photo is deleted at once");
    let health: Value =
        stage.http.get(stage.url("/health")).send().await.expect("health").json().await.expect("JSON");
    assert_eq!(health["active_jobs"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_phones_scan_one_qr_and_the_second_is_told() {
    let mut stage = Stage::new().await;
    stage.start_bot("updates");
    let (first, second) = (stage.person("Lola", "ru"), stage.person("Aziz", "ru"));
    let token = stage.tap_start().await["token"].as_str().expect("a token").to_owned();
    stage.scan(first, &token);
    stage.scan(second, &token);
    stage.hears(second, "Этот код уже занят, нажми «СТАРТ» на планшете.").await;
    assert_eq!(stage.session(&token).await["first_name"], "Lola");
    stage.press_button(first).await;
    stage.session_in(&token, "consented").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_pack_is_refused_with_the_link_of_the_first() {
    let mut stage = Stage::new().await;
    stage.start_bot("");
    let guest = stage.person("Lola", "ru");
    let token = stage.at_the_camera(guest, "chapan").await;
    stage.upload(&token, astronaut()).await;
    stage.pack_arrives_once(guest).await;
    let again = stage.tap_start().await["token"].as_str().expect("a token").to_owned();
    stage.scan(guest, &again);
    let session = stage.session_in(&again, "expired").await;
    assert_eq!(session["notice"], "pack_ready");
    stage.hears(guest, "Твой набор уже у тебя").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn photos_that_cannot_be_used_are_refused_within_a_second_and_leave_nothing() {
    let mut stage = Stage::new().await;
    stage.start_bot("updates");
    let guest = stage.person("Lola", "en");
    let token = stage.at_the_camera(guest, "chapan").await;
    let two = include_bytes!("../../../render/tests/data/two_people_synthetic.png").to_vec();
    let nobody = plain_picture();
    let cases: [(&str, Vec<u8>, u16, &str); 5] = [
        ("not an image", b"this is a poem, not a photo".repeat(64), 422, "not_an_image"),
        ("eleven MiB", vec![0xff; 11 * 1024 * 1024], 413, ""),
        ("a 50,000 x 50,000 PNG header", huge_png(), 422, "too_large"),
        ("no face", nobody, 422, "no_face"),
        ("two faces", two, 422, "several_faces"),
    ];
    for (what, photo, status, code) in cases {
        let began = Instant::now();
        let (answered, body) = stage.upload(&token, photo).await;
        let took = began.elapsed();
        assert_eq!(answered, status, "{what}: {body}");
        if !code.is_empty() {
            assert_eq!(body["error"], code, "{what}");
        }
        assert!(took < Duration::from_secs(5), "{what} took {took:?}");
        assert!(stage.files("selfie_").is_empty(), "{what} left {:?}", stage.files("selfie_"));
        assert_eq!(stage.session(&token).await["status"], "template_chosen", "{what}");
    }
    assert_eq!(stage.upload(&token, astronaut()).await.0, 202, "the camera still works");
}

/// A grey picture with nobody in it.
fn plain_picture() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_fn(800, 800, |x, y| {
        image::Rgb([90, 120, u8::try_from((x + y) % 200).unwrap_or(0)])
    })
    .write_to(&mut bytes, image::ImageFormat::Png)
    .expect("a picture");
    bytes.into_inner()
}

/// The head of a PNG that says it is 50,000 pixels wide and high.
fn huge_png() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(8, 8).write_to(&mut bytes, image::ImageFormat::Png).expect("a picture");
    let mut bytes = bytes.into_inner();
    bytes[16..20].copy_from_slice(&50_000u32.to_be_bytes());
    bytes[20..24].copy_from_slice(&50_000u32.to_be_bytes());
    let crc = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    bytes
}

/// CRC-32 as PNG uses it, so that the header is refused for its size and not for a wrong sum.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 },
        )
    })
}
