//! The audit log and the settings.

use crate::browser::{Browser, open};
use http::StatusCode;
use std::time::Duration;
use store::audit_log::{self, Audit};

#[tokio::test]
async fn the_journal_names_who_did_what_page_by_page_and_escapes_it() {
    let kiosk = open().await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let now = domain::Clock::now(&*kiosk.clock);
    for number in 0..60_u64 {
        let entry = Audit {
            at: now.plus(Duration::from_secs(number)),
            actor: "operator:12".to_owned(),
            action: if number == 59 { "<b>" } else { "retry_job" }.to_owned(),
            subject: format!("job:{number}"),
            details: Some("<script>alert(1)</script>".to_owned()),
        };
        let written: Result<(), store::StoreError> = kiosk
            .ctx
            .store
            .write(move |tx| Box::pin(async move { audit_log::insert(tx, &entry).await }))
            .await;
        written.expect("writes");
    }
    let first = browser.get("/admin/journal").await;
    assert_eq!(first.status, StatusCode::OK);
    assert!(first.text.contains("задание 59") && first.text.contains("задание 10"), "{}", first.text);
    assert!(
        !first.text.contains("задание 9<")
            && !first.text.contains("<script>alert")
            && !first.text.contains("<b>)")
    );
    let (_, rest) = first.text.split_once("href=\"/admin/journal?before=").expect("a next page");
    let next = format!("/admin/journal?before={}", rest.split('"').next().expect("its end"));
    let second = browser.get(&next).await;
    assert!(second.text.contains("задание 9<") && second.text.contains("вошёл"), "{}", second.text);
    assert!(!second.text.contains("задание 10<") && !second.text.contains("before="));
    for odd in ["x", "1", "1-x", "-", "999999999999999999999-1"] {
        assert_eq!(
            browser.get(&format!("/admin/journal?before={odd}")).await.status,
            StatusCode::OK,
            "{odd}"
        );
    }
}

#[tokio::test]
async fn settings_are_shown_with_their_secrets_masked() {
    let kiosk = open().await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let page = browser.get("/admin/settings").await;
    assert!(
        page.text.contains("<code>PACK_LIMIT</code>") && page.text.contains("по умолчанию"),
        "{}",
        page.text
    );
    assert!(
        page.text.contains("<code>BOT_TOKEN</code></td><td class=\"name\"><code>********</code>"),
        "{}",
        page.text
    );
    assert!(page.text.contains("Версия 1.2.3, abc"));
}
