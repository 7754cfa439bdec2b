//! A team works in its group: presses, commands, edits, deleted cards, hidden administrators, limits, orders to upgrade.

use serde_json::{Value, json};
use simulator::{Fault, NewGroup, NewPerson, NewPress, Play, Settings, Standing, Telling, Upgrade};

use crate::socket::server;
use crate::stage::{BOT, Stage, stage};

struct Team {
    stage: Stage,
    chat: i64,
    aziza: i64,
}

/// A basic group of Kamila, who made it, Aziza and the bot.
fn team() -> Team {
    let stage = stage();
    let aziza = stage.world.add_person(NewPerson::named("Азиза", "ru")).unwrap().id;
    let members = vec![stage.kamila, aziza];
    let chat =
        stage.world.add_group(NewGroup { title: "Заявки".into(), members, ..NewGroup::default() }).unwrap();
    Team { stage, chat, aziza }
}

fn buttons() -> Value {
    json!({"inline_keyboard": [[{"text": "В работе", "callback_data": "lead:7:work"}, {"text": "Спам", "callback_data": "lead:7:spam"}]]})
}

impl Team {
    async fn card(&self) -> i64 {
        let card = json!({"chat_id": self.chat, "text": "card", "reply_markup": buttons()});
        self.stage.done("sendMessage", card).await["message_id"].as_i64().unwrap()
    }

    fn press(&self, person: i64, message_id: i64, col: usize) -> NewPress {
        NewPress { person, chat: self.chat, message_id, col, ..NewPress::default() }
    }
}

#[tokio::test]
async fn a_press_in_a_group_says_who_pressed_and_shows_the_answer_to_that_person_only() {
    let team = team();
    let card = team.card().await;
    team.stage.updates().await;
    team.stage.world.press(team.press(team.aziza, card, 1)).unwrap();
    let query = team.stage.updates().await[0]["callback_query"].clone();
    assert_eq!(
        (query["from"]["id"].as_i64(), query["data"].as_str()),
        (Some(team.aziza), Some("lead:7:spam"))
    );
    assert_eq!(
        (query["message"]["chat"]["id"].as_i64(), query["message"]["message_id"].as_i64()),
        (Some(team.chat), Some(card))
    );
    let answer = json!({"callback_query_id": query["id"], "text": "Уже так", "show_alert": true});
    // Fetching the update took eight seconds of this world.
    team.stage.done("answerCallbackQuery", answer).await;
    let notice = |person| team.stage.world.view(Some(person), team.chat).unwrap()["notice"].clone();
    assert_eq!(
        (notice(team.aziza)["text"].as_str(), notice(team.aziza)["alert"].as_bool()),
        (Some("Уже так"), Some(true))
    );
    assert!(notice(team.stage.kamila).is_null());
}

#[tokio::test]
async fn a_press_can_carry_forged_bytes_and_come_from_a_message_that_is_gone() {
    let team = team();
    let card = team.card().await;
    team.stage.updates().await;
    let forged = NewPress { data: Some("lead:1:deal".into()), ..team.press(team.aziza, card, 0) };
    team.stage.world.press(forged.clone()).unwrap();
    team.stage.world.delete_message(team.stage.kamila, team.chat, card).unwrap();
    team.stage.world.press(forged).unwrap();
    let updates = team.stage.updates().await;
    assert_eq!(updates[0]["callback_query"]["data"], "lead:1:deal");
    assert_eq!(updates[0]["callback_query"]["message"]["text"], "card");
    assert_eq!(updates[1]["callback_query"]["message"]["date"], 0);
    assert!(team.stage.world.press(team.press(team.aziza, card, 0)).is_err(), "the button itself is gone");
    let outsider = team.stage.stranger("Emma");
    assert!(team.stage.world.press(team.press(outsider, card, 0)).is_err(), "only members press");
}

