//! The restore drill (seed 002, "Restore"; issue 5): a copy made under load, the database damaged, the copy brought back. Counts match, nobody is
//! messaged, who was erased stays erased, no number is given out twice, and everything goes on.

use crate::stage::{BOT, Part, Room, Stage, id_of, request};
use serde_json::Value;
use sqlx::{Connection, PgConnection};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The first number of a request after the restore.
const AFTER: u32 = 500;

fn copies(stage: &Stage) -> Vec<PathBuf> {
    let folder = stage.folder.path().join("backups");
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of the copies")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("app-") && name.ends_with(".gz")
        })
        .collect();
    found.sort();
    found
}

async fn report(stage: &Stage, arguments: &[&str]) -> (Option<i32>, Value, String) {
    let output = stage.run(arguments).await;
    let value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), value, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// What happens to a database, and how it is known again afterwards.
enum Ruin {
    /// The middle of the file is overwritten, as a dying disk would.
    File(PathBuf),
    /// Tables of a server are dropped, as a tired person would.
    Server(String),
}

impl Ruin {
    async fn comes(&self) {
        match self {
            Ruin::File(file) => {
                let mut bytes = std::fs::read(file).expect("the database");
                let (from, to) = (bytes.len() / 4, bytes.len() * 3 / 4);
                bytes[from..to].fill(0);
                std::fs::write(file, bytes).expect("writes");
            }
            Ruin::Server(url) => {
                let mut connection = PgConnection::connect(url).await.expect("connects");
                let text = "DROP TABLE jobs CASCADE; DELETE FROM lead_cards; DELETE FROM leads WHERE id > 2";
                sqlx::raw_sql(text).execute(&mut connection).await.expect("drops");
                connection.close().await.expect("closes");
            }
        }
    }

    /// All of it, or what is left of it, as bytes.
    async fn seen(&self) -> Vec<u8> {
        match self {
            Ruin::File(file) => std::fs::read(file).expect("reads"),
            Ruin::Server(url) => {
                let mut connection = PgConnection::connect(url).await.expect("connects");
                let text = "SELECT CAST(to_regclass('jobs') AS TEXT) || string_agg(request_id, ' ' ORDER BY id) \
                            FROM leads UNION ALL SELECT string_agg(request_id, ' ' ORDER BY id) FROM leads";
                let rows: Vec<Option<String>> =
                    sqlx::query_scalar(text).fetch_all(&mut connection).await.expect("reads");
                connection.close().await.expect("closes");
                rows.into_iter().map(Option::unwrap_or_default).collect::<String>().into_bytes()
            }
        }
    }

