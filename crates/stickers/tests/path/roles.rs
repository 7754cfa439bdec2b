//! The roles of the bot as processes: the end of one ends the bot, and those that must be single are.

use crate::stage::{Stage, astronaut};
use sqlx::{Connection, SqliteConnection};

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_role_ends_the_bot_with_status_1() {
    let mut stage = Stage::new().await;
    // The role `updates` cannot note who it is, and ends; the others would go on.
    let mut database = SqliteConnection::connect(&stage.database).await.expect("the file opens");
    sqlx::raw_sql("DROP TABLE settings").execute(&mut database).await.expect("the table is gone");
    database.close().await.expect("closed");
    stage.start_bot("");
    assert_eq!(stage.bot_ends().await, Some(1));
    assert_eq!(stage.logged("a role ended, the others are stopped"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_bots_on_one_database_one_works_and_the_other_says_so_once_and_takes_over_when_it_is_killed() {
    const WAITS: &str = "another bot on this database has this role; waiting for it";
    let mut stage = Stage::new().await;
    stage.start_bot("");
    let guest = stage.person("Lola", "ru");
    let token = stage.at_the_camera(guest, "chapan").await;
    let second = stage.another_bot();
    stage.until("it waits for four roles", async || (stage.logged(WAITS) >= 4).then_some(())).await;
    let other = stage.person("Aziz", "ru");
    stage.world.start(other, crate::stage::BOT, None).expect("the chat opens");
    stage.hears(other, "Привет").await;
    let conflicts = stage.world.log().iter().filter(|call| call.status == 409).count();
    assert_eq!(conflicts, 0, "only one asks for updates");
    stage.kill_bot().await;
    assert_eq!(stage.upload(&token, astronaut()).await.0, 202);
    stage.pack_arrives_once(guest).await;
    stage
        .until("it has all roles", async || (stage.logged("this bot takes the role over") == 4).then_some(()))
        .await;
    assert_eq!(stage.logged(WAITS), 4, "said once for each role");
    assert_eq!(stage.logged("the role of a bot that died here is taken over"), 4, "not waited out");
    drop(second);
}
