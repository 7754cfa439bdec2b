//! Refusals that mean that the aim is reached.

use super::*;

const NOT_MODIFIED: &str = "Bad Request: message is not modified: specified new message content and reply markup are \
                            exactly the same as a current content and reply markup of the message";

fn edit() -> EditMessage {
    EditMessage { message: CARD, text: "x".into(), parse_mode_html: false, buttons: None, link_preview: true }
}

#[tokio::test]
async fn an_edit_that_changes_nothing() {
    assert_eq!(once(refusal(400, NOT_MODIFIED), |api| api.edit_message_text(edit())).await.2, Ok(()));
    assert_eq!(once(refusal(400, NOT_MODIFIED), |api| api.edit_reply_markup(CARD, None)).await.2, Ok(()));
}

#[tokio::test]
async fn a_deletion_of_what_is_gone() {
    let gone = || refusal(400, "Bad Request: message to delete not found");
    assert_eq!(once(gone(), |api| api.delete_message(CARD)).await.2, Ok(()));
    let gone = || refusal(400, "Bad Request: STICKERSET_INVALID");
    assert_eq!(once(gone(), |api| api.delete_sticker_set("x")).await.2, Ok(()));
}

#[tokio::test]
async fn a_button_answered_too_late() {
    let late =
        refusal(400, "Bad Request: query is too old and response timeout expired or query ID is invalid");
    assert_eq!(once(late, |api| api.answer_callback("q", None, false)).await.2, Ok(()));
}

#[tokio::test]
async fn but_an_edit_of_what_is_gone_is_not() {
    let gone = || refusal(400, "Bad Request: message to edit not found");
    assert_eq!(once(gone(), |api| api.edit_message_text(edit())).await.2, Err(ErrorKind::MessageGone));
    assert_eq!(once(gone(), |api| api.edit_reply_markup(CARD, None)).await.2, Err(ErrorKind::MessageGone));
    let rights = || refusal(400, "Bad Request: message can't be deleted for everyone");
    assert_eq!(once(rights(), |api| api.delete_message(CARD)).await.2, Err(ErrorKind::CannotDelete));
}

#[tokio::test]
async fn a_set_that_is_not_there_is_an_answer() {
    let missing = refusal(400, "Bad Request: STICKERSET_INVALID");
    assert_eq!(once(missing, |api| api.get_sticker_set("x")).await.2, Ok(None));
    let flood = refusal(429, "Too Many Requests: retry after 9");
    let kind = once(flood, |api| api.get_sticker_set("x")).await.2.unwrap_err();
    assert_eq!(kind, ErrorKind::Flood { retry_after_s: 9 });
}

#[tokio::test]
async fn a_set_is_read_with_its_stickers_in_order() {
    let sticker =
        |id: &str| json!({"file_id": id, "file_unique_id": "u", "width": 512, "height": 512, "emoji": "🔥"});
    let set = json!({"name": "n", "title": "t", "sticker_type": "regular", "stickers": [sticker("a"), sticker("b")]});
    let set = once(ok(set), |api| api.get_sticker_set("n")).await.2.unwrap().unwrap();
    let ids: Vec<&str> = set.stickers.iter().map(|sticker| sticker.file_id.as_str()).collect();
    assert_eq!(
        (set.title.as_str(), ids, set.stickers[0].emoji.as_deref()),
        ("t", vec!["a", "b"], Some("🔥"))
    );
}

#[tokio::test]
async fn the_bot_is_read_from_an_older_server_too() {
    let me = json!({"id": 1, "is_bot": true, "first_name": "Stickers", "username": "event_bot"});
    let me = once(ok(me), Telegram::get_me).await.2.unwrap();
    assert_eq!((me.username.as_str(), me.can_read_all_group_messages), ("event_bot", false));
}