    /// Whether this kept copy is of what was ruined.
    async fn is_kept_as(&self, kept: &Path, ruined: &[u8]) {
        match self {
            Ruin::File(_) => assert!(std::fs::read(kept).expect("reads") == ruined),
            Ruin::Server(_) => {
                let packed = std::fs::read(kept).expect("reads");
                let mut archive = Vec::new();
                flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut archive).expect("unpacks");
                assert!(archive.starts_with(b"PGDMP"));
                let has = |text: &str| archive.windows(text.len()).any(|part| part == text.as_bytes());
                assert!(has("CREATE TABLE public.leads") && !has("CREATE TABLE public.jobs"));
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_002_restore_1_and_2_a_copy_made_under_load_comes_back_and_everything_goes_on() {
    let stage = Stage::new().await;
    let ruin = Ruin::File(stage.folder.path().join("app.db"));
    the_drill(stage, ruin).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_002_restore_1_and_2_on_a_server_too_by_its_own_tools() {
    let database = crate::postgres::Database::new().await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stage = Stage::on(folder, database.url.clone(), Room::Group).await;
    the_drill(stage, Ruin::Server(database.url.clone())).await;
    assert_eq!(database.beside().await, Vec::<String>::new(), "nothing is left on the server");
}

async fn the_drill(mut stage: Stage, ruin: Ruin) {
    stage.start(Part::Bot).await;
    for number in 0..4 {
        stage.submit(&request(number)).await;
    }
    for number in 0..4 {
        stage.card(id_of(&request(number))).await;
    }
    // The copy is made while requests are stored.
    let mut loading = tokio::task::JoinSet::new();
    for number in 100..108 {
        let post = stage.post(&request(number));
        loading.spawn(async move { post.send().await.expect("an answer").status().as_u16() });
    }
    let (status, made, errors) = report(&stage, &["backup", "--json"]).await;
    assert_eq!((status, &made["ok"]), (Some(0), &Value::Bool(true)), "{errors}");
    let line = made["line"].as_str().expect("the line of the log");
    assert!(
        line.contains(" UTC OK app-") && line.contains("integrity=ok") && line.ends_with("удалено старых: 0"),
        "{line}"
    );
    for status in loading.join_all().await {
        assert_eq!(status, 201);
    }
    let copy = copies(&stage).pop().expect("a copy");

    // After the copy a person is forgotten, and the services still run.
    let forgotten = stage.books().await.lead_of(id_of(&request(0))).expect("a lead");
    stage
        .world
        .send_text(stage.admin, stage.group, &format!("/stickers_forget {forgotten}"), None)
        .expect("a command");
    stage.until("the contacts are erased", async || stage.erased(forgotten).await.then_some(())).await;
    let file = copy.display().to_string();
    let (status, _, errors) = report(&stage, &["restore", &file]).await;
    assert_eq!(status, Some(1), "{errors}");
    assert!(errors.contains("in use") && errors.contains("stop"), "{errors}");

    assert_eq!(stage.stop(Part::Bot).await, Some(0));
    assert_eq!(stage.stop(Part::Api).await, Some(0));
    let highest = stage.books().await.leads.last().expect("a lead").id;
    ruin.comes().await;
    let private_before = stage.seen_in(BOT, stage.admin).len();
    let cards_before = stage.cards(id_of(&request(1))).len();

    // What is no copy changes nothing, and says why.
    let bytes = std::fs::read(&copy).expect("reads");
    let damaged = ruin.seen().await;
    let bad = stage.folder.path().join("bad.db.gz");
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    for (content, reason) in [
        (&bytes[..bytes.len() / 2], "cut off"),
        (&flipped[..], "damaged"),
        (b"".as_slice(), "empty"),
        (b"notes".as_slice(), "neither"),
    ] {
        std::fs::write(&bad, content).expect("writes");
        let (status, _, errors) = report(&stage, &["restore", &bad.display().to_string()]).await;
        assert_eq!(status, Some(1), "{reason}: {errors}");
        assert!(errors.contains(reason), "{reason}: {errors}");
        assert!(ruin.seen().await == damaged, "{reason}: the database was touched");
    }

    let (status, restored, errors) = report(&stage, &["restore", "--json", &file]).await;
    assert_eq!(status, Some(0), "{errors}");
    assert_eq!((&restored["leads"], &restored["jobs"]), (&made["leads"], &made["jobs"]));
    assert_eq!(restored["leads_erased_again"], 1);
    let kept = restored["kept"].as_str().expect("the old database is kept");
    assert!(kept.contains(".before-restore-2"), "{kept}");
    ruin.is_kept_as(Path::new(kept), &damaged).await;
    assert!(stage.erased(forgotten).await, "who was erased stays erased");
    let books = stage.books().await;
    assert_eq!(books.leads.len() as i64, made["leads"].as_i64().expect("a number"));

    stage.start(Part::Api).await;
    stage.start(Part::Bot).await;
    let (status, lead) = stage.submit(&request(AFTER)).await;
    assert_eq!(status, 201);
    assert!(lead > highest && lead > 1000, "a number was given out twice: {lead}");
    stage.card(id_of(&request(AFTER))).await;
    assert_eq!(
        stage.cards(id_of(&request(1))).len(),
        cards_before,
        "a card that was posted is not posted again"
    );
    assert_eq!(stage.seen_in(BOT, stage.admin).len(), private_before, "nobody was messaged");
    let (status, listed, _) = report(&stage, &["backups", "--json"]).await;
    let listed = listed["copies"].as_array().expect("a list").len();
    assert_eq!((status, listed), (Some(0), 2), "the copy and the database of before");
    assert_eq!(stage.stop(Part::Bot).await, Some(0));
    assert_eq!(stage.stop(Part::Api).await, Some(0));
}
