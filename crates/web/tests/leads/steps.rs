//! "Steps on the server" of seed 003, one by one, and their order.

use crate::stage::{CREATED, LANDING, OPERATOR, SECRET, Stage, call, request, request_with};
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderValue, StatusCode};
use serde_json::{Value, json};

on_both_engines! {
    step_01_a_module_that_is_switched_off_answers_404
    step_02_five_wrong_secrets_in_ten_minutes_lock_the_caller_out
    step_02_only_a_trusted_proxy_says_who_the_caller_is
    step_03_a_wrong_or_missing_secret_is_401
    step_04_a_body_over_16384_bytes_is_413_and_no_object_is_422
    step_05_fields_are_validated_with_the_codes_of_the_landing_page
    step_06_a_known_request_id_is_200_before_the_limits
    step_07_the_visitors_address_is_stored_only_as_a_keyed_hash
    step_08_a_visitor_has_five_requests_in_ten_minutes
    step_09_over_the_hourly_limit_nobody_is_taken_and_operators_are_told_once_an_hour
    step_09_a_high_limit_is_exact_also_where_numbers_have_gaps
    step_10_a_new_request_is_201_with_its_number
    the_steps_are_taken_in_the_order_of_the_seed
    requests_are_taken_while_the_product_is_paused
}

async fn step_01_a_module_that_is_switched_off_answers_404(stage: Stage) {
    let off = stage.switched_off();
    for secret in [Some(SECRET), Some("wrong"), None] {
        let answer = off.post(LANDING, secret, request(1).to_string()).await;
        assert_eq!((answer.status, &answer.body["error"]), (404, &json!("not_found")));
    }
    assert_eq!(off.count("leads").await, 0);
}

async fn step_02_five_wrong_secrets_in_ten_minutes_lock_the_caller_out(stage: Stage) {
    for guess in ["a", "a", "b", "c"] {
        assert_eq!(stage.post(LANDING, Some(guess), "{}").await.status, 401);
        stage.advance(100);
    }
    assert_eq!(stage.submit(request(1)).await.status, CREATED, "four are no reason");
    assert_eq!(stage.post(LANDING, None, "{}").await.status, 401, "the fifth, at 400 s");
    let locked = stage.submit(request(2)).await;
    assert_eq!(locked.short(), (429, json!({ "why": "secret" })), "the right secret too");
    assert_eq!(locked.body["error"], "locked_out");
    assert_eq!(locked.headers.get("retry-after"), Some(&HeaderValue::from_static("601")));
    assert_eq!(stage.post("198.51.100.8", Some(SECRET), request(3).to_string()).await.status, CREATED);
    stage.advance(599);
    assert_eq!(stage.submit(request(2)).await.short(), (429, json!({ "why": "secret" })));
    stage.advance(1);
    assert_eq!(stage.submit(request(2)).await.status, CREATED, "ten minutes after the fifth");
    // Spread over more than ten minutes they are no reason either.
    for _ in 0..8 {
        assert_eq!(stage.post(LANDING, Some("wrong"), "{}").await.status, 401);
        stage.advance(151);
    }
    assert_eq!(stage.submit(request(4)).await.status, CREATED);
}

async fn step_02_only_a_trusted_proxy_says_who_the_caller_is(stage: Stage) {
    let from = |peer: &str, forwarded: &str, secret: &str, n: u32| {
        let mut call = call(peer, Some(secret), request(n).to_string());
        call.headers_mut().insert("x-forwarded-for", HeaderValue::from_str(forwarded).expect("a header"));
        call
    };
    for hop in 1..=5 {
        let forged = format!("203.0.113.{hop}");
        assert_eq!(stage.send(from(LANDING, &forged, "wrong", 1)).await.status, 401);
    }
    assert_eq!(stage.send(from(LANDING, "203.0.113.9", SECRET, 1)).await.status, 429, "no proxy of ours");
    for hop in 1..=5 {
        let forged = format!("192.0.2.{hop}, 203.0.113.20");
        assert_eq!(stage.send(from("127.0.0.1", &forged, "wrong", 1)).await.status, 401);
    }
    assert_eq!(stage.send(from("127.0.0.1", "203.0.113.20", SECRET, 1)).await.status, 429);
    assert_eq!(stage.send(from("127.0.0.1", "203.0.113.21", SECRET, 1)).await.status, CREATED);
}

