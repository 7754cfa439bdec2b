//! Writes that are nearly always one statement: on SQLite those that wait are run together, on PostgreSQL each is for itself, and in both
//! one that fails takes only itself back.

use crate::group_commit::hold;
use crate::harness::{Db, PATIENCE};
use crate::lead_intake::{LIMITS, incoming};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use store::leads::intake::{self, Incoming};
use store::{Engine, StoreError};
use tokio::task::JoinHandle;
use tokio::time::timeout;

on_both_engines! {
    openings_that_wait_together_are_all_stored_under_numbers_of_their_own
    an_opening_sees_those_before_it_and_goes_the_other_way
    an_opening_that_fails_takes_only_itself_back
    an_opening_is_stored_also_when_its_caller_hangs_up
}

/// What became of a request.
#[derive(Debug, PartialEq, Eq)]
enum Became {
    /// The opening was all of it.
    Opened(i64),
    /// It was decided by the closure, which stored it.
    Decided(i64),
    /// It was decided by the closure, which found that there is nothing to store.
    Nothing,
}

/// Requests that are sent at once.
struct Requests {
    sending: Vec<JoinHandle<Result<Became, StoreError>>>,
    /// How often a closure ran.
    decided: Arc<AtomicU32>,
}

impl Requests {
    /// Sends all of them while a write is held, so that on SQLite they wait for the same commit.
    async fn send(db: &Db, requests: Vec<Incoming>) -> Requests {
        let held = hold(&db.store, "held");
        timeout(PATIENCE, held.started).await.expect("in time").expect("starts");
        let decided = Arc::new(AtomicU32::new(0));
        let mut sending = Vec::new();
        for incoming in requests {
            let (store, decided) = (db.store.clone(), Arc::clone(&decided));
            let (queueing, queued) = tokio::sync::oneshot::channel();
            sending.push(tokio::spawn(async move {
                let opening = intake::new_lead(&incoming, &LIMITS);
                let write = store.write_opening(opening, Became::Opened, move |tx| {
                    Box::pin(async move {
                        decided.fetch_add(1, Ordering::SeqCst);
                        let stored = intake::insert_new(tx, &incoming, &LIMITS).await?;
                        Ok(stored.map_or(Became::Nothing, |lead| Became::Decided(lead.0)))
                    })
                });
                let mut write = std::pin::pin!(write);
                // The first poll puts it in the queue.
                assert!(futures::poll!(&mut write).is_pending());
                let _ = queueing.send(());
                write.await
            }));
            timeout(PATIENCE, queued).await.expect("in time").expect("is queued");
        }
        held.go_on.send(()).expect("is held");
        held.write.await.expect("ends").expect("writes");
        Requests { sending, decided }
    }

    async fn outcomes(self) -> (Vec<Result<Became, StoreError>>, u32) {
        let mut outcomes = Vec::new();
        for sending in self.sending {
            outcomes.push(sending.await.expect("ends"));
        }
        (outcomes, self.decided.load(Ordering::SeqCst))
    }
}

async fn stored(db: &Db) -> Vec<String> {
    let ids = db.texts("SELECT CAST(id AS TEXT) || ' ' || request_id FROM leads ORDER BY id").await;
    ids.into_iter().flatten().collect()
}

async fn openings_that_wait_together_are_all_stored_under_numbers_of_their_own(db: Db) {
    // More than one text takes, and no power of two.
    let requests: Vec<_> = (1..=27).map(|n| incoming(n, 0)).collect();
    let ids: Vec<_> = requests.iter().map(|incoming| incoming.request.request_id.clone()).collect();
    let (outcomes, decided) = Requests::send(&db, requests).await.outcomes().await;
    let mut told: Vec<String> = Vec::new();
    for (outcome, id) in outcomes.into_iter().zip(&ids) {
        match outcome {
            Ok(Became::Opened(number)) => told.push(format!("{number} {id}")),
            other => panic!("{other:?}"),
        }
    }
    told.sort_by_key(|line| line.split(' ').next().and_then(|number| number.parse::<i64>().ok()));
    assert_eq!(stored(&db).await, told, "each was told its own number");
    assert_eq!(decided, 0, "nothing was left to decide");
}

async fn an_opening_sees_those_before_it_and_goes_the_other_way(db: Db) {
    let mut same_person = incoming(2, 0);
    same_person.request.telegram = incoming(1, 0).request.telegram;
    let requests = vec![incoming(1, 0), incoming(1, 0), same_person, incoming(3, 0)];
    let (outcomes, decided) = Requests::send(&db, requests).await.outcomes().await;
    let outcomes: Vec<_> = outcomes.into_iter().map(|outcome| outcome.expect("writes")).collect();
    assert_eq!(stored(&db).await.len(), 2, "{outcomes:?}");
    assert_eq!(decided, 2, "{outcomes:?}");
    let opened = outcomes.iter().filter(|became| matches!(became, Became::Opened(_))).count();
    let nothing = outcomes.iter().filter(|became| **became == Became::Nothing).count();
    assert_eq!((opened, nothing), (2, 2), "{outcomes:?}");
}

async fn an_opening_that_fails_takes_only_itself_back(db: Db) {
    db.raw("ALTER TABLE leads ADD COLUMN always INTEGER NOT NULL DEFAULT 1 CHECK (name <> 'Refused')").await;
    let mut requests: Vec<_> = (1..=4).map(|n| incoming(n, 0)).collect();
    requests[2].request.name.0 = "Refused".to_owned();
    let (outcomes, decided) = Requests::send(&db, requests).await.outcomes().await;
    assert_eq!(stored(&db).await.len(), 3, "{outcomes:?}");
    for (at, outcome) in outcomes.iter().enumerate() {
        match outcome {
            Ok(Became::Nothing) => panic!("{at}"),
            Ok(_) => assert_ne!(at, 2),
            Err(StoreError::Database(_)) => assert_eq!(at, 2),
            Err(error) => panic!("{at}: {error}"),
        }
    }
    // Run together they fail together, and then each is decided alone.
    assert_eq!(decided, if db.store.engine() == Engine::Sqlite { 4 } else { 0 });
}

async fn an_opening_is_stored_also_when_its_caller_hangs_up(db: Db) {
    let mut changes = db.store.changes();
    let requests = Requests::send(&db, vec![incoming(1, 0)]).await;
    for sending in &requests.sending {
        sending.abort();
    }
    while stored(&db).await.is_empty() {
        timeout(PATIENCE, changes.changed()).await.expect("it is committed");
    }
}
