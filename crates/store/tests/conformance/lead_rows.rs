//! What happens to a stored lead, row by row of seed 001: each conditional update from every status and every point of its way.

use crate::harness::{Db, at};
use crate::stories::{MADINA, TIMUR, must};
use domain::guest::{Personal, TelegramId};
use domain::job::JobStatus;
use domain::lead::{CardPlace, Lead, LeadId, LeadStatus, Press};
use domain::schedule::Cutoffs;
use store::jobs;
use store::leads::{self, Failed, Posted, StatusChange};
use store::{Change, StoreError, Tx};

on_both_engines! {
    row_001_publish_1_a_card_is_published_once_and_only_when_it_still_may_be
    row_001_publish_2_a_failure_counts_and_puts_the_lead_off
    a_send_is_begun_by_one_of_two_who_saw_the_same_row
    due_leads_come_longest_due_first_and_the_limit_holds
    row_001_publish_3_a_published_card_may_move_and_no_other
    a_card_of_the_old_group_is_posted_anew_by_one_of_two
    a_card_that_is_posted_anew_is_unknown_until_its_answer_and_nobody_begins_it_meanwhile
    row_001_publish_4_a_reminder_is_claimed_once_and_in_no_status_but_new
    row_001_publish_5_and_6_erasure_takes_the_person_and_leaves_the_rest
    row_001_publish_7_deletion_takes_every_row_of_a_lead
    row_001_lead_2_every_status_leads_to_each_of_the_five_with_a_history_row
    row_001_lead_5_an_erased_lead_keeps_its_status
    row_001_repeat_1_and_2_a_notice_is_begun_failed_and_done_once
    row_001_repeat_3_what_the_card_shows_is_absorbed_and_nothing_newer
    retention_finds_what_is_past_its_period_and_nothing_else
    a_card_is_clean_only_when_nothing_changed_meanwhile
    lists_and_counts_are_those_of_the_rows
    row_000_digest_6_packs_of_a_day_are_counted_without_those_of_operators
}

const PLACE: CardPlace = CardPlace { chat_id: -500, message_id: 7 };
const REQUESTS: [&str; 4] = [
    "INSERT INTO leads (request_id, status, name, telegram, telegram_fold, phone, comment, locale, utm_source, ip_hash, \
     created_at, next_publish_at) VALUES ('r-1', 'new', 'Aziza', '@Aziza', '@aziza', '+998901', 'secret', 'ru', 'ads', 'abc', \
     1795959000000, 1795959000000)",
    "INSERT INTO leads (request_id, status, name, telegram, telegram_fold, phone, comment, locale, utm_source, ip_hash, \
     created_at, next_publish_at) VALUES ('r-2', 'new', 'Bobur', '@Bobur', '@bobur', '+998902', 'secret', 'ru', 'ads', 'abc', \
     1795959001000, 1795959001000)",
    "INSERT INTO leads (request_id, status, name, telegram, telegram_fold, phone, comment, locale, ip_hash, \
     created_at, next_publish_at) VALUES ('r-3', 'new', 'Gulnora', '@Gulnora', '@gulnora', '+998903', 'secret', 'ru', 'abc', \
     1795959002000, 1795959002000)",
    "INSERT INTO lead_repeats (lead_id, request_id, comment, ip_hash, created_at) \
     VALUES (1, 'r-9', 'again', 'abc', 1795959010000), (1, 'r-10', 'once more', 'abc', 1795959011000)",
];

/// A function that writes and says whether it found what it expected.
type Move = fn(&mut Tx) -> std::pin::Pin<Box<dyn Future<Output = Result<Change, StoreError>> + Send + '_>>;

impl Db {
    /// `count` leads, created one second apart.
    async fn leads(&self, count: usize) {
        for request in &REQUESTS[..count] {
            self.raw(request).await;
        }
    }

    async fn lead(&self, id: i64) -> Lead {
        leads::find(&mut self.store.reader(), LeadId(id)).await.expect("reads").expect("a lead")
    }

    async fn change(&self, change: Move) -> Change {
        self.write(move |tx| change(tx)).await
    }

