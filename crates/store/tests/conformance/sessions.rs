//! Questions about sessions, and moves on ones that do not exist.

use crate::harness::{Db, at};
use crate::stories::{MADINA, TIMUR, must, new_session};
use domain::Language;
use domain::session::{ClosedReason, Notice, SessionMove, SessionStatus};
use store::sessions::{self, AbandonedSince, NewSession};
use store::{Change, StoreError};

on_both_engines! {
    an_unknown_token_finds_and_changes_nothing
    a_guest_must_be_known_before_a_session_is_linked
    the_latest_open_session_of_a_guest_is_found
    abandoned_sessions_are_those_without_a_tablet_for_their_time
    the_server_closes_what_a_dead_tablet_left_and_nothing_else
    a_tablet_that_is_heard_of_keeps_the_session_and_changes_nothing_else
    the_readable_view_shows_times_as_text
}

async fn an_unknown_token_finds_and_changes_nothing(db: Db) {
    db.meet(MADINA).await;
    assert_eq!(sessions::find(&mut db.store.reader(), "nowhere").await.expect("reads"), None);
    let changes = db
        .write(|tx| {
            Box::pin(async {
                Ok([
                    sessions::link(tx, "nowhere", MADINA, Language::Ru, at(1)).await?,
                    sessions::consent(tx, "nowhere", MADINA, at(1)).await?,
                    sessions::choose_template(tx, "nowhere", "hero", at(1)).await?,
                    sessions::take_photo(tx, "nowhere", at(1)).await?,
                    sessions::expire(tx, "nowhere", ClosedReason::Cancel, at(1)).await?,
                    sessions::block(tx, "nowhere", Notice::PackReady, SessionMove::Block, at(1)).await?,
                    sessions::seen_by_kiosk(tx, "nowhere", at(1)).await?,
                ])
            })
        })
        .await;
    assert_eq!(changes, [Change::Stale; 7]);
}

async fn a_guest_must_be_known_before_a_session_is_linked(db: Db) {
    db.session_in("tok", SessionStatus::Idle).await;
    let linked: Result<Change, StoreError> = db
        .store
        .write(|tx| Box::pin(async { sessions::link(tx, "tok", TIMUR, Language::Ru, at(1)).await }))
        .await;
    assert!(matches!(linked, Err(StoreError::Database(_))), "{linked:?}");
}

async fn the_latest_open_session_of_a_guest_is_found(db: Db) {
    let latest = async || {
        let found = sessions::latest_open_of_guest(&mut db.store.reader(), MADINA).await.expect("reads");
        found.map(|session| session.token)
    };
    assert_eq!(latest().await, None);
    db.session_in("done", SessionStatus::PhotoTaken).await;
    assert_eq!(latest().await, None, "a photo ends it");
    db.session_in("old", SessionStatus::Linked).await;
    db.session_in("new", SessionStatus::TemplateChosen).await;
    db.session_of(TIMUR, "other", SessionStatus::TemplateChosen).await;
    assert_eq!(latest().await.as_deref(), Some("new"));
    db.write(|tx| {
        Box::pin(async { sessions::expire(tx, "new", ClosedReason::Cancel, at(9)).await.map(must) })
    })
    .await;
    assert_eq!(latest().await.as_deref(), Some("old"));
}

async fn abandoned_sessions_are_those_without_a_tablet_for_their_time(db: Db) {
    db.session_in("idle", SessionStatus::Idle).await;
    db.session_in("linked", SessionStatus::Linked).await;
    db.session_in("taken", SessionStatus::PhotoTaken).await;
    db.session_in("expired", SessionStatus::Expired).await;
    let abandoned = async |idle: i64, later: i64| {
        let since = AbandonedSince { idle: at(idle), later: at(later) };
        let found = sessions::abandoned(&mut db.store.reader(), since, 10).await.expect("reads");
        found.into_iter().map(|session| session.token).collect::<Vec<_>>()
    };
    assert_eq!(abandoned(-1, -1).await, [""; 0], "too early for both");
    assert_eq!(abandoned(0, 0).await, ["idle"], "the other one changed at second 1");
    assert_eq!(abandoned(0, 1).await, ["idle", "linked"]);
    assert_eq!(abandoned(-1, 1).await, ["linked"], "each has its own time");
    db.write(|tx| Box::pin(async { sessions::seen_by_kiosk(tx, "idle", at(7)).await.map(must) })).await;
    assert_eq!(abandoned(6, 6).await, ["linked"], "a tablet is at the idle one");
    assert_eq!(abandoned(7, 6).await, ["idle", "linked"]);
    let since = AbandonedSince { idle: at(9), later: at(9) };
    let one = sessions::abandoned(&mut db.store.reader(), since, 1).await.expect("reads");
    assert_eq!(one.len(), 1, "no more than asked for");
}

