//! Requests on their way into `leads` and `lead_repeats`: what the one insert refuses, who is the same person, and what is counted.

use crate::harness::{Db, at};
use domain::lead::LeadId;
use domain::lead_form::{LeadFields, LeadForm};
use std::time::Duration;
use store::Change;
use store::leads::intake::{self, Incoming, IntakeLimits, Known};

on_both_engines! {
    a_new_request_is_stored_whole_and_due_at_once
    each_reason_alone_keeps_a_request_out_of_the_leads
    a_request_id_is_known_from_leads_and_from_repeats
    a_person_is_known_by_username_or_phone_for_24_hours_unless_spam_or_erased
    requests_are_counted_over_leads_and_repeats_within_the_window
    a_high_hourly_limit_is_compared_with_numbers_instead_of_rows
}

pub const LIMITS: IntakeLimits = IntakeLimits {
    visitor: 5,
    visitor_window: Duration::from_secs(600),
    hourly: 60,
    hour: Duration::from_secs(3_600),
    repeat_window: Duration::from_secs(86_400),
};

/// The request number `n` of a person of its own, `seconds` after the start.
pub fn incoming(n: u32, seconds: i64) -> Incoming {
    let form = LeadForm {
        request_id: Some(request_id(n)),
        name: Some("Мадина".into()),
        telegram: Some(format!("@Person_{n}")),
        phone: Some(format!("+99890{n:07}")),
        ..LeadForm::default()
    };
    let request = form.check().expect("a good form");
    Incoming { request, ip_hash: None, now: at(seconds) }
}

fn request_id(n: u32) -> String {
    format!("00000000-0000-4000-8000-{n:012}")
}

impl Db {
    async fn submit(&self, incoming: Incoming, limits: IntakeLimits) -> Option<LeadId> {
        self.write(move |tx| {
            Box::pin(async move {
                tx.lock_intake().await?;
                intake::insert_new(tx, &incoming, &limits).await
            })
        })
        .await
    }

    async fn repeat(&self, lead: LeadId, incoming: Incoming) -> Change {
        let changes = LeadFields::default();
        self.write(move |tx| {
            Box::pin(async move { intake::insert_repeat(tx, lead, &incoming, &changes).await })
        })
        .await
    }

    /// The lead that a request would be a repeat of.
    async fn recent(&self, incoming: Incoming) -> Option<i64> {
        let since = incoming.now.minus(LIMITS.repeat_window);
        let recent = self
            .write(move |tx| {
                Box::pin(async move { intake::recent_of_person(tx, &incoming.request, since).await })
            })
            .await;
        recent.map(|recent| recent.lead.0)
    }
}

async fn a_new_request_is_stored_whole_and_due_at_once(db: Db) {
    let form = LeadForm {
        request_id: Some(request_id(1)),
        name: Some("Мадина".into()),
        telegram: Some("Madina_K".into()),
        phone: Some("+998 90 123-45-67".into()),
        date: Some("12 декабря".into()),
        guests: Some("около 50".into()),
        comment: Some("вечер".into()),
        locale: Some("uz".into()),
        utm_source: Some("s".into()),
        utm_medium: Some("m".into()),
        utm_campaign: Some("c".into()),
        utm_term: Some("t".into()),
        utm_content: Some("n".into()),
        ..LeadForm::default()
    };
    let request = form.check().expect("a good form");
    let lead = db.submit(Incoming { request, ip_hash: Some("ab12".into()), now: at(7) }, LIMITS).await;
    assert_eq!(lead, Some(LeadId(1)));
    let row = db
        .text(
            "SELECT request_id || '|' || status || '|' || name || '|' || telegram || '|' || telegram_fold || '|' || phone \
             || '|' || date || '|' || guests || '|' || comment || '|' || locale || '|' || utm_source || utm_medium \
             || utm_campaign || utm_term || utm_content || '|' || ip_hash || '|' || CAST(created_at AS TEXT) || '|' \
             || CAST(next_publish_at AS TEXT) FROM leads WHERE published_at IS NULL AND chat_id IS NULL AND status_at IS NULL",
        )
        .await
        .expect("a row");
    assert_eq!(
        row,
        "00000000-0000-4000-8000-000000000001|new|Мадина|@Madina_K|@madina_k|+998901234567|12 декабря|около 50|вечер|uz|smctn\
         |ab12|1795959007000|1795959007000"
    );
}

