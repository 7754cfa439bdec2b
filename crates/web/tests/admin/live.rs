//! The stream that tells open pages to ask again.

use crate::browser::{Browser, open};
use axum::body::Body;
use futures::StreamExt;
use http::Request;
use std::time::Duration;

/// Longest wait for something that has to come; only a failing test waits that long.
const PATIENCE: Duration = Duration::from_secs(20);

type Stream = axum::body::BodyDataStream;

async fn word(stream: &mut Stream) -> String {
    let next = tokio::time::timeout(PATIENCE, stream.next()).await.expect("in time");
    String::from_utf8(next.expect("not ended").expect("no error").to_vec()).expect("UTF-8")
}

/// Reads on until the stream says this. A page is told every few seconds anyway, so on a slow machine there are more words in between; there
/// are fewer than these in any case, each being a second apart at least.
async fn until(stream: &mut Stream, expected: &str) {
    for _ in 0..120 {
        let word = word(stream).await;
        if word == expected {
            return;
        }
        assert!(word.starts_with("event: live\n"), "{word}");
    }
    panic!("{expected} never came");
}

#[tokio::test]
async fn a_page_is_told_at_once_and_at_a_change_and_when_its_session_has_ended() {
    let kiosk = open().await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let cookie = format!("panel_session={}", browser.cookie("panel_session").expect("a session"));
    let request =
        Request::get("/admin/events").header("cookie", cookie).body(Body::empty()).expect("a request");
    let response = kiosk.send(request).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut stream = response.into_body().into_data_stream();
    until(&mut stream, "event: live\ndata: 18:30:00\n\n").await;
    kiosk.clock.advance(Duration::from_secs(5));
    kiosk.set("bot_seen_at", "1795959000000").await;
    until(&mut stream, "event: live\ndata: 18:30:05\n\n").await;
    browser.get("/admin/account").await;
    browser.post("/admin/logout", &[]).await;
    until(&mut stream, "event: gone\ndata: -\n\n").await;
    let rest = tokio::time::timeout(PATIENCE, stream.next()).await.expect("in time");
    assert!(rest.is_none(), "it ends");
}
