//! Migrations: step by step over sample rows they give the same schema as all at once, and foreign ones are refused.

use crate::harness::{Db, on_fresh_postgres, on_fresh_sqlite};
use store::{Engine, Store, StoreError};

macro_rules! on_both_fresh {
    ($($body:ident)*) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $body() { super::on_fresh_sqlite(super::$body).await; })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $body() { super::on_fresh_postgres(super::$body).await; })*
        }
    };
}

on_both_fresh! {
    steps_over_sample_rows_end_in_the_schema_of_all_at_once
    a_second_run_applies_nothing
    two_processes_that_migrate_at_once_apply_each_step_once
    a_newer_database_is_refused
    a_changed_step_is_refused
    tables_have_the_columns_of_the_interface_page
}

/// Each step with rows as the program of its time left them.
const SAMPLES: [(i64, &str); 10] = [
    (1, include_str!("../samples/0001.sql")),
    (2, include_str!("../samples/0002.sql")),
    (3, include_str!("../samples/0003.sql")),
    (4, include_str!("../samples/0004.sql")),
    (5, include_str!("../samples/0005.sql")),
    (6, include_str!("../samples/0006.sql")),
    (7, include_str!("../samples/0007.sql")),
    (8, include_str!("../samples/0008.sql")),
    (9, include_str!("../samples/0009.sql")),
    (10, include_str!("../samples/0010.sql")),
];

/// One line a column of the schema.
async fn schema(db: &Db) -> Vec<Option<String>> {
    match db.store.engine() {
        Engine::Sqlite => {
            db.texts("SELECT type || ' ' || name || ' ' || COALESCE(sql, '') FROM sqlite_schema ORDER BY 1")
                .await
        }
        Engine::Postgres => {
            db.texts(
                "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable \
                 FROM information_schema.columns WHERE table_schema = 'public' \
                 UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' \
                 UNION ALL SELECT pg_get_constraintdef(oid) FROM pg_constraint \
                 WHERE connamespace = 'public'::regnamespace ORDER BY 1",
            )
            .await
        }
    }
}

async fn steps_over_sample_rows_end_in_the_schema_of_all_at_once(db: Db) {
    let mut names = Vec::new();
    for (version, sample) in SAMPLES {
        names.extend(db.store.migrate_up_to(version).await.expect("migrates"));
        db.raw(sample).await;
    }
    assert_eq!(names.len(), SAMPLES.len(), "every step has its sample rows: {names:?}");
    assert_eq!(db.store.pending_migrations().await.expect("reads"), [""; 0]);
    let by_steps = schema(&db).await;
    for table in [
        "SELECT CAST(COUNT(*) AS TEXT) FROM sessions",
        "SELECT CAST(COUNT(*) AS TEXT) FROM outbox",
        "SELECT CAST(COUNT(*) AS TEXT) FROM leads",
        "SELECT CAST(COUNT(*) AS TEXT) FROM settings",
    ] {
        assert_ne!(db.text(table).await.as_deref(), Some("0"), "{table}");
    }
    if db.store.engine() == Engine::Sqlite {
        assert_eq!(db.texts("SELECT \"table\" FROM pragma_foreign_key_check").await, []);
        on_fresh_sqlite(|whole| compare(whole, by_steps)).await;
    } else {
        on_fresh_postgres(|whole| compare(whole, by_steps)).await;
    }
}

async fn compare(whole: Db, by_steps: Vec<Option<String>>) {
    let pending = whole.store.pending_migrations().await.expect("reads");
    assert_eq!(whole.store.migrate().await.expect("migrates"), pending);
    assert_eq!(schema(&whole).await, by_steps);
}

async fn a_second_run_applies_nothing(db: Db) {
    assert_eq!(db.store.migrate().await.expect("migrates").len(), SAMPLES.len());
    assert_eq!(db.store.migrate().await.expect("migrates"), [""; 0]);
}

async fn two_processes_that_migrate_at_once_apply_each_step_once(db: Db) {
    let other = db.another_process().await;
    let (one, two): (Result<_, StoreError>, _) = tokio::join!(db.store.migrate(), other.migrate());
    assert_eq!(one.expect("migrates").len() + two.expect("migrates").len(), SAMPLES.len());
    other.close().await;
}

async fn refused_version(store: &Store) -> i64 {
    match store.migrate().await {
        Err(StoreError::Migrations { version }) => version,
        other => panic!("{other:?}"),
    }
}

async fn a_newer_database_is_refused(db: Db) {
    db.store.migrate().await.expect("migrates");
    db.raw("INSERT INTO schema_migrations (version, name, checksum) VALUES (99, '0099_later', 1)").await;
    assert_eq!(refused_version(&db.store).await, 99);
}

async fn a_changed_step_is_refused(db: Db) {
    db.store.migrate().await.expect("migrates");
    db.raw("UPDATE schema_migrations SET checksum = checksum + 1 WHERE version = 2").await;
    assert_eq!(refused_version(&db.store).await, 2);
}

/// Typed again from interfaces.md, "Database".
const COLUMNS: [(&str, &str); 18] = [
    (
        "users",
        "telegram_user_id first_name last_name username language consented_at consent_version pack_name pack_link created_at",
    ),
    (
        "sessions",
        "session_token status telegram_user_id template_id closed_reason notice kiosk created_at updated_at kiosk_seen_at \
         language",
    ),
    (
        "jobs",
        "job_id session_token telegram_user_id template_id status attempts error photo_path pack_name pack_created_at \
         provider_used render_mode appearance_json delay_notice_sent_at link_sent_at created_at updated_at pack_key claim_no \
         lease_owner lease_until not_before shutdown_returns",
    ),
    (
        "leads",
        "id request_id status status_at name telegram phone date guests comment locale utm_source utm_medium utm_campaign \
         utm_term utm_content ip_hash created_at published_at chat_id message_id publish_attempts next_publish_at \
         publish_error reminded_at erased_at telegram_fold card_dirty_at next_edit_at",
    ),
    ("lead_status_history", "id lead_id from_status to_status user_id user_name at"),
    (
        "lead_repeats",
        "id lead_id request_id created_at name telegram phone date guests comment locale utm_source utm_content notified_at \
         notify_attempts next_notify_at notify_error",
    ),
    ("lead_cards", "lead_id chat_id message_id"),
    ("settings", "key value updated_at"),
    ("ai_usage", "id job_id stage provider model input_tokens output_tokens images cost_usd at"),
    ("audit_log", "id at actor action subject details"),
    ("outbox", "key chat_id kind body"),
    ("updates", "update_id body"),
    ("kiosks", "kiosk camera battery version"),
    ("leases", "name owner until"),
    ("admin_sessions", "login"),
    ("erasures", "guest_hash at"),
    ("sessions_readable", "session_token status created_at"),
    ("leads_readable", "id status created_at"),
];

async fn tables_have_the_columns_of_the_interface_page(db: Db) {
    db.store.migrate().await.expect("migrates");
    let found = match db.store.engine() {
        Engine::Sqlite => {
            db.texts(
                "SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c \
                 WHERE t.type IN ('table', 'view')",
            )
            .await
        }
        Engine::Postgres => {
            db.texts(
                "SELECT table_name || '.' || column_name FROM information_schema.columns \
                 WHERE table_schema = 'public'",
            )
            .await
        }
    };
    for (table, columns) in COLUMNS {
        for column in columns.split_whitespace() {
            let name = Some(format!("{table}.{column}"));
            assert!(found.contains(&name), "{name:?}");
        }
    }
}
