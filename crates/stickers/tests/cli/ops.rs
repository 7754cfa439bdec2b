//! Commands of the engineer at three in the morning: questions to the database, the deletion of a guest, the audit.

use crate::{Place, beside, err, is_bad_input, out};
use domain::backup::{self, Automatic};
use domain::guest::{Guest, Personal, TelegramId};
use domain::{Language, Timestamp};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use store::{Store, StoreOptions, sessions, users};

/// The guest of these stories.
pub const LOLA: i64 = 4_242_424_242;

/// When most of these stories begin.
const THEN: Timestamp = Timestamp::from_millis(1_795_959_000_000);

/// A database with one guest who has linked a session, and two files of that session.
pub fn with_a_guest(place: &Place) {
    with_a_guest_at(place, THEN);
}

/// The same, seen at `at`.
pub fn with_a_guest_at(place: &Place, at: Timestamp) {
    let data = place.path().join("data");
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(async {
        let url = format!("sqlite://{}", data.join("app.db").display());
        let store = Store::open(StoreOptions::new(url)).await.expect("opens");
        store.migrate().await.expect("migrates");
        let guest = Guest {
            id: TelegramId(LOLA),
            first_name: Personal("Lola".into()),
            last_name: None,
            username: None,
            language: Language::Ru,
        };
        let written: Result<(), store::StoreError> = store
            .write(move |tx| {
                Box::pin(async move {
                    users::upsert(tx, &guest, at).await?;
                    let new = sessions::NewSession {
                        token: "tok".to_owned(),
                        language: Language::Ru,
                        kiosk: None,
                        now: at,
                    };
                    sessions::insert(tx, &new).await?;
                    assert!(sessions::link(tx, "tok", guest.id, Language::Ru, at).await?.happened());
                    Ok(())
                })
            })
            .await;
        written.expect("writes");
        store.close().await;
    });
    for file in ["sessions/tok/selfie_a.jpg", "sessions/tok/sticker_x_0.webp"] {
        let path = data.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, "a face").expect("a file");
    }
}

#[test]
fn row_002_export_4_a_question_is_answered_with_times_as_text_and_a_write_is_refused_on_one_line() {
    let place = Place::new();
    let none = place.run(&["sql", "SELECT 1"], &[]);
    assert!(none.status.code() == Some(1) && err(&none).contains("no database"), "{}", err(&none));
    with_a_guest(&place);
    let counts = place.run(&["sql", "SELECT status, COUNT(*) FROM sessions GROUP BY status"], &[]);
    assert_eq!(out(&counts), "status  COUNT(*)\nlinked  1\n", "{}", err(&counts));
    let time = place.run(&["sql", "SELECT created_at FROM users"], &[]);
    assert_eq!(out(&time), "created_at\n2026-11-29 18:30:00+05:00\n");
    let raw = place.run(&["sql", "SELECT created_at FROM users", "--raw-times", "--json"], &[]);
    let raw: Value = serde_json::from_slice(&raw.stdout).expect("JSON");
    assert_eq!(raw["rows"][0][0], 1_795_959_000_000_i64);
    let cut = place.run(&["sql", "SELECT 1 UNION ALL SELECT 2", "--rows", "1"], &[]);
    assert!(cut.status.success() && err(&cut).contains("first 1 rows"), "{}", err(&cut));
    for (statement, part) in [
        ("DELETE FROM users", "DELETE"),
        ("WITH x AS (SELECT 1) DELETE FROM users", "readonly"),
        ("SELECT x FROM nowhere", "nowhere"),
        ("SELECT 1; SELECT 2", "one statement"),
    ] {
        is_bad_input(&place.run(&["sql", statement], &[]), &[part]);
    }
    assert_eq!(out(&place.run(&["sql", "SELECT COUNT(*) AS n FROM users"], &[])), "n\n1\n");
}

