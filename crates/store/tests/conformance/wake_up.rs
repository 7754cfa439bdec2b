//! The wake-up: after commits of this and of other processes, never missing one, silent when nothing was stored.

use crate::harness::{Db, PATIENCE, at};
use futures::FutureExt;
use store::{Changes, Engine, Store, StoreError, settings};
use tokio::time::timeout;

on_both_engines! {
    an_own_commit_wakes
    a_commit_of_another_process_wakes
    a_commit_before_the_wait_is_not_missed
    a_write_that_was_rolled_back_wakes_nobody
    every_waiter_is_woken
    a_commit_while_the_connection_was_lost_is_not_missed
}

async fn commit(store: &Store, value: &'static str) {
    let written: Result<(), StoreError> =
        store.write(move |tx| Box::pin(settings::set(tx, "key", value, at(0)))).await;
    written.expect("writes");
}

async fn wakes(changes: &mut Changes) {
    timeout(PATIENCE, changes.changed()).await.expect("wakes in time");
}

/// Waits until the value is seen, and looks only when woken: without a wake-up it never looks.
async fn sees(store: &Store, changes: &mut Changes, value: &str) {
    loop {
        wakes(changes).await;
        if settings::get(&mut store.reader(), "key").await.expect("reads").as_deref() == Some(value) {
            return;
        }
    }
}

async fn an_own_commit_wakes(db: Db) {
    let mut changes = db.store.changes();
    assert!(changes.changed().now_or_never().is_none(), "nothing happened yet");
    commit(&db.store, "1").await;
    wakes(&mut changes).await;
}

async fn a_commit_of_another_process_wakes(db: Db) {
    let other = db.another_process().await;
    let mut changes = db.store.changes();
    for value in ["1", "2", "3"] {
        commit(&other, value).await;
        sees(&db.store, &mut changes, value).await;
    }
    // And the other way round.
    let mut changes = other.changes();
    commit(&db.store, "4").await;
    sees(&other, &mut changes, "4").await;
    other.close().await;
}

async fn a_commit_before_the_wait_is_not_missed(db: Db) {
    let mut changes = db.store.changes();
    commit(&db.store, "1").await;
    commit(&db.store, "2").await;
    assert!(changes.changed().now_or_never().is_some(), "both are one wake-up, and it is there already");
    assert!(changes.changed().now_or_never().is_none());
    commit(&db.store, "3").await;
    assert!(changes.changed().now_or_never().is_some());
}

async fn a_write_that_was_rolled_back_wakes_nobody(db: Db) {
    let mut changes = db.store.changes();
    let refused: Result<(), StoreError> = db
        .store
        .write(|tx| {
            Box::pin(async {
                settings::set(tx, "key", "1", at(0)).await?;
                Err(StoreError::Busy)
            })
        })
        .await;
    assert!(refused.is_err());
    assert!(changes.changed().now_or_never().is_none());
}

async fn every_waiter_is_woken(db: Db) {
    let waiters: Vec<_> = (0..20)
        .map(|_| {
            let mut changes = db.store.changes();
            tokio::spawn(async move { wakes(&mut changes).await })
        })
        .collect();
    commit(&db.store, "1").await;
    for waiter in waiters {
        waiter.await.expect("is woken");
    }
}

async fn a_commit_while_the_connection_was_lost_is_not_missed(db: Db) {
    if db.store.engine() == Engine::Sqlite {
        // A file has no connection to lose; what counts is that a later reader of the change counter still sees the commit.
        let mut changes = db.store.changes();
        db.raw("INSERT INTO settings (key, value, updated_at) VALUES ('key', '1', 0)").await;
        sees(&db.store, &mut changes, "1").await;
        return;
    }
    let other = db.another_process().await;
    let mut changes = db.store.changes();
    db.raw(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    .await;
    commit(&other, "1").await;
    sees(&db.store, &mut changes, "1").await;
    commit(&other, "2").await;
    sees(&db.store, &mut changes, "2").await;
    commit(&db.store, "3").await;
    other.close().await;
}
