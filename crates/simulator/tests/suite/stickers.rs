//! The table "Stickers": what is wrong with a sticker or a call.

use serde_json::{Value, json};
use simulator::{NewGroup, NewSet, Params};

use crate::stage::{BOT, input, jpeg, pack, png, stage, webp};

const NAME: &str = "space_1_by_stickers_sim_bot";

#[tokio::test]
async fn a_pack_is_made_in_one_call_and_read_back() {
    let stage = stage();
    assert_eq!(stage.done("createNewStickerSet", pack(stage.kamila, NAME, 9)).await, true);
    let set = stage.done("getStickerSet", json!({"name": NAME.to_uppercase()})).await;
    assert_eq!((set["name"].as_str(), set["title"].as_str()), (Some(NAME), Some("Космонавт")));
    assert_eq!(set["sticker_type"], "regular");
    let stickers = set["stickers"].as_array().unwrap();
    assert_eq!(stickers.len(), 9);
    for sticker in stickers {
        assert_eq!((sticker["width"].as_i64(), sticker["height"].as_i64()), (Some(512), Some(512)));
        assert_eq!((sticker["emoji"].as_str(), sticker["set_name"].as_str()), (Some("😀"), Some(NAME)));
        assert_eq!(
            (sticker["is_animated"].as_bool(), sticker["is_video"].as_bool()),
            (Some(false), Some(false))
        );
    }
    let send = json!({"chat_id": stage.kamila, "sticker": stickers[0]["file_id"]});
    let sent = stage.done("sendSticker", send).await;
    assert_eq!(sent["sticker"]["set_name"], NAME);
}

#[tokio::test]
async fn a_set_name_follows_its_rules() {
    let stage = stage();
    for name in [
        "space_by_other_bot",
        "1space_by_stickers_sim_bot",
        "_space_by_stickers_sim_bot",
        "spa__ce_by_stickers_sim_bot",
        "spa-ce_by_stickers_sim_bot",
        "космос_by_stickers_sim_bot",
        "_by_stickers_sim_bot",
        &format!("{}_by_stickers_sim_bot", "x".repeat(45)),
    ] {
        let words = "400 Bad Request: invalid sticker set name is specified";
        stage.refused(name, "createNewStickerSet", pack(stage.kamila, name, 1), words).await;
    }
    let longest = format!("{}_by_Stickers_SIM_bot", "x".repeat(44));
    stage.done("createNewStickerSet", pack(stage.kamila, &longest, 1)).await;
}

#[tokio::test]
async fn every_owner_who_cannot_have_a_set_has_its_words() {
    let stage = stage();
    let stranger = stage.stranger("Emma");
    let met = stage.stranger("Javohir");
    let members = vec![met];
    stage.world.add_group(NewGroup { title: "Team".into(), members, ..NewGroup::default() }).unwrap();
    let blocker = stage.stranger("Odil");
    stage.world.start(blocker, BOT, None).unwrap();
    stage.world.block(blocker, BOT, true).unwrap();
    for (row, owner, words) in [
        ("never met", stranger, "user not found"),
        ("nobody", 5, "user not found"),
        ("met but never started", met, "PEER_ID_INVALID"),
        ("blocked", blocker, "PEER_ID_INVALID"),
        ("the bot itself", BOT, "USER_IS_BOT"),
        ("none", 0, "invalid user_id specified"),
    ] {
        let words = format!("400 Bad Request: {words}");
        stage.refused(row, "createNewStickerSet", pack(owner, NAME, 1), &words).await;
    }
    for method in ["uploadStickerFile", "addStickerToSet"] {
        let params = Params::new()
            .with("user_id", stranger)
            .with("name", NAME)
            .with("sticker_format", "static")
            .with("sticker", input("attach://sticker"))
            .file("sticker", "s.png", png(512, 512));
        stage.refused("never met", method, params, "400 Bad Request: user not found").await;
    }
}