async fn each_reason_alone_keeps_a_request_out_of_the_leads(db: Db) {
    let mut first = incoming(1, 0);
    first.ip_hash = Some("visitor".into());
    let lead = db.submit(first, LIMITS).await.expect("new");
    assert_eq!(db.repeat(lead, incoming(2, 1)).await, Change::Changed);

    let mut same_id = incoming(3, 2);
    same_id.request.request_id = request_id(1);
    let mut same_id_as_a_repeat = incoming(3, 2);
    same_id_as_a_repeat.request.request_id = request_id(2);
    let mut same_username = incoming(3, 2);
    same_username.request.telegram.0 = "@PERSON_1".into();
    let mut same_phone = incoming(3, 2);
    same_phone.request.phone = incoming(1, 0).request.phone;
    let mut same_visitor = incoming(3, 2);
    same_visitor.ip_hash = Some("visitor".into());
    let one_a_visitor = IntakeLimits { visitor: 1, ..LIMITS };
    let two_an_hour = IntakeLimits { hourly: 2, ..LIMITS };
    for (why, incoming, limits) in [
        ("request_id of a lead", same_id, LIMITS),
        ("request_id of a repeat", same_id_as_a_repeat, LIMITS),
        ("username", same_username, LIMITS),
        ("phone", same_phone, LIMITS),
        ("visitor", same_visitor.clone(), one_a_visitor),
        ("hour", incoming(3, 2), two_an_hour),
    ] {
        assert_eq!(db.submit(incoming, limits).await, None, "{why}");
    }
    assert_eq!(db.text("SELECT CAST(COUNT(*) AS TEXT) FROM leads").await.as_deref(), Some("1"));
    assert_eq!(db.submit(same_visitor, LIMITS).await, Some(LeadId(2)), "without a reason it is new");
}

async fn a_request_id_is_known_from_leads_and_from_repeats(db: Db) {
    let lead = db.submit(incoming(1, 0), LIMITS).await.expect("new");
    assert_eq!(db.repeat(lead, incoming(2, 1)).await, Change::Changed);
    assert_eq!(db.repeat(lead, incoming(2, 2)).await, Change::Stale, "the same repeat again");
    let reader = &mut db.store.reader();
    let mut known = Vec::new();
    for n in 1..=3 {
        known.push(intake::known(reader, &request_id(n)).await.expect("reads"));
    }
    assert_eq!(known, [Some(Known { lead, repeat: false }), Some(Known { lead, repeat: true }), None]);
}

async fn a_person_is_known_by_username_or_phone_for_24_hours_unless_spam_or_erased(db: Db) {
    db.submit(incoming(1, 0), LIMITS).await.expect("new");
    let day = 86_400;
    let person = |username: u32, phone: u32, seconds: i64| {
        let mut person = incoming(9, seconds);
        person.request.telegram = incoming(username, 0).request.telegram;
        person.request.telegram.0.make_ascii_uppercase();
        person.request.phone = incoming(phone, 0).request.phone;
        person
    };
    assert_eq!(db.recent(person(1, 2, 1)).await, Some(1), "username in other capitals");
    assert_eq!(db.recent(person(2, 1, 1)).await, Some(1), "phone");
    assert_eq!(db.recent(person(2, 2, 1)).await, None, "neither");
    assert_eq!(db.recent(person(1, 1, day)).await, Some(1), "24 hours");
    assert_eq!(db.recent(person(1, 1, day + 1)).await, None, "a second more");

    db.submit(incoming(2, 10), LIMITS).await.expect("new");
    assert_eq!(db.recent(person(1, 2, 20)).await, Some(2), "of two leads the newest");
    db.raw("UPDATE leads SET status = 'spam', status_at = created_at WHERE id = 2").await;
    assert_eq!(db.recent(person(1, 2, 20)).await, Some(1), "spam does not count");
    for status in ["in_work", "contacted", "deal", "refused"] {
        let text = match status {
            "in_work" => "UPDATE leads SET status = 'in_work' WHERE id = 1",
            "contacted" => "UPDATE leads SET status = 'contacted' WHERE id = 1",
            "deal" => "UPDATE leads SET status = 'deal' WHERE id = 1",
            _ => "UPDATE leads SET status = 'refused' WHERE id = 1",
        };
        db.raw(text).await;
        assert_eq!(db.recent(person(1, 1, 20)).await, Some(1), "{status} counts");
    }
    db.raw(
        "UPDATE leads SET name = NULL, telegram = NULL, telegram_fold = NULL, phone = NULL, comment = NULL, ip_hash = NULL, \
         erased_at = 1 WHERE id = 1",
    )
    .await;
    assert_eq!(db.recent(person(1, 1, 20)).await, None, "an erased lead is nobody's");
}