#[tokio::test]
async fn only_an_administrator_deletes_a_card_and_then_it_cannot_be_edited() {
    let team = team();
    let card = team.card().await;
    assert!(team.stage.world.delete_message(team.aziza, team.chat, card).is_err());
    team.stage.world.delete_message(team.stage.kamila, team.chat, card).unwrap();
    let edit = json!({"chat_id": team.chat, "message_id": card, "text": "new"});
    let words = "400 Bad Request: MESSAGE_ID_INVALID";
    team.stage.refused("just gone", "editMessageText", edit.clone(), words).await;
    team.stage.later(2);
    team.stage.refused("gone", "editMessageText", edit, "400 Bad Request: message to edit not found").await;
    let reply = json!({"chat_id": team.chat, "text": "ping",
        "reply_parameters": {"message_id": card, "allow_sending_without_reply": true}});
    assert!(team.stage.done("sendMessage", reply).await.get("reply_to_message").is_none());
}

#[tokio::test]
async fn a_changed_command_arrives_as_a_changed_message() {
    let team = team();
    team.stage.updates().await;
    let asked = json!({"allowed_updates": ["message", "edited_message"]});
    team.stage.done("getUpdates", asked).await;
    let id = team.stage.world.send_text(team.aziza, team.chat, "/stickers_lead 1", None).unwrap();
    team.stage.world.edit_text(team.aziza, team.chat, id, "/stickers_lead 2").unwrap();
    let updates = team.stage.updates().await;
    assert_eq!(updates[0]["message"]["text"], "/stickers_lead 1");
    assert_eq!(updates[1]["edited_message"]["text"], "/stickers_lead 2");
    assert_eq!(updates[1]["edited_message"]["message_id"], id);
    assert!(updates[1]["edited_message"]["edit_date"].is_i64());
}

#[tokio::test]
async fn a_hidden_administrator_writes_as_the_group_and_presses_under_the_own_name() {
    let team = team();
    let card = team.card().await;
    team.stage.world.set_hidden(team.chat, team.stage.kamila, true).unwrap();
    assert!(team.stage.world.set_hidden(team.chat, team.aziza, true).is_err(), "no administrator");
    team.stage.updates().await;
    let id = team.stage.world.send_text(team.stage.kamila, team.chat, "/stickers_export", None).unwrap();
    team.stage.world.press(team.press(team.stage.kamila, card, 0)).unwrap();
    let updates = team.stage.updates().await;
    let message = &updates[0]["message"];
    assert_eq!(
        (message["from"]["id"].as_i64(), message["sender_chat"]["id"].as_i64()),
        (Some(1_087_968_824), Some(team.chat))
    );
    assert_eq!(updates[1]["callback_query"]["from"]["id"], team.stage.kamila);
    team.stage.world.edit_text(team.stage.kamila, team.chat, id, "/stickers_new").unwrap();
    assert!(team.stage.world.edit_text(team.aziza, team.chat, id, "x").is_err());
    let member = json!({"chat_id": team.chat, "user_id": team.stage.kamila});
    assert_eq!(team.stage.done("getChatMember", member).await["is_anonymous"], true);
    team.stage.world.set_hidden(team.chat, team.stage.kamila, false).unwrap();
    team.stage.world.send_text(team.stage.kamila, team.chat, "/stickers_new", None).unwrap();
    assert_eq!(team.stage.updates().await.last().unwrap()["message"]["from"]["id"], team.stage.kamila);
}

#[tokio::test]
async fn each_change_of_the_bots_place_is_told() {
    let team = team();
    team.stage.updates().await;
    for (to, before) in [
        (Standing::Administrator, "member"),
        (Standing::Restricted, "administrator"),
        (Standing::Member, "restricted"),
        (Standing::Left, "member"),
        (Standing::Member, "left"),
        (Standing::Kicked, "member"),
    ] {
        team.stage.world.set_standing(team.chat, BOT, to, Some(team.aziza)).unwrap();
        let told = team.stage.updates().await.pop().unwrap()["my_chat_member"].clone();
        assert_eq!(told["old_chat_member"]["status"], before, "{to:?}");
        assert_eq!(told["new_chat_member"]["status"], json!(to), "{to:?}");
        assert_eq!(
            (told["from"]["id"].as_i64(), told["chat"]["id"].as_i64()),
            (Some(team.aziza), Some(team.chat))
        );
    }
    let words = "403 Forbidden: bot was kicked from the group chat";
    team.stage.refused("kicked", "sendMessage", json!({"chat_id": team.chat, "text": "x"}), words).await;
}

