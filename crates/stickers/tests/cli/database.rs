//! The database of a command: migrated after a copy, copied by hand, and told as it is when it cannot be used.

use crate::{Place, beside, err, is_bad_input, out};
use serde_json::Value;
use std::path::Path;

/// A database of the program before its newest migration.
fn older_database(place: &Place) -> std::path::PathBuf {
    let file = place.path().join("data/app.db");
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(async {
        let url = format!("sqlite://{}", file.display());
        let store = store::Store::open(store::StoreOptions::new(url)).await.expect("opens");
        store.migrate_up_to(6).await.expect("migrates");
        store.close().await;
    });
    file
}

#[test]
fn row_002_copies_1_a_database_is_copied_and_its_migration_rehearsed_before_it_is_migrated_and_the_copy_comes_back()
 {
    let place = Place::new();
    let file = older_database(&place);
    let migrated = place.run(&["migrate"], &[("LOG_FORMAT", "text")]);
    assert!(migrated.status.success(), "{}", err(&migrated));
    let copies = beside(&file, ".bak-");
    assert_eq!(copies.len(), 1, "{copies:?}");
    let line = format!("бэкап до миграции: {}", copies[0].display());
    assert!(err(&migrated).contains("Миграция БД") && err(&migrated).contains(&line), "{}", err(&migrated));
    assert_eq!(beside(&file, "rehearsal"), Vec::<std::path::PathBuf>::new());

    // A new database is worth no copy, and one that is up to date neither.
    assert!(place.run(&["migrate"], &[]).status.success());
    assert_eq!(beside(&file, ".bak-").len(), 1);

    // The copy is of the older program; restored, it is migrated.
    let restored = place.run(&["restore", &copies[0].display().to_string()], &[]);
    assert!(restored.status.success() && out(&restored).contains("integrity=ok"), "{}", err(&restored));
    assert!(place.run(&["migrate", "--check"], &[]).status.success());
}

#[test]
fn rows_002_backup_a_copy_is_for_its_owner_only_and_without_a_database_there_is_none() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| path.metadata().expect("is there").permissions().mode() & 0o777;
    let place = Place::new();
    let none = place.run(&["backup"], &[]);
    assert!(
        none.status.success() && out(&none).contains(" UTC SKIP нет БД "),
        "{}{}",
        out(&none),
        err(&none)
    );
    assert!(place.run(&["migrate"], &[]).status.success());
    let made = place.run(&["backup"], &[]);
    assert!(made.status.success() && out(&made).contains("integrity=ok jobs=0 users=0"), "{}", err(&made));
    let folder = place.path().join("data/backups");
    assert_eq!(mode(&folder), 0o700);
    let files = beside(&folder.join("x"), "app-");
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(mode(&files[0]), 0o600);
    is_bad_input(&place.run(&["restore", "nowhere.db.gz"], &[]), &["nowhere.db.gz"]);
    let away = place.run(&["backup"], &[("DATABASE_URL", "postgres://kiosk:secret@127.0.0.1:1/app")]);
    assert_eq!(away.status.code(), Some(1));
    assert!(out(&away).contains("FAIL pg_dump вернул ошибку"), "{}", out(&away));
    assert!(err(&away).contains("server") && !err(&away).contains("secret"), "{}", err(&away));
}

#[test]
fn migrate_says_what_is_missing_applies_it_once_and_then_nothing() {
    let place = Place::new();
    let check = place.run(&["migrate", "--check"], &[]);
    assert_eq!(check.status.code(), Some(1), "{}", err(&check));
    assert!(out(&check).contains("pending 0001_"), "{}", out(&check));
    let first = place.run(&["migrate"], &[]);
    assert!(first.status.success() && out(&first).contains("applied 0001_"), "{}", err(&first));
    let second = place.run(&["migrate", "--json"], &[]);
    let json: Value = serde_json::from_slice(&second.stdout).expect("JSON");
    assert_eq!(json["applied"], Value::Array(Vec::new()));
    assert!(place.run(&["migrate", "--check"], &[]).status.success());
}

#[test]
fn a_database_that_cannot_be_used_is_a_failure_and_not_bad_input() {
    let place = Place::new();
    std::fs::write(place.path().join("file"), "").expect("a file");
    let output = place.run(&["migrate"], &[("DATA_DIR", "file/below")]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert_eq!(err(&output).lines().count(), 1, "{}", err(&output));
}

#[test]
fn an_address_that_means_nothing_is_bad_input_and_a_server_that_is_not_there_is_told_as_such() {
    let place = Place::new();
    let malformed = place.run(&["migrate"], &[("DATABASE_URL", "postgres://kiosk:secret@db:notaport/app")]);
    is_bad_input(&malformed, &["DATABASE_URL", "PostgreSQL", "port"]);
    assert!(!err(&malformed).contains("secret"), "{}", err(&malformed));

    // A port that was free a moment ago: nobody listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|socket| socket.local_addr())
        .expect("a port")
        .port();
    let url = format!("postgres://kiosk:secret@127.0.0.1:{port}/app");
    let nobody = place.run(&["migrate"], &[("DATABASE_URL", &url)]);
    assert_eq!(nobody.status.code(), Some(1));
    let line = err(&nobody);
    assert!(line.contains("Connection refused") && !line.contains("secret"), "{line}");
}
