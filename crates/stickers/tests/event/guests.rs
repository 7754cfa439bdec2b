//! Guests at tablets: each taps Start, scans, agrees, chooses, smiles and leaves; a tablet that gets no answer asks again.

use crate::faces::Face;
use crate::plan::{Event, Sort};
use crate::stage::BOT;
use app::timer::Timer;
use domain::Clock;
use reqwest::multipart::{Form, Part};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use simulator::{Fault, NewPerson, NewPress, Play, World};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinSet;

/// Tries of a tablet for one answer; a dead API is back long before.
const TRIES_MAX: usize = 600;
/// Looks of a tablet at a session that should move on.
const LOOKS_MAX: usize = 3_000;
/// How long a code on the tablet is good.
const CODE_GOOD_FOR: Duration = Duration::from_secs(90);

/// So many packs a slot may wait before guests come later: some eight minutes.
pub const QUEUE_A_SLOT: u64 = 12;
/// What guests choose from.
const OUTFITS: [&str; 4] = ["chapan", "hoodie", "astronaut", "hero"];

/// What stands behind the tablets and phones of an event.
#[derive(Clone)]
pub struct Room {
    pub world: World,
    pub http: Client,
    /// The API's address, which may change with a restart.
    pub api: Arc<Mutex<String>>,
    pub clock: Arc<dyn Clock>,
    pub timer: Arc<dyn Timer>,
    /// Told of a call under way.
    pub calling: Arc<dyn Fn() -> Box<dyn Send> + Send + Sync>,
    /// How long people take, in percent of what they usually do.
    pub pace: u32,
    /// Between two looks of a tablet, and two tries of a call.
    pub look_every: Duration,
    /// Nobody taps Start while so many packs are in work: guests see the queue.
    pub queue_max: u64,
}

/// A guest and what happened to them, times in milliseconds since 1970.
#[derive(Clone, Debug)]
pub struct Guest {
    pub number: usize,
    pub sort: Sort,
    /// In Telegram.
    pub id: i64,
    pub face: Face,
    pub scanned: Option<i64>,
    pub linked: Option<i64>,
    pub agreed: Option<i64>,
    pub consented: Option<i64>,
    pub photo_sent: Option<i64>,
    pub photo_taken: Option<i64>,
}

impl Room {
    fn now(&self) -> i64 {
        self.clock.now().as_millis()
    }

    /// A person takes their time.
    async fn takes(&self, usual: Duration) {
        self.timer.sleep(usual * self.pace / 100).await;
    }

    /// A call to the API, made again until it is answered.
    async fn call(&self, make: impl Fn(&Client, &str) -> RequestBuilder) -> (u16, Value) {
        for _ in 0..TRIES_MAX {
            let api = self.api.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let under_way = (self.calling)();
            let answered = async {
                let answer = make(&self.http, &api).send().await?;
                let status = answer.status().as_u16();
                Ok::<_, reqwest::Error>((status, answer.json::<Value>().await?))
            };
            let answered = answered.await;
            drop(under_way);
            match answered {
                // Busy, or not ready yet.
                Ok((429 | 503, _)) | Err(_) => self.timer.sleep(self.look_every).await,
                Ok(answer) => return answer,
            }
        }
        panic!("the API never answered");
    }

    /// Waits until the session of a tablet is in `status`; none when it has ended before.
    async fn session_in(&self, token: &str, status: &str) -> Option<i64> {
        for _ in 0..LOOKS_MAX {
            let (_, session) = self.call(|http, api| http.get(format!("{api}/session/{token}"))).await;
            match session["status"].as_str() {
                Some(now) if now == status => return Some(self.now()),
                Some("expired") => return None,
                _ => self.timer.sleep(self.look_every).await,
            }
        }
        panic!("the session never was {status}");
    }

    /// Waits until the queue is short enough to join.
    async fn short_queue(&self) {
        loop {
            let (_, health) = self.call(|http, api| http.get(format!("{api}/health"))).await;
            if health["active_jobs"].as_u64().is_some_and(|active| active < self.queue_max) {
                return;
            }
            self.timer.sleep(self.look_every).await;
        }
    }

    /// What the bot said to a guest, oldest first.
    pub fn chat(&self, guest: i64) -> Vec<Value> {
        let view = self.world.view(Some(guest), BOT).unwrap_or_default();
        view["messages"].as_array().cloned().unwrap_or_default()
    }

    /// The guest presses the button below the newest message that has one, once it is there.
    async fn press(&self, person: i64) {
        for _ in 0..LOOKS_MAX {
            let with_button = |message: &&Value| message["buttons"][0][0]["callback"] == true;
            if let Some(id) =
                self.chat(person).iter().rev().find(with_button).and_then(|it| it["id"].as_i64())
            {
                let press = NewPress { person, chat: BOT, message_id: id, ..NewPress::default() };
                self.world.press(press).expect("the button is pressed");
                return;
            }
            self.timer.sleep(self.look_every).await;
        }
        panic!("the button never came");
    }