#[tokio::test]
async fn a_group_takes_five_at_once_and_then_twenty_a_minute_counting_edits() {
    let team = team();
    let card = team.card().await;
    for n in 0..4 {
        let edit = json!({"chat_id": team.chat, "message_id": card, "text": format!("card {n}")});
        team.stage.done("editMessageText", edit).await;
    }
    let send = json!({"chat_id": team.chat, "text": "card"});
    let (status, body) = team.stage.call("sendMessage", send.clone()).await;
    assert_eq!((status, body["parameters"]["retry_after"].as_u64()), (429, Some(3)));
    let mut sent = 0;
    for _ in 0..60 {
        team.stage.later(1);
        if team.stage.call("sendMessage", send.clone()).await.0 == 200 {
            sent += 1;
        }
    }
    assert_eq!(sent, 20);
    let query = json!({"callback_query_id": "1"});
    assert_eq!(team.stage.call("answerCallbackQuery", query).await.0, 400, "answers are outside the limit");
}

#[tokio::test]
async fn a_server_that_waits_out_floods_holds_the_call_and_then_does_it() {
    let team = team();
    let settings = Settings { flood_waits: true, ..team.stage.world.settings() };
    team.stage.world.set_settings(settings);
    for _ in 0..5 {
        team.card().await;
    }
    let world = team.stage.world.clone();
    let send = json!({"chat_id": team.chat, "text": "held"});
    let held = tokio::spawn(async move { world.call(crate::stage::TOKEN, "sendMessage", send).await });
    // The call must be waiting before the clock is moved.
    tokio::task::yield_now().await;
    assert!(!held.is_finished());
    team.stage.later(3);
    assert_eq!(held.await.unwrap().0, 200);
    let world = team.stage.world.clone();
    world.fault(Fault::once("sendMessage", Play::Flood { retry_after: 3_600, applied: false }));
    let send = json!({"chat_id": team.chat, "text": "refused"});
    assert_eq!(
        world.call(crate::stage::TOKEN, "sendMessage", send).await.0,
        429,
        "an ordered flood is not waited out"
    );
}

#[tokio::test]
async fn a_group_can_be_upgraded_just_before_a_call_and_right_after_it() {
    for (moment, status) in [(Upgrade::Before, 400), (Upgrade::After, 200)] {
        let team = team();
        team.stage.updates().await;
        let upgrade = Play::Upgrade { moment, telling: Telling::NOTHING };
        assert!(team.stage.world.fault(Fault::once("sendMessage", upgrade).after(1)));
        let send = json!({"chat_id": team.chat, "text": "card"});
        team.stage.done("sendMessage", send.clone()).await;
        let (answered, body) = team.stage.call("sendMessage", send.clone()).await;
        assert_eq!(answered, status, "{moment:?}");
        let (_, after) = team.stage.call("sendMessage", send).await;
        let to = after["parameters"]["migrate_to_chat_id"].as_i64().unwrap();
        if moment == Upgrade::Before {
            assert_eq!(body["parameters"]["migrate_to_chat_id"], to);
        }
        team.stage.done("sendMessage", json!({"chat_id": to, "text": "card"})).await;
        assert_eq!(team.stage.updates().await, Vec::<Value>::new(), "nobody was told");
    }
}

