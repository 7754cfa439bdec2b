//! Changes to sets, and the odd ways of new and deleted ones.

use serde_json::{Value, json};
use simulator::{Fault, Params, Play, Settings};

use crate::stage::{Stage, input, pack, png, stage};

async fn stickers(stage: &Stage, name: &str) -> Vec<Value> {
    stage.done("getStickerSet", json!({"name": name})).await["stickers"].as_array().unwrap().clone()
}

async fn gone(stage: &Stage, name: &str) {
    let words = "400 Bad Request: STICKERSET_INVALID";
    stage.refused("gone", "getStickerSet", json!({"name": name}), words).await;
}

#[tokio::test]
async fn stickers_are_moved_renamed_replaced_and_deleted() {
    let stage = stage();
    let name = stage.make_set("space", 3).await;
    let before = stickers(&stage, &name).await;
    let id = |n: usize| before[n]["file_id"].clone();
    stage.done("setStickerPositionInSet", json!({"sticker": id(2), "position": 0})).await;
    stage.done("setStickerEmojiList", json!({"sticker": id(2), "emoji_list": ["🚀"]})).await;
    stage.done("setStickerKeywords", json!({"sticker": id(2), "keywords": ["start"]})).await;
    stage.done("setStickerSetTitle", json!({"name": name, "title": " Луна "})).await;
    let after = stickers(&stage, &name).await;
    assert_eq!((&after[0]["file_id"], after[0]["emoji"].as_str()), (&id(2), Some("🚀")));
    assert_eq!(stage.done("getStickerSet", json!({"name": name})).await["title"], "Луна");
    let replace = Params::new()
        .with("user_id", stage.kamila)
        .with("name", name.as_str())
        .with("old_sticker", id(0))
        .with("sticker", input("attach://p"))
        .file("p", "s.png", png(512, 30));
    stage.done("replaceStickerInSet", replace).await;
    assert_eq!(stickers(&stage, &name).await[1]["height"], 30);
    let words = "400 Bad Request: STICKERSET_NOT_MODIFIED";
    stage.refused("gone", "deleteStickerFromSet", json!({"sticker": id(0)}), words).await;
    stage.done("deleteStickerFromSet", json!({"sticker": id(1)})).await;
    assert_eq!(stickers(&stage, &name).await.len(), 2);
}

#[tokio::test]
async fn removing_the_last_sticker_removes_the_set() {
    let stage = stage();
    let name = stage.make_set("space", 1).await;
    let only = stickers(&stage, &name).await.remove(0);
    stage.done("deleteStickerFromSet", json!({"sticker": only["file_id"]})).await;
    gone(&stage, &name).await;
}

#[tokio::test]
async fn a_thumbnail_is_100_by_100() {
    let stage = stage();
    let name = stage.make_set("space", 1).await;
    let set = |side: u32| {
        Params::new().with("user_id", stage.kamila).with("name", name.as_str()).with("format", "static").file(
            "thumbnail",
            "t.png",
            png(side, side),
        )
    };
    let words = "400 Bad Request: STICKER_PNG_DIMENSIONS";
    stage.refused("side", "setStickerSetThumbnail", set(99), words).await;
    stage.done("setStickerSetThumbnail", set(100)).await;
    assert_eq!(stage.done("getStickerSet", json!({"name": name})).await["thumbnail"]["width"], 100);
}

#[tokio::test]
async fn a_new_set_stays_invisible_for_the_lag() {
    let stage = stage();
    stage.world.set_settings(Settings { set_lag_ms: 3_000, ..Settings::default() });
    let name = stage.make_set("space", 2).await;
    gone(&stage, &name).await;
    let words = "400 Bad Request: STICKERSET_INVALID";
    stage.refused("too soon", "deleteStickerSet", json!({"name": name}), words).await;
    stage.later(3);
    assert_eq!(stickers(&stage, &name).await.len(), 2);
}

#[tokio::test]
async fn a_deleted_name_is_neither_free_nor_taken_for_minutes() {
    let stage = stage();
    let mut made = 0;
    let mut seen = 0;
    for round in 0..12 {
        let name = format!("space_{round}_by_stickers_sim_bot");
        stage.later(60);
        stage.done("createNewStickerSet", pack(stage.kamila, &name, 1)).await;
        stage.done("deleteStickerSet", json!({"name": name})).await;
        let words = "500 Internal Server Error: created sticker set not found";
        stage.refused("again", "createNewStickerSet", pack(stage.kamila, &name, 1), words).await;
        if stage.world.set(&name).is_some() {
            made += 1;
            let words = "400 Bad Request: STICKERPACK_NOT_FOUND";
            stage.refused("odd", "setStickerSetTitle", json!({"name": name, "title": "x"}), words).await;
            let tries = [(); 4].map(|()| stage.call("getStickerSet", json!({"name": name})));
            for found in futures::future::join_all(tries).await {
                seen += u32::from(found.0 == 200);
            }
            stage.later(300);
            assert_eq!(stickers(&stage, &name).await.len(), 1);
        }
    }
    assert!((1..12).contains(&made), "the set exists sometimes: {made}");
    assert!(seen > 0 && seen < made * 4, "and is found sometimes: {seen} of {}", made * 4);
}

#[tokio::test]
async fn the_owner_may_delete_a_sticker_and_the_whole_set() {
    let stage = stage();
    let name = stage.make_set("space", 2).await;
    stage.world.owner_deletes(&name, Some(0)).unwrap();
    assert_eq!(stickers(&stage, &name).await.len(), 1);
    stage.world.owner_deletes(&name, None).unwrap();
    gone(&stage, &name).await;
    assert!(stage.world.owner_deletes(&name, None).is_err());
}

#[tokio::test]
async fn the_third_set_of_one_owner_must_wait() {
    let stage = stage();
    stage.make_set("one", 1).await;
    stage.make_set("two", 1).await;
    let third = "three_by_stickers_sim_bot";
    let words = "429 Too Many Requests: retry after 10";
    stage.refused("third", "createNewStickerSet", pack(stage.kamila, third, 1), words).await;
    stage.later(10);
    stage.make_set("three", 1).await;
}

#[tokio::test]
async fn a_create_can_be_applied_and_answered_with_an_error() {
    let stage = stage();
    let words = "Internal Server Error: created sticker set not found";
    let play = Play::Status { code: 500, description: words.into(), applied: true };
    stage.world.fault(Fault::once("createNewStickerSet", play));
    let name = "space_by_stickers_sim_bot";
    let row = format!("500 {words}");
    stage.refused("applied", "createNewStickerSet", pack(stage.kamila, name, 3), &row).await;
    assert_eq!(stickers(&stage, name).await.len(), 3);
}

#[tokio::test]
async fn an_added_sticker_can_be_answered_with_429() {
    let stage = stage();
    let name = stage.make_set("space", 1).await;
    stage.world.fault(Fault::once("addStickerToSet", Play::Flood { retry_after: 7, applied: true }));
    let add = Params::new()
        .with("user_id", stage.kamila)
        .with("name", name.as_str())
        .with("sticker", input("attach://p"))
        .file("p", "s.png", png(512, 512));
    let words = "429 Too Many Requests: retry after 7";
    stage.refused("applied", "addStickerToSet", add, words).await;
    assert_eq!(stickers(&stage, &name).await.len(), 2);
}
