//! The restore drill (seed 002, "Restore"; issue 5): a copy made under load, the database damaged, the copy brought back. Counts match, nobody is
//! messaged, who was erased stays erased, no number is given out twice, and everything goes on.

use crate::stage::{BOT, Part, Stage, id_of, request};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The first number of a request after the restore.
const AFTER: u32 = 500;

fn copies(stage: &Stage) -> Vec<PathBuf> {
    let folder = stage.folder.path().join("backups");
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of the copies")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|end| end == "gz"))
        .collect();
    found.sort();
    found
}

async fn report(stage: &Stage, arguments: &[&str]) -> (Option<i32>, Value, String) {
    let output = stage.run(arguments).await;
    let value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), value, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Overwrites the middle of the file, as a dying disk would.
fn damage(file: &Path) {
    let mut bytes = std::fs::read(file).expect("the database");
    let (from, to) = (bytes.len() / 4, bytes.len() * 3 / 4);
    bytes[from..to].fill(0);
    std::fs::write(file, bytes).expect("writes");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_002_restore_1_and_2_a_copy_made_under_load_comes_back_and_everything_goes_on() {
    let mut stage = Stage::new().await;
    stage.start(Part::Bot).await;
    for number in 0..4 {
        stage.submit(&request(number)).await;
    }
    for number in 0..4 {
        stage.card(id_of(&request(number))).await;
    }
    // The copy is made while requests are stored.
    let mut loading = tokio::task::JoinSet::new();
    for number in 100..130 {
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
    let database = stage.folder.path().join("app.db");
    damage(&database);
    let private_before = stage.seen_in(BOT, stage.admin).len();
    let cards_before = stage.cards(id_of(&request(1))).len();

    // What is no copy changes nothing, and says why.
    let bytes = std::fs::read(&copy).expect("reads");
    let damaged = std::fs::read(&database).expect("reads");
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
        assert!(std::fs::read(&database).expect("reads") == damaged, "{reason}: the database was touched");
    }

    let (status, restored, errors) = report(&stage, &["restore", "--json", &file]).await;
    assert_eq!(status, Some(0), "{errors}");
    assert_eq!((&restored["leads"], &restored["jobs"]), (&made["leads"], &made["jobs"]));
    assert_eq!(restored["leads_erased_again"], 1);
    let kept = restored["kept"].as_str().expect("the old database is kept");
    assert!(std::fs::read(kept).expect("reads") == damaged);
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