    /// Brings lead 1 to a status.
    async fn status(&self, to: LeadStatus) -> Option<Press> {
        let change = StatusChange {
            lead: LeadId(1),
            to,
            user: TelegramId(5),
            user_name: Some(Personal("@sales".into())),
            now: at(100),
        };
        self.write(move |tx| Box::pin(async move { leads::set_status(tx, &change).await })).await
    }

    async fn publish(&self) -> Change {
        self.write(|tx| Box::pin(async { leads::published(tx, &posted(0)).await })).await
    }

    async fn arrive(&self, place: CardPlace) -> Change {
        self.write(move |tx| {
            Box::pin(async move { leads::card_moved(tx, LeadId(1), place, false, at(61)).await })
        })
        .await
    }

    async fn dirty(&self, second: i64) -> Change {
        self.write(move |tx| Box::pin(async move { leads::mark_dirty(tx, LeadId(1), at(second)).await }))
            .await
    }

    async fn clear(&self, second: i64) -> Change {
        self.write(move |tx| Box::pin(async move { leads::clear_dirty(tx, LeadId(1), at(second)).await }))
            .await
    }

    async fn erase(&self) -> Change {
        self.change(|tx| Box::pin(leads::erase(tx, LeadId(1), at(200)))).await
    }

    async fn due_leads(&self, second: i64, limit: u32) -> Vec<i64> {
        let due = leads::due(&mut self.store.reader(), at(second), limit).await.expect("reads");
        due.into_iter().map(|id| id.0).collect()
    }
}

fn posted(last_repeat: i64) -> Posted {
    Posted {
        lead: LeadId(1),
        place: PLACE,
        status: LeadStatus::New,
        last_repeat,
        maybe_twice: false,
        now: at(50),
    }
}

async fn row_001_publish_1_a_card_is_published_once_and_only_when_it_still_may_be(db: Db) {
    db.leads(1).await;
    assert_eq!(db.publish().await, Change::Changed);
    let lead = db.lead(1).await;
    assert_eq!((lead.published_at, lead.card, lead.next_publish_at), (Some(at(50)), Some(PLACE), None));
    assert_eq!(lead.card_dirty_at, None);
    assert_eq!(db.publish().await, Change::Stale, "published already");
    let cards = leads::standing_cards(&mut db.store.reader(), LeadId(1)).await.expect("reads");
    assert_eq!(cards.iter().map(|card| card.place).collect::<Vec<_>>(), [PLACE]);
    assert!(db.due_leads(10_000, 10).await.is_empty());
    db.raw("UPDATE leads SET published_at = NULL, chat_id = NULL, message_id = NULL").await;
    // A status that changed while the card was on its way makes it dirty.
    db.status(LeadStatus::Deal).await;
    assert_eq!(db.publish().await, Change::Changed);
    assert_eq!(db.lead(1).await.card_dirty_at, Some(at(50)));
    db.raw("UPDATE leads SET published_at = NULL, chat_id = NULL, message_id = NULL").await;
    must(db.erase().await);
    assert_eq!(db.publish().await, Change::Stale, "erased");
}

async fn row_001_publish_2_a_failure_counts_and_puts_the_lead_off(db: Db) {
    db.leads(1).await;
    let fail =
        |second: i64| Failed { lead: LeadId(1), error: "502 Bad Gateway".into(), again_at: at(second) };
    for expected in 1..=3 {
        let failed = fail(expected * 10);
        let failures =
            db.write(move |tx| Box::pin(async move { leads::publish_failed(tx, &failed).await })).await;
        assert_eq!(failures, Some(expected));
    }
    let lead = db.lead(1).await;
    assert_eq!((lead.publish_attempts, lead.publish_error.as_deref()), (3, Some("502 Bad Gateway")));
    assert!(db.due_leads(29, 10).await.is_empty());
    assert_eq!(db.due_leads(30, 10).await, [1]);
    must(db.publish().await);
    let late = fail(90);
    assert_eq!(
        db.write(move |tx| Box::pin(async move { leads::publish_failed(tx, &late).await })).await,
        None
    );
    assert_eq!(db.lead(1).await.publish_error, None);
}

