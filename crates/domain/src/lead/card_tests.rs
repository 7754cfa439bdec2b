//! Cards as people see them, and hostile values on them.

use super::*;
use crate::Timestamp;
use crate::lead::UNKNOWN;

/// 29 November 2026, 18:30 in Tashkent.
const NOW: i64 = 1_795_959_000_000;

fn personal(text: &str) -> Option<Personal> {
    Some(Personal(text.to_owned()))
}

fn lead() -> Lead {
    Lead {
        id: LeadId(12),
        request_id: "1b4e28ba-2fa1-4d2b-8e4f-1a2b3c4d5e6f".into(),
        status: LeadStatus::New,
        status_at: None,
        contact: Contact {
            name: personal("Мадина"),
            telegram: personal("@madina"),
            phone: personal("+998901234567"),
            date: personal("12 декабря"),
            guests: personal("120"),
            comment: personal("Нужен стенд у входа"),
        },
        locale: "ru".into(),
        utm: [Some("instagram".into()), None, Some("autumn".into()), None, None],
        created_at: Timestamp::from_millis(NOW),
        published_at: None,
        card: None,
        publish_attempts: 0,
        next_publish_at: None,
        publish_error: None,
        card_dirty_at: None,
        reminded_at: None,
        erased_at: None,
    }
}

fn repeat(id: i64, contact: Contact) -> Repeat {
    let created_at = Timestamp::from_millis(NOW + id * 60_000);
    Repeat { id, lead: LeadId(12), contact, created_at, notified_at: None, notify_attempts: 0 }
}

fn text(lead: &Lead, repeats: &[Repeat], pii: bool) -> String {
    card_text(&Card { lead, repeats, taken: None, pii })
}

#[test]
fn a_card_shows_hashtag_status_contact_source_time_and_request_id() {
    let text = text(&lead(), &[], true);
    assert_eq!(
        text,
        "<b>Заявка #stickers_12</b> — 🆕 Новая\n\nИмя: Мадина\nTelegram: @madina\nТелефон: +998901234567\n\
         Дата: 12 декабря\nГостей: 120\nКомментарий: Нужен стенд у входа\n\nИсточник: instagram / autumn\n\
         Получена: 29.11 18:30, язык ru\nrequest_id: <code>1b4e28ba-2fa1-4d2b-8e4f-1a2b3c4d5e6f</code>"
    );
}

#[test]
fn a_card_without_personal_data_shows_no_name_username_phone_and_comment() {
    let again = repeat(1, lead().contact);
    let text = text(&lead(), &[again], false);
    for hidden in ["Мадина", "@madina", "998901234567", "Нужен стенд"] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
    for kept in ["#stickers_12", "12 декабря", "120", "request_id", "🔁 Повторное обращение: 29.11 18:31"]
    {
        assert!(text.contains(kept), "{kept}: {text}");
    }
}

#[test]
fn markup_of_strangers_is_escaped() {
    let mut lead = lead();
    lead.contact.name = personal("<3 Tom & \"Co\"</b>");
    lead.utm[0] = Some("<script>".into());
    let text = text(&lead, &[], true);
    assert!(text.contains("Имя: &lt;3 Tom &amp; &quot;Co&quot;&lt;/b&gt;"), "{text}");
    assert!(!text.contains("<script>"));
}

#[test]
fn row_003_repeat_2_three_repeats_are_shown_newest_first() {
    let phone =
        |number: i64| Contact { phone: personal(&format!("+99890000000{number}")), ..Contact::default() };
    let repeats: Vec<Repeat> = (1..=4).rev().map(|number| repeat(number, phone(number))).collect();
    let text = text(&lead(), &repeats, true);
    assert_eq!(text.matches("🔁 Повторное обращение: ").count(), 3);
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(place("29.11 18:34") < place("+998900000004"));
    assert!(place("+998900000004") < place("29.11 18:33"));
    assert!(place("29.11 18:33") < place("29.11 18:32"));
    assert!(!text.contains("29.11 18:31"));
}

