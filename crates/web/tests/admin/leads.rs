//! The board of leads: columns, search, moving, history.

use crate::browser::{Browser, audit, panel};
use crate::harness::Kiosk;
use app::{LeadsIntake, LeadsSettings};
use axum::body::Body;
use domain::lead::LeadId;
use http::{Request, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};
use std::time::Duration;
use store::leads;

async fn open() -> Kiosk {
    let intake = LeadsIntake {
        secret: SecretString::from("landing"),
        ip_salt: SecretString::from("pepper"),
        ip_limit: 100,
        ip_window: Duration::from_secs(600),
        hourly_limit: 100,
    };
    Kiosk::with_panel(
        |settings| settings.leads = LeadsSettings { intake: Some(intake), group: None },
        panel(),
    )
    .await
}

/// What the landing site sends.
fn body(number: u32, name: &str, telegram: &str, comment: &str) -> Value {
    json!({
        "request_id": format!("00000000-0000-4000-8000-{number:012}"),
        "name": name,
        "telegram": telegram,
        "phone": format!("+99890{number:07}"),
        "date": "14 декабря",
        "guests": "150",
        "comment": comment,
        "locale": "ru",
    })
}

/// The landing site brings a request.
async fn bring(kiosk: &Kiosk, number: u32, name: &str, telegram: &str, comment: &str) {
    bring_body(kiosk, &body(number, name, telegram, comment).to_string()).await;
}

async fn bring_body(kiosk: &Kiosk, body: &str) {
    let request = Request::post("/leads")
        .header("content-type", "application/json")
        .header("X-Stickers-Leads-Secret", "landing")
        .body(Body::from(body.to_owned()))
        .expect("a request");
    let status = kiosk.send(request).await.status();
    assert!(status.is_success(), "{status}");
}

