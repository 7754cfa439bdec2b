//! Leads as a black box: from `POST /leads` to the team's group and back, also when processes die, Telegram hangs and groups move.

mod books;
mod drill;
mod faults;
mod kills;
#[path = "../path/postgres.rs"]
mod postgres;
mod server;
mod site;
mod stage;

use serde_json::Value;
use simulator::{Fault, Loss, Play, Telling, Upgrade};
use stage::{BOT, Part, Room, Stage, asked, id_of, request};
use std::time::{Duration, Instant};

/// A request becomes a card, the team works with it, and the file with all leads arrives.
async fn the_whole_way(mut stage: Stage) {
    stage.start(Part::Bot).await;
    let asked = request(1);
    let (status, lead) = stage.submit(&asked).await;
    assert_eq!(status, 201);
    let card = stage.card(id_of(&asked)).await;
    let text = card["text"].as_str().unwrap_or_default();
    for words in
        ["🆕 Новая", "Гость 1", "@guest_1", "+998900000001", "14 декабря", "150", "Свадьба <b>& =cmd()"]
    {
        assert!(text.contains(words), "{words:?} is missing in {text}");
    }
    assert!(text.contains(&format!("#stickers_{lead}")), "{text}");

    stage.press(stage.member, &card, "В работе");
    stage.notice(stage.member, "Нет доступа").await;
    assert_eq!(stage.books().await.row(id_of(&asked)).status, "new");
    stage.press(stage.admin, &card, "В работе");
    let taken = stage.card_with(id_of(&asked), "🛠 В работе").await;
    assert_eq!((taken["id"].clone(), taken["edited"].as_bool()), (card["id"].clone(), Some(true)));
    assert!(taken["text"].as_str().is_some_and(|text| text.contains("Нодира")), "{taken}");
    stage.press(stage.admin, &taken, "В работе");
    stage.notice(stage.admin, "Уже так").await;
    assert_eq!(stage.books().await.row(id_of(&asked)).status, "in_work");

    // The same visitor again: the card is rewritten, and a message answers it.
    let mut again = request(1);
    again["request_id"] = request(2)["request_id"].clone();
    again["guests"] = "180".into();
    assert_eq!(stage.submit(&again).await, (200, lead));
    stage.card_with(id_of(&asked), "🔁 Повторное обращение:").await;
    let ping = stage
        .until("the repeat is told", async || {
            let answers = |message: &Value| message["reply_to"]["id"] == card["id"];
            stage.seen_in(stage.group, stage.admin).into_iter().find(answers)
        })
        .await;
    assert_eq!(ping["text"], format!("🔁 Повторное обращение: #stickers_{lead}"), "nothing personal in it");

    stage.world.send_text(stage.admin, stage.group, "/stickers_export", None).expect("a command");
    let file = stage
        .until("the file arrives", async || {
            let message =
                stage.seen_in(BOT, stage.admin).into_iter().rev().find(|m| m["document"].is_object())?;
            message["document"]["file"].as_str().map(str::to_owned)
        })
        .await;
    let (_, csv) = stage.world.file(&file).expect("the file");
    let csv = String::from_utf8(csv.to_vec()).expect("text");
    assert!(csv.starts_with('\u{feff}') && csv.contains("Гость 1") && csv.contains("\r\n"), "{csv}");
    assert_eq!(csv.matches(id_of(&asked)).count(), 1, "every lead once: {csv}");
    assert_eq!(stage.stop(Part::Bot).await, Some(0));
    assert_eq!(stage.stop(Part::Api).await, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_becomes_a_card_that_the_team_works_with() {
    the_whole_way(Stage::new().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_way_on_postgresql() {
    let database = postgres::Database::new().await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    the_whole_way(Stage::on(folder, database.url.clone(), Room::Group).await).await;
}

/// Requests that wait for the bot in `make test`; `make soak` asks for the fifty of the issue, which take two minutes and a half.
const BACKLOG: u32 = 8;
/// The variable that asks for another number.
const BACKLOG_VARIABLE: &str = "STICKERS_BACKLOG";
/// Messages a minute that a group takes.
const A_MINUTE: u32 = 20;

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_taken_while_no_bot_runs_and_their_cards_come_in_order_once() {
    let backlog = asked(BACKLOG_VARIABLE).and_then(|asked| u32::try_from(asked).ok()).unwrap_or(BACKLOG);
    let mut stage = Stage::new().await;
    let requests: Vec<Value> = (1..=backlog).map(request).collect();
    for asked in &requests {
        assert_eq!(stage.submit(asked).await.0, 201);
    }
    assert!(requests.iter().all(|asked| stage.cards(id_of(asked)).is_empty()));
    let began = Instant::now();
    stage.start(Part::Bot).await;
    let mut numbers = Vec::new();
    for asked in &requests {
        let card = stage.card(id_of(asked)).await;
        numbers.push(card["id"].as_i64().expect("a number"));
    }
    let (took, pace) = (began.elapsed(), Duration::from_secs(60) * backlog / A_MINUTE);
    assert!(took < pace + pace / 10, "{backlog} cards took {took:?}");
    assert!(numbers.is_sorted(), "{numbers:?}");
    assert!(requests.iter().all(|asked| stage.cards(id_of(asked)).len() == 1));
    assert!(stage.world.log().iter().all(|call| call.status != 429), "the limits of the group were kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_api_answers_at_once_while_telegram_hangs() {
    let mut stage = Stage::new().await;
    stage.world.fault(Fault::once("sendMessage", Play::Lost { how: Loss::Silence }).in_chat(stage.group));
    stage.start(Part::Bot).await;
    stage.submit(&request(1)).await;
    stage.until("the send hangs", async || stage.world.faults().is_empty().then_some(())).await;
    for number in 2..=6 {
        let began = Instant::now();
        assert_eq!(stage.submit(&request(number)).await.0, 201);
        let took = began.elapsed();
        assert!(took < Duration::from_secs(3), "{took:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_whose_answer_was_lost_is_listed_and_a_press_on_it_settles_it() {
    let mut stage = Stage::new().await;
    stage.world.fault(Fault::once("sendMessage", Play::Lost { how: Loss::Close }).in_chat(stage.group));
    stage.start(Part::Bot).await;
    let asked = request(1);
    stage.submit(&asked).await;
    let card = stage.card(id_of(&asked)).await;
    stage
        .until("the send is listed", async || stage.books().await.row(id_of(&asked)).unknown().then_some(()))
        .await;
    // Others are not held up by it.
    let next = request(2);
    stage.submit(&next).await;
    stage.card(id_of(&next)).await;
    stage.press(stage.admin, &card, "Связались");
    stage.card_with(id_of(&asked), "📞 Связались").await;
    let row = stage.books().await.row(id_of(&asked)).clone();
    assert!(row.published_at.is_some(), "{row:?}");
    assert_eq!(stage.cards(id_of(&asked)).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_is_upgraded_under_a_card_is_followed_and_stays_followed_after_a_restart() {
    let mut stage = Stage::new().await;
    stage.start(Part::Bot).await;
    let first = request(1);
    stage.submit(&first).await;
    stage.card(id_of(&first)).await;
    let upgrade = Play::Upgrade { moment: Upgrade::Before, telling: Telling::NOTHING };
    stage.world.fault(Fault::once("sendMessage", upgrade).in_chat(stage.group));
    let second = request(2);
    stage.submit(&second).await;
    let to = stage
        .until("the group is upgraded", async || stage.world.group(stage.group)?["upgraded_to"].as_i64())
        .await;
    let in_new = async |asked: &Value| {
        stage.until("the card is in the new group", async || stage.cards_in(to, id_of(asked)).pop()).await
    };
    in_new(&second).await;
    assert!(stage.cards(id_of(&second)).is_empty(), "nothing in the old one");
    stage.stop(Part::Bot).await;
    stage.start(Part::Bot).await;
    let third = request(3);
    stage.submit(&third).await;
    stage.until("the card is in the new group", async || stage.cards_in(to, id_of(&third)).pop()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cards_stand_in_their_topic_and_go_on_when_it_is_deleted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = format!("sqlite://{}/app.db", folder.path().display());
    let mut stage = Stage::on(folder, database, Room::Topic).await;
    stage.start(Part::Bot).await;
    let first = request(1);
    stage.submit(&first).await;
    assert_eq!(stage.card(id_of(&first)).await["topic"], "Сайт");
    stage.world.delete_topic(stage.group, stage.topic.expect("a topic")).expect("deleted");
    let second = request(2);
    stage.submit(&second).await;
    assert!(stage.card(id_of(&second)).await["topic"].is_null());
    assert_eq!(stage.cards(id_of(&second)).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_that_was_removed_keeps_the_queue_and_goes_on_when_it_is_back() {
    use simulator::Standing;
    let mut stage = Stage::new().await;
    stage.start(Part::Bot).await;
    stage.world.set_standing(stage.group, BOT, Standing::Kicked, None).expect("removed");
    let asked = request(1);
    stage.submit(&asked).await;
    stage
        .until("the send is refused", async || {
            let refused =
                |call: &simulator::world::Received| call.method == "sendMessage" && call.status == 403;
            let row = stage.books().await.row(id_of(&asked)).clone();
            (stage.world.log().iter().any(refused) || row.publish_error.is_some()).then_some(())
        })
        .await;
    assert!(stage.cards(id_of(&asked)).is_empty());
    stage.world.set_standing(stage.group, BOT, Standing::Member, None).expect("back");
    stage.card(id_of(&asked)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hidden_administrator_is_told_why_and_others_groups_are_left_alone() {
    let mut stage = Stage::new().await;
    stage.start(Part::Bot).await;
    stage.world.set_hidden(stage.group, stage.admin, true).expect("hidden");
    stage.world.send_text(stage.admin, stage.group, "/stickers_new", None).expect("a command");
    stage
        .until("the reason is told", async || {
            let said =
                |message: &Value| message["text"].as_str().is_some_and(|text| text.contains("анонимно"));
            stage.seen_in(stage.group, stage.member).iter().any(said).then_some(())
        })
        .await;
    let other = simulator::NewGroup {
        title: "Друзья".to_owned(),
        members: vec![stage.admin, stage.member],
        ..simulator::NewGroup::default()
    };
    let other = stage.world.add_group(other).expect("another group");
    stage.world.send_text(stage.member, other, "/stickers_new", None).expect("a command");
    stage.world.send_text(stage.member, stage.group, "/stickers_new@other_bot", None).expect("a command");
    // Updates are handled in order: when this one is answered, those before it were left alone.
    stage.world.send_text(stage.member, stage.group, "/stickers_new", None).expect("a command");
    stage
        .until("the last command is answered", async || {
            let said = |message: &Value| message["text"] == "Нет доступа";
            stage.seen_in(stage.group, stage.member).iter().any(said).then_some(())
        })
        .await;
    let denied = stage.seen_in(stage.group, stage.member);
    assert_eq!(denied.iter().filter(|message| message["text"] == "Нет доступа").count(), 1);
    assert!(stage.seen_in(other, stage.member).iter().all(|message| message["from"]["is_bot"] != true));
}
