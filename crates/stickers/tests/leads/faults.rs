//! Faults of the machine under running processes: a disk that takes nothing, a lock that another program holds, a folder that is gone. Each is
//! told in the log and to the operator, ends no process, loses nothing, and is over by itself.

use crate::stage::{BOT, Part, Stage, id_of, request};
use serde_json::Value;
use sqlx::{Connection, SqliteConnection};
use std::process::Command;

impl Stage {
    /// Waits until the operator was told these words.
    async fn told(&self, words: &str) {
        let told = |message: &Value| message["text"].as_str().is_some_and(|text| text.contains(words));
        self.until(&format!("the operator is told {words:?}"), async || {
            self.seen_in(BOT, self.admin).iter().any(told).then_some(())
        })
        .await;
    }

    /// Sends a request; whether it was taken.
    async fn taken(&self, number: u32) -> bool {
        let status = self.post(&request(number)).send().await.expect("an answer").status().as_u16();
        assert!(matches!(status, 201 | 500..=599), "{status}");
        status == 201
    }

    /// Sends requests until one is taken, each with a number of its own; answers that number.
    async fn first_taken(&self, from: u32) -> u32 {
        let mut number = from;
        self.until("requests are taken again", async || {
            number += 1;
            self.taken(number).await.then_some(())
        })
        .await;
        number
    }
}

/// With API and bot running, and one request on its way to the group.
async fn begun() -> Stage {
    let mut stage = Stage::new().await;
    stage.operator = Some(stage.admin);
    stage.start(Part::Bot).await;
    assert!(stage.taken(1).await);
    stage.card(id_of(&request(1))).await;
    stage
}

/// Both processes still run, and every request that was taken is stored and has its card.
async fn all_well(mut stage: Stage, taken: &[u32]) {
    for number in taken {
        stage.card(id_of(&request(*number))).await;
        assert_eq!(stage.cards(id_of(&request(*number))).len(), 1);
    }
    assert_eq!(stage.books().await.leads.len(), taken.len(), "nothing else was stored");
    assert_eq!(stage.stop(Part::Bot).await, Some(0), "it never ended");
    assert_eq!(stage.stop(Part::Api).await, Some(0), "it never ended");
}

/// Lets the process write files of this size at most; none: any.
fn limit_files(pid: u32, bytes: Option<u32>) {
    let limit = bytes.map_or("unlimited".to_owned(), |bytes| bytes.to_string());
    let done = Command::new("prlimit")
        .args(["--pid", &pid.to_string(), &format!("--fsize={limit}:unlimited")])
        .status()
        .expect("prlimit runs");
    assert!(done.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_takes_nothing_is_told_and_is_over_by_itself() {
    let stage = begun().await;
    let pids = [stage.pid(Part::Api), stage.pid(Part::Bot)];
    pids.into_iter().for_each(|pid| limit_files(pid, Some(1)));
    assert!(!stage.taken(2).await, "a request that cannot be stored is refused, and its sender knows");
    stage.told("⚠️ Диск не принимает запись в базу.").await;
    pids.into_iter().for_each(|pid| limit_files(pid, None));
    stage.told("✅ База снова записывается.").await;
    let again = stage.first_taken(100).await;
    all_well(stage, &[1, again]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_that_another_program_holds_is_told_and_is_over_by_itself() {
    let stage = begun().await;
    let mut other = SqliteConnection::connect(&stage.database).await.expect("connects");
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.expect("locks");
    assert!(!stage.taken(2).await);
    stage.told("⚠️ База занята другой программой").await;
    assert!(stage.logged().contains("TROUBLE База занята другой программой"), "in the log too");
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.expect("unlocks");
    other.close().await.expect("closes");
    stage.told("✅ База снова записывается.").await;
    let again = stage.first_taken(100).await;
    all_well(stage, &[1, again]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_folder_out_of_reach_is_told_and_is_over_by_itself() {
    let stage = begun().await;
    let (here, gone) = (stage.folder.path().to_owned(), stage.folder.path().with_extension("gone"));
    std::fs::rename(&here, &gone).expect("it goes");
    stage.told("⚠️ Нет доступа к папке данных").await;
    std::fs::rename(&gone, &here).expect("it comes back");
    stage.told("✅ Файлы снова сохраняются.").await;
    let again = stage.first_taken(100).await;
    all_well(stage, &[1, again]).await;
}