#[tokio::test]
async fn every_bad_create_call_has_its_words() {
    let stage = stage();
    let with = |name: &str, value: Value| {
        let mut params = json!({"user_id": stage.kamila, "name": NAME, "title": "x", "stickers": []});
        params[name] = value;
        params
    };
    for (row, params, words) in [
        ("name", with("name", json!("")), "sticker set name must be non-empty"),
        ("title", with("title", json!("  ")), "sticker set title must be non-empty"),
        ("none", with("stickers", json!([])), "at least 1 sticker must be specified"),
        ("broken", with("stickers", json!("[")), "can't parse stickers JSON object"),
        ("no array", with("stickers", json!({"a": 1})), "expected an Array of InputSticker"),
        ("old", json!({"user_id": 1, "png_sticker": "x", "emojis": "😀"}), "invalid sticker emojis"),
    ] {
        stage.refused(row, "createNewStickerSet", params, &format!("400 Bad Request: {words}")).await;
    }
    let words = "400 Bad Request: too many stickers specified";
    stage.refused("51", "createNewStickerSet", pack(stage.kamila, NAME, 51), words).await;
}

#[tokio::test]
async fn every_bad_input_sticker_has_its_words() {
    let stage = stage();
    let without = |field: &str| {
        let mut sticker = input("attach://p");
        sticker.as_object_mut().unwrap().remove(field);
        sticker
    };
    let with = |field: &str, value: Value| {
        let mut sticker = input("attach://p");
        sticker[field] = value;
        sticker
    };
    for (sticker, words) in [
        (json!([1]), "InputSticker must be an Object"),
        (input("attach://lost"), "sticker not found"),
        (without("format"), "Can't find field \"format\""),
        (with("format", json!("PNG")), "Invalid sticker format specified"),
        (without("emoji_list"), "Can't find field \"emoji_list\""),
        (with("emoji_list", json!([])), "emoji list must be non-empty"),
        (with("emoji_list", json!(vec!["😀"; 21])), "too many emoji specified"),
        (with("emoji_list", json!(["smile"])), "expected a Unicode emoji"),
        (with("keywords", json!([5])), "keyword must be a string"),
    ] {
        let call = |params: Params| {
            params.with("user_id", stage.kamila).with("name", NAME).with("title", "x").file(
                "p",
                "s",
                png(512, 512),
            )
        };
        let create = call(Params::new().with("stickers", json!([sticker])));
        let create_words = format!("400 Bad Request: can't parse InputSticker: {words}");
        stage.refused(words, "createNewStickerSet", create, &create_words).await;
        let add = call(Params::new().with("sticker", sticker));
        let add_words = format!("400 Bad Request: can't parse sticker: {words}");
        stage.refused(words, "addStickerToSet", add, &add_words).await;
    }
}