async fn a_send_is_begun_by_one_of_two_who_saw_the_same_row(db: Db) {
    db.leads(1).await;
    let seen = db.lead(1).await;
    let begin = async |lead: Lead| {
        db.write(move |tx| Box::pin(async move { leads::begin_publish(tx, &lead, at(900), at(5)).await }))
            .await
    };
    assert_eq!(begin(seen.clone()).await, Change::Changed);
    assert_eq!(begin(seen).await, Change::Stale);
    let lead = db.lead(1).await;
    assert_eq!(begin(lead.clone()).await, Change::Stale, "read after it was begun: it is not due");
    assert!(lead.may_be_posted_twice(), "from the intent on the outcome is unknown");
    assert_eq!((lead.next_publish_at, lead.publish_attempts), (Some(at(900)), 0));
    // What is unknown is not hurried; what is known is.
    assert_eq!(db.change(|tx| Box::pin(leads::publish_now(tx, LeadId(1), at(5)))).await, Change::Stale);
    assert_eq!(db.write(|tx| Box::pin(leads::retry_all(tx, at(5)))).await, 0);
    let failed = Failed { lead: LeadId(1), error: "403 Forbidden".into(), again_at: at(900) };
    db.write(move |tx| Box::pin(async move { leads::publish_failed(tx, &failed).await })).await;
    assert_eq!(db.write(|tx| Box::pin(leads::retry_all(tx, at(5)))).await, 1);
    assert_eq!(db.due_leads(5, 10).await, [1]);
}

async fn due_leads_come_longest_due_first_and_the_limit_holds(db: Db) {
    db.leads(3).await;
    assert_eq!(db.due_leads(1, 10).await, [1, 2]);
    assert_eq!(db.due_leads(2, 10).await, [1, 2, 3]);
    assert_eq!(db.due_leads(2, 2).await, [1, 2]);
    let failed = Failed { lead: LeadId(1), error: "x".into(), again_at: at(2) };
    db.write(move |tx| Box::pin(async move { leads::publish_failed(tx, &failed).await })).await;
    assert_eq!(db.due_leads(2, 10).await, [2, 1, 3], "a lead that failed holds nobody up");
}

async fn row_001_publish_3_a_published_card_may_move_and_no_other(db: Db) {
    db.leads(1).await;
    let moved = CardPlace { chat_id: -500, message_id: 8 };
    let again: Move = |tx| Box::pin(leads::post_again(tx, LeadId(1), at(60)));
    assert_eq!(db.change(again).await, Change::Stale, "never published");
    must(db.publish().await);
    assert_eq!(db.change(again).await, Change::Changed);
    assert_eq!((db.lead(1).await.card, db.lead(1).await.card_dirty_at), (None, Some(at(60))));
    assert_eq!(db.arrive(moved).await, Change::Changed);
    assert_eq!(db.lead(1).await.card, Some(moved));
    let cards = leads::standing_cards(&mut db.store.reader(), LeadId(1)).await.expect("reads");
    assert_eq!(cards.iter().map(|card| card.place.message_id).collect::<Vec<_>>(), [7, 8]);
    must(db.erase().await);
    assert_eq!(db.change(again).await, Change::Stale, "erased");
    assert_eq!(db.arrive(moved).await, Change::Stale, "erased");
}

