//! "Session transitions" of seed 001, row by row: each move is tried from every status, and does what the table says or nothing.

use crate::harness::{Db, at};
use crate::stories::{MADINA, TIMUR, new_session};
use domain::Language;
use domain::session::{ClosedReason, Expiry, Notice, Session, SessionMove, SessionState, SessionStatus};
use std::future::Future;
use std::pin::Pin;
use store::{Change, StoreError, Tx, guests, sessions};

on_both_engines! {
    session_row_01_start_makes_an_idle_session
    session_row_02_the_first_phone_links_an_idle_session
    session_row_03_the_same_phone_links_again_and_another_does_not
    session_row_04_consent_by_the_linked_guest
    session_row_05_an_outfit_after_consent_only
    session_row_06_a_photo_after_an_outfit_only
    session_row_07_the_kiosk_closes_what_is_not_final
    session_row_08_the_pack_limit_closes_what_is_not_final
    session_row_09_the_pack_limit_in_the_photo_transaction
    session_row_10_a_reset_deletes_whatever_the_status
}

type Moved<'t> = Pin<Box<dyn Future<Output = Result<Change, StoreError>> + Send + 't>>;

/// Tokens for a session of each status.
const TOKENS: [&str; 6] = ["t0", "t1", "t2", "t3", "t4", "t5"];

/// Tries `mv` on a session in each status and compares with the rows `legal`: what it returns, and that nothing else changed.
async fn try_from_every_status(
    db: &Db,
    legal: &[SessionMove],
    mv: impl for<'t> Fn(&'t mut Tx, &'static str) -> Moved<'t> + Send + Copy + 'static,
    expected: impl Fn(Session) -> Session,
) {
    for (token, status) in TOKENS.into_iter().zip(SessionStatus::ALL) {
        db.session_in(token, status).await;
    }
    for (token, status) in TOKENS.into_iter().zip(SessionStatus::ALL) {
        let before = find(db, token).await;
        assert_eq!(before.status(), status);
        let change = db.write(move |tx| mv(tx, token)).await;
        let after = find(db, token).await;
        if legal.iter().any(|by| by.from().contains(&status)) {
            assert_eq!(change, Change::Changed, "from {status}");
            assert_eq!(after, expected(before), "from {status}");
        } else {
            assert_eq!(change, Change::Stale, "from {status}");
            assert_eq!(after, before, "from {status}");
        }
    }
}

async fn find(db: &Db, token: &str) -> Session {
    sessions::find(&mut db.store.reader(), token).await.expect("reads").expect("is there")
}

async fn session_row_01_start_makes_an_idle_session(db: Db) {
    db.write(|tx| Box::pin(async { sessions::insert(tx, &new_session("tok")).await })).await;
    let session = find(&db, "tok").await;
    assert_eq!(session.state, SessionState::Idle);
    assert_eq!(session.kiosk.as_deref(), Some("left"));
    assert_eq!((session.created_at, session.updated_at), (at(0), at(0)));
    let twice: Result<(), StoreError> =
        db.store.write(|tx| Box::pin(async { sessions::insert(tx, &new_session("tok")).await })).await;
    assert!(twice.expect_err("a token is used once").is_unique_violation());
}

async fn session_row_02_the_first_phone_links_an_idle_session(db: Db) {
    db.meet(TIMUR).await;
    // Timur is a stranger to every session that is linked already.
    try_from_every_status(
        &db,
        &[SessionMove::Link],
        |tx, token| Box::pin(sessions::link(tx, token, TIMUR, Language::En, at(50))),
        |before| Session {
            state: SessionState::Linked { guest: TIMUR },
            language: Language::En,
            updated_at: at(50),
            ..before
        },
    )
    .await;
}

async fn session_row_03_the_same_phone_links_again_and_another_does_not(db: Db) {
    // From `idle` the first row applies; the statuses behind consent stay as they are.
    try_from_every_status(
        &db,
        &[SessionMove::Link, SessionMove::LinkAgain],
        |tx, token| Box::pin(sessions::link(tx, token, MADINA, Language::Uz, at(50))),
        |before| Session {
            state: SessionState::Linked { guest: MADINA },
            language: Language::Uz,
            updated_at: at(50),
            ..before
        },
    )
    .await;
}