#[tokio::test]
async fn every_bad_picture_has_its_words() {
    let stage = stage();
    let noise: Vec<u8> = (0..600_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut cut = png(512, 512);
    cut.truncate(cut.len() / 2);
    for (row, bytes, words) in [
        ("no side is 512", png(511, 511), "STICKER_PNG_DIMENSIONS"),
        ("one side is over", png(512, 513), "STICKER_PNG_DIMENSIONS"),
        ("not a picture", b"hello".to_vec(), "STICKER_PNG_NOPNG"),
        ("another format", jpeg(512, 512), "wrong file type"),
        ("half of a picture", cut, "STICKER_FILE_INVALID"),
        ("over 512 KiB", noise, "file is too big"),
    ] {
        let params = Params::new().with("user_id", stage.kamila).with("sticker_format", "static").file(
            "sticker",
            "s.png",
            bytes.clone(),
        );
        let words = format!("400 Bad Request: {words}");
        stage.refused(row, "uploadStickerFile", params, &words).await;
        let create = pack(stage.kamila, NAME, 0).file("p", "s.png", bytes);
        let mut fields = json!([input("attach://p")]);
        fields[0]["emoji_list"] = json!(["😀"]);
        let create = Params::new()
            .with("user_id", stage.kamila)
            .with("name", NAME)
            .with("title", "x")
            .with("stickers", fields)
            .file("p", "s.png", create.upload("p").unwrap().bytes.clone());
        stage.refused(row, "createNewStickerSet", create, &words).await;
    }
}

#[tokio::test]
async fn png_and_webp_of_one_side_512_are_taken() {
    let stage = stage();
    for bytes in [png(512, 100), png(20, 512), webp(512, 512)] {
        let params = Params::new()
            .with("user_id", stage.kamila)
            .with("sticker_format", "static")
            .file("sticker", "s", bytes);
        assert!(stage.done("uploadStickerFile", params).await["file_id"].is_string());
    }
    let nothing = json!({"user_id": stage.kamila, "sticker_format": "static", "sticker": "ABCD"});
    let words = "400 Bad Request: there is no sticker in the request";
    stage.refused("by id", "uploadStickerFile", nothing, words).await;
}

#[tokio::test]
async fn the_title_is_cut_at_64_without_a_word() {
    let stage = stage();
    let stickers = json!([input("attach://p")]);
    let params = Params::new()
        .with("user_id", stage.kamila)
        .with("name", NAME)
        .with("title", format!("  {}  ", "я".repeat(70)))
        .with("stickers", stickers)
        .file("p", "s.png", png(512, 512));
    stage.done("createNewStickerSet", params).await;
    let set = stage.done("getStickerSet", json!({"name": NAME})).await;
    assert_eq!(set["title"], "я".repeat(64));
}

#[tokio::test]
async fn an_uploaded_file_becomes_another_file_in_the_set_and_only_once() {
    let stage = stage();
    let upload = Params::new().with("user_id", stage.kamila).with("sticker_format", "static").file(
        "sticker",
        "s.png",
        png(512, 512),
    );
    let file = stage.done("uploadStickerFile", upload).await;
    let name = stage.make_set("space", 1).await;
    let add =
        json!({"user_id": stage.kamila, "name": name, "sticker": input(file["file_id"].as_str().unwrap())});
    for _ in 0..2 {
        stage.done("addStickerToSet", add.clone()).await;
    }
    let set = stage.done("getStickerSet", json!({"name": name})).await;
    assert_eq!(set["stickers"].as_array().unwrap().len(), 2);
    assert_ne!(set["stickers"][1]["file_unique_id"], file["file_unique_id"]);
    let again = Params::new()
        .with("user_id", stage.kamila)
        .with("name", name.as_str())
        .with("sticker", input("attach://p"))
        .file("p", "s.png", png(512, 512));
    stage.done("addStickerToSet", again).await;
    let set = stage.done("getStickerSet", json!({"name": name})).await;
    assert_eq!(set["stickers"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn the_121st_sticker_and_foreign_sets_are_refused() {
    let stage = stage();
    let set = |name: &str, bot, stickers| NewSet {
        name: name.into(),
        title: "x".into(),
        owner: stage.kamila,
        bot,
        stickers,
    };
    let full = "full_by_stickers_sim_bot";
    let foreign = "theirs_by_stickers_sim_bot";
    stage.world.add_set(set(full, Some(BOT), 120)).unwrap();
    stage.world.add_set(set(foreign, None, 1)).unwrap();
    let emma = stage.stranger("Emma");
    stage.world.start(emma, BOT, None).unwrap();
    let add = |owner: i64, name: &str| {
        Params::new().with("user_id", owner).with("name", name).with("sticker", input("attach://p")).file(
            "p",
            "s.png",
            png(512, 512),
        )
    };
    for (row, params, words) in [
        ("full", add(stage.kamila, full), "STICKERS_TOO_MUCH"),
        ("unknown", add(stage.kamila, "none_by_stickers_sim_bot"), "STICKERSET_INVALID"),
        ("another bot's", add(stage.kamila, foreign), "STICKERSET_INVALID"),
        ("another owner's", add(emma, full), "STICKERSET_INVALID"),
    ] {
        stage.refused(row, "addStickerToSet", params, &format!("400 Bad Request: {words}")).await;
    }
    let occupied = "400 Bad Request: sticker set name is already occupied";
    stage.refused("occupied", "createNewStickerSet", pack(stage.kamila, foreign, 1), occupied).await;
    stage.done("getStickerSet", json!({"name": foreign})).await;
}