async fn step_03_a_wrong_or_missing_secret_is_401(stage: Stage) {
    for (n, secret) in
        [Some("open sesamE"), Some("open sesam"), Some("open sesame "), None].into_iter().enumerate()
    {
        // An address each, so that nobody is locked out.
        let from = format!("198.51.100.{}", 50 + n);
        // `open sesame ` reaches the program only when a client keeps the space.
        let answer = stage.post(&from, secret, request(1).to_string()).await;
        assert_eq!((answer.status, &answer.body["error"]), (401, &json!("leads_secret")), "{secret:?}");
        assert!(answer.body["message"].is_string());
    }
    assert_eq!(stage.count("leads").await, 0);
    assert_eq!(stage.submit(request(1)).await.status, CREATED);
}

async fn step_04_a_body_over_16384_bytes_is_413_and_no_object_is_422(stage: Stage) {
    let sized = |n: u32, bytes: usize| {
        let mut body = request_with(n, json!({ "unknown": "" })).to_string();
        let padding = "x".repeat(bytes - body.len());
        body = body.replace(r#""unknown":"""#, &format!(r#""unknown":"{padding}""#));
        assert_eq!(body.len(), bytes);
        body
    };
    assert_eq!(stage.post(LANDING, Some(SECRET), sized(1, 16_384)).await.status, CREATED);
    let over = stage.post(LANDING, Some(SECRET), sized(2, 16_385)).await;
    assert_eq!((over.status, &over.body["error"]), (413, &json!("body_too_large")));
    for body in ["", "[]", "null", "\"{}\"", "5", "{", "name=x"] {
        let answer = stage.post(LANDING, Some(SECRET), body).await;
        assert_eq!(answer.short(), (422, json!({ "errors": { "body": "invalid" } })), "{body}");
    }
    assert_eq!(stage.count("leads").await, 1);
}

async fn step_05_fields_are_validated_with_the_codes_of_the_landing_page(stage: Stage) {
    let long = |length: usize| "ы".repeat(length);
    let cases: [(Value, Value); 12] = [
        (json!({ "request_id": null }), json!({ "request_id": "required" })),
        (json!({ "request_id": "42" }), json!({ "request_id": "invalid" })),
        (json!({ "name": "  " }), json!({ "name": "required" })),
        (json!({ "name": "Я" }), json!({ "name": "too_short" })),
        (json!({ "name": long(81) }), json!({ "name": "too_long" })),
        (json!({ "telegram": "four" }), json!({ "telegram": "invalid" })),
        (json!({ "phone": "998901234567" }), json!({ "phone": "invalid" })),
        (json!({ "date": long(61) }), json!({ "date": "too_long" })),
        (json!({ "guests": 50 }), json!({ "guests": "invalid" })),
        (json!({ "guests": long(41) }), json!({ "guests": "too_long" })),
        (json!({ "comment": long(1_201) }), json!({ "comment": "too_long" })),
        (
            json!({ "name": 5, "telegram": null, "phone": "", "comment": ["x"] }),
            json!({ "name": "invalid", "telegram": "required", "phone": "required", "comment": "invalid" }),
        ),
    ];
    for (members, errors) in cases {
        let answer = stage.submit(request_with(1, members.clone())).await;
        assert_eq!(answer.short(), (422, json!({ "errors": errors })), "{members}");
        assert_eq!(answer.body["error"], "invalid");
    }
    assert_eq!(stage.count("leads").await, 0);
    let fits = json!({ "name": long(80), "date": long(60), "guests": long(40), "comment": long(1_200) });
    assert_eq!(stage.submit(request_with(1, fits)).await.status, CREATED);
}

async fn step_06_a_known_request_id_is_200_before_the_limits(stage: Stage) {
    let stage = stage.with_limits(|limits| (limits.ip_limit, limits.hourly_limit) = (1, 2));
    let visitor = json!({ "client_ip": "203.0.113.9" });
    assert_eq!(
        stage.submit(request_with(1, visitor.clone())).await.short(),
        (201, json!({ "id": 1, "duplicate": false }))
    );
    let again = json!({ "id": 1, "duplicate": true, "repeat": false });
    assert_eq!(stage.submit(request_with(1, visitor.clone())).await.short(), (200, again.clone()));
    assert_eq!(
        stage.submit(request_with(2, visitor.clone())).await.short(),
        (429, json!({ "why": "visitor" }))
    );
    assert_eq!(stage.submit(request(3)).await.status, CREATED);
    assert_eq!(stage.submit(request(4)).await.short(), (429, json!({ "why": "hourly" })));
    // Also in capitals, with other fields and a day later.
    stage.advance(3 * 86_400);
    let id = "00000000-0000-4000-8000-000000000001";
    let mut upper = request_with(9, visitor);
    upper["request_id"] = json!(id.to_uppercase());
    assert_eq!(stage.submit(upper).await.short(), (200, again));
    assert_eq!((stage.count("leads").await, stage.count("lead_repeats").await), (2, 0));
}

async fn step_07_the_visitors_address_is_stored_only_as_a_keyed_hash(stage: Stage) {
    let mut n = 0;
    let mut hash_of = async |client_ip: Value| {
        n += 1;
        assert_eq!(stage.submit(request_with(n, json!({ "client_ip": client_ip }))).await.status, CREATED);
        stage.text(&format!("SELECT ip_hash FROM leads WHERE id = {n}")).await
    };
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(b"pepper").expect("a key");
    mac.update(b"203.0.113.9");
    let expected: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hash_of(json!("203.0.113.9")).await.as_deref(), Some(expected.as_str()));
    assert_eq!(hash_of(json!("::ffff:203.0.113.9")).await.as_deref(), Some(expected.as_str()));
    assert_ne!(hash_of(json!("203.0.113.8")).await.as_deref(), Some(expected.as_str()));
    assert_eq!(hash_of(json!("2001:db8:1:2::1")).await, hash_of(json!("2001:db8:1:2::2")).await, "one /64");
    assert_eq!(hash_of(Value::Null).await, None);
    let columns =
        "COALESCE(name, '') || COALESCE(comment, '') || COALESCE(ip_hash, '') || COALESCE(utm_source, '')";
    for row in stage.texts(&format!("SELECT {columns} FROM leads")).await {
        let row = row.expect("text");
        assert!(!row.contains("203.0.113") && !row.contains("2001:db8"), "{row}");
    }
}

