//! How writes run: together on SQLite, each for itself on PostgreSQL, and in both a failing one takes only itself back.

use crate::harness::{Db, PATIENCE, at};
use crate::stories::{MADINA, guest, new_session};
use domain::guest::{Personal, TelegramId};
use std::time::Duration;
use store::{Change, Engine, Store, StoreError, Tx, sessions, settings, users};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

on_both_engines! {
    sixty_four_writers_are_all_stored
    a_write_that_fails_takes_only_itself_back
    a_write_that_takes_too_long_is_rolled_back
    a_write_goes_on_when_its_caller_hangs_up
    a_full_queue_says_busy
    an_error_of_the_callers_own_kind_comes_back
    a_write_sees_itself_and_readers_do_not
    a_write_that_goes_on_after_a_failed_statement_stores_nothing
    what_is_refused_by_the_engine_is_printed_without_the_row
}

async fn is_there(store: &Store, token: &str) -> bool {
    sessions::find(&mut store.reader(), token).await.expect("reads").is_some()
}

/// A write that begins, says so, and waits to be let on; it inserts a session.
pub struct Held {
    pub started: oneshot::Receiver<()>,
    pub go_on: oneshot::Sender<()>,
    pub write: JoinHandle<Result<(), StoreError>>,
}

pub fn hold(store: &Store, token: &'static str) -> Held {
    let (starting, started) = oneshot::channel();
    let (go_on, may_go_on) = oneshot::channel();
    let store = store.clone();
    let write = tokio::spawn(async move {
        store
            .write(move |tx| {
                Box::pin(async move {
                    let _ = starting.send(());
                    may_go_on.await.expect("is let on");
                    sessions::insert(tx, &new_session(token)).await
                })
            })
            .await
    });
    Held { started, go_on, write }
}

fn spawn_set(store: &Store, key: String) -> JoinHandle<Result<(), StoreError>> {
    let store = store.clone();
    tokio::spawn(async move {
        store.write(move |tx| Box::pin(async move { settings::set(tx, &key, "1", at(0)).await })).await
    })
}

async fn sixty_four_writers_are_all_stored(db: Db) {
    let writes: Vec<_> = (0..64).map(|number| spawn_set(&db.store, format!("k{number}"))).collect();
    for write in writes {
        write.await.expect("ends").expect("writes");
    }
    let count = db.text("SELECT CAST(COUNT(*) AS TEXT) FROM settings").await;
    assert_eq!(count.as_deref(), Some("64"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_writes_share_a_commit_on_sqlite() {
    crate::harness::on_sqlite(share_a_commit).await;
}

async fn share_a_commit(db: Db) {
    // While the first is held the second waits behind it. It sees the first as stored, and readers do not yet: both belong
    // to one transaction.
    let held = hold(&db.store, "first");
    timeout(PATIENCE, held.started).await.expect("in time").expect("starts");
    let reader = db.store.reader();
    let (queueing, queued) = oneshot::channel();
    let second = tokio::spawn({
        let store = db.store.clone();
        async move {
            let write = store.write(move |tx: &mut Tx| {
                Box::pin(async move {
                    let within = sessions::find(tx, "first").await?.is_some();
                    let outside = sessions::find(&mut reader.clone(), "first").await?.is_some();
                    Ok::<_, StoreError>((within, outside))
                })
            });
            let mut write = std::pin::pin!(write);
            // The first poll puts it in the queue.
            assert!(futures::poll!(&mut write).is_pending());
            let _ = queueing.send(());
            write.await
        }
    });
    timeout(PATIENCE, queued).await.expect("in time").expect("is queued");
    held.go_on.send(()).expect("is held");
    held.write.await.expect("ends").expect("writes");
    let (within, outside) = second.await.expect("ends").expect("reads");
    assert_eq!((within, outside), (true, false), "one transaction");
}

async fn a_write_that_fails_takes_only_itself_back(db: Db) {
    // Held back, so that on SQLite all that follow are in one transaction.
    let held = hold(&db.store, "first");
    timeout(PATIENCE, held.started).await.expect("in time").expect("starts");
    let good = spawn_set(&db.store, "good".to_owned());
    let insert = |key: &'static str, then: fn() -> Result<(), StoreError>| {
        let store = db.store.clone();
        tokio::spawn(async move {
            store
                .write(move |tx: &mut Tx| {
                    Box::pin(async move {
                        settings::set(tx, key, "1", at(0)).await?;
                        then()
                    })
                })
                .await
        })
    };
    let refused = insert("refused", || Err(StoreError::Busy));
    let panicked = insert("panicked", || panic!("on purpose"));
    let twice = tokio::spawn({
        let store = db.store.clone();
        async move {
            store
                .write(|tx: &mut Tx| {
                    Box::pin(async move {
                        settings::set(tx, "twice", "1", at(0)).await?;
                        sessions::insert(tx, &new_session("twice")).await?;
                        sessions::insert(tx, &new_session("twice")).await
                    })
                })
                .await
        }
    });
    let also_good = spawn_set(&db.store, "also good".to_owned());
    held.go_on.send(()).expect("is held");
    held.write.await.expect("ends").expect("writes");
    good.await.expect("ends").expect("writes");
    also_good.await.expect("ends").expect("writes");
    assert!(matches!(refused.await.expect("ends"), Err(StoreError::Busy)));
    assert!(matches!(panicked.await.expect("ends"), Err(StoreError::Panicked)));
    assert!(twice.await.expect("ends").expect_err("used once").is_unique_violation());
    let keys = db.texts("SELECT key FROM settings ORDER BY key").await;
    assert_eq!(keys, [Some("also good".to_owned()), Some("good".to_owned())]);
    assert!(is_there(&db.store, "first").await);
    assert!(!is_there(&db.store, "twice").await);
}

async fn a_write_that_takes_too_long_is_rolled_back(db: Db) {
    let hasty = db.with_limits(|options| options.write_limit = Duration::from_secs(2)).await;
    let never: Result<(), StoreError> = hasty
        .write(|tx| {
            Box::pin(async move {
                sessions::insert(tx, &new_session("slow")).await?;
                std::future::pending().await
            })
        })
        .await;
    assert!(matches!(never, Err(StoreError::TimedOut)), "{never:?}");
    assert!(!is_there(&hasty, "slow").await);
    spawn_set(&hasty, "next".to_owned()).await.expect("ends").expect("the next one is served");
    hasty.close().await;
}

async fn a_write_goes_on_when_its_caller_hangs_up(db: Db) {
    let mut changes = db.store.changes();
    let held = hold(&db.store, "tok");
    timeout(PATIENCE, held.started).await.expect("in time").expect("starts");
    held.write.abort();
    assert!(held.write.await.expect_err("hung up").is_cancelled());
    assert!(!is_there(&db.store, "tok").await);
    held.go_on.send(()).expect("the write still waits");
    timeout(PATIENCE, changes.changed()).await.expect("it is committed");
    assert!(is_there(&db.store, "tok").await);
}

async fn a_full_queue_says_busy(db: Db) {
    let narrow = db
        .with_limits(|options| {
            options.write_queue = 1;
            options.queue_wait = Duration::from_millis(500);
        })
        .await;
    let held = hold(&narrow, "first");
    timeout(PATIENCE, held.started).await.expect("in time").expect("starts");
    let set = |key: &'static str| {
        let store = narrow.clone();
        Box::pin(async move {
            let written: Result<(), StoreError> =
                store.write(move |tx| Box::pin(settings::set(tx, key, "1", at(0)))).await;
            written
        })
    };
    // On SQLite the held one has left the queue, so one more can wait in it.
    let mut waiting = set("waiting");
    if narrow.engine() == Engine::Sqlite {
        assert!(futures::poll!(&mut waiting).is_pending());
    }
    for key in ["a", "b"] {
        let told = timeout(PATIENCE, set(key)).await.expect("does not wait for the held one");
        assert!(matches!(told, Err(StoreError::Busy)), "{told:?}");
    }
    held.go_on.send(()).expect("is held");
    held.write.await.expect("ends").expect("writes");
    waiting.await.expect("its turn came");
    narrow.close().await;
}

#[derive(Debug)]
enum Refusal {
    TooLate(TelegramId),
    Store(StoreError),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Refusal::Store(error)
    }
}

