//! The table "Editing, deleting, buttons".

use serde_json::{Value, json};
use simulator::{NewGroup, NewPress, Params};

use crate::stage::{BOT, Stage, png, stage};

fn edit(stage: &Stage, id: i64, text: &str) -> Value {
    json!({"chat_id": stage.kamila, "message_id": id, "text": text})
}

#[tokio::test]
async fn every_refused_edit_has_its_words() {
    let stage = stage();
    let own = stage.send("card").await;
    let theirs = stage.world.send_text(stage.kamila, BOT, "mine", None).unwrap();
    let photo = Params::new().with("chat_id", stage.kamila).file("photo", "a", png(9, 9));
    let photo = stage.done("sendPhoto", photo).await["message_id"].as_i64().unwrap();
    let keyboard = json!({"chat_id": stage.kamila, "text": "x", "reply_markup": {"keyboard": [["a"]]}});
    let keyboard = stage.done("sendMessage", keyboard).await["message_id"].as_i64().unwrap();
    let not_modified = "message is not modified: specified new message content and reply markup are exactly the \
                        same as a current content and reply markup of the message";
    for (row, params, words) in [
        ("same", edit(&stage, own, "card"), not_modified),
        ("unknown", edit(&stage, 99_999, "x"), "message to edit not found"),
        ("zero", edit(&stage, 0, "x"), "message to edit not found"),
        ("negative", edit(&stage, -4, "x"), "message to edit not found"),
        ("a person's", edit(&stage, theirs, "x"), "message can't be edited"),
        ("keyboard", edit(&stage, keyboard, "x"), "message can't be edited"),
        ("media", edit(&stage, photo, "x"), "there is no text in the message to edit"),
        ("long", edit(&stage, own, &"x".repeat(4_097)), "MESSAGE_TOO_LONG"),
        ("empty", edit(&stage, own, ""), "message text is empty"),
        ("no ids", json!({"text": "x"}), "message identifier is not specified"),
    ] {
        stage.refused(row, "editMessageText", params, &format!("400 Bad Request: {words}")).await;
    }
    let caption = json!({"chat_id": stage.kamila, "message_id": own, "caption": "x"});
    let words = "400 Bad Request: there is no caption in the message to edit";
    stage.refused("caption of a text", "editMessageCaption", caption, words).await;
}

#[tokio::test]
async fn an_edit_without_a_keyboard_takes_the_keyboard_away() {
    let stage = stage();
    let markup = json!({"inline_keyboard": [[{"text": "a", "callback_data": "a"}]]});
    let sent = json!({"chat_id": stage.kamila, "text": "card", "reply_markup": markup});
    let id = stage.done("sendMessage", sent).await["message_id"].as_i64().unwrap();
    stage.later(5);
    let edited = stage.done("editMessageText", edit(&stage, id, "card")).await;
    assert!(edited.get("reply_markup").is_none());
    assert_eq!(edited["edit_date"], crate::stage::START_MS / 1_000 + 5);
    let back = json!({"chat_id": stage.kamila, "message_id": id, "reply_markup": markup});
    assert_eq!(stage.done("editMessageReplyMarkup", back).await["reply_markup"], markup);
}

#[tokio::test]
async fn what_somebody_deleted_a_moment_ago_is_an_invalid_id_and_then_unknown() {
    let stage = stage();
    let id = stage.send("card").await;
    stage.world.delete_message(stage.kamila, BOT, id).unwrap();
    let gone = edit(&stage, id, "x");
    stage.refused("just now", "editMessageText", gone.clone(), "400 Bad Request: MESSAGE_ID_INVALID").await;
    stage.later(1);
    stage.refused("later", "editMessageText", gone, "400 Bad Request: message to edit not found").await;
}

#[tokio::test]
async fn deleting_twice_and_too_late_is_refused() {
    let stage = stage();
    let id = stage.send("x").await;
    let old = stage.send("old").await;
    let delete = |id: i64| json!({"chat_id": stage.kamila, "message_id": id});
    stage.done("deleteMessage", delete(id)).await;
    let words = "400 Bad Request: message to delete not found";
    stage.refused("twice", "deleteMessage", delete(id), words).await;
    let words = "400 Bad Request: message identifier is not specified";
    stage.refused("none", "deleteMessage", json!({"chat_id": stage.kamila}), words).await;
    stage.later(48 * 3_600 + 1);
    let words = "400 Bad Request: message can't be deleted for everyone";
    stage.refused("old", "deleteMessage", delete(old), words).await;
    stage.done("editMessageText", edit(&stage, old, "…")).await;
}

#[tokio::test]
async fn others_messages_in_a_group_stay_without_the_right() {
    let stage = stage();
    let group = |admins| NewGroup {
        title: "Team".into(),
        members: vec![stage.kamila],
        admins,
        ..NewGroup::default()
    };
    let chat = stage.world.add_group(group(vec![])).unwrap();
    let id = stage.world.send_text(stage.kamila, chat, "hello", None).unwrap();
    let delete = json!({"chat_id": chat, "message_id": id});
    let words = "400 Bad Request: message can't be deleted";
    stage.refused("no right", "deleteMessage", delete, words).await;
    let chat = stage.world.add_group(group(vec![BOT])).unwrap();
    let id = stage.world.send_text(stage.kamila, chat, "hello", None).unwrap();
    stage.done("deleteMessage", json!({"chat_id": chat, "message_id": id})).await;
}

