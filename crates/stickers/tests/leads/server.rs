//! Copies of a database on a PostgreSQL server, by its own tools, through the built binary: before a migration and a reset, by hand, from
//! Telegram, at the end of an event; and what the audit and the doctor say of them.

use crate::postgres::Database;
use crate::stage::{BOT, Part, Room, Stage};
use domain::guest::{Guest, Personal, TelegramId};
use domain::{Language, Timestamp};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use store::{Store, StoreOptions, users};

const LOLA: i64 = 4_242_424_242;

/// The database of an older program, with a guest in it.
async fn older(url: &str) {
    let store = Store::open(StoreOptions::new(url)).await.expect("opens");
    store.migrate_up_to(1).await.expect("migrates");
    let guest = Guest {
        id: TelegramId(LOLA),
        first_name: Personal("Lola".into()),
        last_name: None,
        username: None,
        language: Language::Ru,
    };
    let written: Result<(), store::StoreError> = store
        .write(move |tx| {
            Box::pin(
                async move { users::upsert(tx, &guest, Timestamp::from_millis(1_795_959_000_000)).await },
            )
        })
        .await;
    written.expect("writes");
    store.close().await;
}

/// Files in the folder of the copies whose names begin so.
fn copies(stage: &Stage, begin: &str) -> Vec<PathBuf> {
    let folder = stage.folder.path().join("backups");
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of the copies")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begin)))
        .collect();
    found.sort();
    found
}

/// Runs a command; its status and all that it printed.
async fn run(stage: &Stage, arguments: &[&str]) -> (Option<i32>, String) {
    let output = stage.run(arguments).await;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.code(), format!("{out}{err}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_copied_wherever_a_file_is() {
    let database = Database::new().await;
    older(&database.url).await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    // The API migrates when it starts.
    let mut stage = Stage::on(folder, database.url.clone(), Room::Group).await;
    let before_migration = copies(&stage, "app.pgdump.bak-");
    assert_eq!(before_migration.len(), 1, "{before_migration:?}");
    let line = format!("бэкап до миграции: {}", before_migration[0].display());
    assert!(stage.logged().contains("outbox.key") && stage.logged().contains(&line), "{}", stage.logged());

    let left = |stamp: &str| format!("{}_before_restore_{stamp}", database.name());
    database.create(&left("20200101-000000")).await;
    database.create(&left("20991231-000000")).await;
    let (status, told) = run(&stage, &["backup"]).await;
    assert_eq!(database.beside().await, [left("20991231-000000")], "the time of the older one is over");
    assert!(status == Some(0) && told.contains(" UTC OK app-") && told.contains(".pgdump.gz "), "{told}");
    assert!(told.contains("integrity=ok jobs=0 users=1 удалено старых: 0"), "{told}");
    let (status, told) = run(&stage, &["reset-user", &LOLA.to_string(), "--yes"]).await;
    assert!(status == Some(0) && told.contains("копия до удаления: "), "{told}");
    let marks = copies(&stage, ".app.pgdump.bak-");
    assert!(
        marks.len() == 2 && copies(&stage, "app.pgdump.bak-").len() == 2,
        "both hold the guest: {marks:?}"
    );
    for path in copies(&stage, "app") {
        assert_eq!(path.metadata().expect("a file").permissions().mode() & 0o777, 0o600, "{path:?}");
    }

    stage.operator = Some(stage.admin);
    stage.start(Part::Bot).await;
    stage.world.send_text(stage.admin, BOT, "/backup", None).expect("a command");
    let answered =
        |message: &Value| message["text"].as_str().is_some_and(|text| text.contains("integrity=ok"));
    stage
        .until("the operator reads the line", async || {
            stage.seen_in(BOT, stage.admin).iter().any(answered).then_some(())
        })
        .await;
    let (status, told) = run(&stage, &["doctor", "--json"]).await;
    assert!(status.is_some() && told.contains("\"pg_dump\""), "{told}");
    let (status, told) = run(&stage, &["privacy-audit", "--json"]).await;
    let audit: Value = serde_json::from_str(&told).unwrap_or_else(|_| panic!("{told}"));
    let count = |rule: &str| {
        let checks = audit["checks"].as_array().expect("a list");
        checks.iter().find(|check| check["rule"] == rule).map(|check| check["count"].clone())
    };
    assert_eq!(status, Some(0), "{told}");
    for (rule, expected) in
        [("nightly_copies", 2), ("automatic_copies", 0), ("reset_copies", 2), ("left_databases", 1)]
    {
        assert_eq!(count(rule), Some(Value::from(expected)), "{rule}: {told}");
    }

    let (status, told) = run(&stage, &["event", "close", "--now"]).await;
    assert!(status == Some(0) && told.contains("the event is closed"), "{told}");
    assert!(told.contains("pgdump.gz") && told.contains("3 removed"), "{told}");
    assert_eq!(database.beside().await, Vec::<String>::new());
    assert!(copies(&stage, "app.pgdump.").is_empty() && copies(&stage, ".app.pgdump.").is_empty());
    assert_eq!(stage.stop(Part::Bot).await, Some(0));
    assert_eq!(stage.stop(Part::Api).await, Some(0));

    // The copy of before the reset would bring the guest back; the journal knows.
    let oldest = copies(&stage, "app-").remove(0);
    let (status, told) = run(&stage, &["restore", &oldest.display().to_string()]).await;
    assert!(status == Some(0) && told.contains("erased again: 1 guests, 0 leads"), "{told}");
    assert!(told.contains("is kept as") && told.contains("app.pgdump.before-restore-"), "{told}");
    assert_eq!(run(&stage, &["sql", "SELECT COUNT(*) AS n FROM users"]).await.1, "n\n0\n");

    // Two at once and a copy meanwhile wait for each other, and nothing unfinished is left anywhere.
    let file = oldest.display().to_string();
    let (again, arguments) = (["restore", file.as_str()], ["backup"]);
    let (first, second, copy) =
        tokio::join!(run(&stage, &again), run(&stage, &again), run(&stage, &arguments));
    for (status, told) in [first, second, copy] {
        // Whoever comes last may find the copy of another connected to the database; it is refused then, and says so.
        assert!(status == Some(0) || told.contains("in use"), "{told}");
    }
    assert_eq!(database.beside().await, Vec::<String>::new());
    let unfinished = [copies(&stage, "restoring"), copies(&stage, "app.pgdump.before-restore-")].concat();
    assert!(!unfinished.iter().any(|path| path.display().to_string().ends_with("part")), "{unfinished:?}");
}
