//! Seed 003, "Checks on the landing side": the four checks, their results and their order.

use crate::harness::{Answer, Form, Stand, World};
use serde_json::json;
use std::time::Duration;

/// A site whose server stores everything.
async fn world() -> (World, Stand) {
    let server = Stand::start(Answer::Says(201, r#"{"id":1,"duplicate":false}"#)).await;
    (World::new(Some(&server.url), None), server)
}

#[tokio::test]
async fn a_filled_trap_is_answered_with_success_and_sends_nothing() {
    let (world, server) = world().await;
    let form = world.open("ru").await;
    let (status, answer) = world.send(&form.with("company", "ACME")).await;
    assert_eq!((status, answer), (200, json!({"result": "sent"})));
    // First of all: also when nothing else is right.
    let (status, answer) = world.send(&form.with("company", "ACME").with("name", "")).await;
    assert_eq!((status, answer), (200, json!({"result": "sent"})));
    assert!(world.send_plain(&form.with("company", " ")).await.text().contains("Заявка у нас"));
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn a_form_filled_in_under_three_seconds_is_answered_with_success_and_sends_nothing() {
    let (world, server) = world().await;
    let form = world.open("ru").await;
    let started = |ago: i64| form.with("startedAt", (world.now_ms() - ago).to_string());
    // Before the schema: also when a field is wrong.
    for form in [started(0), started(2_999), started(2_999).with("phone", "x")] {
        assert_eq!(world.send(&form).await, (200, json!({"result": "sent"})));
    }
    assert!(server.asked().is_empty());
    for form in [started(3_000), form.without("startedAt"), form.with("startedAt", "soon")] {
        assert_eq!(world.send(&form).await, (200, json!({"result": "sent"})));
    }
    assert_eq!(server.asked().len(), 3);
}

#[tokio::test]
async fn each_field_is_checked_by_the_rules_of_the_seed() {
    let (world, server) = world().await;
    let form = world.open("ru").await;
    let long = |length: usize| "ы".repeat(length);
    let cases = [
        ("name", String::new(), "required"),
        ("name", "  ".to_owned(), "required"),
        ("name", "Я".to_owned(), "too_short"),
        ("name", long(81), "too_long"),
        ("telegram", String::new(), "required"),
        ("telegram", "@abcd".to_owned(), "invalid"),
        ("telegram", "мадина".to_owned(), "invalid"),
        ("phone", String::new(), "required"),
        ("phone", "90 123".to_owned(), "invalid"),
        ("phone", "+123456".to_owned(), "invalid"),
        ("phone", "+1234567890123456".to_owned(), "invalid"),
        ("date", long(61), "too_long"),
        ("guests", long(41), "too_long"),
        ("comment", long(1_201), "too_long"),
    ];
    for (field, value, code) in cases {
        let answer = world.send(&form.with(field, value.clone())).await;
        assert_eq!(answer, (422, json!({"result": "invalid", "errors": {field: code}})), "{field} {value:?}");
    }
    let all = form.with("name", "").with("telegram", "x").with("phone", "");
    let errors = json!({"name": "required", "telegram": "invalid", "phone": "required"});
    assert_eq!(world.send(&all).await, (422, json!({"result": "invalid", "errors": errors})));
    assert!(server.asked().is_empty());
    // At their edges the rules let pass; line breaks count once, whatever a browser sends.
    let full = form
        .with("name", long(80))
        .with("date", long(60))
        .with("guests", long(40))
        .with("comment", format!("{}\r\n{}", long(1_000), long(199)));
    assert_eq!(world.send(&full).await.0, 200);
    let least = form.with("name", "Ян").with("telegram", "@abcde").with("phone", "+1234567");
    let least = least.with("date", "").with("guests", "").with("comment", "");
    assert_eq!(world.send(&least).await.0, 200);
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn the_sixth_submission_of_an_address_in_ten_minutes_is_throttled() {
    let (world, server) = world().await;
    let form = world.open("ru").await;
    // A form that the schema refused was no submission.
    for _ in 0..6 {
        assert_eq!(world.send(&form.with("phone", "1")).await.0, 422);
    }
    for _ in 0..5 {
        assert_eq!(world.send(&form).await.0, 200);
    }
    assert_eq!(world.send(&form).await, (429, json!({"result": "throttled"})));
    // Last of the checks: a wrong field is still told.
    assert_eq!(world.send(&form.with("phone", "1")).await.0, 422);
    assert_eq!(server.asked().len(), 5);
    let page = world.send_plain(&form).await;
    assert_eq!(page.status, 429);
    let text = page.text();
    assert!(text.contains("Слишком много заявок подряд") && text.contains(r#"value="Мадина""#));
    // Another visitor behind the same proxy is another visitor.
    assert_eq!(world.send(&form.header("x-forwarded-for", "203.0.113.10")).await.0, 200);
    world.clock.advance(Duration::from_secs(600));
    assert_eq!(world.send(&form).await.0, 200);
}

#[tokio::test]
async fn an_address_that_the_visitor_forged_is_not_believed() {
    let (world, server) = world().await;
    let form = world.open("ru").await;
    let forged = |value| form.header("x-forwarded-for", value);
    for value in [
        "1.1.1.1, 203.0.113.9",
        "2.2.2.2,203.0.113.9",
        " 203.0.113.9",
        "3.3.3.3, 203.0.113.9 ",
        "203.0.113.9",
    ] {
        assert_eq!(world.send(&forged(value)).await.0, 200, "{value}");
    }
    assert_eq!(world.send(&forged("9.9.9.9, 203.0.113.9")).await.0, 429);
    assert!(server.asked().iter().all(|asked| asked.body["client_ip"] == "203.0.113.9"));
}

fn id_of(form: &Form) -> String {
    form.value("requestId")
}

#[tokio::test]
async fn the_forms_own_request_id_goes_with_every_retry_and_a_bad_one_is_replaced() {
    let (world, server) = world().await;
    let form = world.open("en").await;
    for form in [&form, &form, &form.with("requestId", "42"), &form.without("requestId")] {
        assert_eq!(world.send(form).await.0, 200);
    }
    let ids: Vec<_> = server
        .asked()
        .iter()
        .map(|asked| asked.body["request_id"].as_str().expect("an id").to_owned())
        .collect();
    assert_eq!((&ids[0], &ids[1]), (&id_of(&form), &id_of(&form)));
    for made in &ids[2..] {
        assert!(domain::lead_form::is_uuid_v4(made) && *made != id_of(&form), "{made}");
    }
    assert_ne!(ids[2], ids[3]);
    assert_ne!(id_of(&world.open("en").await), id_of(&form), "each page has an id of its own");
}