#[test]
fn row_002_copies_3_reset_user_says_what_would_go_then_copies_the_database_and_deletes_rows_and_files() {
    let place = Place::new();
    with_a_guest(&place);
    let (data, id) = (place.path().join("data"), LOLA.to_string());
    let database = data.join("app.db");
    let dry = place.run(&["reset-user", &id], &[]);
    assert!(dry.status.success(), "{}", err(&dry));
    assert!(out(&dry).contains(&format!("для {id}: users=1, sessions=1, jobs=0")), "{}", out(&dry));
    assert!(out(&dry).contains("файлов: 2") && out(&dry).contains("--yes"), "{}", out(&dry));
    assert!(data.join("sessions/tok").exists() && beside(&database, ".bak-").is_empty());

    let done = place.run(&["reset-user", &id, "--yes"], &[]);
    assert!(done.status.success(), "{}", err(&done));
    for line in [&format!("удалено для {id}: users=1, sessions=1, jobs=0"), "integrity_check: ok"] {
        assert!(out(&done).lines().any(|printed| printed == line), "{line}: {}", out(&done));
    }
    assert!(!data.join("sessions/tok").exists());
    let copies = beside(&database, "app.db.bak-");
    let copies: Vec<_> =
        copies.iter().filter(|path| !path.display().to_string().ends_with(".reset")).collect();
    assert_eq!(copies.len(), 1, "{copies:?}");
    let name = copies[0].file_name().expect("a name").to_string_lossy().into_owned();
    let stamp = name.strip_prefix("app.db.bak-").expect("the name of the seed");
    assert!(stamp.len() == 15 && stamp.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'), "{name}");

    for arguments in [&["reset-user", id.as_str()][..], &["reset-user", id.as_str(), "--yes", "--json"]] {
        let unknown = place.run(arguments, &[]);
        assert_eq!(unknown.status.code(), Some(1));
        assert!(err(&unknown).contains(&id) && err(&unknown).lines().count() == 1, "{}", err(&unknown));
    }
    assert_eq!(beside(&database, "app.db.bak-").len(), 2, "the copy and its mark, and none for nobody");
    is_bad_input(&place.run(&["reset-user", "lola"], &[]), &["lola"]);
}

#[test]
fn a_reset_can_be_told_as_json() {
    let place = Place::new();
    with_a_guest(&place);
    let done = place.run(&["reset-user", &LOLA.to_string(), "--yes", "--json"], &[]);
    let told: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!((&told["deleted"], &told["sessions"], &told["files"]), (&true.into(), &1.into(), &2.into()));
    assert_eq!(told["integrity_check"], "ok");
}

/// Makes a file look as if it had been written so long ago.
fn age(file: &Path, by: Duration) {
    let file = std::fs::OpenOptions::new().append(true).open(file).expect("opens");
    let written = file.metadata().and_then(|found| found.modified()).expect("has a time");
    file.set_modified(written - by).expect("changes the time");
}

#[test]
fn the_audit_exits_with_1_when_something_is_past_its_time_and_says_what_to_do() {
    let place = Place::new();
    with_a_guest(&place);
    let clean = place.run(&["privacy-audit"], &[]);
    assert!(clean.status.success(), "{}{}", out(&clean), err(&clean));
    assert!(
        out(&clean).contains("users=1") && out(&clean).contains("nothing is past its time"),
        "{}",
        out(&clean)
    );

    age(&place.path().join("data/sessions/tok/sticker_x_0.webp"), Duration::from_secs(73 * 3_600));
    let late = place.run(&["privacy-audit", "--json"], &[]);
    assert_eq!((late.status.code(), err(&late).as_str()), (Some(1), ""));
    let told: Value = serde_json::from_slice(&late.stdout).expect("JSON");
    let photos = told["checks"].as_array().expect("a list").iter().find(|check| check["rule"] == "photos");
    let photos = photos.expect("the rule");
    assert_eq!((&told["ok"], &photos["count"], &photos["past"]), (&false.into(), &2.into(), &1.into()));
    let words = place.run(&["privacy-audit"], &[]);
    assert!(out(&words).contains("PAST") && out(&words).contains("stickers bot"), "{}", out(&words));
    assert!(!out(&words).contains("Lola"), "it names nobody");
}

/// What the machine's clock says, by the time of a new file.
pub fn machine_time(place: &Place) -> Timestamp {
    let path = place.path().join("clock");
    std::fs::write(&path, "x").expect("writes");
    let written = path.metadata().and_then(|found| found.modified()).expect("has a time");
    let since = written.duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    Timestamp::from_millis(i64::try_from(since.as_millis()).expect("in time"))
}

/// Gives the guest's session a job, which was just begun or delivered.
fn with_a_job(place: &Place, status: &'static str, at: Timestamp) {
    use sqlx::{Connection, SqliteConnection};
    let url = format!("sqlite://{}", place.path().join("data/app.db").display());
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(async {
        let mut connection = SqliteConnection::connect(&url).await.expect("connects");
        let done = (status == "done").then_some(at.as_millis());
        sqlx::query(
            "INSERT INTO jobs (session_token, telegram_user_id, template_id, status, pack_key, render_mode, created_at, updated_at, \
             pack_name, pack_created_at, link_sent_at) VALUES ('tok', $1, 'chapan', $2, 'abcdefghij', 'composite', $3, $3, \
             's1_abcdefghij_by_bot', $3, $4 + 90000)",
        )
        .bind(LOLA)
        .bind(status)
        .bind(at.as_millis())
        .bind(done)
        .execute(&mut connection)
        .await
        .expect("writes");
        connection.close().await.expect("closes");
    });
}

#[test]
fn row_002_event_9_the_report_is_counts_as_text_json_page_and_table_and_names_nobody() {
    let place = Place::new();
    with_a_guest(&place);
    with_a_job(&place, "done", THEN);
    let told = place.run(
        &[
            "event",
            "report",
            "--from",
            "2026-11-29",
            "--to",
            "2026-11-29",
            "--html",
            "r.html",
            "--csv",
            "r.csv",
            "--json",
        ],
        &[("EVENT_NAME", "Fest & Co")],
    );
    assert!(told.status.success(), "{}", err(&told));
    let figures: Value = serde_json::from_slice(&told.stdout).expect("JSON");
    assert_eq!(
        (&figures["guests"], &figures["packs"], &figures["failed"]),
        (&1.into(), &1.into(), &0.into())
    );
    assert_eq!(figures["waiting"]["median_s"], 90);
    assert_eq!(figures["outfits"], serde_json::json!([["chapan", 1]]));
    let page = std::fs::read_to_string(place.path().join("r.html")).expect("a page");
    let table = std::fs::read_to_string(place.path().join("r.csv")).expect("a table");
    assert!(page.contains("Fest &amp; Co") && page.contains("1:30"), "{page}");
    assert!(table.contains("Итого;Наборов выдано;1"), "{table}");
    for text in [&page, &table, &out(&told)] {
        assert!(!text.contains("Lola") && !text.contains(&LOLA.to_string()), "{text}");
    }
    let before = place.run(&["event", "report", "--to", "2026-11-28"], &[]);
    assert!(out(&before).starts_with("guests 0 "), "{}{}", out(&before), err(&before));
    let own = place.run(&["event", "report"], &[("ADMIN_USER_IDS", "4242424242")]);
    assert!(out(&own).starts_with("guests 0 "), "operators do not count: {}", out(&own));
    is_bad_input(
        &place.run(&["event", "report", "--from", "29.11.2026"], &[]),
        &["29.11.2026", "YYYY-MM-DD"],
    );
    is_bad_input(
        &place.run(&["event", "report", "--from", "2026-11-30", "--to", "2026-11-28"], &[]),
        &["--from"],
    );
}

#[test]
fn rows_002_event_1_to_9_an_event_is_closed_when_the_photos_time_is_over_and_each_step_is_proven() {
    let place = Place::new();
    let now = machine_time(&place);
    let long_ago = Duration::from_secs(73 * 3_600);
    with_a_guest_at(&place, now.minus(long_ago));
    with_a_job(&place, "done", now.minus(long_ago));
    let data = place.path().join("data");
    for file in ["sessions/tok/selfie_a.jpg", "sessions/tok/sticker_x_0.webp"] {
        age(&data.join(file), long_ago);
    }
    for of in [Automatic::Plain, Automatic::Reset] {
        std::fs::write(data.join(backup::automatic_name("app.db", now, of)), "a copy").expect("writes");
    }
    let closed = place.run(&["event", "close"], &[]);
    assert!(closed.status.success(), "{}{}", out(&closed), err(&closed));
    let lines = out(&closed);
    assert_eq!(lines.lines().count(), 10, "{lines}");
    for number in [1, 2, 3, 4, 5, 6, 9] {
        assert!(lines.contains(&format!("{number} done    ")), "{number}: {lines}");
    }
    assert!(
        lines.contains("7 by hand ") && lines.contains("8 by hand ") && lines.contains("integrity=ok"),
        "{lines}"
    );
    assert!(lines.contains("0 files left, 2 deleted now") && lines.contains("2 removed"), "{lines}");
    assert!(!data.join("sessions/tok").exists() && beside(&data.join("app.db"), ".bak-").is_empty());
    assert_eq!(beside(&data.join("backups/x"), "app-").len(), 1, "a copy of the database");
    let reports = beside(&data.join("reports/x"), "-");
    assert_eq!(reports.len(), 3, "{reports:?}");
    assert!(place.run(&["privacy-audit"], &[]).status.success());
    // The guest's row stays: their pack limit goes on.
    assert_eq!(out(&place.run(&["sql", "SELECT COUNT(*) AS n FROM users"], &[])), "n\n1\n");
}

#[test]
fn row_002_event_1_before_the_photos_time_is_over_nothing_is_closed_and_now_deletes_them_when_no_job_is_active()
 {
    let place = Place::new();
    let now = machine_time(&place);
    with_a_guest_at(&place, now);
    let data = place.path().join("data");
    let early = place.run(&["event", "close", "--json"], &[]);
    assert_eq!(early.status.code(), Some(1), "{}", out(&early));
    let told: Value = serde_json::from_slice(&early.stdout).expect("JSON");
    let passes = now.plus(Duration::from_secs(72 * 3_600)).to_string();
    assert_eq!((&told["closed"], told["passes_at"].as_str()), (&false.into(), Some(passes.as_str())));
    assert_eq!(
        (&told["steps"][0]["state"], &told["steps"][2]["state"]),
        (&"failed".into(), &"not_begun".into())
    );
    assert!(data.join("sessions/tok/selfie_a.jpg").exists() && !data.join("backups").exists());

    with_a_job(&place, "queued", now);
    let busy = place.run(&["event", "close", "--now"], &[]);
    assert_eq!(busy.status.code(), Some(1));
    assert!(out(&busy).contains("1 jobs are still being made"), "{}", out(&busy));
    assert!(data.join("sessions/tok/selfie_a.jpg").exists());

    let gone = place.run(&["reset-user", &LOLA.to_string(), "--yes"], &[]);
    assert!(gone.status.success(), "{}", err(&gone));
    let file = data.join("debug_sheets/job1_anchor.png");
    std::fs::create_dir_all(data.join("debug_sheets")).expect("a folder");
    std::fs::write(&file, "a face").expect("writes");
    let closed = place.run(&["event", "close", "--now"], &[]);
    assert!(closed.status.success(), "{}{}", out(&closed), err(&closed));
    assert!(!file.exists() && beside(&data.join("app.db"), "app.db.bak-").is_empty());
}

#[test]
fn a_copy_is_encrypted_to_a_key_sent_elsewhere_and_comes_back_with_the_secret_one() {
    use age::secrecy::ExposeSecret;
    let place = Place::new();
    with_a_guest(&place);
    let (key, elsewhere) = (age::x25519::Identity::generate(), place.path().join("elsewhere"));
    std::fs::write(place.path().join("key.txt"), key.to_string().expose_secret()).expect("writes");
    let (recipient, remote) = (key.to_public().to_string(), elsewhere.display().to_string());
    let env = [("BACKUP_RECIPIENT", recipient.as_str()), ("BACKUP_REMOTE_URL", remote.as_str())];
    let made = place.run(&["backup", "--json"], &env);
    let told: Value = serde_json::from_slice(&made.stdout).expect("JSON");
    assert_eq!((&told["ok"], &told["sent"]), (&true.into(), &true.into()), "{}", err(&made));
    let name = told["name"].as_str().expect("a name");
    assert!(
        name.ends_with(".db.gz.age") && told["line"].as_str().is_some_and(|line| line.contains(name)),
        "{told}"
    );
    let here = place.path().join("data/backups").join(name);
    let bytes = std::fs::read(&here).expect("reads");
    assert!(bytes.starts_with(b"age-encryption.org/v1"));
    assert_eq!(std::fs::read(elsewhere.join(name)).expect("is there"), bytes);
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(elsewhere.join(name)).expect("is there").permissions(),
    );
    assert_eq!(mode & 0o777, 0o600, "of a mounted folder others may read what is open to them");
    let log = std::fs::read_to_string(place.path().join("data/backups/backup.log")).expect("a log");
    assert_eq!(log, format!("{}\n", told["line"].as_str().expect("a line")));

    let here = here.display().to_string();
    let without = place.run(&["restore", &here], &[]);
    assert!(without.status.code() == Some(1) && err(&without).contains("--identity"), "{}", err(&without));
    let restored = place.run(&["restore", &here, "--identity", "key.txt"], &[]);
    assert!(restored.status.success() && out(&restored).contains("users=1"), "{}", err(&restored));

    // A place that takes nothing: the copy here is good, the status says so, and operators are told.
    std::fs::remove_dir_all(&elsewhere).expect("removes");
    std::fs::write(&elsewhere, "a file").expect("writes");
    let alone = place.run(&["backup"], &[("BACKUP_REMOTE_URL", remote.as_str()), ("ADMIN_USER_IDS", "7")]);
    assert!(alone.status.success() && out(&alone).contains(" UTC OK "), "{}", err(&alone));
    assert!(err(&alone).contains("is not elsewhere"), "{}", err(&alone));
    let alerts = place.run(&["sql", "SELECT COUNT(*) AS n FROM outbox WHERE kind = 'backup_remote'"], &[]);
    assert_eq!(out(&alerts), "n\n1\n");
}