async fn step_08_a_visitor_has_five_requests_in_ten_minutes(stage: Stage) {
    let of = |n: u32, client_ip: &str| request_with(n, json!({ "client_ip": client_ip }));
    for n in 1..=4 {
        assert_eq!(stage.submit(of(n, "203.0.113.9")).await.status, CREATED);
        stage.advance(10);
    }
    // A repeat counts too.
    let repeat = request_with(5, json!({ "client_ip": "203.0.113.9", "phone": "+998900000001" }));
    assert_eq!(
        stage.submit(repeat).await.short(),
        (200, json!({ "id": 1, "duplicate": true, "repeat": true }))
    );
    let sixth = stage.submit(of(6, "203.0.113.9")).await;
    assert_eq!(sixth.short(), (429, json!({ "why": "visitor" })));
    assert_eq!(sixth.body["error"], "throttled");
    assert_eq!(stage.submit(of(7, "203.0.113.10")).await.status, CREATED, "another visitor");
    for n in 20..28 {
        assert_eq!(stage.submit(request(n)).await.status, CREATED, "no address, no limit");
    }
    // The first was at 0 s, and it is 40 s now: its ten minutes end at 600 s.
    stage.advance(559);
    assert_eq!(stage.submit(of(6, "203.0.113.9")).await.status, 429);
    stage.advance(1);
    assert_eq!(stage.submit(of(6, "203.0.113.9")).await.status, CREATED);
    assert_eq!(stage.submit(of(8, "203.0.113.9")).await.status, 429);
}

async fn step_09_over_the_hourly_limit_nobody_is_taken_and_operators_are_told_once_an_hour(stage: Stage) {
    let stage = stage.with_limits(|limits| limits.hourly_limit = 3);
    let alerts = async || {
        let query =
            format!("SELECT body FROM outbox WHERE chat_id = {OPERATOR} AND kind = 'alert' ORDER BY id");
        stage.texts(&query).await
    };
    assert_eq!(stage.submit(request(1)).await.status, CREATED);
    stage.advance(60);
    assert_eq!(stage.submit(request(2)).await.status, CREATED);
    let repeat = request_with(3, json!({ "phone": "+998900000002" }));
    assert_eq!(stage.submit(repeat).await.status, 200, "a repeat counts");
    assert_eq!(alerts().await.len(), 0);
    for n in 10..14 {
        let answer = stage.submit(request(n)).await;
        assert_eq!(
            (answer.short(), &answer.body["error"]),
            ((429, json!({ "why": "hourly" })), &json!("throttled"))
        );
    }
    let told = alerts().await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].as_deref().is_some_and(|text| text.contains("LEADS_HOURLY_LIMIT")), "{told:?}");
    // The first falls out of the hour at 3,600 s, and one may come.
    stage.advance(3_539);
    assert_eq!(stage.submit(request(14)).await.status, 429);
    stage.advance(1);
    assert_eq!(stage.submit(request(14)).await.status, CREATED);
    assert_eq!(stage.submit(request(15)).await.status, 429);
    assert_eq!(alerts().await.len(), 1, "3,540 s after the first alert");
    stage.advance(60);
    for n in [15, 16] {
        assert_eq!(stage.submit(request(n)).await.status, CREATED);
    }
    assert_eq!(stage.submit(request(17)).await.status, 429);
    assert_eq!(alerts().await.len(), 2, "an hour after the first alert");
}

