//! Opening, closing, and a database that goes away for a moment.

use crate::harness::{Db, PATIENCE, at, on_fresh_sqlite};
use crate::stories::new_session;
use std::os::unix::fs::PermissionsExt;
use store::{OpenError, Store, StoreError, StoreOptions, sessions, settings};
use tokio::time::timeout;

on_both_engines! {
    what_was_written_is_there_after_closing_and_opening
    closing_finishes_what_was_accepted
    a_closed_store_says_so
    a_ping_is_answered
}

async fn what_was_written_is_there_after_closing_and_opening(db: Db) {
    db.write(|tx| Box::pin(async { sessions::insert(tx, &new_session("tok")).await })).await;
    db.store.close().await;
    let again = db.another_process().await;
    assert_eq!(again.migrate().await.expect("migrates"), [""; 0], "nothing is left to apply");
    assert!(sessions::find(&mut again.reader(), "tok").await.expect("reads").is_some());
    again.close().await;
}

async fn closing_finishes_what_was_accepted(db: Db) {
    let mut writes: Vec<_> = (0..20)
        .map(|number| {
            let (store, key) = (db.store.clone(), format!("k{number}"));
            Box::pin(async move {
                store
                    .write::<(), StoreError, _>(move |tx| {
                        Box::pin(async move { settings::set(tx, &key, "1", at(0)).await })
                    })
                    .await
            })
        })
        .collect();
    for write in &mut writes {
        // The first poll hands the write over.
        assert!(futures::poll!(write).is_pending());
    }
    timeout(PATIENCE, db.store.close()).await.expect("closes");
    for write in writes {
        write.await.expect("was accepted before");
    }
    let count = db.text("SELECT CAST(COUNT(*) AS TEXT) FROM settings").await;
    assert_eq!(count.as_deref(), Some("20"));
}

async fn a_closed_store_says_so(db: Db) {
    db.store.close().await;
    let write: Result<(), StoreError> = db.store.write(|_| Box::pin(async { Ok(()) })).await;
    assert!(matches!(write, Err(StoreError::Closed)), "{write:?}");
    let read = sessions::find(&mut db.store.reader(), "tok").await;
    assert!(matches!(read, Err(StoreError::Closed)), "{read:?}");
    timeout(PATIENCE, db.store.close()).await.expect("closing twice is no trouble");
}

async fn a_ping_is_answered(db: Db) {
    db.store.ping().await.expect("answers");
    db.store.close().await;
    db.store.ping().await.expect_err("is closed");
}

#[tokio::test]
async fn the_folder_and_the_file_are_for_their_owner_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("a/data");
    let file = data.join("app.db");
    let store = Store::open(StoreOptions::new(format!("sqlite://{}", file.display()))).await.expect("opens");
    store.migrate().await.expect("migrates");
    let mode = |path: &std::path::Path| path.metadata().expect("is there").permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for name in ["app.db", "app.db-wal", "app.db-shm"] {
        assert_eq!(mode(&data.join(name)), 0o600, "{name}");
    }
    store.close().await;
}

#[tokio::test]
async fn a_file_that_is_no_database_and_a_folder_that_cannot_be_made_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "not a database, but long enough to be taken for a header").expect("writes");
    let open = async |path: std::path::PathBuf| {
        Store::open(StoreOptions::new(format!("sqlite://{}", path.display()))).await
    };
    assert!(matches!(open(file.clone()).await, Err(OpenError::Database(_))));
    let below_a_file = open(file.join("data/app.db")).await.expect_err("a file is no folder");
    assert!(matches!(&below_a_file, OpenError::Create { .. }), "{below_a_file:?}");
    assert!(matches!(Store::open(StoreOptions::new("mysql://x/y")).await, Err(OpenError::Url)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_runs_with_the_settings_that_keep_what_was_accepted() {
    on_fresh_sqlite(|db| async move {
        db.store.migrate().await.expect("migrates");
        assert_eq!(db.text("PRAGMA journal_mode").await.as_deref(), Some("wal"));
        db.write(|tx| Box::pin(async { sessions::insert(tx, &new_session("tok")).await })).await;
        assert!(db.store.wal_bytes() > 0, "a write waits in the WAL file");
        db.store.checkpoint_truncate().await.expect("nobody reads");
        assert_eq!(db.store.wal_bytes(), 0);
        db.store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_another_process_holds_the_lock_every_waiting_write_is_told_that_it_is_busy() {
    on_fresh_sqlite(|db| async move {
        db.store.migrate().await.expect("migrates");
        let lock = db.lock().await;
        let mut writes: Vec<_> = (0..20)
            .map(|number| {
                let (store, key) = (db.store.clone(), format!("k{number}"));
                Box::pin(async move {
                    store
                        .write::<(), StoreError, _>(move |tx| {
                            Box::pin(async move { settings::set(tx, &key, "1", at(0)).await })
                        })
                        .await
                })
            })
            .collect();
        for write in &mut writes {
            assert!(futures::poll!(write).is_pending());
        }
        // The engine waits five seconds for the lock: once for all of them, and not one after the other.
        let told = timeout(PATIENCE, futures::future::join_all(writes)).await.expect("in time");
        assert!(told.iter().all(|told| matches!(told, Err(StoreError::Busy))), "{told:?}");
        lock.release().await;
        let after: Result<(), StoreError> =
            db.store.write(|tx| Box::pin(settings::set(tx, "key", "1", at(0)))).await;
        after.expect("the lock is free");
    })
    .await;
}