async fn a_card_that_is_posted_anew_is_unknown_until_its_answer_and_nobody_begins_it_meanwhile(db: Db) {
    db.leads(1).await;
    let begin = async |second: i64| {
        let lead = db.lead(1).await;
        db.write(move |tx| {
            Box::pin(async move { leads::begin_move(tx, &lead, at(second + 900), at(second)).await })
        })
        .await
    };
    let again: Move = |tx| Box::pin(leads::post_again(tx, LeadId(1), at(60)));
    assert_eq!(begin(60).await, Change::Stale, "never published");
    must(db.publish().await);
    must(db.change(again).await);
    assert_eq!(begin(60).await, Change::Changed);
    let lead = db.lead(1).await;
    assert_eq!((lead.publish_error.as_deref(), lead.card), (Some("unknown"), None));
    assert_eq!(db.change(again).await, Change::Stale, "on its way");
    assert_eq!(begin(959).await, Change::Stale, "on its way");
    assert_eq!(leads::dirty_due(&mut db.store.reader(), at(959), 10).await.expect("reads"), []);
    assert_eq!(leads::dirty_due(&mut db.store.reader(), at(960), 10).await.expect("reads"), [LeadId(1)]);
    // Refused after all: what was on record before stands again.
    let lead = Lead { publish_error: None, ..lead };
    must(db.write(move |tx| Box::pin(async move { leads::move_failed(tx, &lead).await })).await);
    assert_eq!(db.lead(1).await.publish_error, None);
    assert_eq!(begin(960).await, Change::Changed);
    must(db.arrive(CardPlace { chat_id: -500, message_id: 8 }).await);
    assert_eq!(db.lead(1).await.publish_error, None, "answered");
    assert_eq!(
        leads::dirty_due(&mut db.store.reader(), at(61), 10).await.expect("reads"),
        [LeadId(1)],
        "at once"
    );
    must(db.erase().await);
    assert_eq!(begin(2_000).await, Change::Stale, "erased");
}

async fn a_card_of_the_old_group_is_posted_anew_by_one_of_two(db: Db) {
    db.leads(1).await;
    must(db.publish().await);
    let begin = async |lead: Lead, second: i64| {
        db.write(move |tx| {
            Box::pin(async move { leads::begin_move(tx, &lead, at(second + 900), at(second)).await })
        })
        .await
    };
    let seen = db.lead(1).await;
    assert_eq!(begin(seen.clone(), 60).await, Change::Changed);
    assert_eq!(begin(seen, 60).await, Change::Stale, "read before");
    assert_eq!(begin(db.lead(1).await, 61).await, Change::Stale, "read after");
    let sooner: Move = |tx| Box::pin(leads::edit_later(tx, LeadId(1), at(65)));
    assert_eq!(db.change(sooner).await, Change::Stale, "the other one does not shorten the wait");
    assert_eq!(leads::dirty_due(&mut db.store.reader(), at(959), 10).await.expect("reads"), []);
    assert_eq!(begin(db.lead(1).await, 960).await, Change::Changed, "nobody answered");
}

async fn row_001_publish_4_a_reminder_is_claimed_once_and_in_no_status_but_new(db: Db) {
    db.leads(1).await;
    let claim: Move = |tx| Box::pin(leads::claim_reminder(tx, LeadId(1), at(0), at(7_200)));
    let early: Move = |tx| Box::pin(leads::claim_reminder(tx, LeadId(1), at(-1), at(7_200)));
    assert_eq!(db.change(claim).await, Change::Stale, "not published");
    must(db.publish().await);
    assert_eq!(db.change(early).await, Change::Stale, "not old enough");
    let due = leads::due_for_reminder(&mut db.store.reader(), at(0), 10).await.expect("reads");
    assert_eq!(due, [LeadId(1)]);
    for status in LeadStatus::HANDLED {
        db.status(status).await;
        assert_eq!(db.change(claim).await, Change::Stale, "{status}");
    }
    db.raw("UPDATE leads SET status = 'new'").await;
    assert_eq!(db.change(claim).await, Change::Changed);
    assert_eq!(db.lead(1).await.reminded_at, Some(at(7_200)));
    assert_eq!(db.change(claim).await, Change::Stale, "one per lead, ever");
    db.raw("UPDATE leads SET reminded_at = NULL").await;
    must(db.erase().await);
    assert_eq!(db.change(claim).await, Change::Stale, "erased");
    assert!(leads::due_for_reminder(&mut db.store.reader(), at(9_000), 10).await.expect("reads").is_empty());
}

