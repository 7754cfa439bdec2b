//! The landing site as a third process: a visitor's form reaches the group, by the API or past it.

use crate::stage::{Part, Stage, id_of, request};
use reqwest::Url;
use serde_json::Value;
use tokio::process::Child;

/// A running landing site.
struct Site {
    address: String,
    /// Killed when it is dropped.
    _process: Child,
}

impl Site {
    async fn start(stage: &Stage) -> Site {
        let (process, address) = stage.start_landing().await;
        Site { address, _process: process }
    }

    /// A visitor sends the form with these words; answers what the page's script is told.
    async fn send(&self, stage: &Stage, asked: &Value) -> (u16, Value) {
        let words = |name: &str| asked[name].as_str().unwrap_or_default().to_owned();
        let fields =
            ["name", "telegram", "phone", "date", "guests", "comment"].map(|name| (name, words(name)));
        let request_id = ("requestId", id_of(asked).to_owned());
        let form = Url::parse_with_params("http://form", fields.into_iter().chain([request_id]));
        let body = form.expect("fields").query().expect("fields").to_owned();
        let post = stage.http.post(format!("{}/ru/request", self.address));
        let post = post.header("accept", "application/json");
        let post = post.header("content-type", "application/x-www-form-urlencoded").body(body);
        let answer = post.send().await.expect("an answer");
        let status = answer.status().as_u16();
        (status, answer.json().await.expect("JSON"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_of_the_landing_site_becomes_a_card() {
    let mut stage = Stage::new().await;
    stage.start(Part::Bot).await;
    let site = Site::start(&stage).await;
    let asked = request(1);
    let (status, told) = site.send(&stage, &asked).await;
    assert_eq!((status, told["result"].as_str()), (200, Some("sent")), "{told}");
    let card = stage.card(id_of(&asked)).await;
    assert!(card["text"].as_str().is_some_and(|text| text.contains("Гость 1")), "{card}");
    // The visitor presses again: the same number, no second card.
    assert_eq!(site.send(&stage, &asked).await.0, 200);
    assert_eq!(stage.books().await.leads.len(), 1);
    assert_eq!(stage.cards(id_of(&asked)).len(), 1);
    let line = format!("[request] {} → server", id_of(&asked));
    assert_eq!(stage.logged().matches(&line).count(), 2, "one line for each request");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_goes_past_a_dead_api_with_a_warning_and_is_in_no_database() {
    let mut stage = Stage::new().await;
    stage.start(Part::Bot).await;
    let site = Site::start(&stage).await;
    stage.kill_after(Part::Api, 0).await;
    let asked = request(1);
    let (status, told) = site.send(&stage, &asked).await;
    assert_eq!((status, told["result"].as_str()), (200, Some("sent")), "{told}");
    let warning = format!(
        "⚠️ Запасной канал: сервер заявок не ответил — заявки нет в базе (request_id {})",
        id_of(&asked)
    );
    let message = stage
        .until("the backup message comes", async || {
            let warned =
                |message: &Value| message["text"].as_str().is_some_and(|text| text.starts_with(&warning));
            stage.seen_in(stage.group, stage.admin).into_iter().find(warned)
        })
        .await;
    assert_eq!(message["buttons"].as_array().map(Vec::len), Some(0), "no buttons on it: {message}");
    stage.start(Part::Api).await;
    assert!(stage.books().await.leads.is_empty());
    assert!(stage.logged().contains(&format!("[request] {} → fallback", id_of(&asked))));
}
