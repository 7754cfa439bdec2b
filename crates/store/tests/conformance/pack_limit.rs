//! `PACK_LIMIT`: "count, then insert" with real concurrent connections.

use crate::harness::Db;
use crate::stories::{MADINA, TIMUR, must, new_job};
use domain::guest::TelegramId;
use domain::session::SessionStatus;
use store::{Store, StoreError, Tx, jobs, sessions};

on_both_engines! {
    of_many_photos_of_one_guest_at_once_one_passes_the_limit
    photos_of_two_guests_do_not_wait_for_each_other
}

const TOKENS: [&str; 8] = ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"];

/// The photo transaction: whether it passed a limit of one.
async fn take_photo(tx: &mut Tx, token: &'static str, guest: TelegramId) -> Result<bool, StoreError> {
    must(tx.lock_guest(guest).await?);
    let counted = jobs::count_against_limit(tx, guest).await?;
    // Gives the others every chance to count too.
    tokio::task::yield_now().await;
    if counted >= 1 {
        return Ok(false);
    }
    must(sessions::take_photo(tx, token, crate::harness::at(9)).await?);
    jobs::insert(tx, &new_job(token, guest, 9)).await?;
    Ok(true)
}

async fn of_many_photos_of_one_guest_at_once_one_passes_the_limit(db: Db) {
    for token in TOKENS {
        db.session_in(token, SessionStatus::TemplateChosen).await;
    }
    // As on several machines: each has connections of its own.
    let mut stores: Vec<Store> = Vec::new();
    for _ in 0..4 {
        stores.push(db.another_process().await);
    }
    let photos = TOKENS.into_iter().zip(stores.iter().cycle().cloned()).map(|(token, store)| {
        tokio::spawn(async move { store.write(move |tx| Box::pin(take_photo(tx, token, MADINA))).await })
    });
    let mut passed = 0;
    for photo in photos.collect::<Vec<_>>() {
        passed += u32::from(photo.await.expect("ends").expect("waits for its turn"));
    }
    assert_eq!(passed, 1);
    assert_eq!(jobs::count_active(&mut db.store.reader()).await.expect("reads"), 1);
    for store in stores {
        store.close().await;
    }
}

async fn photos_of_two_guests_do_not_wait_for_each_other(db: Db) {
    db.session_of(MADINA, "hers", SessionStatus::TemplateChosen).await;
    db.session_of(TIMUR, "his", SessionStatus::TemplateChosen).await;
    let (hers, his) = tokio::join!(
        db.store.write(|tx| Box::pin(take_photo(tx, "hers", MADINA))),
        db.store.write(|tx| Box::pin(take_photo(tx, "his", TIMUR))),
    );
    assert!(hers.expect("writes") && his.expect("writes"));
}
