//! What providers cost, and the balance.

use crate::browser::{Browser, audit, open};
use domain::job::JobId;
use http::StatusCode;
use store::ai_usage::{self, Usage};

#[tokio::test]
async fn costs_are_shown_by_day_and_stage_and_no_call_is_no_cost() {
    let kiosk = open().await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let empty = browser.get("/admin/costs").await;
    assert!(
        empty.text.contains("Расходов нет") && empty.text.contains("Сумма не записана"),
        "{}",
        empty.text
    );
    let now = domain::Clock::now(&*kiosk.clock);
    for (stage, provider, cost_usd) in
        [("sheet", "gemini", 1.5), ("sheet", "openai", 0.5), ("anchor", "gemini", 0.25)]
    {
        let usage = Usage {
            job: JobId(1),
            stage: stage.to_owned(),
            provider: provider.to_owned(),
            model: "m".to_owned(),
            input_tokens: 1,
            output_tokens: 1,
            images: 1,
            cost_usd,
            at: now,
        };
        let written: Result<(), store::StoreError> = kiosk
            .ctx
            .store
            .write(move |tx| Box::pin(async move { ai_usage::insert(tx, &usage).await }))
            .await;
        written.expect("writes");
    }
    let page = browser.get("/admin/costs?days=7").await;
    for part in
        ["Лист фигур", "Портрет-якорь", "$2,25", "gemini", "openai", "Расходы по дням за 7 дней: всего $2,25"]
    {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    assert_eq!(page.text.matches("<tr><td>2026-11-").count(), 7, "each day has its line");
    assert_eq!(browser.get("/admin/costs?days=100000").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_balance_is_written_down_and_an_odd_one_refused() {
    let kiosk = open().await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    browser.get("/admin/costs").await;
    for odd in ["", "-5", "x", "1e9", "1000001"] {
        let refused = browser.post("/admin/balance", &[("amount", odd)]).await;
        assert_eq!(refused.status, StatusCode::CONFLICT, "{odd}");
        assert_eq!(refused.alert(), "Напиши сумму в долларах от 0 до 1000000.");
    }
    let done = browser.post("/admin/balance", &[("amount", "25,50")]).await;
    assert_eq!(done.to(), "/admin/costs?said=balance");
    assert!(browser.get("/admin/costs").await.text.contains("$25,50"));
    let (actor, action, ..) = audit(&kiosk).await.pop().expect("an entry");
    assert_eq!((actor.as_str(), action.as_str()), ("dilnoza", "balance"));
}
