//! `kill -9` of API and bot at moments drawn from a seed, under load (issue 3): what was answered is stored, and what is stored has one
//! card, except where the send of a card was cut off, which the database lists. Telegram's limits hold, as they do outside: a bot that
//! starts again knows nothing of what the dead one sent, runs into them, and waits as long as it is asked to.

use crate::books::Books;
use crate::stage::{Part, Room, Stage, asked, id_of, request};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::task::JoinSet;

/// Rounds in `make test`, on the one engine and the other; `make soak` asks for more.
const ROUNDS: u32 = 10;
const ROUNDS_ON_POSTGRES: u32 = 4;
/// The variable that asks for another number of rounds.
const ROUNDS_VARIABLE: &str = "STICKERS_KILL_ROUNDS";
/// The variable that asks for other moments.
const SEED_VARIABLE: &str = "STICKERS_KILL_SEED";
/// Requests that are on their way when a process dies.
const AT_ONCE: u32 = 3;
/// Of so many rounds one has a visitor who asks again under a new `request_id`.
const REPEAT_EVERY: u32 = 4;
/// How long a landing site tries again before the story has failed.
const TRIES: Duration = Duration::from_secs(60);
/// One card in three seconds is the pace of the product; a bot that was refused waits about as long once more.
const PACE: Duration = Duration::from_secs(6);

/// Who dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Victim {
    Api,
    Bot,
    Both,
}

/// A row of numbers that looks like chance and is the same for the same seed.
struct Dice(u64);

impl Dice {
    /// A number below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        // Xorshift: any row without a short period does here.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn victim(&mut self) -> Victim {
        match self.below(20) {
            0..10 => Victim::Api,
            10..17 => Victim::Bot,
            _ => Victim::Both,
        }
    }
}

/// What was answered: `request_id`, status, number of the lead.
type Answered = BTreeMap<String, (u16, i64)>;

/// A round's requests, sent like a landing site whose visitor presses the button again until it is taken.
fn send(stage: &Stage, requests: Vec<Value>) -> JoinSet<(String, u16, i64)> {
    let mut sending = JoinSet::new();
    for request in requests {
        let (post, id) = (stage.post(&request), id_of(&request).to_owned());
        sending.spawn(async move {
            let trying = async {
                let mut beat = tokio::time::interval(Duration::from_millis(50));
                loop {
                    beat.tick().await;
                    let once_more = post.try_clone().expect("a body that can be sent again");
                    let Ok(answer) = once_more.send().await else { continue };
                    let status = answer.status().as_u16();
                    // The head may have left before the process died, and the rest not.
                    let Ok(body) = answer.json::<Value>().await else { continue };
                    assert!(status == 200 || status == 201, "{status} {body}");
                    return (status, body["id"].as_i64().expect("a number"));
                }
            };
            let (status, lead) = tokio::time::timeout(TRIES, trying).await.expect("the request is taken");
            (id, status, lead)
        });
    }
    sending
}

/// The requests of a round; now and then somebody asks again.
fn requests(round: u32) -> Vec<Value> {
    let mut requests: Vec<Value> = (0..AT_ONCE).map(|n| request(round * 10 + n)).collect();
    if round % REPEAT_EVERY == REPEAT_EVERY - 1 {
        let mut again = request((round - 1) * 10);
        again["request_id"] = request(round * 10 + 9)["request_id"].clone();
        requests.push(again);
    }
    requests
}

/// Waits until the simulated group has more messages of the bot than before.
async fn sent_more_than(stage: &Stage, before: usize) {
    stage.until("a card is sent", async || (cards(stage) > before).then_some(())).await;
}

/// Cards in the group.
fn cards(stage: &Stage) -> usize {
    let card = |message: &&Value| message["text"].as_str().is_some_and(|text| text.contains("request_id: "));
    stage.seen_in(stage.group, stage.admin).iter().filter(card).count()
}