/// Limits above 1,000 are first compared with the numbers given within the hour, and rows are counted when those leave it open.
async fn step_09_a_high_limit_is_exact_also_where_numbers_have_gaps(stage: Stage) {
    let stage = stage.with_limits(|limits| limits.hourly_limit = 1_201);
    let fill = "INSERT INTO leads (request_id, status, locale, created_at) \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) \
         SELECT 'lead ' || CAST(i AS TEXT), 'new', 'ru', 1795958999000 + i / 2 FROM n";
    stage.change(fill).await;
    assert_eq!(stage.submit(request(1)).await.status, CREATED, "1,200 of 1,201");
    assert_eq!(stage.submit(request(2)).await.short(), (429, json!({ "why": "hourly" })));
    stage.change("DELETE FROM leads WHERE request_id IN ('lead 500', 'lead 501')").await;
    for n in [2, 3] {
        assert_eq!(stage.submit(request(n)).await.status, CREATED, "two rows went");
    }
    assert_eq!(stage.submit(request(4)).await.short(), (429, json!({ "why": "hourly" })));
    stage.advance(3_601);
    assert_eq!(stage.submit(request(4)).await.status, CREATED);
}

async fn step_10_a_new_request_is_201_with_its_number(stage: Stage) {
    let first = stage.submit(request(1)).await;
    assert_eq!((first.status, &first.body), (201, &json!({ "id": 1, "duplicate": false })));
    let second = stage.submit(request(2)).await;
    assert_eq!((second.status, &second.body), (201, &json!({ "id": 2, "duplicate": false })));
    let row = stage
        .text("SELECT status || ' ' || request_id || ' ' || telegram || ' ' || phone FROM leads WHERE id = 1")
        .await;
    let expected = "new 00000000-0000-4000-8000-000000000001 @person_1 +998900000001";
    assert_eq!(row.as_deref(), Some(expected));
}

/// A request that fails every step is refused by the first; mended step by step it gets as far as the next.
async fn the_steps_are_taken_in_the_order_of_the_seed(stage: Stage) {
    let stage = stage.with_limits(|limits| (limits.ip_limit, limits.hourly_limit) = (1, 1));
    let visitor = json!({ "client_ip": "203.0.113.9" });
    assert_eq!(stage.submit(request_with(1, visitor.clone())).await.status, CREATED);
    let long = "[".repeat(20_000);
    assert_eq!(stage.switched_off().post(LANDING, None, long.clone()).await.status, 404);
    assert_eq!(stage.post(LANDING, None, long.clone()).await.status, 401);
    assert_eq!(stage.post(LANDING, Some(SECRET), long).await.status, 413);
    assert_eq!(
        stage.post(LANDING, Some(SECRET), "[").await.short().1,
        json!({ "errors": { "body": "invalid" } })
    );
    let mut known_but_wrong = request_with(1, visitor.clone());
    known_but_wrong["name"] = json!("");
    assert_eq!(stage.submit(known_but_wrong).await.short().1, json!({ "errors": { "name": "required" } }));
    assert_eq!(stage.submit(request_with(1, visitor.clone())).await.status, 200);
    assert_eq!(stage.submit(request_with(2, visitor)).await.short().1, json!({ "why": "visitor" }));
    let repeat = request_with(3, json!({ "phone": "+998900000001" }));
    assert_eq!(stage.submit(repeat).await.short().1, json!({ "why": "hourly" }), "before the repeat rule");
    for _ in 0..5 {
        assert_eq!(stage.post("198.51.100.9", Some("wrong"), "{}").await.status, 401);
    }
    let locked = stage.post("198.51.100.9", None, "[".repeat(20_000)).await;
    assert_eq!(locked.status, StatusCode::TOO_MANY_REQUESTS.as_u16());
    assert_eq!(stage.count("leads").await, 1);
}

/// Seed 001, "Maintenance pause": lead handling is not affected.
async fn requests_are_taken_while_the_product_is_paused(stage: Stage) {
    for (n, pause) in [(1, "auto"), (2, "admin")] {
        stage.change("DELETE FROM settings WHERE key = 'maintenance'").await;
        let words =
            format!("INSERT INTO settings (key, value, updated_at) VALUES ('maintenance', '{pause}', 0)");
        stage.change(&words).await;
        assert_eq!(stage.submit(request(n)).await.status, CREATED, "{pause}");
    }
}
