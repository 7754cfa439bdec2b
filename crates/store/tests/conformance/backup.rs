//! What a database is after it was brought back from a copy (product.md, "Operations"), and what a copy of a SQLite file is checked for.

use crate::harness::{Db, at, on_fresh_postgres, on_fresh_sqlite, on_postgres, on_sqlite};
use crate::stories::MADINA;
use domain::guest::TelegramId;
use domain::job::JobStatus;
use store::backup::{self, BackupError, Server, Settled, Source};
use store::settings;

on_both_engines! {
    after_a_restore_nobody_is_messaged_and_no_number_is_given_out_again
    guests_and_leads_are_listed_for_the_journal_of_erasures
}

const LEADS: &str = "INSERT INTO leads (request_id, status, locale, created_at, published_at, next_publish_at, name) VALUES \
    ('waits-long', 'new', 'ru', 1795951800000, 1795951800000, NULL, 'a'), \
    ('waits-a-while', 'new', 'ru', 1795951801000, 1795951801000, NULL, 'b'), \
    ('taken', 'in_work', 'ru', 1795951800000, 1795951800000, NULL, 'c'), \
    ('not-posted', 'new', 'ru', 1795958900000, NULL, 1795959900000, 'd')";

async fn after_a_restore_nobody_is_messaged_and_no_number_is_given_out_again(db: Db) {
    for (token, status) in [
        ("p", JobStatus::Processing),
        ("v", JobStatus::Delivering),
        ("d", JobStatus::Done),
        ("f", JobStatus::Failed),
        // Last, for a claim takes the oldest one that waits.
        ("q", JobStatus::Queued),
    ] {
        db.job_in(token, status).await;
    }
    db.raw(
        "INSERT INTO outbox (key, chat_id, kind, body, state, not_before, created_at, updated_at, sent_at) VALUES \
         ('a', 41, 'text', 'words', 'pending', 1, 1, 1, NULL), ('b', 41, 'text', 'words', 'sending', 1, 1, 1, NULL), \
         ('c', 41, 'text', '', 'sent', 1, 1, 1, 1); \
         INSERT INTO updates (update_id, from_id, body, state, received_at, ended_at) VALUES \
         (1, 41, 'words', 'pending', 1, NULL), (2, 41, '', 'handled', 1, 2); \
         INSERT INTO leases (name, owner, until) VALUES ('leads', 'the dead', 99); \
         INSERT INTO admin_sessions (token_hash, login, csrf_hash, created_at, seen_at, expires_at) VALUES ('x', 'y', 'z', 1, 1, 9)",
    )
    .await;
    db.raw(LEADS).await;
    let before = db
        .texts("SELECT CAST(MAX(job_id) AS TEXT) FROM jobs UNION ALL SELECT CAST(MAX(id) AS TEXT) FROM leads")
        .await;
    assert_eq!(before, [Some("5".to_owned()), Some("4".to_owned())]);

    // Two hours after the first lead, and less after the second.
    let settled =
        db.write(|tx| Box::pin(backup::settle(tx, "restored from backup", "2026-11-29", at(0)))).await;
    let expected = Settled { jobs: 3, messages: 2, updates: 1, reminders: 1, cards: 1 };
    assert_eq!(settled, expected);

    let jobs = db
        .texts(
            "SELECT session_token || ' ' || status || ' ' || COALESCE(error, '-') FROM jobs ORDER BY job_id",
        )
        .await;
    let jobs: Vec<String> = jobs.into_iter().flatten().collect();
    let restored = |token: &str| format!("{token} failed restored from backup");
    assert_eq!(jobs[..3], [restored("p"), restored("v"), "d done -".to_owned()]);
    assert!(jobs[3].starts_with("f failed") && !jobs[3].contains("restored"), "{jobs:?}");
    assert_eq!(jobs[4], restored("q"));
    let messages = db.texts("SELECT key || ' ' || state || ' ' || body FROM outbox ORDER BY key").await;
    assert_eq!(messages.into_iter().flatten().collect::<Vec<_>>(), ["a dropped ", "b dropped ", "c sent "]);
    assert_eq!(
        db.text("SELECT CAST(COUNT(*) AS TEXT) FROM updates WHERE state = 'pending' OR body <> ''")
            .await
            .as_deref(),
        Some("0")
    );
    assert_eq!(db.text("SELECT CAST(COUNT(*) AS TEXT) FROM leases").await.as_deref(), Some("0"));
    assert_eq!(db.text("SELECT CAST(COUNT(*) AS TEXT) FROM admin_sessions").await.as_deref(), Some("0"));
    let reminded = db.texts("SELECT request_id FROM leads WHERE reminded_at IS NOT NULL").await;
    assert_eq!(reminded, [Some("waits-long".to_owned())]);
    let unknown = db.texts("SELECT request_id || ' ' || CAST(next_publish_at AS TEXT) FROM leads WHERE publish_error = 'unknown'").await;
    assert_eq!(unknown, [Some("not-posted 1795959000000".to_owned())]);
    let digest = settings::get(&mut db.store.reader(), "stickers_digest_last").await.expect("reads");
    assert_eq!(digest.as_deref(), Some("2026-11-29"));

    // Another settling, of a copy of a copy, raises again; the first number after it is past every one that was given out.
    db.raw("INSERT INTO leads (request_id, status, locale, created_at) VALUES ('later', 'new', 'ru', 1)")
        .await;
    assert_eq!(db.text("SELECT CAST(MAX(id) AS TEXT) FROM leads").await.as_deref(), Some("1005"));
    let job = db.job_in("later", JobStatus::Queued).await;
    assert_eq!(job.0, 1006);
}