#[tokio::test]
async fn a_lead_moves_over_the_board_by_the_rules_of_the_group_and_its_history_says_who() {
    let kiosk = open().await;
    bring(&kiosk, 1, "Азиз", "@aziz_toy", "В цветах зала").await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let board = browser.get("/admin/leads").await;
    assert!(
        board.text.contains("#1 <bdi>Азиз</bdi>") && board.text.contains("14 декабря · 150"),
        "{}",
        board.text
    );
    assert!(board.text.contains("<b class=\"badge\">1"), "the rail tells it");
    assert!(!board.text.contains("class=\"lead late\""));
    kiosk.clock.advance(Duration::from_secs(7_200));
    let late = browser.get("/admin/leads").await;
    assert!(
        late.text.contains("class=\"lead late\"") && late.text.contains("2 ч 0 мин без ответа"),
        "{}",
        late.text
    );

    let taken = browser.post("/admin/leads/1/status", &[("status", "in_work"), ("from", "board")]).await;
    assert_eq!((taken.status, taken.to()), (StatusCode::SEE_OTHER, "/admin/leads?said=moved"));
    let again = browser.post("/admin/leads/1/status", &[("status", "in_work")]).await;
    assert_eq!((again.status, again.alert()), (StatusCode::CONFLICT, "Уже так"));
    for wrong in ["new", "", "dance"] {
        let refused = browser.post("/admin/leads/1/status", &[("status", wrong)]).await;
        assert_eq!(refused.status, StatusCode::CONFLICT, "{wrong}");
    }
    let sold = browser.post("/admin/leads/1/status", &[("status", "deal")]).await;
    assert_eq!(sold.to(), "/admin/leads/1?said=moved");
    let page = browser.get("/admin/leads/1").await;
    for part in [
        "🛠 В работе → 🤝 Сделка",
        "🆕 Новая → 🛠 В работе",
        "dilnoza, в панели",
        "В цветах зала",
        "+998900000001",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    let done: Vec<_> = audit(&kiosk).await.into_iter().skip(1).collect();
    let own = |to: &str| ("dilnoza".to_owned(), "lead_status".to_owned(), "lead:1".to_owned(), to.to_owned());
    assert_eq!(done, [own("in_work"), own("deal")]);
    assert_eq!(
        browser.post("/admin/leads/9/status", &[("status", "deal")]).await.status,
        StatusCode::NOT_FOUND
    );
    assert_eq!(browser.get("/admin/leads/9").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn an_erased_lead_does_not_move_and_shows_nothing_of_its_owner() {
    let kiosk = open().await;
    bring(&kiosk, 1, "Азиз", "@aziz_toy", "В цветах зала").await;
    let now = domain::Clock::now(&*kiosk.clock);
    let erased: Result<_, store::StoreError> = kiosk
        .ctx
        .store
        .write(move |tx| Box::pin(async move { leads::erase(tx, LeadId(1), now).await.map(drop) }))
        .await;
    erased.expect("erases");
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    browser.get("/admin/account").await;
    let refused = browser.post("/admin/leads/1/status", &[("status", "deal")]).await;
    assert_eq!(
        (refused.status, refused.alert()),
        (StatusCode::CONFLICT, "Данные заявки удалены — статус не меняется")
    );
    let page = browser.get("/admin/leads/1").await;
    assert!(
        page.text.contains("Данные удалены") && !page.text.contains("Азиз") && !page.text.contains("aziz"),
        "{}",
        page.text
    );
    assert!(!browser.get("/admin/leads").await.text.contains("#1 "));
}

#[tokio::test]
async fn a_lead_is_found_by_number_phone_username_request_and_name_and_what_was_typed_is_text() {
    let kiosk = open().await;
    bring(&kiosk, 1, "Азиз <b>Тойханов</b>", "@Aziz_Toy", "<img src=x onerror=alert(1)>").await;
    bring(&kiosk, 2, "Ольга", "@olga_event", "").await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    for typed in [
        "1",
        "%231",
        "%23stickers_1",
        "%2B998+90+000-00-01",
        "998900000001",
        "%40aziz_toy",
        "%D1%82%D0%BE%D0%B9%D1%85%D0%B0%D0%BD",
        "00000000-0000-4000-8000-000000000001",
    ] {
        let found = browser.get(&format!("/admin/leads?q={typed}")).await;
        assert!(
            found.text.contains("Найдено: 1") && found.text.contains("/admin/leads/1\""),
            "{typed}: {}",
            found.text
        );
    }
    for typed in ["3", "%40nobody", "zzz"] {
        assert!(
            browser.get(&format!("/admin/leads?q={typed}")).await.text.contains("Ничего не нашлось"),
            "{typed}"
        );
    }
    for page in ["/admin/leads", "/admin/leads/1"] {
        let text = browser.get(page).await.text;
        assert!(!text.contains("<b>Тойханов") && !text.contains("<img src=x"), "{page}: {text}");
        assert!(text.contains("&#60;b&#62;Тойханов"), "{page}");
    }
}

/// As a page writes text between its tags.
fn escaped(text: &str) -> String {
    let signs = [('&', "&#38;"), ('<', "&#60;"), ('>', "&#62;"), ('"', "&#34;"), ('\'', "&#39;")];
    signs.iter().fold(text.to_owned(), |text, (sign, entity)| text.replace(*sign, entity))
}

/// Issue "Leads": none of these loses or breaks a lead on the way to the panel.
#[tokio::test]
async fn hostile_and_strange_texts_stand_on_the_board_and_on_the_page_of_their_lead_as_they_were_typed() {
    let kiosk = open().await;
    let emoji = "🎉".repeat(1_200);
    let texts = [
        "<b>жирный</b> &amp; <script>alert(1)</script>",
        "=cmd()|'/c calc'!A1",
        "\"кавычки\" 'и' `ещё` \\ конец",
        "\u{202e}שלום מדינה\u{202c} مرحبا",
        "%s %d {} {{ name }} $1 ?1 :name",
        "👩\u{200d}👩\u{200d}👧 e\u{301}",
    ];
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    for (number, text) in (1..).zip(texts) {
        bring(&kiosk, number, text, &format!("@guest_{number}"), text).await;
        let page = browser.get(&format!("/admin/leads/{number}")).await;
        assert_eq!(
            page.text.matches(&escaped(text)).count().min(2),
            2,
            "name and comment: {text}: {}",
            page.text
        );
    }
    // A zero, a bell and half of a surrogate pair, as a broken client sends them.
    bring_body(
        &kiosk,
        &body(7, "Мадина", "@guest_7", "").to_string().replace("Мадина", r"Мад\u0000ина\ud83d \u0007"),
    )
    .await;
    bring(&kiosk, 8, "Ольга", "@guest_8", &emoji).await;
    assert!(browser.get("/admin/leads/7").await.text.contains("Мадина\u{fffd}"));
    assert!(browser.get("/admin/leads/8").await.text.contains(&emoji));
    let board = browser.get("/admin/leads").await;
    assert_eq!(board.status, StatusCode::OK);
    for (number, text) in (1..).zip(texts) {
        assert!(board.text.contains(&format!("/admin/leads/{number}\"")), "{number}");
        assert!(board.text.contains(&escaped(text)), "{text}");
    }
    assert!(!board.text.contains("<b>жирный") && !board.text.contains("<script>alert"));
}

#[tokio::test]
async fn who_wrote_again_stands_with_what_has_changed() {
    let kiosk = open().await;
    bring(&kiosk, 1, "Азиз", "@aziz_toy", "В цветах зала").await;
    bring(&kiosk, 2, "Азиз", "@aziz_toy", "Ещё и фотозона").await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let page = browser.get("/admin/leads/1").await;
    assert!(
        page.text.contains("Написали ещё раз: 1") && page.text.contains("Ещё и фотозона"),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn a_long_column_goes_on_on_pages_of_its_own() {
    let kiosk = open().await;
    for number in 1..=20 {
        bring(&kiosk, number, "Гость", &format!("@guest_{number:03}"), "").await;
    }
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let board = browser.get("/admin/leads").await;
    assert!(
        board.text.contains("#20 ") && board.text.contains("#9 ") && !board.text.contains("#8 "),
        "{}",
        board.text
    );
    assert!(board.text.contains("/admin/leads?status=new&amp;before=9"), "{}", board.text);
    let rest = browser.get("/admin/leads?status=new&before=9").await;
    assert!(
        rest.text.contains("#8 ") && rest.text.contains("#1 ") && !rest.text.contains("#9 <"),
        "{}",
        rest.text
    );
}
