//! Hostile and strange text: nothing of it loses a lead or reaches the database as it must not.

use crate::stage::{CREATED, LANDING, SECRET, Stage, request, request_with};
use serde_json::json;

on_both_engines! {
    control_characters_and_halves_of_surrogates_do_not_lose_a_lead
    sixteen_kilobytes_of_emoji_are_measured_in_bytes_and_fields_in_characters
    markup_formulas_quotes_and_right_to_left_text_are_stored_as_they_came
    members_that_nobody_knows_or_typed_do_not_lose_a_lead
}

async fn control_characters_and_halves_of_surrogates_do_not_lose_a_lead(stage: Stage) {
    let body = request(1).to_string().replace("Мадина", r"Мад\u0000ина\ud83d \u0007\u001b");
    assert_eq!(stage.post(LANDING, Some(SECRET), body).await.status, CREATED);
    assert_eq!(stage.text("SELECT name FROM leads").await.as_deref(), Some("Мадина\u{fffd}"));
    let mut bytes = request(2).to_string().into_bytes();
    let at = bytes.windows(4).position(|part| part == "Ма".as_bytes()).expect("the name");
    bytes.splice(at..at + 2, [0xed, 0xa0, 0xbd]);
    assert_eq!(stage.post(LANDING, Some(SECRET), bytes).await.status, CREATED);
    let name = stage.text("SELECT name FROM leads WHERE id = 2").await;
    assert_eq!(name.as_deref(), Some("\u{fffd}\u{fffd}\u{fffd}адина"));
    let comment = "a\u{0}\r\nб\t'; DROP TABLE leads; --";
    assert_eq!(stage.submit(request_with(3, json!({ "comment": comment }))).await.status, CREATED);
    let stored = stage.text("SELECT comment FROM leads WHERE id = 3").await;
    assert_eq!(stored.as_deref(), Some("a\nб\t'; DROP TABLE leads; --"));
}

async fn sixteen_kilobytes_of_emoji_are_measured_in_bytes_and_fields_in_characters(stage: Stage) {
    let comment = "🎉".repeat(1_200);
    assert_eq!(stage.submit(request_with(1, json!({ "comment": comment }))).await.status, CREATED);
    let stored = stage.text("SELECT comment FROM leads").await;
    assert_eq!(stored.as_deref(), Some(comment.as_str()));
    let long = stage.submit(request_with(2, json!({ "comment": "🎉".repeat(4_000) }))).await;
    assert_eq!(long.short(), (422, json!({ "errors": { "comment": "too_long" } })));
    let longer = stage.submit(request_with(2, json!({ "comment": "🎉".repeat(4_100) }))).await;
    assert_eq!(longer.status, 413);
    // Twelve bytes an emoji when a client escapes them: 1,200 still fit.
    let escaped =
        request(2).to_string().replace('}', &format!(r#","comment":"{}"}}"#, r"\ud83c\udf89".repeat(1_200)));
    assert_eq!(stage.post(LANDING, Some(SECRET), escaped).await.status, CREATED);
    assert_eq!(stage.text("SELECT comment FROM leads WHERE id = 2").await.as_deref(), Some(comment.as_str()));
}

async fn markup_formulas_quotes_and_right_to_left_text_are_stored_as_they_came(stage: Stage) {
    let texts = [
        "<b>жирный</b> &amp; <script>alert(1)</script>",
        "=cmd()|'/c calc'!A1",
        "+SUM(A1:A9)",
        "\"кавычки\" 'и' `ещё` \\ конец",
        "\u{202e}שלום מדינה\u{202c} مرحبا",
        "%s %d {} $1 ?1 :name",
        "👩\u{200d}👩\u{200d}👧 e\u{301}",
    ];
    for (n, text) in (1..).zip(texts) {
        let members = json!({ "name": text, "comment": text, "date": text, "utm_source": text });
        assert_eq!(stage.submit(request_with(n, members)).await.status, CREATED, "{text}");
        for column in ["name", "comment", "date", "utm_source"] {
            let stored = stage.text(&format!("SELECT {column} FROM leads WHERE id = {n}")).await;
            assert_eq!(stored.as_deref(), Some(text), "{column}");
        }
    }
}

async fn members_that_nobody_knows_or_typed_do_not_lose_a_lead(stage: Stage) {
    let strange = json!({
        "company": { "a": [1, null] }, "id": 77, "locale": "de", "utm_source": "ы".repeat(300), "utm_medium": 5,
        "client_ip": "unknown", "date": null, "guests": "   ",
    });
    assert_eq!(
        stage.submit(request_with(1, strange)).await.short(),
        (201, json!({ "id": 1, "duplicate": false }))
    );
    let row = stage
        .text(
            "SELECT locale || ' ' || CAST(LENGTH(utm_source) AS TEXT) FROM leads WHERE utm_medium IS NULL AND ip_hash IS NULL \
             AND date IS NULL AND guests IS NULL",
        )
        .await;
    assert_eq!(row.as_deref(), Some("ru 200"));
}