async fn an_error_of_the_callers_own_kind_comes_back(db: Db) {
    let refused: Result<Change, Refusal> = db
        .store
        .write(|tx| {
            Box::pin(async move {
                sessions::insert(tx, &new_session("tok")).await?;
                Err(Refusal::TooLate(TelegramId(7)))
            })
        })
        .await;
    assert!(matches!(refused, Err(Refusal::TooLate(TelegramId(7)))), "{refused:?}");
    assert!(!is_there(&db.store, "tok").await);
    db.store.close().await;
    let closed: Result<(), Refusal> = db.store.write(|_| Box::pin(async { Ok(()) })).await;
    assert!(matches!(closed, Err(Refusal::Store(StoreError::Closed))), "{closed:?}");
}

async fn a_write_sees_itself_and_readers_do_not(db: Db) {
    let mut reader = db.store.reader();
    db.write(move |tx| {
        Box::pin(async move {
            sessions::insert(tx, &new_session("tok")).await?;
            assert!(sessions::find(tx, "tok").await?.is_some());
            assert!(sessions::find(&mut reader, "tok").await?.is_none());
            Ok(())
        })
    })
    .await;
    assert!(is_there(&db.store, "tok").await);
}

async fn a_write_that_goes_on_after_a_failed_statement_stores_nothing(db: Db) {
    let hidden: Result<(), StoreError> = db
        .store
        .write(|tx| {
            Box::pin(async move {
                settings::set(tx, "key", "1", at(0)).await?;
                sessions::insert(tx, &new_session("tok")).await?;
                // Whoever ignores this may not be told that all is well.
                let _ = sessions::insert(tx, &new_session("tok")).await;
                Ok(())
            })
        })
        .await;
    assert!(hidden.expect_err("one statement failed").is_unique_violation());
    assert!(!is_there(&db.store, "tok").await);
    assert_eq!(settings::get(&mut db.store.reader(), "key").await.expect("reads"), None);
    spawn_set(&db.store, "next".to_owned()).await.expect("ends").expect("the next one is served");
}

async fn what_is_refused_by_the_engine_is_printed_without_the_row(db: Db) {
    db.raw("ALTER TABLE users ADD COLUMN always INTEGER NOT NULL DEFAULT 1 CHECK (created_at < 5)").await;
    let refused: Result<(), StoreError> = db
        .store
        .write(|tx| {
            Box::pin(async move {
                let mut madina = guest(MADINA);
                madina.first_name = Personal("Madina-the-marker".to_owned());
                users::upsert(tx, &madina, at(0)).await
            })
        })
        .await;
    let error = refused.expect_err("breaks the check");
    let printed = format!("{error:?} {error}");
    assert!(printed.to_lowercase().contains("check"), "{printed}");
    assert!(!printed.contains("marker"), "{printed}");
}