#[tokio::test]
async fn delete_messages_skips_what_is_not_there() {
    let stage = stage();
    let (a, b) = (stage.send("a").await, stage.send("b").await);
    let ids = json!({"chat_id": stage.kamila, "message_ids": [a, 99_999, b]});
    stage.done("deleteMessages", ids).await;
    let view = stage.world.view(Some(stage.kamila), BOT).unwrap();
    assert_eq!(view["messages"].as_array().unwrap().len(), 1);
    let many: Vec<i64> = (0..101).collect();
    let words = "400 Bad Request: too many message identifiers specified";
    stage
        .refused("101", "deleteMessages", json!({"chat_id": stage.kamila, "message_ids": many}), words)
        .await;
}

/// A card with a button that Kamila presses; answers the id of the callback query.
async fn press(stage: &Stage) -> String {
    let markup = json!({"inline_keyboard": [
        [{"text": "site", "url": "https://a.b"}], [{"text": "ok", "callback_data": "yes:1"}]
    ]});
    let card = json!({"chat_id": stage.kamila, "text": "card", "reply_markup": markup});
    let id = stage.done("sendMessage", card).await["message_id"].as_i64().unwrap();
    let press = NewPress { person: stage.kamila, chat: BOT, message_id: id, row: 1, ..NewPress::default() };
    assert!(stage.world.press(NewPress { row: 0, ..press.clone() }).is_err());
    stage.world.press(press).unwrap()
}

const TOO_OLD: &str = "400 Bad Request: query is too old and response timeout expired or query ID is invalid";

#[tokio::test]
async fn a_press_arrives_with_its_message_and_is_answered_once() {
    let stage = stage();
    stage.updates().await;
    let id = press(&stage).await;
    let waiting = stage.world.view(Some(stage.kamila), BOT).unwrap();
    assert_eq!(waiting["messages"][1]["pressed"], json!({"row": 1, "col": 0}));
    let answer = json!({"callback_query_id": id, "text": "Готово", "show_alert": true});
    stage.done("answerCallbackQuery", answer.clone()).await;
    stage.refused("second", "answerCallbackQuery", answer, TOO_OLD).await;
    let view = stage.world.view(Some(stage.kamila), BOT).unwrap();
    assert_eq!(view["messages"][1]["pressed"], Value::Null);
    assert_eq!(
        (view["notice"]["text"].as_str(), view["notice"]["alert"].as_bool()),
        (Some("Готово"), Some(true))
    );
    let update = &stage.updates().await[0]["callback_query"];
    assert_eq!((update["id"].as_str(), update["data"].as_str()), (Some(id.as_str()), Some("yes:1")));
    assert_eq!(update["message"]["text"], "card");
    assert_eq!(update["from"]["language_code"], "ru");
}

#[tokio::test]
async fn late_and_invented_answers_are_too_old() {
    let stage = stage();
    let id = press(&stage).await;
    stage.later(10);
    stage.refused("late", "answerCallbackQuery", json!({"callback_query_id": id}), TOO_OLD).await;
    stage.refused("invented", "answerCallbackQuery", json!({"callback_query_id": "5"}), TOO_OLD).await;
    stage.refused("none", "answerCallbackQuery", json!({}), TOO_OLD).await;
    let long = json!({"callback_query_id": "5", "text": "x".repeat(201)});
    stage.refused("long", "answerCallbackQuery", long, "400 Bad Request: MESSAGE_TOO_LONG").await;
}

#[tokio::test]
async fn a_button_may_open_only_the_bots_own_start_link() {
    let stage = stage();
    let id = press(&stage).await;
    let open = |url: &str| json!({"callback_query_id": id, "url": url});
    let words = "400 Bad Request: URL_INVALID";
    stage.refused("elsewhere", "answerCallbackQuery", open("https://a.b"), words).await;
    stage.done("answerCallbackQuery", open("https://t.me/stickers_sim_bot?start=x")).await;
}

#[tokio::test]
async fn a_changed_app_may_send_any_data_and_press_a_card_that_is_gone() {
    let stage = stage();
    stage.updates().await;
    let id = stage.send("card").await;
    stage.done("deleteMessage", json!({"chat_id": stage.kamila, "message_id": id})).await;
    let forged = NewPress {
        person: stage.kamila,
        chat: BOT,
        message_id: id,
        data: Some("consent:x".into()),
        ..NewPress::default()
    };
    stage.world.press(forged).unwrap();
    let update = &stage.updates().await[0]["callback_query"];
    assert_eq!(update["data"], "consent:x");
    assert_eq!(update["message"]["date"], 0);
    assert!(update["message"].get("text").is_none());
}
