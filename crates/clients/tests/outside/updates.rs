//! What the bot gets to see of ordinary and of strange updates.

use clients::telegram::decode;
use clients::telegram::types::{
    ChatMember, MaybeInaccessibleMessage, MessageData, ReplyTo, Update, UpdateType,
};
use serde_json::{Value, json};

fn guest() -> Value {
    json!({"id": 700_000_000_001_i64, "is_bot": false, "first_name": "Tom <3", "language_code": "uz"})
}

fn private_chat() -> Value {
    json!({"id": 700_000_000_001_i64, "type": "private", "first_name": "Tom <3"})
}

fn group() -> Value {
    json!({"id": -1_001_234_567_890_i64, "type": "supergroup", "title": "Leads"})
}

fn message(more: Value) -> Value {
    let mut message =
        json!({"message_id": 5, "date": 1_700_000_000, "from": guest(), "chat": private_chat()});
    let fields = message.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("an object").clone());
    message
}

fn decoded(kind: &str, value: Value) -> Update {
    decode(&json!({"update_id": 9, kind: value})).expect("an update with a number")
}

#[test]
fn a_start_link_is_read_with_its_guest_and_language() {
    let start = message(
        json!({"text": "/start AbC-_9", "entities": [{"type": "bot_command", "offset": 0, "length": 6}]}),
    );
    let update = decoded("message", start);
    let UpdateType::Message(message) = &update.update_type else { panic!("{update:?}") };
    assert_eq!(message.get_text().map(|text| text.data.as_str()), Some("/start AbC-_9"));
    let user = update.get_user().unwrap();
    assert_eq!((i64::from(user.id), user.language_code.as_deref()), (700_000_000_001, Some("uz")));
}

#[test]
fn a_press_is_read_with_its_data_and_card() {
    let query = json!({
        "id": "4382", "from": guest(), "chat_instance": "x", "data": "consent:AbC-_9", "message": message(json!({"text": "?"})),
    });
    let update = decoded("callback_query", query);
    let UpdateType::CallbackQuery(query) = &update.update_type else { panic!("{update:?}") };
    assert_eq!((query.id.as_str(), query.data.as_deref()), ("4382", Some("consent:AbC-_9")));
    assert!(matches!(&query.message, Some(MaybeInaccessibleMessage::Message(message)) if message.id == 5));
}

#[test]
fn a_press_on_a_card_that_telegram_no_longer_shows_still_names_it() {
    let card = json!({"chat": group(), "message_id": 44, "date": 0});
    let query = json!({"id": "1", "from": guest(), "chat_instance": "x", "data": "stickers_lead:7:new", "message": card});
    let update = decoded("callback_query", query);
    let UpdateType::CallbackQuery(query) = &update.update_type else { panic!("{update:?}") };
    let Some(MaybeInaccessibleMessage::InaccessibleMessage(card)) = &query.message else {
        panic!("{query:?}")
    };
    assert_eq!((i64::from(card.chat.get_id()), card.message_id), (-1_001_234_567_890, 44));
}

#[test]
fn blocking_and_unblocking_are_read() {
    let change = |status: &str| {
        let bot = json!({"id": 1, "is_bot": true, "first_name": "Stickers", "username": "event_bot"});
        let new = json!({"status": status, "user": bot, "until_date": 0});
        let old = json!({"status": "member", "user": bot});
        let change = json!({"chat": private_chat(), "from": guest(), "date": 1, "old_chat_member": old, "new_chat_member": new});
        let update = decoded("my_chat_member", change);
        let UpdateType::BotStatus(change) = update.update_type else { panic!("{update:?}") };
        change.new_chat_member
    };
    assert!(matches!(change("kicked"), ChatMember::Kicked(_)));
    assert!(matches!(change("member"), ChatMember::Member { .. }));
    assert!(matches!(change("left"), ChatMember::Left(_)));
}

#[test]
fn a_group_that_became_a_supergroup_is_told_from_both_sides() {
    let old = json!({"id": -5, "type": "group", "title": "Leads"});
    let update =
        decoded("message", message(json!({"chat": old, "migrate_to_chat_id": -1_001_234_567_890_i64})));
    let UpdateType::Message(message_to) = update.update_type else { panic!("{update:?}") };
    assert!(matches!(message_to.data, MessageData::MigrateToChatId(id) if id == -1_001_234_567_890));

    let update = decoded("message", message(json!({"chat": group(), "migrate_from_chat_id": -5})));
    let UpdateType::Message(message_from) = update.update_type else { panic!("{update:?}") };
    assert!(matches!(message_from.data, MessageData::MigrateFromChatId(-5)));
}