#[test]
fn a_comment_that_fits_is_shown_whole_also_when_escaping_makes_it_long() {
    let mut lead = lead();
    lead.contact.comment = personal(&"&".repeat(1200));
    let text = text(&lead, &[], true);
    assert_eq!(text.matches("&amp;").count(), 1200);
    assert!(shown_length(&text) <= MESSAGE_MAX);
}

#[test]
fn values_over_the_limit_are_cut_before_escaping_the_comment_at_1500_and_each_repeat_at_200() {
    let mut lead = lead();
    lead.contact.comment = personal(&"&".repeat(1600));
    let long = Contact { comment: personal(&"<".repeat(1200)), ..Contact::default() };
    let repeats = [repeat(3, long.clone()), repeat(2, long.clone()), repeat(1, long)];
    let text = text(&lead, &repeats, true);
    assert_eq!(text.matches("&amp;").count(), 1499, "and the dots");
    assert_eq!(text.matches("&lt;").count(), 3 * 199, "and the dots");
    assert!(text.contains("&amp;…\n") && !text.contains("&am…"));
    assert!(text.contains("request_id"));
}

#[test]
fn no_card_is_over_4096_whatever_is_stored() {
    for letter in ["&", "<", "\"", "я", "😀", "a"] {
        for length in [1, 40, 80, 199, 200, 201, 1200, 1500, 5000] {
            let value = letter.repeat(length);
            let contact = Contact {
                name: personal(&value),
                telegram: personal(&value),
                phone: personal(&value),
                date: personal(&value),
                guests: personal(&value),
                comment: personal(&value),
            };
            let hostile = Lead {
                contact: contact.clone(),
                utm: [0; 5].map(|_| Some(value.clone())),
                locale: value.clone(),
                request_id: value.clone(),
                publish_error: Some(UNKNOWN.into()),
                ..lead()
            };
            let repeats: Vec<Repeat> = (1..=4).map(|id| repeat(id, contact.clone())).collect();
            let taken = Taken { by: personal(&value), at: Timestamp::from_millis(NOW) };
            let card = Card { lead: &hostile, repeats: &repeats, taken: Some(&taken), pii: true };
            let length_shown = shown_length(&card_text(&card));
            assert!(length_shown <= MESSAGE_MAX, "{letter} x {length}: {length_shown}");
        }
    }
}

#[test]
fn a_card_whose_first_copy_may_be_there_says_so() {
    let mut lead = lead();
    assert!(!text(&lead, &[], true).contains("возможно, повтор"));
    lead.publish_error = Some("unknown".into());
    assert!(text(&lead, &[], true).contains("возможно, повтор"));
}

#[test]
fn a_card_says_who_took_the_lead_and_when() {
    let taken = Taken { by: personal("@ivan"), at: Timestamp::from_millis(NOW + 600_000) };
    let lead = Lead { status: LeadStatus::InWork, ..lead() };
    let text = card_text(&Card { lead: &lead, repeats: &[], taken: Some(&taken), pii: true });
    assert!(text.contains("🛠 В работе") && text.contains("Статус: @ivan, 29.11 18:40"), "{text}");
}

#[test]
fn row_000_erase_4_an_erased_card_is_the_words_of_the_seed() {
    let erased = Lead { erased_at: Some(Timestamp::from_millis(NOW)), ..lead() };
    assert_eq!(text(&erased, &[], true), "🗑 Заявка #stickers_12 — данные удалены (29.11.2026)");
}

#[test]
fn a_card_has_the_five_buttons_with_the_callbacks_of_the_seed() {
    let rows = card_buttons(LeadId(9_000_000_000));
    let flat: Vec<(String, String)> = rows.into_iter().flatten().collect();
    let expected = [
        ("🛠 В работе", "in_work"),
        ("📞 Связались", "contacted"),
        ("🤝 Сделка", "deal"),
        ("✖️ Отказ", "refused"),
        ("🗑 Спам", "spam"),
    ];
    assert_eq!(flat.len(), 5);
    for ((label, data), (words, status)) in flat.iter().zip(expected) {
        assert_eq!((label.as_str(), data.clone()), (words, format!("stickers_lead:9000000000:{status}")));
        assert!(data.len() <= 64, "Telegram takes 64 bytes");
    }
}