/// One round: load, a death at a drawn moment, a start again. Answers how many sends the death may have cut off.
async fn round(stage: &mut Stage, dice: &mut Dice, number: u32, answered: &mut Answered) -> usize {
    let (victim, moment) = (dice.victim(), dice.below(40));
    let before = cards(stage);
    let mut sending = send(stage, requests(number));
    if victim != Victim::Api {
        // The bot dies when it is in the middle of sending, a few milliseconds before or after an answer.
        sent_more_than(stage, before + usize::try_from(dice.below(2)).unwrap_or(0)).await;
        stage.kill_after(Part::Bot, moment).await;
    }
    if victim != Victim::Bot {
        stage.kill_after(Part::Api, moment % 15).await;
        stage.start(Part::Api).await;
    }
    if victim != Victim::Api {
        stage.start(Part::Bot).await;
    }
    while let Some(taken) = sending.join_next().await {
        let (id, status, lead) = taken.expect("a request that is taken");
        answered.insert(id, (status, lead));
    }
    usize::from(victim != Victim::Api)
}

/// Every request that was answered is stored under the number that was told, and nothing else is.
fn check_stored(books: &Books, answered: &Answered) {
    for (id, (status, lead)) in answered {
        assert_eq!(books.lead_of(id), Some(*lead), "{id} was answered {status}");
    }
    assert_eq!(books.leads.len() + books.repeats.len(), answered.len(), "stored and never answered");
}

/// Every lead has one card, and the listed ones at most one; how many are listed.
fn check_cards(stage: &Stage, books: &Books) -> usize {
    for lead in &books.leads {
        let found = stage.cards(&lead.request_id).len();
        let fits = if lead.unknown() { found <= 1 } else { found == 1 };
        assert!(fits, "{found} cards of {lead:?}");
    }
    books.leads.iter().filter(|lead| lead.unknown()).count()
}

/// All rounds on a stage whose bot does not run yet.
async fn rounds(mut stage: Stage, rounds: u32) {
    let seed = asked(SEED_VARIABLE).unwrap_or(20_261_129);
    let mut dice = Dice(seed);
    stage.start(Part::Bot).await;
    let (mut answered, mut cut_off) = (Answered::new(), 0);
    for number in 1..=rounds {
        cut_off += round(&mut stage, &mut dice, number, &mut answered).await;
    }
    let patience = Duration::from_secs(60) + PACE * rounds * AT_ONCE;
    stage
        .until_within(patience, "every card is sent or listed", async || {
            stage.books().await.leads.iter().all(crate::books::Row::settled).then_some(())
        })
        .await;
    // A card on its way is listed until its answer comes: a bot that stops waits for that, one that was killed never will.
    assert_eq!(stage.stop(Part::Bot).await, Some(0));
    let settled = stage.books().await;
    check_stored(&settled, &answered);
    let listed = check_cards(&stage, &settled);
    let refused = stage.world.log().iter().filter(|call| call.status == 429).count();
    println!(
        "{rounds} rounds, seed {seed}: {} requests, {} leads, {} repeats, {cut_off} deaths of the bot, {listed} sends cut off, \
         {refused} calls over the limits",
        answered.len(),
        settled.leads.len(),
        settled.repeats.len()
    );
    assert!(listed <= cut_off, "{listed} sends without an answer, but only {cut_off} deaths of the bot");
    assert_eq!(stage.stop(Part::Api).await, Some(0));
}

/// The rounds that the environment asks for.
fn asked_rounds(usual: u32) -> u32 {
    asked(ROUNDS_VARIABLE).and_then(|rounds| u32::try_from(rounds).ok()).unwrap_or(usual)
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_killed_at_any_moment_lose_no_request_and_send_no_card_twice() {
    rounds(Stage::new().await, asked_rounds(ROUNDS)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_killed_at_any_moment_on_postgresql_lose_nothing_either() {
    let database = crate::postgres::Database::new().await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stage = Stage::on(folder, database.url.clone(), Room::Group).await;
    rounds(stage, asked_rounds(ROUNDS_ON_POSTGRES)).await;
}
