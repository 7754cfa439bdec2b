//! Commands in the group.

use crate::fake::refused;
use crate::stage::{ADMIN, GROUP, STRANGER, Stage};
use domain::lead::LeadStatus;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn row_001_lead_6_others_get_no_access_and_elsewhere_there_is_silence() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    stage.published(&mut desk).await;
    stage.writes(STRANGER, GROUP, "/stickers_new").await;
    stage.writes(ADMIN, -999, "/stickers_new").await;
    stage.writes(ADMIN, GROUP, "/stickers_new@other_bot").await;
    stage.run(&mut desk, 30).await;
    assert_eq!(stage.telegram.texts(GROUP)[1..], ["Нет доступа"]);
    assert!(stage.telegram.chat(-999).is_empty());
}

#[tokio::test]
async fn an_anonymous_admin_is_refused_and_told_why() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    stage
        .update(json!({"message": {
            "message_id": 77, "date": 1, "chat": {"id": GROUP, "type": "supergroup", "title": "Leads"},
            "from": {"id": 1_087_968_824, "is_bot": true, "first_name": "Group", "username": "GroupAnonymousBot"},
            "sender_chat": {"id": GROUP, "type": "supergroup", "title": "Leads"}, "text": "/stickers_new"
        }}))
        .await;
    stage.run(&mut desk, 10).await;
    let said = stage.telegram.chat(GROUP);
    assert!(said[0].text.contains("Нет доступа") && said[0].text.contains("анонимно"));
    assert_eq!(said[0].reply_to, Some(77));
}

#[tokio::test]
async fn row_001_publish_3_the_card_moves_down_and_the_old_one_becomes_a_pointer_without_personal_data() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let id = stage.published(&mut desk).await;
    let request_id = stage.read(id).await.request_id;
    for (asked, cards) in [("1".to_owned(), 2), ("#stickers_1".into(), 3), (request_id.to_uppercase(), 4)] {
        stage.writes(ADMIN, GROUP, &format!("/stickers_lead {asked}")).await;
        stage.run(&mut desk, 30).await;
        let chat = stage.telegram.chat(GROUP);
        assert_eq!(chat.len(), cards, "{asked}");
        let (last, old) = chat.split_last().expect("a card");
        assert!(last.text.contains("Guest 1") && last.buttons.len() == 5);
        for pointer in old {
            assert_eq!(pointer.text, "↪️ Карточка #stickers_1 отправлена заново, она ниже.");
            assert!(pointer.buttons.is_empty());
        }
        let card = stage.read(id).await.card.expect("a card");
        assert_eq!((card.chat_id, card.message_id), last.place);
    }
}

#[tokio::test]
async fn a_command_about_a_lead_that_is_not_there_says_so() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    for (command, words) in [
        ("/stickers_lead 99", "Заявки #99 нет."),
        ("/stickers_lead #99", "Заявки #99 нет."),
        ("/stickers_lead", "Напиши номер заявки"),
        ("/stickers_forget 99", "Заявки #99 нет."),
        ("/stickers_forget всё", "Напиши номер заявки"),
        ("/stickers_forget", "Заявок с контактами нет."),
    ] {
        stage.writes(ADMIN, GROUP, command).await;
        stage.run(&mut desk, 10).await;
        let last = stage.telegram.texts(GROUP).pop().expect("an answer");
        assert!(last.contains(words), "{command}: {last}");
    }
}

#[tokio::test]
async fn a_lead_that_could_not_be_published_is_visible_and_is_tried_when_asked_for() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    stage.telegram.poison("Guest 1", refused(400, "Bad Request: something new"));
    stage.lead().await;
    stage.run(&mut desk, 400).await;
    stage.writes(ADMIN, GROUP, "/stickers_new").await;
    stage.run(&mut desk, 10).await;
    assert!(stage.said("Без статуса: 1")[0].contains("#stickers_1 — 25.11 15:00"));
    assert!(stage.said("Без статуса: 1")[0].contains("карточка ещё не отправлена"));
    stage.telegram.poison("nothing", refused(400, ""));
    stage.writes(ADMIN, GROUP, "/stickers_lead 1").await;
    stage.run(&mut desk, 10).await;
    assert_eq!(stage.said("Guest 1").len(), 1);
}

#[tokio::test]
async fn row_002_export_3_statistics_are_counts_by_status_source_and_time_to_the_first_answer() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    let old = stage.published(&mut desk).await;
    stage.clock.advance(Duration::from_secs(600));
    stage.sets(old, LeadStatus::Deal).await;
    stage.clock.advance(Duration::from_secs(2 * 24 * 3_600));
    stage.lead_with(|form| form.utm_source = None).await;
    stage.run(&mut desk, 30).await;
    stage.writes(ADMIN, GROUP, "/stickers_stats").await;
    stage.run(&mut desk, 10).await;
    let text = stage.said("📊").pop().expect("statistics");
    assert!(text.contains("Сегодня: 1\n🆕 Новая 1\nИсточники: без метки 1"), "{text}");
    assert!(text.contains("7 дней: 2\n🆕 Новая 1 · 🤝 Сделка 1"), "{text}");
    assert!(text.contains("До первого ответа: 10 мин (медиана, заявок: 1)"), "{text}");
    assert!(!text.contains("Guest"), "counts only");
}

#[tokio::test]
async fn row_002_export_1_every_lead_once_goes_to_the_private_chat_of_whoever_asked() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    stage.lead_with(|form| form.name = Some("=HYPERLINK(\"x\")".into())).await;
    stage.lead_with(|form| form.comment = Some("a;b\n\"c\"".into())).await;
    stage.run(&mut desk, 20).await;
    stage.writes(ADMIN, GROUP, "/stickers_export").await;
    stage.send_private().await;
    stage.run(&mut desk, 20).await;
    let documents = stage.telegram.documents();
    assert_eq!(documents.len(), 1);
    let (chat, name, bytes) = &documents[0];
    assert_eq!((*chat, name.as_str()), (ADMIN, "stickers_leads_2026-11-25.csv"));
    let text = String::from_utf8(bytes.clone()).expect("UTF-8");
    let text = text.strip_prefix('\u{feff}').expect("a mark at its beginning");
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert!(lines[0].starts_with("Номер;Создана;Статус;"), "{}", lines[0]);
    assert!(
        lines[1].starts_with(
            "1;2026-11-25 15:00:00;🆕 Новая;;\"'=HYPERLINK(\"\"x\"\")\";@guest_1;+998900000001;"
        ),
        "{}",
        lines[1]
    );
    assert!(lines[2].contains(";\"a;b\n\"\"c\"\"\";"), "{}", lines[2]);
    assert_eq!((lines.len(), lines[3]), (4, ""), "every lead once");
    assert_eq!(stage.said("Выгрузка отправлена").len(), 1);
    assert!(
        !crate::housekeeping::contains(&stage.database_bytes(), "HYPERLINK(\\\"x"),
        "the file is stored nowhere"
    );
}

#[tokio::test]
async fn an_admin_who_never_pressed_start_is_told_so_in_the_group() {
    let stage = Stage::new().await;
    let mut desk = stage.desk();
    stage.lead().await;
    stage
        .telegram
        .always("document", Some(refused(403, "Forbidden: bot can't initiate conversation with a user")));
    stage.writes(ADMIN, GROUP, "/stickers_export").await;
    stage.send_private().await;
    stage.run(&mut desk, 20).await;
    assert_eq!(stage.said("нажми «Старт»").len(), 1);
}