async fn requests_are_counted_over_leads_and_repeats_within_the_window(db: Db) {
    let of = |n: u32, seconds: i64, visitor: &str| {
        let mut incoming = incoming(n, seconds);
        incoming.ip_hash = Some(visitor.into());
        incoming
    };
    let lead = db.submit(of(1, 0, "a"), LIMITS).await.expect("new");
    db.submit(of(2, 10, "b"), LIMITS).await.expect("new");
    assert_eq!(db.repeat(lead, of(3, 20, "a")).await, Change::Changed);
    let reader = &mut db.store.reader();
    for (visitor, since, expected) in
        [("a", -1, 2), ("a", 0, 1), ("a", 19, 1), ("a", 20, 0), ("b", -1, 1), ("c", -1, 0)]
    {
        let count = intake::count_of_visitor(reader, visitor, at(since), 5).await.expect("reads");
        assert_eq!(count, expected, "{visitor} since {since}");
    }
    for (since, limit, expected) in [(-1, 60, 3), (0, 60, 2), (10, 60, 1), (20, 60, 0), (-1, 2, 2)] {
        let count = intake::count_all(reader, at(since), limit).await.expect("reads");
        assert_eq!(count, expected, "since {since} up to {limit}");
    }
}

/// Above 1,000 nothing is counted: the numbers given within the hour are never fewer than its rows.
async fn a_high_hourly_limit_is_compared_with_numbers_instead_of_rows(db: Db) {
    db.raw(
        "INSERT INTO leads (request_id, status, locale, created_at) \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) \
         SELECT 'old ' || CAST(i AS TEXT), 'new', 'ru', 1795950000000 + i FROM n",
    )
    .await;
    db.raw(
        "INSERT INTO leads (request_id, status, locale, created_at) \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100) \
         SELECT 'lead ' || CAST(i AS TEXT), 'new', 'ru', 1795959000000 + i FROM n",
    )
    .await;
    db.raw(
        "INSERT INTO lead_repeats (lead_id, request_id, created_at) \
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) \
         SELECT 1, 'repeat ' || CAST(i AS TEXT), 1795959002000 + i FROM n",
    )
    .await;
    let limited = |hourly: u32| IntakeLimits { hourly, ..LIMITS };
    assert_eq!(db.submit(incoming(1, 60), limited(1_200)).await, None, "1,200 of 1,200");
    assert!(db.submit(incoming(1, 60), limited(1_201)).await.is_some(), "1,200 of 1,201");
    assert_eq!(db.submit(incoming(2, 60), limited(1_201)).await, None, "1,201 of 1,201");
    db.raw("DELETE FROM leads WHERE request_id = 'lead 500'").await;
    assert_eq!(db.submit(incoming(2, 60), limited(1_201)).await, None, "a gap counts here");
    assert!(db.submit(incoming(2, 60), limited(u32::MAX)).await.is_some(), "counted by the caller");
    assert!(db.submit(incoming(3, 3_601), limited(1_201)).await.is_some(), "an hour later");
}
