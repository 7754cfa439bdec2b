//! The world on disk.

use std::sync::Arc;

use serde_json::json;
use simulator::{VirtualClock, World};

use crate::stage::{BOT, START_MS, TOKEN, stage};

#[tokio::test]
async fn a_saved_world_goes_on_where_it_stopped() {
    let stage = stage();
    let name = stage.make_set("space", 2).await;
    let last = stage.send("before").await;
    let set = stage.world.set(&name);
    let folder = tempfile::tempdir().unwrap();
    stage.world.save(folder.path()).unwrap();
    stage.world.save(folder.path()).unwrap();

    let clock = Arc::new(VirtualClock::at(START_MS + 3_600_000));
    let world = World::load(folder.path(), clock).unwrap().unwrap();
    assert_eq!(world.set(&name), set);
    assert_eq!(world.view(Some(stage.kamila), BOT), stage.world.view(Some(stage.kamila), BOT));
    let (_, sent) = world.call(TOKEN, "sendMessage", json!({"chat_id": stage.kamila, "text": "after"})).await;
    assert_eq!(sent["result"]["message_id"], last + 1);
    let (_, updates) = world.call(TOKEN, "getUpdates", json!({})).await;
    assert_eq!(updates["result"][0]["message"]["text"], "/start");
    let file = set.unwrap()["stickers"][0]["file"].as_str().unwrap().to_owned();
    assert_eq!(world.file(&file), stage.world.file(&file));
}

#[test]
fn an_empty_folder_holds_no_world_and_a_broken_one_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let load = || World::load(folder.path(), Arc::new(VirtualClock::at(0)));
    assert!(load().unwrap().is_none());
    std::fs::write(folder.path().join("world.json"), "{").unwrap();
    assert!(load().is_err());
}

#[tokio::test]
async fn a_reset_keeps_the_bots_and_forgets_the_rest() {
    let stage = stage();
    stage.world.reset(9);
    assert_eq!(stage.done("getMe", json!({})).await["username"], "stickers_sim_bot");
    assert_eq!(stage.world.people(), json!({"people": []}));
    assert_eq!(stage.world.waiting_updates(BOT).unwrap(), 0);
}
