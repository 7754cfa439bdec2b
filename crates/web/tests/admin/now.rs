//! The first page: what to do, numbers, the pause.

use crate::browser::{Browser, audit, open, panel};
use crate::harness::{Kiosk, lola};
use domain::guest::{Guest, Personal};
use domain::job::JobId;
use domain::maintenance::Maintenance;
use http::StatusCode;
use store::{StoreError, users};

#[tokio::test]
async fn a_server_without_a_bot_says_so_first() {
    let kiosk = open().await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let page = browser.get("/admin").await;
    assert!(page.text.contains("Что делать сейчас: 1"), "{}", page.text);
    assert!(page.text.contains("Бот ещё не запускался"));
    assert!(page.text.contains("занято 61 %, свободно 39,0 ГБ"));
    kiosk.set("bot_seen_at", "1795959000000").await;
    let page = browser.get("/admin").await;
    assert!(page.text.contains("Всё идёт хорошо. Делать ничего не надо"), "{}", page.text);
    assert!(page.text.contains("Приём открыт"));
}

#[tokio::test]
async fn the_pause_is_set_and_lifted_and_whoever_comes_second_is_told() {
    let kiosk = open().await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let pause = async || app::health::maintenance(&kiosk.ctx).await.expect("reads");
    browser.get("/admin/maintenance").await;
    let answer = browser.post("/admin/maintenance", &[("to", "pause")]).await;
    assert_eq!((answer.status, answer.to()), (StatusCode::SEE_OTHER, "/admin?said=paused"));
    assert_eq!(pause().await, Some(Maintenance::Admin));
    let told = browser.get("/admin?said=paused").await;
    assert!(told.text.contains("Пауза включена") && told.text.contains("Киоск на паузе"));
    let again = browser.post("/admin/maintenance", &[("to", "pause")]).await;
    assert_eq!((again.status, again.alert()), (StatusCode::CONFLICT, "Киоск уже на паузе."));
    assert_eq!(browser.post("/admin/maintenance", &[("to", "resume")]).await.to(), "/admin?said=resumed");
    assert_eq!(pause().await, None);
    let again = browser.post("/admin/maintenance", &[("to", "resume")]).await;
    assert_eq!((again.status, again.alert()), (StatusCode::CONFLICT, "Паузы нет, всё работает."));
    assert_eq!(browser.post("/admin/maintenance", &[("to", "dance")]).await.status, StatusCode::NOT_FOUND);
    let done: Vec<_> =
        audit(&kiosk).await.into_iter().map(|(who, what, about, _)| (who, what, about)).collect();
    let own = |what: &str| ("dilnoza".to_owned(), what.to_owned(), "maintenance".to_owned());
    assert_eq!(done[1..], [own("pause"), own("resume")]);
}

#[tokio::test]
async fn the_pause_of_the_environment_cannot_be_lifted_here() {
    let kiosk = Kiosk::with_panel(|settings| settings.maintenance = true, panel()).await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let page = browser.get("/admin").await;
    assert!(page.text.contains("Здесь не снять: MAINTENANCE_MODE=1"));
    let csrf = browser.get("/admin/account").await.csrf();
    for (to, words) in [("resume", "здесь её не снять"), ("pause", "уже задана на сервере")]
    {
        let answer = browser.post_raw("/admin/maintenance", &[("to", to), ("csrf", &csrf)], &[]).await;
        assert_eq!(answer.status, StatusCode::CONFLICT);
        assert!(answer.alert().contains(words), "{}", answer.alert());
    }
}

#[tokio::test]
async fn a_hostile_name_is_text_and_nothing_else() {
    let kiosk = open().await;
    let token = kiosk.dressed().await;
    let (status, answer) = kiosk.post_photo(&token, crate::harness::PORTRAIT).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{answer}");
    let name = "<script>alert(1)</script>\"'&\u{202e}evil";
    let guest = Guest { first_name: Personal(name.into()), ..lola() };
    let known: Result<_, StoreError> =
        kiosk.ctx.store.write(move |tx| Box::pin(async move { users::refresh(tx, &guest).await })).await;
    assert_eq!(known.expect("writes"), store::Change::Changed);
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let page = browser.get("/admin").await;
    assert!(page.text.contains("В очереди, 1"), "{}", page.text);
    assert!(!page.text.contains("<script>alert"), "{}", page.text);
    // Its letters run the other way inside their own box only.
    assert!(
        page.text.contains("<bdi>&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#38;\u{202e}evil</bdi>"),
        "{}",
        page.text
    );
    assert_eq!(store::jobs::position(&mut kiosk.ctx.store.reader(), JobId(1)).await.expect("reads"), Some(1));
}
