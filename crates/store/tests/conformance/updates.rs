//! Updates: each is stored once, handled once, and its text is gone afterwards.

use crate::harness::{Db, at};
use crate::stories::{MADINA, must};
use store::updates::{self, NewUpdate};
use store::{Change, StoreError};

on_both_engines! {
    a_batch_that_comes_again_is_stored_once
    a_handled_update_is_handled_once_and_keeps_no_text
    a_failing_update_is_tried_again_and_then_given_up
    old_updates_are_deleted_and_waiting_ones_stay
    an_update_whose_action_failed_still_waits
}

fn batch(ids: &[i64]) -> Vec<NewUpdate> {
    let update =
        |id: &i64| NewUpdate { update_id: *id, from: Some(MADINA), body: format!("{{\"id\":{id}}}") };
    ids.iter().map(update).collect()
}

impl Db {
    async fn receive(&self, ids: &'static [i64], second: i64) -> u64 {
        self.write(move |tx| {
            Box::pin(async move { updates::insert_batch(tx, &batch(ids), at(second)).await })
        })
        .await
    }

    async fn waiting(&self) -> Vec<i64> {
        let pending = updates::pending(&mut self.store.reader(), 10).await.expect("reads");
        pending.into_iter().map(|update| update.update_id).collect()
    }
}

async fn a_batch_that_comes_again_is_stored_once(db: Db) {
    let offset = async || updates::offset(&mut db.store.reader()).await.expect("reads");
    assert_eq!(offset().await, None);
    assert_eq!(db.receive(&[12, 11], 0).await, 2);
    assert_eq!(offset().await, Some(13));
    assert_eq!(db.receive(&[11, 12, 13], 1).await, 1, "two were known");
    assert_eq!(offset().await, Some(14));
    assert_eq!(db.receive(&[], 2).await, 0);
    assert_eq!(offset().await, Some(14), "an empty batch says nothing");
    assert_eq!(db.waiting().await, [11, 12, 13]);
    let two = updates::pending(&mut db.store.reader(), 2).await.expect("reads");
    assert_eq!(two.len(), 2);
    assert_eq!((two[0].body.as_str(), two[0].received_at), ("{\"id\":11}", at(0)));
    assert!(!format!("{two:?}").contains("id\\\""), "the body is personal");
}

async fn a_handled_update_is_handled_once_and_keeps_no_text(db: Db) {
    db.receive(&[1, 2], 0).await;
    let changes = db
        .write(|tx| {
            Box::pin(async {
                let first = updates::handled(tx, 1, at(1)).await?;
                let again = updates::handled(tx, 1, at(2)).await?;
                Ok([first, again, updates::handled(tx, 99, at(2)).await?])
            })
        })
        .await;
    assert_eq!(changes, [Change::Changed, Change::Stale, Change::Stale]);
    assert_eq!(db.waiting().await, [2]);
    assert_eq!(db.text("SELECT body FROM updates WHERE update_id = 1").await.as_deref(), Some(""));
    assert_eq!(db.receive(&[1], 3).await, 0, "known for as long as the row stays");
    assert_eq!(db.waiting().await, [2]);
}

async fn a_failing_update_is_tried_again_and_then_given_up(db: Db) {
    db.receive(&[1], 0).await;
    db.write(|tx| Box::pin(async { updates::retry(tx, 1, "busy").await.map(must) })).await;
    let pending = updates::pending(&mut db.store.reader(), 10).await.expect("reads");
    assert_eq!(pending[0].attempts, 1);
    let changes = db
        .write(|tx| {
            Box::pin(async {
                Ok([
                    updates::failed(tx, 1, "no such button", at(5)).await?,
                    updates::failed(tx, 1, "again", at(6)).await?,
                    updates::retry(tx, 1, "again").await?,
                    updates::handled(tx, 1, at(6)).await?,
                ])
            })
        })
        .await;
    assert_eq!(changes, [Change::Changed, Change::Stale, Change::Stale, Change::Stale]);
    assert_eq!(db.waiting().await, [0; 0]);
    let row = db.text("SELECT state || ' ' || error FROM updates WHERE update_id = 1").await;
    assert_eq!(row.as_deref(), Some("failed no such button"));
}

async fn old_updates_are_deleted_and_waiting_ones_stay(db: Db) {
    db.receive(&[1, 2, 3], 0).await;
    db.write(|tx| {
        Box::pin(async {
            must(updates::handled(tx, 1, at(10)).await?);
            must(updates::failed(tx, 2, "x", at(10)).await?);
            Ok(())
        })
    })
    .await;
    assert_eq!(db.write(|tx| Box::pin(updates::delete_handled_before(tx, at(10), 10))).await, 0);
    assert_eq!(db.write(|tx| Box::pin(updates::delete_handled_before(tx, at(11), 1))).await, 1);
    assert_eq!(db.write(|tx| Box::pin(updates::delete_handled_before(tx, at(11), 10))).await, 1);
    assert_eq!(db.waiting().await, [3]);
}

async fn an_update_whose_action_failed_still_waits(db: Db) {
    db.receive(&[1], 0).await;
    let acted: Result<(), StoreError> = db
        .store
        .write(|tx| {
            Box::pin(async {
                must(updates::handled(tx, 1, at(1)).await?);
                Err(StoreError::Busy)
            })
        })
        .await;
    assert!(acted.is_err());
    assert_eq!(db.waiting().await, [1]);
}