async fn row_001_publish_5_and_6_erasure_takes_the_person_and_leaves_the_rest(db: Db) {
    db.leads(1).await;
    db.raw(REQUESTS[3]).await;
    must(db.publish().await);
    db.status(LeadStatus::Deal).await;
    assert_eq!(db.erase().await, Change::Changed);
    assert_eq!(db.erase().await, Change::Stale);
    let left = "SELECT COALESCE(name, '') || COALESCE(telegram, '') || COALESCE(telegram_fold, '') || COALESCE(phone, '') || \
                COALESCE(comment, '') || COALESCE(ip_hash, '') FROM leads";
    assert_eq!(db.text(left).await.as_deref(), Some(""));
    let left = "SELECT COALESCE(name, '') || COALESCE(telegram, '') || COALESCE(phone, '') || COALESCE(comment, '') || \
                COALESCE(ip_hash, '') FROM lead_repeats";
    assert!(db.texts(left).await.iter().all(|text| text.as_deref() == Some("")));
    let lead = db.lead(1).await;
    assert_eq!(
        (lead.status, lead.erased_at, lead.utm[0].as_deref()),
        (LeadStatus::Deal, Some(at(200)), Some("ads"))
    );
    assert_eq!(lead.card_dirty_at, Some(at(200)), "its card is to be rewritten");
    assert_eq!(db.text("SELECT CAST(COUNT(*) AS TEXT) FROM lead_status_history").await.as_deref(), Some("1"));
    assert_eq!(db.text("SELECT CAST(COUNT(*) AS TEXT) FROM lead_repeats").await.as_deref(), Some("2"));
}

async fn row_001_publish_7_deletion_takes_every_row_of_a_lead(db: Db) {
    db.leads(2).await;
    db.raw(REQUESTS[3]).await;
    must(db.publish().await);
    db.status(LeadStatus::Deal).await;
    assert_eq!(db.change(|tx| Box::pin(leads::delete(tx, LeadId(1)))).await, Change::Changed);
    assert_eq!(db.change(|tx| Box::pin(leads::delete(tx, LeadId(1)))).await, Change::Stale);
    for count in [
        "SELECT CAST(COUNT(*) AS TEXT) FROM lead_status_history",
        "SELECT CAST(COUNT(*) AS TEXT) FROM lead_repeats",
        "SELECT CAST(COUNT(*) AS TEXT) FROM lead_cards",
    ] {
        assert_eq!(db.text(count).await.as_deref(), Some("0"), "{count}");
    }
    assert_eq!(db.lead(2).await.request_id, "r-2");
    let stray: Move = |tx| Box::pin(leads::record_stray_card(tx, LeadId(1), PLACE, at(300)));
    assert_eq!(db.change(stray).await, Change::Stale, "the caller takes the message away");
}

async fn row_001_lead_2_every_status_leads_to_each_of_the_five_with_a_history_row(db: Db) {
    db.leads(1).await;
    let mut rows = 0;
    for from in ["new", "in_work", "contacted", "deal", "refused", "spam"] {
        for to in ["in_work", "contacted", "deal", "refused", "spam"] {
            let to = LeadStatus::from_word(to).expect("a status");
            db.raw(match from {
                "new" => "UPDATE leads SET status = 'new'",
                "in_work" => "UPDATE leads SET status = 'in_work'",
                "contacted" => "UPDATE leads SET status = 'contacted'",
                "deal" => "UPDATE leads SET status = 'deal'",
                "refused" => "UPDATE leads SET status = 'refused'",
                _ => "UPDATE leads SET status = 'spam'",
            })
            .await;
            let expected = if from == to.word() { Press::Same } else { Press::Change };
            assert_eq!(db.status(to).await, Some(expected), "{from} to {to}");
            assert_eq!(db.lead(1).await.status, to);
            rows += i64::from(expected == Press::Change);
            let history = db.text("SELECT CAST(COUNT(*) AS TEXT) FROM lead_status_history").await;
            assert_eq!(history, Some(rows.to_string()), "{from} to {to}");
        }
    }
    let last = db
        .texts("SELECT from_status || ' ' || to_status || ' ' || CAST(user_id AS TEXT) || ' ' || user_name FROM lead_status_history ORDER BY id DESC LIMIT 1")
        .await;
    assert_eq!(last[0].as_deref(), Some("spam refused 5 @sales"));
    let taken = leads::last_change(&mut db.store.reader(), LeadId(1)).await.expect("reads").expect("a press");
    assert_eq!((taken.by, taken.at), (Some(Personal("@sales".into())), at(100)));
    assert_eq!(db.lead(1).await.card_dirty_at, None, "an unpublished card is made from the row");
}