    /// A person in Telegram.
    fn guest(&self, event: &Event, number: usize) -> Guest {
        let person = NewPerson::named(&format!("Guest {number}"), event.language(number));
        let id = self.world.add_person(person).expect("a new person").id;
        let sort = event.sort(number);
        if sort == Sort::Unlucky {
            let refused = Play::Status {
                code: 400,
                description: "Bad Request: STICKER_PNG_DIMENSIONS".into(),
                applied: false,
            };
            let fault = Fault::once("createNewStickerSet", refused).in_chat(id).times(0);
            assert!(self.world.fault(fault), "too many faults wait");
        }
        Guest {
            number,
            sort,
            id,
            face: Face::of(number),
            scanned: None,
            linked: None,
            agreed: None,
            consented: None,
            photo_sent: None,
            photo_taken: None,
        }
    }

    /// From Start to the photo.
    async fn visit(&self, event: &Event, tablet: usize, number: usize) -> Guest {
        let mut guest = self.guest(event, number);
        let mut dice = crate::dice::Dice::new(event.seed, 1_000 + number as u64);
        let mut seconds =
            |least: u64, most: u64| Duration::from_millis(dice.between(least * 1_000, most * 1_000));
        let start = json!({"kiosk": format!("tablet {tablet}")});
        let (status, session) = self.call(|http, api| http.post(format!("{api}/session")).json(&start)).await;
        assert_eq!(status, 201, "{session}");
        let token = session["token"].as_str().expect("a token").to_owned();
        if guest.sort == Sort::Late {
            self.takes(CODE_GOOD_FOR).await;
            let close = |http: &Client, api: &str| {
                http.post(format!("{api}/session/{token}/expire?reason=qr_timeout"))
            };
            self.call(close).await;
            self.takes(seconds(1, 5)).await;
            self.world.start(guest.id, BOT, Some(&token)).expect("the chat opens");
            return guest;
        }
        self.takes(seconds(3, 12)).await;
        self.world.start(guest.id, BOT, Some(&token)).expect("the chat opens");
        guest.scanned = Some(self.now());
        guest.linked = Some(self.session_in(&token, "linked").await.expect("a session that is open"));
        self.takes(seconds(2, 8)).await;
        self.press(guest.id).await;
        guest.agreed = Some(self.now());
        guest.consented = Some(self.session_in(&token, "consented").await.expect("a session that is open"));
        self.takes(seconds(4, 15)).await;
        let outfit = json!({"template_id": OUTFITS[number % OUTFITS.len()]});
        let choose =
            |http: &Client, api: &str| http.post(format!("{api}/session/{token}/template")).json(&outfit);
        let (status, answer) = self.call(choose).await;
        assert_eq!(status, 200, "{answer}");
        self.takes(seconds(5, 20)).await;
        let selfie = guest.face.selfie();
        guest.photo_sent = Some(self.now());
        let upload = |http: &Client, api: &str| {
            let form = Form::new().part("photo", Part::bytes(selfie.clone()).file_name("selfie.jpg"));
            http.post(format!("{api}/session/{token}/photo")).multipart(form)
        };
        let (status, answer) = self.call(upload).await;
        // The answer to the first try was lost with the API: the second says that the photo is there.
        let there = status == 202 || (status == 409 && answer["status"] == "photo_taken");
        assert!(there, "guest {number}: {status} {answer}");
        guest.photo_taken = Some(self.now());
        // The tablet shows the place in the queue, then it is free.
        self.takes(Duration::from_secs(10)).await;
        guest
    }
}

/// Everybody's visit, as many at once as there are tablets. `came` counts those who have left their tablet.
pub async fn everybody(room: &Room, event: Event, came: Arc<AtomicUsize>) -> Vec<Guest> {
    let next = Arc::new(AtomicUsize::new(0));
    let mut tablets = JoinSet::new();
    for tablet in 0..event.kiosks {
        let (room, next, came) = (room.clone(), Arc::clone(&next), Arc::clone(&came));
        tablets.spawn(async move {
            let mut served = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::SeqCst);
                if number >= event.guests {
                    return served;
                }
                room.short_queue().await;
                served.push(room.visit(&event, tablet, number).await);
                came.fetch_add(1, Ordering::SeqCst);
            }
        });
    }
    let mut guests: Vec<Guest> = Vec::new();
    while let Some(served) = tablets.join_next().await {
        guests.extend(served.expect("a tablet that does not break down"));
    }
    guests.sort_by_key(|guest| guest.number);
    guests
}