async fn guests_and_leads_are_listed_for_the_journal_of_erasures(db: Db) {
    db.job_in("a", JobStatus::Done).await;
    db.meet(TelegramId(7)).await;
    db.raw(LEADS).await;
    db.raw("UPDATE leads SET name = NULL, erased_at = 1 WHERE request_id = 'taken'").await;
    let guests = backup::guests(&mut db.store.reader()).await.expect("reads");
    let guests: Vec<_> = guests.into_iter().map(|(guest, since)| (guest, since >= at(0))).collect();
    assert_eq!(guests, [(TelegramId(7), true), (MADINA, true)], "with the moment when they came");
    let leads = backup::lead_requests(&mut db.store.reader()).await.expect("reads");
    let leads: Vec<_> = leads.into_iter().map(|(id, request)| (id.0, request)).collect();
    assert_eq!(
        leads,
        [(1, "waits-long".to_owned()), (2, "waits-a-while".to_owned()), (4, "not-posted".to_owned())]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_of_tables_that_never_had_a_row_are_raised_too() {
    on_sqlite(|db| async move {
        db.write(|tx| Box::pin(backup::settle(tx, "restored from backup", "2026-11-29", at(0)))).await;
        assert_eq!(db.job_in("a", JobStatus::Queued).await.0, 1001);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_of_a_live_database_is_one_moment_of_it_and_holds_nothing_deleted() {
    on_sqlite(|db| async move {
        db.job_in("a", JobStatus::Done).await;
        db.raw(LEADS).await;
        db.raw("DELETE FROM leads WHERE name = 'c'").await;
        let (live, copy) = (db.folder().join("app.db"), db.folder().join("copy"));
        backup::copy(&live, &copy).await.expect("copies");
        let contents = backup::check(&copy).await.expect("is sound");
        assert_eq!((contents.jobs, contents.users, contents.sessions, contents.leads), (1, 1, 1, 3));
        let beside: Vec<_> = std::fs::read_dir(db.folder())
            .expect("a folder")
            .map(|entry| entry.expect("a file").file_name())
            .collect();
        assert!(!beside.iter().any(|name| name.to_string_lossy().starts_with("copy-")), "{beside:?}");
        assert!(backup::copy(&live, &copy).await.is_err(), "a copy is never written over");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_a_foreign_and_a_newer_database_are_refused_with_the_reason() {
    on_sqlite(|db| async move {
        let live = db.folder().join("app.db");
        let copy_as = async |name: &str| {
            let copy = db.folder().join(name);
            backup::copy(&live, &copy).await.expect("copies");
            copy
        };
        db.raw("INSERT INTO schema_migrations (version, name, checksum) VALUES (99, 'of tomorrow', 1)").await;
        let newer = copy_as("newer").await;
        assert!(matches!(backup::check(&newer).await, Err(BackupError::Newer { version: 99 })));
        db.raw("DELETE FROM schema_migrations WHERE version = 99").await;
        db.raw("PRAGMA foreign_keys = OFF; INSERT INTO lead_cards (lead_id, chat_id, message_id, posted_at) VALUES (77, 1, 1, 1)").await;
        let loose = copy_as("loose").await;
        let refusal = backup::check(&loose).await.expect_err("refers to nothing");
        assert!(matches!(&refusal, BackupError::ForeignKeys { rows: 1, table } if table == "lead_cards"), "{refusal}");
        db.raw("DELETE FROM lead_cards").await;
        let damaged = copy_as("damaged").await;
        let mut bytes = std::fs::read(&damaged).expect("reads");
        let middle = bytes.len() / 2;
        bytes[middle..middle + 3000].fill(0x5a);
        std::fs::write(&damaged, bytes).expect("writes");
        assert!(matches!(backup::check(&damaged).await, Err(BackupError::Damaged(_) | BackupError::Sqlite(_))));
    })
    .await;
    on_fresh_sqlite(|db| async move {
        db.raw("CREATE TABLE notes (text TEXT)").await;
        // Only a copy is looked through: of a live database a part stands in the WAL file.
        let copy = db.folder().join("foreign");
        backup::copy(&db.folder().join("app.db"), &copy).await.expect("copies");
        let refusal = backup::check(&copy).await.expect_err("is foreign");
        assert!(matches!(refusal, BackupError::Foreign("schema_migrations")), "{refusal}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_is_in_use_while_anybody_has_it_open() {
    on_sqlite(|db| async move {
        let live = db.folder().join("app.db");
        assert!(backup::in_use(&live).await.expect("looks"));
        db.store.ping().await.expect("the look harms nobody");
        db.store.close().await;
        assert!(!backup::in_use(&live).await.expect("looks"));
    })
    .await;
}

/// The database as something that the tools of a server copy.
fn server(db: &Db) -> (Source, Server) {
    let source = db.store.source().clone();
    match &source {
        Source::Server(server) => (source.clone(), (**server).clone()),
        Source::File(_) => unreachable!("this is PostgreSQL"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_archive_of_a_server_is_one_moment_of_it_and_is_read_to_its_end() {
    on_postgres(|db| async move {
        let folder = tempfile::tempdir().expect("a folder");
        db.job_in("a", JobStatus::Done).await;
        db.raw(LEADS).await;
        let (source, _) = server(&db);
        assert!(source.exists().await.expect("answers"));
        let archive = folder.path().join("archive");
        let expected = source.copy(&archive).await.expect("copies").expect("is counted");
        let found = source.check(&archive, Some(expected)).await.expect("is sound");
        assert_eq!((found.jobs, found.users, found.sessions, found.leads), (1, 1, 1, 4));
        assert!(source.copy(&archive).await.is_err(), "a copy is never written over");

        let other = backup::Contents { leads: 5, ..expected };
        let refusal = source.check(&archive, Some(other)).await.expect_err("another number");
        assert!(matches!(refusal, BackupError::Differs { .. }), "{refusal}");
        let bytes = std::fs::read(&archive).expect("reads");
        for (name, bytes) in [("cut", &bytes[..bytes.len() * 2 / 3]), ("empty", b"".as_slice())] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).expect("writes");
            let refusal = source.check(&path, None).await.expect_err(name);
            assert!(matches!(refusal, BackupError::Damaged(_)), "{name}: {refusal}");
        }
    })
    .await;
    on_fresh_postgres(|db| async move {
        let (source, _) = server(&db);
        assert!(!source.exists().await.expect("answers"), "no program of ours has worked here");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_on_a_server_takes_the_place_of_another_when_nobody_works_there_and_leaves_nothing() {
    on_postgres(|db| async move {
        let folder = tempfile::tempdir().expect("a folder");
        db.raw(LEADS).await;
        let (source, server) = server(&db);
        let archive = folder.path().join("archive");
        source.copy(&archive).await.expect("copies");
        db.raw("DELETE FROM leads").await;
        let fresh = server.beside(Server::PREPARED, "20261130-061000");
        let old = server.beside(Server::BEFORE_RESTORE, "20261130-061000");
        db.raw(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path TO public, elsewhere', current_database()); END $$",
        )
        .await;
        fresh.fill(&archive, &server).await.expect("fills");
        assert!(fresh.fill(&archive, &server).await.is_err(), "what is there is never touched");
        assert_eq!(fresh.contents().await.expect("is whole").leads, 4);

        assert!(server.in_use().await.expect("answers"));
        let refusal = server.replace(&fresh, &old).await.expect_err("somebody works there");
        assert!(matches!(refusal, BackupError::InUse), "{refusal}");
        db.store.close().await;
        assert!(!server.in_use().await.expect("answers"));
        assert!(server.replace(&fresh, &old).await.expect("replaces"), "there was one");
        assert_eq!(server.contents().await.expect("is whole").leads, 4);
        assert_eq!(old.contents().await.expect("is whole").leads, 0);

        let names = async || {
            let left = server.left().await.expect("answers");
            left.into_iter().map(|one| one.name().to_owned()).collect::<Vec<_>>()
        };
        let path = db.text("SELECT current_setting('search_path')").await;
        assert_eq!(path.as_deref(), Some("public, elsewhere"), "settings of the database are kept");
        assert_eq!(names().await, [old.name()]);
        old.drop_database().await.expect("drops");
        old.drop_database().await.expect("there is none any more");
        assert_eq!(names().await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_that_may_not_create_databases_is_told_what_it_needs() {
    on_postgres(|db| async move {
        let folder = tempfile::tempdir().expect("a folder");
        let (source, _) = server(&db);
        let archive = folder.path().join("archive");
        source.copy(&archive).await.expect("copies");
        // One role for all runs of the tests: it owns nothing.
        db.raw(
            "DO $$ BEGIN CREATE ROLE stickers_poor LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$",
        )
        .await;
        let poor = db.url().replacen("//stickers@", "//stickers_poor@", 1);
        assert_ne!(poor, db.url());
        let Ok(Source::Server(poor)) = Source::of(&poor) else { unreachable!("this is PostgreSQL") };
        let refusal = poor.beside(Server::PREPARED, "20261130-061000").fill(&archive, &poor).await.expect_err("may not");
        assert!(matches!(refusal, BackupError::MayNotCreate(_)), "{refusal}");
        assert!(refusal.to_string().contains("CREATEDB"), "{refusal}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_migration_of_a_server_is_rehearsed_and_taken_back() {
    on_fresh_postgres(|db| async move {
        db.store.migrate_up_to(2).await.expect("migrates");
        db.raw("INSERT INTO users (telegram_user_id, first_name, language, created_at) VALUES (7, 'Lola', 'ru', 1)").await;
        let missing = db.store.pending_migrations().await.expect("reads");
        let rehearsal = db.store.rehearse_migrations().await.expect("rehearses");
        assert!(rehearsal.columns.contains(&"leads.request_id".to_owned()), "{:?}", rehearsal.columns);
        assert!(!rehearsal.columns.contains(&"users.first_name".to_owned()));
        assert_eq!((rehearsal.before.users, rehearsal.after.users), (1, 1));
        assert_eq!(db.store.pending_migrations().await.expect("reads"), missing, "nothing was applied");
    })
    .await;
}
