//! Branch 3 of seed 003: duplicate, repeat, new.

use crate::stage::{CREATED, Stage, request, request_with};
use serde_json::{Value, json};

on_both_engines! {
    branch_3_the_same_request_id_is_a_duplicate_also_of_a_repeat
    branch_3_the_same_username_or_phone_within_24_hours_is_a_repeat
    branch_3_a_repeat_stores_its_time_and_only_the_fields_that_changed
    branch_3_spam_and_erased_leads_are_not_matched
    branch_3_a_new_contact_is_a_new_lead
}

fn repeat_of(lead: i64) -> (u16, Value) {
    (200, json!({ "id": lead, "duplicate": true, "repeat": true }))
}

async fn branch_3_the_same_request_id_is_a_duplicate_also_of_a_repeat(stage: Stage) {
    assert_eq!(stage.submit(request(1)).await.status, CREATED);
    let repeat = request_with(2, json!({ "telegram": "@person_1" }));
    assert_eq!(stage.submit(repeat.clone()).await.short(), repeat_of(1));
    for _ in 0..3 {
        assert_eq!(
            stage.submit(request(1)).await.short(),
            (200, json!({ "id": 1, "duplicate": true, "repeat": false }))
        );
        assert_eq!(
            stage.submit(repeat.clone()).await.short(),
            repeat_of(1),
            "sent again by the landing site"
        );
    }
    assert_eq!((stage.count("leads").await, stage.count("lead_repeats").await), (1, 1));
}

async fn branch_3_the_same_username_or_phone_within_24_hours_is_a_repeat(stage: Stage) {
    assert_eq!(stage.submit(request(1)).await.status, CREATED);
    let cases = [
        (2, json!({ "telegram": "person_1" })),
        (3, json!({ "telegram": "@PERSON_1" })),
        (4, json!({ "phone": "+998 90 000-00-01" })),
        (5, json!({ "telegram": "@person_1", "phone": "+998900000001", "name": "Мадина К." })),
    ];
    for (n, members) in cases {
        assert_eq!(stage.submit(request_with(n, members.clone())).await.short(), repeat_of(1), "{members}");
    }
    stage.advance(86_400);
    assert_eq!(stage.submit(request_with(6, json!({ "telegram": "@person_1" }))).await.short(), repeat_of(1));
    // The lead counts, not its repeats: the window does not move with them.
    stage.advance(1);
    assert_eq!(stage.submit(request_with(7, json!({ "telegram": "@person_1" }))).await.status, CREATED);
    assert_eq!((stage.count("leads").await, stage.count("lead_repeats").await), (2, 5));
}

async fn branch_3_a_repeat_stores_its_time_and_only_the_fields_that_changed(stage: Stage) {
    let first = json!({ "date": "12 декабря", "guests": "50", "comment": "вечер", "utm_source": "instagram", "client_ip": "203.0.113.9" });
    assert_eq!(stage.submit(request_with(1, first)).await.status, CREATED);
    stage.advance(60);
    let second = json!({
        "telegram": "@PERSON_1", "phone": "+998900000001", "date": "13 декабря", "comment": "вечер", "locale": "uz",
        "utm_source": "google", "utm_term": "stickers", "client_ip": "203.0.113.10",
    });
    assert_eq!(stage.submit(request_with(2, second)).await.short(), repeat_of(1));
    let columns = [
        "name",
        "telegram",
        "phone",
        "date",
        "guests",
        "comment",
        "locale",
        "utm_source",
        "utm_medium",
        "utm_term",
    ];
    let mut stored = Vec::new();
    for column in columns {
        stored.push(stage.text(&format!("SELECT {column} FROM lead_repeats")).await);
    }
    let text = |text: &str| Some(text.to_owned());
    let expected = [
        None,
        None,
        None,
        text("13 декабря"),
        None,
        None,
        text("uz"),
        text("google"),
        None,
        text("stickers"),
    ];
    assert_eq!(stored, expected, "{columns:?}");
    let times = stage
        .text("SELECT CAST(created_at AS TEXT) FROM lead_repeats WHERE notified_at IS NULL AND ip_hash IS NOT NULL AND lead_id = 1")
        .await;
    assert_eq!(times.as_deref(), Some("1795959060000"));
    // The lead stays as it was.
    let lead = stage.text("SELECT telegram || date || COALESCE(comment, '') || utm_source FROM leads").await;
    assert_eq!(lead.as_deref(), Some("@person_112 декабрявечерinstagram"));
}

async fn branch_3_spam_and_erased_leads_are_not_matched(stage: Stage) {
    assert_eq!(stage.submit(request(1)).await.status, CREATED);
    stage.change("UPDATE leads SET status = 'spam', status_at = created_at WHERE id = 1").await;
    let second = stage.submit(request_with(2, json!({ "telegram": "@person_1" }))).await;
    assert_eq!(second.short(), (201, json!({ "id": 2, "duplicate": false })));
    stage
        .change(
            "UPDATE leads SET name = NULL, telegram = NULL, telegram_fold = NULL, phone = NULL, comment = NULL, \
             ip_hash = NULL, erased_at = 1 WHERE id = 2",
        )
        .await;
    let third = stage.submit(request_with(3, json!({ "telegram": "@person_1" }))).await;
    assert_eq!(third.short(), (201, json!({ "id": 3, "duplicate": false })));
    // A lead that somebody works on, sold or lost still is this person's.
    for (n, status) in [(10, "in_work"), (11, "contacted"), (12, "deal"), (13, "refused")] {
        stage.change(&format!("UPDATE leads SET status = '{status}' WHERE id = 3")).await;
        let again = stage.submit(request_with(n, json!({ "telegram": "@person_1" }))).await;
        assert_eq!(again.short(), repeat_of(3), "{status}");
    }
    // The request_id of a spam lead is known all the same.
    assert_eq!(
        stage.submit(request(1)).await.short(),
        (200, json!({ "id": 1, "duplicate": true, "repeat": false }))
    );
}

async fn branch_3_a_new_contact_is_a_new_lead(stage: Stage) {
    for n in 1..=3 {
        let answer = stage.submit(request(n)).await;
        assert_eq!(answer.short(), (201, json!({ "id": n, "duplicate": false })));
    }
    assert_eq!((stage.count("leads").await, stage.count("lead_repeats").await), (3, 0));
}
