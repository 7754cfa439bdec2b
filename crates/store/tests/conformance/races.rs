//! Two callers at once: one wins, the other is told, and nothing is done twice. Each caller is a process of its own.

use crate::harness::{Db, at};
use crate::stories::{MADINA, TIMUR, delivery, guest, must, new_job};
use domain::Language;
use domain::job::{JobId, JobStatus};
use domain::session::{ClosedReason, Notice, SessionMove, SessionStatus};
use std::collections::HashSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use store::jobs::{self, Stale};
use store::outbox::{self, NewMessage};
use store::{Change, Store, StoreError, Tx, leases, sessions, updates, users};
use tokio::sync::Barrier;

on_both_engines! {
    two_phones_scan_one_code
    consent_and_the_tablets_reset_at_once
    two_uploads_of_one_session
    eight_workers_never_share_a_job
    the_link_and_the_deadline_at_once
    two_sweeps_claim_one_delay_notice
    two_senders_take_one_message
    one_occasion_is_queued_by_two
    two_processes_want_one_lease
    two_rescuers_find_one_job
    a_guest_is_met_by_two_at_once
    one_update_is_received_by_two
    a_worker_and_the_deadline_at_once
}

/// How often a race is run: each time the engines may order it otherwise.
const ROUNDS: [&str; 6] = ["r0", "r1", "r2", "r3", "r4", "r5"];

type Moved<'t> = Pin<Box<dyn Future<Output = Result<Change, StoreError>> + Send + 't>>;

/// Runs two moves at once, each in a process of its own, and says what each was told.
async fn race(
    stores: &[Store; 2],
    one: impl for<'t> FnOnce(&'t mut Tx) -> Moved<'t> + Send + 'static,
    other: impl for<'t> FnOnce(&'t mut Tx) -> Moved<'t> + Send + 'static,
) -> [Change; 2] {
    let start = Arc::new(Barrier::new(2));
    let (first, second) = (start.clone(), start);
    let [a, b] = stores.clone();
    let one = tokio::spawn(async move {
        first.wait().await;
        a.write(one).await
    });
    let other = tokio::spawn(async move {
        second.wait().await;
        b.write(other).await
    });
    [one.await.expect("ends").expect("writes"), other.await.expect("ends").expect("writes")]
}

/// Says that a closure is a move whatever the lifetime of its transaction, which a closure alone cannot.
fn as_move<F: for<'t> Fn(&'t mut Tx) -> Moved<'t>>(mv: F) -> F {
    mv
}

/// One of the two was told that it changed something.
fn one_won(changes: [Change; 2]) -> usize {
    assert_eq!(changes.iter().filter(|change| change.happened()).count(), 1, "{changes:?}");
    usize::from(changes[1].happened())
}

async fn two(db: &Db) -> [Store; 2] {
    [db.another_process().await, db.another_process().await]
}

async fn two_phones_scan_one_code(db: Db) {
    let stores = two(&db).await;
    db.meet(MADINA).await;
    db.meet(TIMUR).await;
    for token in ROUNDS {
        db.session_in(token, SessionStatus::Idle).await;
        let winner = one_won(
            race(
                &stores,
                move |tx| Box::pin(sessions::link(tx, token, MADINA, Language::Uz, at(5))),
                move |tx| Box::pin(sessions::link(tx, token, TIMUR, Language::En, at(5))),
            )
            .await,
        );
        let session = sessions::find(&mut db.store.reader(), token).await.expect("reads").expect("is there");
        assert_eq!(session.guest(), Some([MADINA, TIMUR][winner]));
        assert_eq!(session.language, [Language::Uz, Language::En][winner]);
    }
}

async fn consent_and_the_tablets_reset_at_once(db: Db) {
    let stores = two(&db).await;
    for token in ROUNDS {
        db.session_in(token, SessionStatus::TemplateChosen).await;
        let winner = one_won(
            race(
                &stores,
                move |tx| Box::pin(sessions::take_photo(tx, token, at(5))),
                move |tx| Box::pin(sessions::expire(tx, token, ClosedReason::StaffReset, at(5))),
            )
            .await,
        );
        let session = sessions::find(&mut db.store.reader(), token).await.expect("reads").expect("is there");
        assert_eq!(session.status(), [SessionStatus::PhotoTaken, SessionStatus::Expired][winner]);
    }
}

async fn two_uploads_of_one_session(db: Db) {
    let stores = two(&db).await;
    for token in ROUNDS {
        db.session_in(token, SessionStatus::TemplateChosen).await;
        let upload = as_move(move |tx| {
            Box::pin(async move {
                let change = sessions::take_photo(tx, token, at(5)).await?;
                if change.happened() {
                    jobs::insert(tx, &new_job(token, MADINA, 5)).await?;
                }
                Ok(change)
            })
        });
        let block = as_move(move |tx| {
            Box::pin(sessions::block(tx, token, Notice::PackReady, SessionMove::BlockInPhoto, at(5)))
        });
        one_won(race(&stores, upload, upload).await);
        let late = db.write(block).await;
        assert_eq!(late, Change::Stale);
        let job = jobs::of_session(&mut db.store.reader(), token).await.expect("reads");
        assert!(job.is_some());
    }
}

async fn eight_workers_never_share_a_job(db: Db) {
    const TOKENS: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    for token in TOKENS {
        db.job_in(token, JobStatus::Queued).await;
    }
    let mut workers = Vec::new();
    for number in 0..8 {
        let store = db.another_process().await;
        workers.push(tokio::spawn(async move {
            let mut mine = Vec::new();
            loop {
                let owner = format!("worker {number}");
                let claimed: Result<_, StoreError> = store
                    .write(move |tx| {
                        Box::pin(async move { jobs::claim_next(tx, &owner, at(200), at(50)).await })
                    })
                    .await;
                match claimed.expect("claims") {
                    Some(job) => mine.push(job.id),
                    None => break,
                }
            }
            store.close().await;
            mine
        }));
    }
    let mut claimed: Vec<JobId> = Vec::new();
    for worker in workers {
        claimed.extend(worker.await.expect("ends"));
    }
    assert_eq!(claimed.len(), TOKENS.len(), "every job is claimed");
    assert_eq!(claimed.iter().collect::<HashSet<_>>().len(), TOKENS.len(), "and by one worker");
}