#[test]
fn an_anonymous_admin_is_read_as_the_group() {
    let bot =
        json!({"id": 1_087_968_824, "is_bot": true, "first_name": "Group", "username": "GroupAnonymousBot"});
    let update = decoded(
        "message",
        message(json!({"chat": group(), "from": bot, "sender_chat": group(), "text": "/stickers_new"})),
    );
    let UpdateType::Message(message) = update.update_type else { panic!("{update:?}") };
    assert!(message.sender.get_chat().is_some());
}

#[test]
fn new_fields_and_new_kinds_of_formatting_do_not_hide_a_command() {
    let strange = message(json!({
        "text": "/start AbC",
        "entities": [{"type": "bot_command", "offset": 0, "length": 6}, {"type": "hologram", "offset": 7, "length": 3}],
        "field_of_12_0": {"x": [1]},
    }));
    let update = decoded("message", strange);
    let UpdateType::Message(message) = update.update_type else { panic!("{update:?}") };
    assert_eq!(message.get_text().map(|text| text.data.as_str()), Some("/start AbC"));
}

#[test]
fn novelties_around_a_text_do_not_hide_it() {
    let novel_target =
        message(json!({"text": "card", "forward_origin": {"type": "wormhole"}, "chat": group()}));
    let novelties = [
        json!({"forward_origin": {"type": "wormhole"}}),
        json!({"reply_markup": {"inline_keyboard": [[{"hologram": 1}]]}}),
        json!({"reply_to_message": novel_target}),
        json!({"link_preview_options": 7, "via_bot": "who?"}),
    ];
    for novelty in novelties {
        let mut text = message(json!({"text": "/start AbC"}));
        text.as_object_mut().unwrap().extend(novelty.as_object().unwrap().clone());
        let update = decoded("message", text.clone());
        let UpdateType::Message(message) = &update.update_type else { panic!("{novelty}: {update:?}") };
        assert_eq!(message.get_text().map(|text| text.data.as_str()), Some("/start AbC"), "{novelty}");
        assert!(update.get_user().is_some(), "{novelty}");

        let query = json!({"id": "1", "from": guest(), "chat_instance": "x", "data": "forget:yes", "message": text, "game_2": 1});
        let update = decoded("callback_query", query);
        let UpdateType::CallbackQuery(query) = update.update_type else { panic!("{novelty}: {update:?}") };
        assert_eq!(query.data.as_deref(), Some("forget:yes"), "{novelty}");
    }
}

#[test]
fn a_reply_still_names_what_it_replies_to() {
    let target = message(
        json!({"message_id": 44, "text": "card", "chat": group(), "forward_origin": {"type": "wormhole"}}),
    );
    let update =
        decoded("message", message(json!({"chat": group(), "text": "x", "reply_to_message": target})));
    let UpdateType::Message(message) = update.update_type else { panic!("{update:?}") };
    assert!(matches!(message.reply_to, Some(ReplyTo::Message(target)) if target.id == 44));
}

#[test]
fn a_message_without_text_is_a_message() {
    let update = decoded("message", message(json!({"sticker_from_the_future": {}})));
    let UpdateType::Message(message) = update.update_type else { panic!("{update:?}") };
    assert!(message.get_text().is_none());
}

#[test]
fn what_is_not_understood_is_kept_raw_instead_of_failing() {
    let strange_kind = decoded("quantum_message", json!({}));
    let strange_chat = decoded("message", message(json!({"chat": {"id": 1, "type": "hypergroup"}})));
    for update in [strange_kind, strange_chat] {
        assert_eq!(update.id, 9);
        assert!(matches!(update.update_type, UpdateType::Unknown(_)), "{update:?}");
    }
}

#[test]
fn what_is_no_update_is_an_error() {
    for json in [json!({}), json!([]), json!({"update_id": "9"}), json!(null)] {
        assert!(decode(&json).is_err(), "{json}");
    }
}
