//! The event stream of a session.

mod harness;

use axum::body::{Body, BodyDataStream};
use futures::{FutureExt, StreamExt};
use harness::Kiosk;
use http::{Request, StatusCode};
use serde_json::Value;
use std::time::Duration;

/// No event takes longer than this unless it never comes.
const NEVER: Duration = Duration::from_secs(20);

/// Opens the stream of a session.
async fn open(kiosk: &Kiosk, token: &str) -> BodyDataStream {
    let request = Request::get(format!("/session/{token}/events")).body(Body::empty()).expect("a request");
    let response = kiosk.send(request).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    assert_eq!(response.headers()["cache-control"], "no-cache");
    response.into_body().into_data_stream()
}

/// The next session that the stream tells; comments are skipped. `None` at its end.
async fn next(stream: &mut BodyDataStream) -> Option<Value> {
    loop {
        let chunk =
            tokio::time::timeout(NEVER, stream.next()).await.expect("an event")?.expect("a whole stream");
        let text = String::from_utf8_lossy(&chunk).into_owned();
        if let Some(data) =
            text.lines().find_map(|line| line.strip_prefix("data: ").or(line.strip_prefix("data:")))
        {
            return Some(serde_json::from_str(data).expect("JSON"));
        }
    }
}

#[tokio::test]
async fn a_kiosk_hears_the_session_at_once_and_at_each_change() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.start().await;
    let mut stream = open(&kiosk, &token).await;
    assert_eq!(next(&mut stream).await.expect("an event")["status"], "idle");
    kiosk.lola_agrees(&token).await;
    let mut session = next(&mut stream).await.expect("an event");
    if session["status"] == "linked" {
        session = next(&mut stream).await.expect("an event");
    }
    assert_eq!((&session["status"], &session["first_name"]), (&"consented".into(), &"Lola".into()));
    kiosk.post(&format!("/session/{token}/expire?reason=cancel"), "").await;
    assert_eq!(next(&mut stream).await.expect("an event")["status"], "expired");
}

#[tokio::test]
async fn an_event_is_what_reading_the_session_answers() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.dressed().await;
    let mut stream = open(&kiosk, &token).await;
    let (_, session) = kiosk.get(&format!("/session/{token}")).await;
    assert_eq!(next(&mut stream).await, Some(session));
}

#[tokio::test]
async fn an_open_stream_says_that_a_kiosk_listens() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.start().await;
    kiosk.clock.advance(Duration::from_secs(120));
    let mut stream = open(&kiosk, &token).await;
    let now = domain::Clock::now(kiosk.clock.as_ref());
    let seen = async {
        let mut changes = kiosk.ctx.store.changes();
        loop {
            let seen =
                store::sessions::kiosk_seen_at(&mut kiosk.ctx.store.reader(), &token).await.expect("a row");
            if seen == Some(now) {
                return;
            }
            changes.changed().await;
        }
    };
    let reading = async { while next(&mut stream).await.is_some() {} };
    tokio::select! {
        () = seen => {}
        () = reading => panic!("the stream ended"),
    }
}

#[tokio::test]
async fn a_tablet_that_asks_often_commits_seldom_and_so_wakes_nobody() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.start().await;
    let commits = async |after: u64| {
        kiosk.clock.advance(Duration::from_secs(after));
        let mut changes = kiosk.ctx.store.changes();
        kiosk.get(&format!("/session/{token}")).await;
        changes.changed().now_or_never().is_some()
    };
    assert!(commits(30).await, "it was not heard of for long");
    assert!(!commits(0).await);
    assert!(!commits(8).await);
    assert!(commits(2).await, "the last note is ten seconds old");
}

#[tokio::test]
async fn streams_end_when_the_process_is_asked_to_end() {
    let kiosk = Kiosk::open().await;
    let token = kiosk.start().await;
    let mut stream = open(&kiosk, &token).await;
    assert!(next(&mut stream).await.is_some());
    kiosk.stop.cancel();
    assert_eq!(next(&mut stream).await, None);
}
