//! What changed lately, for the event streams.

use crate::harness::{Db, at};
use crate::stories::must;
use domain::job::JobStatus;
use domain::session::{ClosedReason, SessionStatus};
use store::{news, sessions};

on_both_engines! {
    a_look_tells_what_changed_since_then_oldest_first_and_no_more_than_asked_for
    two_changes_within_one_millisecond_differ
}

async fn told(db: &Db, since: i64, limit: u32) -> Vec<(String, bool)> {
    let news = news::since(&mut db.store.reader(), at(since), limit).await.expect("reads");
    news.into_iter().map(|news| (news.session_token, news.of_job)).collect()
}

async fn a_look_tells_what_changed_since_then_oldest_first_and_no_more_than_asked_for(db: Db) {
    db.session_in("first", SessionStatus::Idle).await;
    let _ = db.job_in("second", JobStatus::Queued).await;
    db.write(|tx| {
        Box::pin(async { sessions::expire(tx, "first", ClosedReason::Cancel, at(50)).await.map(must) })
    })
    .await;
    let all = told(&db, 0, 10).await;
    assert_eq!(all.last(), Some(&("first".to_owned(), false)), "it changed last: {all:?}");
    assert!(all.contains(&("second".to_owned(), false)), "{all:?}");
    assert!(all.contains(&("second".to_owned(), true)), "its job is news too: {all:?}");
    assert_eq!(told(&db, 50, 10).await, [("first".to_owned(), false)], "at that very moment");
    assert_eq!(told(&db, 51, 10).await, []);
    assert_eq!(told(&db, 0, 1).await.len(), 1);
}

async fn two_changes_within_one_millisecond_differ(db: Db) {
    db.session_in("tok", SessionStatus::Consented).await;
    let mut looks = Vec::new();
    for outfit in ["chapan", "hero"] {
        db.write(move |tx| {
            Box::pin(async move { sessions::choose_template(tx, "tok", outfit, at(70)).await.map(must) })
        })
        .await;
        looks.push(news::since(&mut db.store.reader(), at(70), 10).await.expect("reads"));
    }
    assert_eq!(looks[0].len(), 1);
    assert_eq!(looks[0][0].at, looks[1][0].at);
    assert_ne!(looks[0], looks[1]);
}