async fn row_001_lead_5_an_erased_lead_keeps_its_status(db: Db) {
    db.leads(1).await;
    must(db.erase().await);
    for to in LeadStatus::HANDLED {
        assert_eq!(db.status(to).await, Some(Press::Frozen));
    }
    assert_eq!(db.lead(1).await.status, LeadStatus::New);
    assert_eq!(db.change(|tx| Box::pin(leads::delete(tx, LeadId(1)))).await, Change::Changed);
    assert_eq!(db.status(LeadStatus::Deal).await, None, "there is no such lead");
}

async fn row_001_repeat_1_and_2_a_notice_is_begun_failed_and_done_once(db: Db) {
    db.leads(1).await;
    db.raw(REQUESTS[3]).await;
    let due =
        async |second: i64| leads::due_repeats(&mut db.store.reader(), at(second), 10).await.expect("reads");
    assert!(due(100).await.is_empty(), "the card is not published");
    must(db.publish().await);
    let found = due(100).await;
    assert_eq!(found.iter().map(|repeat| repeat.id).collect::<Vec<_>>(), [1, 2]);
    let first = found[0];
    let begin = async || {
        db.write(move |tx| Box::pin(async move { leads::begin_notify(tx, &first, at(900)).await })).await
    };
    assert_eq!(begin().await, Change::Changed);
    assert_eq!(begin().await, Change::Stale, "somebody else began");
    assert_eq!(due(899).await.len(), 1);
    let failed: Move = |tx| Box::pin(leads::notify_failed(tx, 1, "502", at(105)));
    assert_eq!(db.change(failed).await, Change::Changed);
    assert_eq!(
        due(105).await.iter().map(|repeat| (repeat.id, repeat.attempts)).collect::<Vec<_>>(),
        [(2, 0), (1, 1)]
    );
    let give_up: Move = |tx| Box::pin(leads::notified(tx, 1, Some("502"), at(106)));
    assert_eq!(db.change(give_up).await, Change::Changed);
    assert_eq!(db.change(give_up).await, Change::Stale);
    assert_eq!(db.change(failed).await, Change::Stale);
    let done: Move = |tx| Box::pin(leads::notified(tx, 2, None, at(107)));
    assert_eq!(db.change(done).await, Change::Changed);
    let repeats = leads::of_lead(&mut db.store.reader(), LeadId(1), 10).await.expect("reads");
    let ends: Vec<_> = repeats.iter().map(|repeat| (repeat.notified_at, repeat.notify_attempts)).collect();
    assert_eq!(ends, [(Some(at(107)), 0), (Some(at(106)), 2)], "newest first");
    let error = db.texts("SELECT notify_error FROM lead_repeats ORDER BY id").await;
    assert_eq!(error, [Some("502".to_owned()), None]);
}

async fn row_001_repeat_3_what_the_card_shows_is_absorbed_and_nothing_newer(db: Db) {
    db.leads(1).await;
    db.raw(REQUESTS[3]).await;
    let absorbed = db.write(|tx| Box::pin(async { leads::published(tx, &posted(1)).await })).await;
    assert_eq!(absorbed, Change::Changed);
    let due = leads::due_repeats(&mut db.store.reader(), at(100), 10).await.expect("reads");
    assert_eq!(due.iter().map(|repeat| repeat.id).collect::<Vec<_>>(), [2]);
}

async fn retention_finds_what_is_past_its_period_and_nothing_else(db: Db) {
    db.leads(3).await;
    db.raw("UPDATE leads SET status = 'spam', status_at = 1795959005000 WHERE id = 2").await;
    let due = async |spam: i64, any: i64| {
        let cutoffs = Cutoffs { spam: at(spam), any: at(any) };
        let due = leads::due_for_erasure(&mut db.store.reader(), cutoffs, 10).await.expect("reads");
        due.into_iter().map(|id| id.0).collect::<Vec<_>>()
    };
    assert!(due(4, -1).await.is_empty());
    assert_eq!(due(5, -1).await, [2], "from the last change of the status");
    assert_eq!(due(4, 0).await, [1], "from the creation when it never changed");
    assert_eq!(due(5, 2).await, [1, 2, 3]);
    must(db.erase().await);
    assert_eq!(due(5, 2).await, [2, 3]);
}

