//! Forgetting a lead on request (seed 002, "Deleting a lead's data on request").

use crate::fake::refused;
use crate::housekeeping::contains;
use crate::stage::{ADMIN, GROUP, Stage};
use domain::guest::TelegramId;
use domain::lead::LeadStatus;
use serde_json::json;
use store::updates::{self, NewUpdate};
use store::{audit_log, leads};

const STUB: &str = "🗑 Заявка #stickers_1 — данные удалены (25.11.2026)";

#[tokio::test]
async fn row_002_lead_1_a_command_erases_database_and_card_and_says_so_to_the_letter() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.repeat(id, "Второй секрет").await;
    stage.sets(id, LeadStatus::Deal).await;
    stage.run(&mut desk, 60).await;
    stage.writes(ADMIN, GROUP, "/stickers_forget 1").await;
    stage.run(&mut desk, 60).await;
    assert_eq!(stage.telegram.chat(GROUP)[0].text, STUB);
    assert_eq!(
        stage.said("Из бэкапов"),
        [
            "Данные заявки #1 удалены (имя, Telegram, телефон, комментарий). Из бэкапов сервера уйдут за 14 дней. В статистике \
          заявка остаётся без контактов."
        ]
    );
    let lead = stage.read(id).await;
    assert_eq!(
        (lead.contact.name, lead.contact.telegram, lead.contact.phone, lead.contact.comment),
        (None, None, None, None)
    );
    assert_eq!((lead.status, lead.request_id.is_empty()), (LeadStatus::Deal, false), "statistics stay");
    let bytes = stage.database_bytes();
    for secret in ["Второй секрет", "@guest_1", "Guest 1", "Comment 1"] {
        assert!(!contains(&bytes, secret), "{secret} is still in the files");
    }
    let audit = audit_log::latest(&mut stage.ctx.store.reader(), 5).await.expect("readable");
    assert!(
        audit.iter().any(|row| row.action == "stickers_forget"
            && row.subject == "lead:1"
            && row.actor == "telegram:7")
    );
    stage.writes(ADMIN, GROUP, "/stickers_forget 1").await;
    stage.run(&mut desk, 20).await;
    assert_eq!(stage.said("уже удалены (25.11.2026)").len(), 1);
}

#[tokio::test]
async fn without_a_number_the_latest_leads_are_buttons_and_each_asks_once() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.writes(ADMIN, GROUP, "/stickers_forget").await;
    stage.run(&mut desk, 20).await;
    let list =
        stage.telegram.chat(GROUP).into_iter().find(|said| said.text.contains("Чьи данные")).expect("a list");
    assert_eq!(list.buttons, ["stickers_forget:1"]);
    stage.presses(ADMIN, list.place, "stickers_forget:1").await;
    stage.run(&mut desk, 20).await;
    assert!(stage.read(id).await.erased_at.is_none(), "it only asks");
    let question = stage.telegram.chat(GROUP).into_iter().last().expect("a question");
    assert_eq!(question.buttons, ["stickers_forget:1:yes"]);
    let refused = stage.presses(8, question.place, "stickers_forget:1:yes").await.expect("an answer");
    assert_eq!(refused.text, "Нет доступа");
    stage.presses(ADMIN, question.place, "stickers_forget:1:yes").await;
    assert!(stage.read(id).await.erased_at.is_some());
    // Nothing personal was said on the way.
    assert!(stage.said("Guest 1").len() <= 1 && !list.text.contains("Guest"));
}

#[tokio::test]
async fn every_message_ever_posted_for_a_lead_is_rewritten_pointers_too() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    for _ in 0..2 {
        stage.writes(ADMIN, GROUP, "/stickers_lead 1").await;
        stage.run(&mut desk, 30).await;
    }
    assert_eq!(stage.telegram.chat(GROUP).len(), 3);
    app::lead::forget::forget(&stage.ctx, id, TelegramId(ADMIN)).await.expect("erased");
    stage.run(&mut desk, 60).await;
    assert_eq!(stage.telegram.texts(GROUP), [STUB, STUB, STUB]);
    let standing = leads::standing_cards(&mut stage.ctx.store.reader(), id).await.expect("readable");
    assert!(standing.is_empty());
}