async fn the_server_closes_what_a_dead_tablet_left_and_nothing_else(db: Db) {
    use SessionStatus as S;
    let tokens = ["s0", "s1", "s2", "s3", "s4", "s5"];
    for (token, status) in tokens.into_iter().zip(S::ALL) {
        db.session_in(token, status).await;
    }
    // Its tablet listens.
    db.session_of(TIMUR, "heard", S::Linked).await;
    db.write(|tx| Box::pin(async { sessions::seen_by_kiosk(tx, "heard", at(50)).await.map(must) })).await;
    let read = async |token: &str| {
        sessions::find(&mut db.store.reader(), token).await.expect("reads").expect("is there")
    };
    let mut before = Vec::new();
    for token in tokens {
        before.push(read(token).await);
    }
    let since = AbandonedSince { idle: at(40), later: at(40) };
    assert_eq!(db.write(move |tx| Box::pin(sessions::close_abandoned(tx, since, at(60)))).await, 4);
    for (old, token) in before.into_iter().zip(tokens) {
        let after = read(token).await;
        match old.status() {
            S::Idle => assert_eq!(after.closed_reason(), Some(ClosedReason::QrTimeout)),
            S::Linked | S::Consented | S::TemplateChosen => {
                assert_eq!(after.closed_reason(), Some(ClosedReason::IdleTimeout), "{}", old.status());
            }
            S::PhotoTaken | S::Expired => assert_eq!(after, old, "a final one stays as it is"),
        }
    }
    assert_eq!(read("heard").await.status(), S::Linked);
    assert_eq!(db.write(move |tx| Box::pin(sessions::close_abandoned(tx, since, at(61)))).await, 0, "once");
}

async fn a_tablet_that_is_heard_of_keeps_the_session_and_changes_nothing_else(db: Db) {
    db.session_in("tok", SessionStatus::Consented).await;
    db.session_in("over", SessionStatus::PhotoTaken).await;
    let before = sessions::find(&mut db.store.reader(), "tok").await.expect("reads");
    let changes = db
        .write(|tx| {
            Box::pin(async {
                let open = sessions::seen_by_kiosk(tx, "tok", at(70)).await?;
                Ok((open, sessions::seen_by_kiosk(tx, "over", at(70)).await?))
            })
        })
        .await;
    assert_eq!(changes, (Change::Changed, Change::Stale), "a final session needs no tablet");
    assert_eq!(sessions::find(&mut db.store.reader(), "tok").await.expect("reads"), before);
    let seen = sessions::kiosk_seen_at(&mut db.store.reader(), "tok").await.expect("reads");
    assert_eq!(seen, Some(at(70)));
    let unheard = async |token: &str, since: i64| {
        sessions::kiosk_unheard(&mut db.store.reader(), token, at(since)).await.expect("reads")
    };
    assert!(!unheard("tok", 70).await, "heard of at that very moment");
    assert!(unheard("tok", 71).await);
    assert!(!unheard("over", 71).await, "a final session needs no tablet");
    assert!(!unheard("nowhere", 71).await);
}

async fn the_readable_view_shows_times_as_text(db: Db) {
    db.write(|tx| {
        Box::pin(async {
            // 28 November 2026, 23:30 in London is the next day in Tashkent.
            let now = domain::Timestamp::from_millis(1_795_908_600_500);
            sessions::insert(tx, &NewSession { now, ..new_session("tok") }).await
        })
    })
    .await;
    assert_eq!(
        db.text("SELECT created_at FROM sessions_readable WHERE session_token = 'tok'").await.as_deref(),
        Some("2026-11-29 04:30:00+05:00")
    );
}