async fn a_card_is_clean_only_when_nothing_changed_meanwhile(db: Db) {
    db.leads(1).await;
    must(db.publish().await);
    let due = async |second: i64| {
        leads::dirty_due(&mut db.store.reader(), at(second), 10).await.expect("reads").len()
    };
    assert_eq!(due(1_000).await, 0);
    assert_eq!(db.dirty(60).await, Change::Changed);
    assert_eq!(due(60).await, 1);
    let later: Move = |tx| Box::pin(leads::edit_later(tx, LeadId(1), at(300)));
    assert_eq!(db.change(later).await, Change::Changed);
    assert_eq!(db.dirty(70).await, Change::Changed);
    assert_eq!(due(299).await, 0, "a new change does not hurry what is put off");
    assert_eq!(db.clear(60).await, Change::Stale, "it changed since");
    assert_eq!(db.clear(70).await, Change::Changed);
    assert_eq!(due(1_000).await, 0);
    assert_eq!(db.change(later).await, Change::Stale);
}

async fn lists_and_counts_are_those_of_the_rows(db: Db) {
    db.leads(3).await;
    must(db.publish().await);
    db.status(LeadStatus::Deal).await;
    let mut reader = db.store.reader();
    assert_eq!(leads::count_created(&mut reader, at(0), at(2)).await.expect("reads"), 2);
    assert_eq!(leads::count_waiting(&mut reader).await.expect("reads"), 2);
    let waiting = leads::waiting(&mut reader, 1).await.expect("reads");
    assert_eq!(waiting.iter().map(|lead| (lead.id.0, lead.published)).collect::<Vec<_>>(), [(2, false)]);
    let counts = leads::count_by_status(&mut reader, at(0)).await.expect("reads");
    let words: Vec<_> = counts.iter().map(|(status, count)| format!("{status} {count}")).collect();
    assert_eq!(words, ["new 2", "in_work 0", "contacted 0", "deal 1", "refused 0", "spam 0"]);
    let sources = leads::count_by_source(&mut reader, at(0), 5).await.expect("reads");
    assert_eq!(sources, [(Some("ads".to_owned()), 2), (None, 1)]);
    let touches = leads::first_touches(&mut reader, at(0), 10).await.expect("reads");
    assert_eq!(touches.iter().map(|touch| touch.as_secs()).collect::<Vec<_>>(), [100]);
    let page = leads::page(&mut reader, LeadId(1), 10).await.expect("reads");
    assert_eq!(page.iter().map(|lead| lead.id.0).collect::<Vec<_>>(), [2, 3]);
    db.raw(REQUESTS[3]).await;
    for (request, lead) in [("r-2", Some(2)), ("r-9", Some(1)), ("r-0", None)] {
        let found = leads::by_request_id(&mut reader, request).await.expect("reads");
        assert_eq!(found.map(|lead| lead.id.0), lead, "{request}");
    }
}

async fn row_000_digest_6_packs_of_a_day_are_counted_without_those_of_operators(db: Db) {
    db.job_of(MADINA, "one", JobStatus::Done).await;
    db.job_of(TIMUR, "two", JobStatus::Delivering).await;
    db.job_of(MADINA, "three", JobStatus::Failed).await;
    let packs = async |from: i64, to: i64, without: &[TelegramId]| {
        jobs::packs_between(&mut db.store.reader(), at(from), at(to), without).await.expect("reads")
    };
    assert_eq!(packs(0, 60, &[]).await, 2);
    assert_eq!(packs(0, 60, &[MADINA]).await, 1);
    assert_eq!(packs(0, 60, &[MADINA, TIMUR]).await, 0);
    assert_eq!(
        (packs(20, 21, &[]).await, packs(0, 20, &[]).await),
        (2, 0),
        "from is in the window, to is not"
    );
}