async fn the_link_and_the_deadline_at_once(db: Db) {
    let stores = two(&db).await;
    for token in ROUNDS {
        let id = db.job_in(token, JobStatus::Delivering).await;
        let winner = one_won(
            race(
                &stores,
                move |tx| Box::pin(jobs::finish(tx, id, at(900))),
                move |tx| Box::pin(jobs::fail_undelivered(tx, id, "late", at(900))),
            )
            .await,
        );
        let job = jobs::find(&mut db.store.reader(), id).await.expect("reads").expect("is there");
        assert_eq!(job.status(), [JobStatus::Done, JobStatus::Failed][winner]);
    }
}

async fn a_worker_and_the_deadline_at_once(db: Db) {
    let stores = two(&db).await;
    for token in ROUNDS {
        let id = db.job_in(token, JobStatus::Processing).await;
        let changes = race(
            &stores,
            move |tx| Box::pin(async move { jobs::start_delivery(tx, id, 1, &delivery(900)).await }),
            move |tx| Box::pin(jobs::fail_undelivered(tx, id, "late", at(900))),
        )
        .await;
        // The deadline holds in any active status, so it always wins in the end; the worker may have been there before.
        assert_eq!(changes[1], Change::Changed);
        let job = jobs::find(&mut db.store.reader(), id).await.expect("reads").expect("is there");
        assert_eq!(job.status(), JobStatus::Failed);
    }
}

async fn two_sweeps_claim_one_delay_notice(db: Db) {
    let stores = two(&db).await;
    for token in ROUNDS {
        let id = db.job_in(token, JobStatus::Queued).await;
        let sweep = as_move(move |tx| Box::pin(jobs::claim_delay_notice(tx, id, at(300))));
        one_won(race(&stores, sweep, sweep).await);
    }
}

fn message(key: &'static str) -> NewMessage {
    NewMessage {
        key: key.to_owned(),
        chat: MADINA,
        kind: "link".to_owned(),
        body: "{}".to_owned(),
        job: None,
        now: at(0),
    }
}

async fn two_senders_take_one_message(db: Db) {
    let stores = two(&db).await;
    for key in ROUNDS {
        db.write(move |tx| Box::pin(async move { outbox::enqueue(tx, &message(key)).await.map(must) })).await;
        let found = outbox::find(&mut db.store.reader(), key).await.expect("reads").expect("is there");
        let id = found.id;
        let send = as_move(move |tx| Box::pin(outbox::begin_send(tx, id, at(1))));
        one_won(race(&stores, send, send).await);
    }
}

async fn one_occasion_is_queued_by_two(db: Db) {
    let stores = two(&db).await;
    for key in ROUNDS {
        let queue = as_move(move |tx| Box::pin(async move { outbox::enqueue(tx, &message(key)).await }));
        one_won(race(&stores, queue, queue).await);
    }
}

async fn two_processes_want_one_lease(db: Db) {
    let stores = two(&db).await;
    for name in ROUNDS {
        let want = |owner: &'static str| {
            as_move(move |tx| {
                Box::pin(async move {
                    let mine = leases::acquire(tx, name, owner, at(10), at(0)).await?;
                    Ok(if mine { Change::Changed } else { Change::Stale })
                })
            })
        };
        let (a, b) = (want("a"), want("b"));
        let winner = one_won(race(&stores, a, b).await);
        let holder = leases::holder(&mut db.store.reader(), name, at(5)).await.expect("reads");
        assert_eq!(holder.as_deref(), Some(["a", "b"][winner]));
    }
}

async fn two_rescuers_find_one_job(db: Db) {
    let stores = two(&db).await;
    db.job_in("tok", JobStatus::Processing).await;
    let rescue = as_move(|tx| {
        Box::pin(async move {
            let ids = jobs::requeue_stale(tx, Stale::All, 5, at(150)).await?;
            Ok(if ids.is_empty() { Change::Stale } else { Change::Changed })
        })
    });
    one_won(race(&stores, rescue, rescue).await);
    let job = jobs::of_session(&mut db.store.reader(), "tok").await.expect("reads").expect("is there");
    assert_eq!(job.attempts, 1, "one attempt was interrupted");
}

async fn a_guest_is_met_by_two_at_once(db: Db) {
    let stores = two(&db).await;
    let meet = |second: i64| {
        as_move(move |tx| {
            Box::pin(async move {
                users::upsert(tx, &guest(MADINA), at(second)).await?;
                users::record_consent(tx, MADINA, 1, at(second)).await
            })
        })
    };
    let (a, b) = (meet(1), meet(2));
    assert_eq!(race(&stores, a, b).await, [Change::Changed; 2]);
    assert_eq!(users::count_since(&mut db.store.reader(), at(0)).await.expect("reads"), 1);
}

async fn one_update_is_received_by_two(db: Db) {
    let stores = two(&db).await;
    let receive = as_move(|tx| {
        Box::pin(async move {
            let update = updates::NewUpdate { update_id: 1, from: None, body: "{}".to_owned() };
            let new = updates::insert_batch(tx, &[update], at(0)).await?;
            Ok(if new == 1 { Change::Changed } else { Change::Stale })
        })
    });
    one_won(race(&stores, receive, receive).await);
}
