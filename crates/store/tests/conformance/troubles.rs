//! What the store says of a database that cannot be written, and that it takes it back.

use crate::harness::{Db, at, on_postgres, on_sqlite};
use store::{StoreError, Trouble, settings};

/// Writes a value that does not fit into a small database.
async fn writes(db: &Db) -> Result<(), StoreError> {
    let value = "x".repeat(200_000);
    db.store.write(move |tx| Box::pin(async move { settings::set(tx, "key", &value, at(0)).await })).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_told_until_there_is_room_again() {
    on_sqlite(|db| async move {
        db.write(|tx| Box::pin(tx.script("PRAGMA max_page_count = 1"))).await;
        let refused = writes(&db).await.expect_err("full");
        assert_eq!(Trouble::of(&refused), Some(Trouble::Full), "{refused:?}");
        assert_eq!(db.store.trouble(), Some(Trouble::Full));
        db.write(|tx| Box::pin(tx.script("PRAGMA max_page_count = 1000000"))).await;
        writes(&db).await.expect("there is room");
        assert_eq!(db.store.trouble(), None);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_takes_no_writes_is_told_on_postgresql_too() {
    on_postgres(|db| async move {
        let refused: Result<(), StoreError> = db
            .store
            .write(|tx| {
                Box::pin(async move {
                    tx.script("SET TRANSACTION READ ONLY").await?;
                    settings::set(tx, "key", "1", at(0)).await
                })
            })
            .await;
        let refused = refused.expect_err("read-only");
        assert_eq!(Trouble::of(&refused), Some(Trouble::NoAccess), "{refused:?}");
        assert_eq!(db.store.trouble(), Some(Trouble::NoAccess));
        writes(&db).await.expect("an ordinary write");
        assert_eq!(db.store.trouble(), None);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lock_that_another_program_holds_is_told_until_it_is_gone() {
    on_sqlite(|db| async move {
        let lock = db.lock().await;
        assert!(matches!(writes(&db).await, Err(StoreError::Busy)));
        assert_eq!(db.store.trouble(), Some(Trouble::Locked));
        lock.release().await;
        writes(&db).await.expect("the lock is free");
        assert_eq!(db.store.trouble(), None);
    })
    .await;
}

/// Opened while rights were missing, a connection only reads, and stays so when they are back: it must not be the one that is used then.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_without_rights_is_left_for_one_that_has_them() {
    on_sqlite(|db| async move {
        for _ in 0..2 {
            db.write(|tx| Box::pin(tx.script("PRAGMA query_only = ON"))).await;
            let refused = writes(&db).await.expect_err("it only reads");
            assert_eq!(Trouble::of(&refused), Some(Trouble::NoAccess), "{refused:?}");
            assert_eq!(db.store.trouble(), Some(Trouble::NoAccess));
            writes(&db).await.expect("on another connection");
            assert_eq!(db.store.trouble(), None);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_row_is_no_trouble_of_the_database() {
    on_sqlite(|db| async move {
        let twice: Result<(), StoreError> = db
            .store
            .write(|tx| {
                Box::pin(async move {
                    store::sessions::insert(tx, &crate::stories::new_session("tok")).await?;
                    store::sessions::insert(tx, &crate::stories::new_session("tok")).await
                })
            })
            .await;
        assert!(twice.expect_err("refused").is_unique_violation());
        assert_eq!(db.store.trouble(), None);
    })
    .await;
}
