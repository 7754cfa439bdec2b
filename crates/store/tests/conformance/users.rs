//! Guests: what Telegram shows may change, consent and pack stay.

use crate::harness::{Db, at};
use crate::stories::{MADINA, TIMUR, guest, must};
use domain::Language;
use domain::guest::Personal;
use domain::session::SessionStatus;
use store::users::{self, User};
use store::{Change, StoreError};

on_both_engines! {
    a_guest_is_stored_as_telegram_shows_them
    consent_and_pack_stay_when_a_guest_comes_again
    an_unknown_guest_cannot_consent_or_get_a_pack
    a_stranger_is_not_stored_by_a_refresh_and_a_guest_is_shown_as_they_are_now
    only_a_guest_who_has_nothing_here_is_forgotten_as_a_stranger
    names_in_any_script_come_back_as_they_were
    guests_are_counted_from_a_time_on
}

async fn find(db: &Db, id: domain::guest::TelegramId) -> Option<User> {
    users::find(&mut db.store.reader(), id).await.expect("reads")
}

async fn a_guest_is_stored_as_telegram_shows_them(db: Db) {
    assert_eq!(find(&db, MADINA).await, None);
    db.meet(MADINA).await;
    let expected = User {
        guest: guest(MADINA),
        consented_at: None,
        consent_version: None,
        pack_name: None,
        pack_link: None,
        created_at: at(0),
    };
    assert_eq!(find(&db, MADINA).await, Some(expected));
}

async fn consent_and_pack_stay_when_a_guest_comes_again(db: Db) {
    db.meet(MADINA).await;
    db.write(|tx| {
        Box::pin(async {
            must(users::record_consent(tx, MADINA, 3, at(1)).await?);
            must(users::set_pack(tx, MADINA, "s1_x_by_bot", "https://t.me/addstickers/s1_x_by_bot").await?);
            let mut renamed = guest(MADINA);
            renamed.first_name = Personal("Madinakhon".to_owned());
            renamed.last_name = Some(Personal("K.".to_owned()));
            renamed.username = None;
            renamed.language = Language::En;
            users::upsert(tx, &renamed, at(9)).await
        })
    })
    .await;
    let user = find(&db, MADINA).await.expect("is there");
    assert_eq!(user.guest.first_name.0, "Madinakhon");
    assert_eq!(user.guest.last_name.map(|name| name.0).as_deref(), Some("K."));
    assert_eq!((user.guest.username, user.guest.language), (None, Language::En));
    assert_eq!((user.consented_at, user.consent_version), (Some(at(1)), Some(3)));
    assert_eq!(user.pack_name.as_deref(), Some("s1_x_by_bot"));
    assert_eq!(user.pack_link.as_deref(), Some("https://t.me/addstickers/s1_x_by_bot"));
    assert_eq!(user.created_at, at(0), "first seen stays first seen");
}

async fn a_stranger_is_not_stored_by_a_refresh_and_a_guest_is_shown_as_they_are_now(db: Db) {
    let refresh = async |id| {
        let mut shown = guest(id);
        shown.first_name = Personal("Now".to_owned());
        shown.language = Language::En;
        db.write(move |tx| Box::pin(async move { users::refresh(tx, &shown).await })).await
    };
    assert_eq!(refresh(MADINA).await, Change::Stale);
    assert_eq!(find(&db, MADINA).await, None);
    db.meet(MADINA).await;
    assert_eq!(refresh(MADINA).await, Change::Changed);
    let user = find(&db, MADINA).await.expect("is there");
    assert_eq!((user.guest.first_name.0.as_str(), user.guest.language), ("Now", Language::En));
    assert_eq!((user.guest.username, user.created_at), (guest(MADINA).username, at(0)));
}

async fn only_a_guest_who_has_nothing_here_is_forgotten_as_a_stranger(db: Db) {
    let forget = async |id| db.write(move |tx| Box::pin(users::forget_stranger(tx, id))).await;
    db.session_of(TIMUR, "his", SessionStatus::Linked).await;
    assert_eq!(forget(TIMUR).await, Change::Stale, "he has a session");
    db.meet(MADINA).await;
    db.write(|tx| Box::pin(async { users::record_consent(tx, MADINA, 1, at(1)).await.map(must) })).await;
    assert_eq!(forget(MADINA).await, Change::Stale, "she agreed once");
    db.raw("UPDATE users SET consented_at = NULL, consent_version = NULL WHERE telegram_user_id = 41").await;
    assert_eq!(forget(MADINA).await, Change::Changed);
    assert_eq!(forget(MADINA).await, Change::Stale, "she is gone");
    assert!(find(&db, TIMUR).await.is_some());
}

async fn an_unknown_guest_cannot_consent_or_get_a_pack(db: Db) {
    let changes = db
        .write(|tx| {
            Box::pin(async {
                let locked = tx.lock_guest(TIMUR).await?;
                let consent = users::record_consent(tx, TIMUR, 1, at(1)).await?;
                Ok([locked, consent, users::set_pack(tx, TIMUR, "p", "l").await?])
            })
        })
        .await;
    assert_eq!(changes, [Change::Stale; 3]);
}

async fn names_in_any_script_come_back_as_they_were(db: Db) {
    for (id, name) in
        (100..).zip(["Мадина", "O‘g‘iloy", "李雷", "👩‍🎤", "'; DROP TABLE users; --", "$1", "{from}"])
    {
        let id = domain::guest::TelegramId(id);
        let mut somebody = guest(id);
        somebody.first_name = Personal(name.to_owned());
        let stored = somebody.clone();
        db.write(move |tx| Box::pin(async move { users::upsert(tx, &stored, at(0)).await })).await;
        assert_eq!(find(&db, id).await.expect("is there").guest, somebody);
    }
}

async fn guests_are_counted_from_a_time_on(db: Db) {
    db.meet(MADINA).await;
    db.write(|tx| Box::pin(async { users::upsert(tx, &guest(TIMUR), at(5)).await })).await;
    let count = async |second| users::count_since(&mut db.store.reader(), at(second)).await.expect("reads");
    assert_eq!((count(0).await, count(5).await, count(6).await), (2, 1, 0));
    let bad: Result<(), StoreError> = db
        .store
        .write(|tx| {
            Box::pin(async {
                users::upsert(tx, &guest(TIMUR), at(7)).await?;
                Err(StoreError::Busy)
            })
        })
        .await;
    assert!(bad.is_err());
    assert_eq!(count(0).await, 2);
}