async fn session_row_04_consent_by_the_linked_guest(db: Db) {
    try_from_every_status(
        &db,
        &[SessionMove::Consent],
        |tx, token| Box::pin(sessions::consent(tx, token, MADINA, at(50))),
        |before| Session { state: SessionState::Consented { guest: MADINA }, updated_at: at(50), ..before },
    )
    .await;
    db.session_in("other", SessionStatus::Linked).await;
    let stranger =
        db.write(|tx| Box::pin(async { sessions::consent(tx, "other", TIMUR, at(51)).await })).await;
    assert_eq!(stranger, Change::Stale, "consent is the linked guest's");
}

async fn session_row_05_an_outfit_after_consent_only(db: Db) {
    try_from_every_status(
        &db,
        &[SessionMove::ChooseTemplate],
        |tx, token| Box::pin(sessions::choose_template(tx, token, "hero", at(50))),
        |before| Session {
            state: SessionState::TemplateChosen { guest: MADINA, template_id: "hero".to_owned() },
            updated_at: at(50),
            ..before
        },
    )
    .await;
}

async fn session_row_06_a_photo_after_an_outfit_only(db: Db) {
    try_from_every_status(
        &db,
        &[SessionMove::TakePhoto],
        |tx, token| Box::pin(sessions::take_photo(tx, token, at(50))),
        |before| Session {
            state: SessionState::PhotoTaken { guest: MADINA, template_id: "chapan".to_owned() },
            updated_at: at(50),
            ..before
        },
    )
    .await;
}

/// The session closed at second 50, with what it knew.
fn closed(before: Session, why: Expiry) -> Session {
    let state = SessionState::Expired {
        guest: before.guest(),
        template_id: before.template_id().map(str::to_owned),
        why,
    };
    Session { state, updated_at: at(50), ..before }
}

async fn session_row_07_the_kiosk_closes_what_is_not_final(db: Db) {
    try_from_every_status(
        &db,
        &[SessionMove::Expire],
        |tx, token| Box::pin(sessions::expire(tx, token, ClosedReason::Cancel, at(50))),
        |before| closed(before, Expiry::Closed(ClosedReason::Cancel)),
    )
    .await;
    for (token, reason) in ["r0", "r1", "r2", "r3", "r4", "r5"].into_iter().zip(ClosedReason::ALL) {
        db.session_in(token, SessionStatus::Idle).await;
        let change = db
            .write(move |tx| Box::pin(async move { sessions::expire(tx, token, reason, at(60)).await }))
            .await;
        assert_eq!(change, Change::Changed);
        assert_eq!(find(&db, token).await.closed_reason(), Some(reason));
    }
}

async fn session_row_08_the_pack_limit_closes_what_is_not_final(db: Db) {
    try_from_every_status(
        &db,
        &[SessionMove::Block],
        |tx, token| Box::pin(sessions::block(tx, token, Notice::PackReady, SessionMove::Block, at(50))),
        |before| closed(before, Expiry::Limit(Notice::PackReady)),
    )
    .await;
}

async fn session_row_09_the_pack_limit_in_the_photo_transaction(db: Db) {
    try_from_every_status(
        &db,
        &[SessionMove::BlockInPhoto],
        |tx, token| {
            Box::pin(sessions::block(tx, token, Notice::PackInProgress, SessionMove::BlockInPhoto, at(50)))
        },
        |before| closed(before, Expiry::Limit(Notice::PackInProgress)),
    )
    .await;
}

async fn session_row_10_a_reset_deletes_whatever_the_status(db: Db) {
    for (token, status) in TOKENS.into_iter().zip(SessionStatus::ALL) {
        db.session_in(token, status).await;
    }
    let erased = db.write(|tx| Box::pin(guests::erase(tx, MADINA))).await;
    for (token, status) in TOKENS.into_iter().zip(SessionStatus::ALL) {
        let left = sessions::find(&mut db.store.reader(), token).await.expect("reads");
        // Two of the six were never linked to anyone: they are nobody's.
        let of_nobody = matches!(status, SessionStatus::Idle | SessionStatus::Expired);
        assert_eq!(left.is_some(), of_nobody, "{status}");
        assert_eq!(erased.sessions.iter().any(|gone| gone == token), !of_nobody, "{status}");
    }
    db.session_of(MADINA, "closed", SessionStatus::Linked).await;
    db.write(|tx| {
        Box::pin(async {
            let change = sessions::expire(tx, "closed", ClosedReason::Cancel, at(60)).await?;
            assert_eq!(change, Change::Changed);
            guests::erase(tx, MADINA).await
        })
    })
    .await;
    assert_eq!(sessions::find(&mut db.store.reader(), "closed").await.expect("reads"), None);
}
