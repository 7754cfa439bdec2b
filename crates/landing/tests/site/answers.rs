//! Seed 003, "Status code mapping": what the server's answer means for the visitor and for the backup channel.

use crate::harness::{ACCEPTED, Answer, REFUSED, SECRET, Stand, World, nowhere};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Submits a good form to a server that answers so, with a backup channel that works; answers status, result and what each of them got.
async fn submitted(answer: Answer) -> (u16, String, Vec<Value>, Vec<Value>) {
    let (server, telegram) = (Stand::start(answer).await, Stand::start(ACCEPTED).await);
    let world = World::new(Some(&server.url), Some(&telegram.url));
    let form = world.open("ru").await;
    let (status, body) = world.send(&form).await;
    let bodies = |stand: &Stand| stand.asked().into_iter().map(|asked| asked.body).collect();
    (status, body["result"].as_str().unwrap_or_default().to_owned(), bodies(&server), bodies(&telegram))
}

/// The server took part in it alone.
async fn is_settled_by_the_server(answer: Answer, status: u16, result: &str) {
    let (got, said, server, telegram) = submitted(answer).await;
    assert_eq!((got, said.as_str()), (status, result));
    assert_eq!((server.len(), telegram.len()), (1, 0));
}

/// The backup channel took it.
async fn goes_to_the_backup_channel(answer: Answer) {
    let (status, said, _, telegram) = submitted(answer).await;
    assert_eq!((status, said.as_str()), (200, "sent"));
    assert_eq!(telegram.len(), 1);
}

#[tokio::test]
async fn a_stored_lead_is_sent() {
    is_settled_by_the_server(Answer::Says(201, r#"{"id":1,"duplicate":false}"#), 200, "sent").await;
}

#[tokio::test]
async fn a_known_request_or_a_repeat_is_sent() {
    is_settled_by_the_server(Answer::Says(200, r#"{"id":1,"duplicate":true,"repeat":true}"#), 200, "sent")
        .await;
}

#[tokio::test]
async fn a_throttled_request_never_goes_round_the_servers_limit() {
    is_settled_by_the_server(Answer::Says(429, r#"{"why":"hourly"}"#), 429, "throttled").await;
}

#[tokio::test]
async fn fields_that_the_server_rejects_are_an_error_without_the_backup_channel() {
    is_settled_by_the_server(Answer::Says(422, r#"{"errors":{"name":"too_short"}}"#), 502, "error").await;
}

#[tokio::test]
async fn a_wrong_secret_or_a_module_that_is_off_goes_to_the_backup_channel() {
    for status in [401, 404] {
        goes_to_the_backup_channel(Answer::Says(status, "{}")).await;
    }
}

#[tokio::test]
async fn a_server_in_trouble_or_any_other_answer_goes_to_the_backup_channel() {
    for status in [413, 500, 502, 503, 504, 202, 204, 301, 302, 307, 400, 403, 418] {
        goes_to_the_backup_channel(Answer::Says(status, "<html>")).await;
    }
}

#[tokio::test]
async fn a_server_that_never_answers_is_left_after_its_time_for_the_backup_channel() {
    let start = Instant::now();
    goes_to_the_backup_channel(Answer::Never).await;
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_refusal_whose_body_never_ends_is_left_after_its_time() {
    goes_to_the_backup_channel(Answer::HalfWay(422)).await;
    // Of a success the status says everything.
    is_settled_by_the_server(Answer::HalfWay(201), 200, "sent").await;
}

#[tokio::test]
async fn a_server_that_is_not_there_leads_to_the_backup_channel() {
    let telegram = Stand::start(ACCEPTED).await;
    let world = World::new(Some(&nowhere().await), Some(&telegram.url));
    let form = world.open("uz").await;
    assert_eq!(world.send(&form).await, (200, json!({"result": "sent"})));
    assert!(telegram.only().body["text"].as_str().expect("a text").starts_with("⚠️ Запасной канал"));
}

#[tokio::test]
async fn when_the_backup_channel_fails_too_the_visitor_keeps_what_was_typed() {
    let server = Stand::start(Answer::Says(500, "")).await;
    for answer in [REFUSED, Answer::Never, Answer::HalfWay(200), Answer::Says(502, "<html>")] {
        let telegram = Stand::start(answer).await;
        let world = World::new(Some(&server.url), Some(&telegram.url));
        let form = world.open("ru").await;
        assert_eq!(world.send(&form).await, (502, json!({"result": "error"})));
        let page = world.send_plain(&form).await;
        let text = page.text();
        assert_eq!(page.status, 502);
        assert!(text.contains("Не отправилось") && text.contains(r#"value="+998 90 123-45-67""#));
        assert!(text.contains(&form.value("requestId")), "the retry is the same request");
    }
}

#[tokio::test]
async fn without_a_backup_channel_a_server_that_is_down_is_an_error() {
    let world = World::new(Some(&nowhere().await), None);
    let form = world.open("ru").await;
    assert_eq!(world.send(&form).await, (502, json!({"result": "error"})));
    assert!(world.printed().is_empty(), "the console is only for sites without any configuration");
}

#[tokio::test]
async fn the_server_gets_the_secret_and_the_fields_of_its_interface() {
    let server = Stand::start(Answer::Says(201, "{}")).await;
    let world = World::new(Some(&server.url), None);
    let form = world.open("uz").await.with("utm_source", "telegram").with("utm_term", "").with("comment", "");
    assert_eq!(world.send(&form).await.0, 200);
    let asked = server.only();
    assert_eq!(asked.path, "/leads");
    assert_eq!(asked.headers["x-stickers-leads-secret"], SECRET.replace(' ', "-").as_str());
    assert_eq!(asked.headers["content-type"], "application/json");
    let expected = json!({
        "request_id": form.value("requestId"), "name": "Мадина", "telegram": "@madina_k", "phone": "+998901234567",
        "date": "14 декабря", "guests": "около 150", "locale": "uz", "utm_source": "telegram", "client_ip": "203.0.113.9",
    });
    assert_eq!(asked.body, expected);
}