#[tokio::test]
async fn what_is_told_of_an_upgrade_can_be_chosen() {
    let kinds = |updates: &[Value]| -> Vec<&str> {
        let kind = |update: &Value| match update {
            _ if update["message"]["migrate_to_chat_id"].is_i64() => "old",
            _ if update["message"]["migrate_from_chat_id"].is_i64() => "new",
            _ if update["my_chat_member"]["new_chat_member"]["status"] == "left" => "out",
            _ if update["my_chat_member"]["new_chat_member"]["status"] == "member" => "in",
            other => panic!("{other}"),
        };
        updates.iter().map(kind).collect()
    };
    let all = Telling { standing: true, ..Telling::default() };
    for (telling, heard) in [
        (Telling::default(), vec!["old", "new"]),
        (Telling { new_first: true, ..Telling::default() }, vec!["new", "old"]),
        (Telling { new: false, ..Telling::default() }, vec!["old"]),
        (Telling { old: false, ..Telling::default() }, vec!["new"]),
        (all, vec!["old", "new", "out", "in"]),
        (Telling::NOTHING, vec![]),
    ] {
        let team = team();
        team.stage.updates().await;
        team.stage.world.upgrade_group_telling(team.chat, telling).unwrap();
        assert_eq!(kinds(&team.stage.updates().await), heard, "{telling:?}");
    }
}

#[tokio::test]
async fn the_view_of_a_group_names_its_people_and_offers_its_commands() {
    let team = team();
    let scope = json!({"type": "chat", "chat_id": team.chat});
    let commands = json!([{"command": "stickers_new", "description": "Новые заявки"}]);
    team.stage.done("setMyCommands", json!({"commands": commands, "scope": scope})).await;
    let admins = json!({"type": "chat_administrators", "chat_id": team.chat});
    let more = json!([{"command": "stickers_export", "description": "Файл"}]);
    team.stage.done("setMyCommands", json!({"commands": more, "scope": admins})).await;
    let view = |person| team.stage.world.view(Some(person), team.chat).unwrap();
    let seen = view(team.aziza);
    let people: Vec<_> =
        seen["chat"]["people"].as_array().unwrap().iter().map(|one| (&one["name"], &one["admin"])).collect();
    assert_eq!(people, [(&json!("Камила"), &json!(true)), (&json!("Азиза"), &json!(false))]);
    assert_eq!(
        seen["chat"]["commands"],
        json!([{"command": "stickers_new", "description": "Новые заявки", "bot": "stickers_sim_bot"}])
    );
    assert_eq!(view(team.stage.kamila)["chat"]["commands"][0]["command"], "stickers_export");
}

#[tokio::test]
async fn a_document_is_saved_under_its_own_name() {
    let server = server().await;
    let kamila = server.stage.kamila;
    let params = simulator::Params::new().with("chat_id", kamila).file("document", "заявки 29.csv", "a;b\n");
    server.stage.done("sendDocument", params).await;
    let view = server.stage.world.view(Some(kamila), BOT).unwrap();
    let document = &view["messages"].as_array().unwrap().last().unwrap()["document"];
    assert_eq!((document["name"].as_str(), document["size"].as_u64()), (Some("заявки 29.csv"), Some(4)));
    let file = server.get(&format!("/sim/files/{}", document["file"].as_str().unwrap())).await;
    assert_eq!(file.body, b"a;b\n");
    let kept =
        "content-disposition: attachment; filename*=utf-8''%d0%b7%d0%b0%d1%8f%d0%b2%d0%ba%d0%b8%2029.csv";
    assert!(file.head.contains(kept), "{}", file.head);
}

#[tokio::test]
async fn given_entities_reach_the_answer_and_wrong_ones_are_refused() {
    let stage = stage();
    let entities = json!([
        {"type": "text_mention", "offset": 0, "length": 4, "user": {"id": stage.kamila}},
        {"type": "text_link", "offset": 5, "length": 4, "url": "https://t.me/x"},
    ]);
    let send = json!({"chat_id": stage.kamila, "text": "Азиз сайт @kamila", "entities": entities});
    let sent = stage.done("sendMessage", send).await;
    let kinds: Vec<_> =
        sent["entities"].as_array().unwrap().iter().map(|one| one["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text_mention", "text_link", "mention"]);
    assert_eq!(sent["entities"][0]["user"]["first_name"], "Камила");
    let long = json!([{"type": "bold", "offset": 0, "length": 9}]);
    let words = "400 Bad Request: entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 9";
    stage
        .refused(
            "too long",
            "sendMessage",
            json!({"chat_id": stage.kamila, "text": "x", "entities": long}),
            words,
        )
        .await;
}
