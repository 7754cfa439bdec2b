//! A night without a copy when the database cannot even take the alert: the command tells the operators by itself, and ends as it always does.

use crate::calls;
use crate::stage::{BOT, Stage, TOKEN};
use simulator::{Fault, Play};
use std::process::Output;

const TOLD: &str = "⚠️ Резервная копия базы не сделана";

/// A stage with an operator, and a database that no process has open.
async fn stage_with_an_operator() -> (Stage, i64) {
    let mut stage = Stage::new().await;
    stage.stop_api().await;
    let operator = stage.person("Нодира", "ru");
    stage.world.start(operator, BOT, None).expect("the operator presses Start");
    stage.more.push(("ADMIN_USER_IDS", operator.to_string()));
    (stage, operator)
}

/// The command failed as ever: status 1, its line, one more on standard error besides the log, and no token anywhere.
fn failed(output: &Output, reason: &str) {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{out}{err}");
    assert!(out.contains(" UTC FAIL ") && out.contains(reason) && out.lines().count() == 1, "{out}");
    assert_eq!(err.lines().filter(|line| line.starts_with("stickers: no copy was made")).count(), 1, "{err}");
    assert!(!out.contains(TOKEN) && !err.contains(TOKEN), "{out}{err}");
}

fn damage(stage: &Stage) {
    let database = stage.folder.path().join("app.db");
    let mut bytes = std::fs::read(&database).expect("reads");
    bytes[..100].fill(b'x');
    std::fs::write(&database, bytes).expect("writes");
}

/// A port that was free a moment ago: nobody listens there.
fn nobody() -> std::net::SocketAddr {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    socket.local_addr().expect("an address")
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_hear_of_a_failed_copy_when_the_database_cannot_be_opened() {
    let (mut stage, operator) = stage_with_an_operator().await;
    damage(&stage);
    stage.world.fault(Fault::once("sendMessage", Play::Flood { retry_after: 1, applied: false }));
    failed(&stage.run(&["backup"]).await, "sqlite3 .backup");
    assert_eq!(stage.told(operator, TOLD), 1, "tried again after the refusal");
    assert_eq!(stage.told(operator, "sqlite3 .backup"), 1, "with the line of the log");

    // Where the file should be, nothing can be looked at: a link that leads to itself. That is not "no database yet".
    let database = stage.folder.path().join("app.db");
    std::fs::remove_file(&database).expect("removes");
    std::os::unix::fs::symlink(&database, &database).expect("links");
    failed(&stage.run(&["backup"]).await, "app.db failed");
    assert_eq!(stage.told(operator, TOLD), 2);
    assert_eq!(stage.told(operator, "app.db failed"), 1);

    // Nobody to tell, and no way to: the same end.
    let before = calls(&stage, "sendMessage");
    stage.more.clear();
    failed(&stage.run(&["backup"]).await, "app.db failed");
    assert_eq!(calls(&stage, "sendMessage"), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_telegram_that_is_away_changes_nothing_about_the_end_of_a_failed_copy() {
    let (mut stage, operator) = stage_with_an_operator().await;
    damage(&stage);
    stage.more.push(("TELEGRAM_API_URL", format!("http://{}", nobody())));
    let output = stage.run(&["backup"]).await;
    failed(&output, "sqlite3 .backup");
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(log.matches("an operator could not be told").count(), 3, "{log}");
    assert_eq!(stage.told(operator, TOLD), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_hear_of_a_failed_copy_when_the_server_of_the_database_does_not_answer() {
    let (mut stage, operator) = stage_with_an_operator().await;
    stage.more.push(("DATABASE_URL", format!("postgres://kiosk:hunter2@{}/app", nobody())));
    let output = stage.run(&["backup"]).await;
    failed(&output, "pg_dump");
    assert_eq!((stage.told(operator, TOLD), stage.told(operator, "pg_dump")), (1, 1));
    assert_eq!(stage.told(operator, "hunter2"), 0, "no password is told");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("hunter2"));
}