#[tokio::test]
async fn a_card_that_cannot_be_rewritten_is_deleted() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.telegram.always("edit", Some(refused(400, "Bad Request: message can't be edited")));
    app::lead::forget::forget(&stage.ctx, id, TelegramId(ADMIN)).await.expect("erased");
    stage.run(&mut desk, 30).await;
    assert!(stage.telegram.chat(GROUP).is_empty());
    assert_eq!(stage.alerts("не переписать").await, 0);
}

#[tokio::test]
async fn a_card_that_can_be_neither_rewritten_nor_deleted_alerts_operators_once() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.telegram.always("edit", Some(refused(400, "Bad Request: message can't be edited")));
    stage.telegram.always("delete", Some(refused(400, "Bad Request: message can't be deleted for everyone")));
    app::lead::forget::forget(&stage.ctx, id, TelegramId(ADMIN)).await.expect("erased");
    stage.run(&mut desk, 3_600).await;
    assert_eq!(stage.telegram.times("delete").len(), 1, "it is not tried for ever");
    assert_eq!(stage.alerts("не переписать и не удалить").await, 1);
}

#[tokio::test]
async fn a_rewriting_that_meets_a_fault_is_done_when_the_fault_is_over() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    stage.telegram.always("edit", Some(refused(502, "Bad Gateway")));
    app::lead::forget::forget(&stage.ctx, id, TelegramId(ADMIN)).await.expect("erased");
    stage.run(&mut desk, 300).await;
    stage.telegram.always("edit", None);
    stage.run(&mut desk, 900).await;
    assert_eq!(stage.telegram.texts(GROUP), [STUB]);
}

#[tokio::test]
async fn a_lead_erased_while_its_card_is_on_its_way_shows_nobody() {
    let stage = Stage::new().await;
    let id = stage.lead().await;
    let mut desk = stage.desk();
    stage.telegram.fault("send", crate::fake::Fault::Hang);
    tokio::select! {
        _ = desk.tick() => panic!("the send hangs"),
        () = stage.telegram.hanging.notified() => {}
    }
    app::lead::forget::forget(&stage.ctx, id, TelegramId(ADMIN)).await.expect("erased");
    stage.run(&mut stage.desk(), 2_000).await;
    assert!(stage.telegram.chat(GROUP).is_empty(), "an erased lead is not published");
}

#[tokio::test]
async fn row_002_lead_2_a_test_lead_goes_whole_and_any_other_is_refused() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let real = stage.published(&mut desk).await;
    let by_name = stage.lead_with(|form| form.name = Some("Это ТЕСТ формы".into())).await;
    let by_comment = stage.lead_with(|form| form.comment = Some("just a Test".into())).await;
    stage.run(&mut desk, 60).await;
    for id in [real, by_name, by_comment] {
        stage.writes(ADMIN, GROUP, &format!("/stickers_forget {id} тест")).await;
    }
    stage.run(&mut desk, 120).await;
    assert_eq!(stage.said("не тестовая").len(), 1);
    assert!(stage.read(real).await.contact.name.is_some());
    for id in [by_name, by_comment] {
        let gone = leads::find(&mut stage.ctx.store.reader(), id).await.expect("readable");
        assert_eq!(gone, None);
        assert_eq!(stage.said(&format!("#stickers_{id} — данные удалены")).len(), 1);
    }
    let bytes = stage.database_bytes();
    assert!(!contains(&bytes, "just a Test") && !contains(&bytes, "Это ТЕСТ формы"));
}

#[tokio::test]
async fn stored_updates_that_quote_the_card_are_emptied_with_the_lead() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    let now = stage.now();
    let body =
        json!({"callback_query": {"data": "stickers_lead:1:deal", "message": {"text": "Имя: Guest 1"}}})
            .to_string();
    let update = NewUpdate { update_id: 5, from: Some(TelegramId(ADMIN)), body };
    stage
        .ctx
        .store
        .write(move |tx| {
            Box::pin(async move {
                updates::insert_batch(tx, &[update], now).await?;
                updates::failed(tx, 5, "boom", now).await
            })
        })
        .await
        .expect("writable")
        .happened()
        .then_some(())
        .expect("set aside");
    app::lead::forget::forget(&stage.ctx, id, TelegramId(ADMIN)).await.expect("erased");
    stage.run(&mut desk, 20).await;
    assert!(!contains(&stage.database_bytes(), "Guest 1"));
}
