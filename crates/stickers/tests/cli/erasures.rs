//! Erasures and the copies: who was deleted since a copy was made does not come back with it, as the journal beside the copies says; and what it
//! means when that cannot be written or read.

use crate::ops::{LOLA, with_a_guest};
use crate::{Place, beside, err, out};
use std::path::PathBuf;

/// A guest, and a copy that knows them.
fn with_a_copy(place: &Place) -> PathBuf {
    with_a_guest(place);
    let made = place.run(&["backup"], &[]);
    assert!(made.status.success() && out(&made).contains("users=1"), "{}{}", out(&made), err(&made));
    beside(&place.path().join("data/backups/x"), "app-").remove(0)
}

fn guests(place: &Place) -> String {
    out(&place.run(&["sql", "SELECT COUNT(*) AS n FROM users"], &[]))
}

#[test]
fn who_was_deleted_after_a_copy_was_made_is_deleted_again_when_it_comes_back() {
    let place = Place::new();
    let copy = with_a_copy(&place);
    let gone = place.run(&["reset-user", &LOLA.to_string(), "--yes"], &[]);
    assert!(gone.status.success(), "{}", err(&gone));
    let restored = place.run(&["restore", &copy.display().to_string()], &[]);
    assert!(restored.status.success(), "{}", err(&restored));
    assert!(out(&restored).contains("erased again: 1 guests, 0 leads"), "{}", out(&restored));
    assert_eq!(guests(&place), "n\n0\n");
    let journal =
        std::fs::read_to_string(place.path().join("data/backups/erasures.jsonl")).expect("is there");
    assert!(!journal.contains(&LOLA.to_string()), "it names nobody: {journal}");
}

#[test]
fn a_journal_that_cannot_be_written_holds_no_deletion_up_and_a_copy_brings_the_guest_back_as_operators_were_told()
 {
    let place = Place::new();
    let copy = with_a_copy(&place);
    // A file stands where the folder of the copies belongs.
    std::fs::write(place.path().join("taken"), "x").expect("a file");
    let env = [("BACKUP_DIR", "taken"), ("ADMIN_USER_IDS", "7")];
    let gone = place.run(&["reset-user", &LOLA.to_string(), "--yes"], &env);
    assert!(gone.status.success(), "{}{}", out(&gone), err(&gone));
    assert!(err(&gone).contains("the journal of erasures cannot be written"), "{}", err(&gone));
    assert_eq!(guests(&place), "n\n0\n");
    let alerts = "SELECT COUNT(*) AS n FROM outbox WHERE kind = 'erasure_journal' AND chat_id = 7 AND body LIKE '%BACKUP_DIR%'";
    assert_eq!(out(&place.run(&["sql", alerts], &[])), "n\n1\n");
    let restored = place.run(&["restore", &copy.display().to_string()], &[]);
    assert!(out(&restored).contains("erased again: 0 guests"), "{}{}", out(&restored), err(&restored));
    assert_eq!(guests(&place), "n\n1\n");
}

#[test]
fn a_journal_that_cannot_be_read_stops_a_restore_before_anything_is_changed() {
    let place = Place::new();
    let copy = with_a_copy(&place);
    std::fs::create_dir(place.path().join("data/backups/erasures.jsonl")).expect("a folder in its place");
    let database = place.path().join("data/app.db");
    let before = std::fs::read(&database).expect("reads");
    let refused = place.run(&["restore", &copy.display().to_string()], &[]);
    assert_eq!(refused.status.code(), Some(1), "{}", out(&refused));
    assert!(err(&refused).contains("erasures.jsonl cannot be read"), "{}", err(&refused));
    assert_eq!(err(&refused).lines().filter(|line| line.starts_with("stickers: ")).count(), 1);
    assert_eq!(std::fs::read(&database).expect("reads"), before);
    assert!(beside(&database, ".bak-").is_empty() && beside(&database, "restor").is_empty());
}
