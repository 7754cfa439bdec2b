//! The message of the backup channel: plain text, the username a link by an explicit entity (seed 003, branch 2). It goes to the sales team,
//! who read Russian.

use clients::telegram::{SendMessage, TextLink};
use domain::lead_form::LeadRequest;
use std::fmt::Write;

/// What a Telegram message may hold, in UTF-16 units.
const LENGTH_MAX: usize = 4_096;

/// Behind a comment that had to be cut.
const CUT: &str = " […]";

/// Whether the server was asked and did not take the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The server did not answer: the first line warns.
    Backup,
    /// There is no server: this is the way.
    Direct,
}

/// The request as a message for `chat_id`.
pub fn message(lead: &LeadRequest, channel: Channel, chat_id: i64) -> SendMessage {
    let mut text = match channel {
        Channel::Backup => format!(
            "⚠️ Запасной канал: сервер заявок не ответил — заявки нет в базе (request_id {})\n\n",
            lead.request_id
        ),
        Channel::Direct => String::new(),
    };
    let telegram = lead.telegram.0.as_str();
    // Writing to a String cannot fail, here and below.
    let _ = write!(text, "Заявка с сайта\nИмя: {}\nTelegram: ", lead.name.0);
    let start = text.len();
    text.push_str(telegram);
    let range = start..text.len();
    let _ = write!(text, "\nТелефон: {}", lead.phone.0);
    for (label, value) in [("Когда", &lead.date), ("Гостей", &lead.guests)] {
        if let Some(value) = value {
            let _ = write!(text, "\n{label}: {value}");
        }
    }
    let _ = write!(text, "\nЯзык: {}", lead.locale.code());
    for (name, value) in marks(lead) {
        let _ = write!(text, "\n{name}: {value}");
    }
    if channel == Channel::Direct {
        let _ = write!(text, "\nrequest_id {}", lead.request_id);
    }
    if let Some(comment) = &lead.comment {
        // Last, because it is the one that may have to be cut.
        let _ = write!(text, "\n\n{}", comment.0);
    }
    let url = format!("https://t.me/{}", telegram.trim_start_matches('@'));
    SendMessage {
        links: vec![TextLink { range, url }],
        link_preview: false,
        ..SendMessage::plain(chat_id, fitted(text))
    }
}

fn marks(lead: &LeadRequest) -> impl Iterator<Item = (&'static str, &str)> {
    let utm = &lead.utm;
    [
        ("utm_source", &utm.source),
        ("utm_medium", &utm.medium),
        ("utm_campaign", &utm.campaign),
        ("utm_term", &utm.term),
        ("utm_content", &utm.content),
    ]
    .into_iter()
    .filter_map(|(name, value)| value.as_deref().map(|value| (name, value)))
}

/// The text, its end cut when it is longer than Telegram takes.
fn fitted(mut text: String) -> String {
    if text.encode_utf16().count() <= LENGTH_MAX {
        return text;
    }
    let mut units = CUT.encode_utf16().count();
    let end = text.char_indices().find(|(_, letter)| {
        units += letter.len_utf16();
        units > LENGTH_MAX
    });
    if let Some((at, _)) = end {
        text.truncate(at);
    }
    text.push_str(CUT);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::lead_form::LeadForm;

    fn lead(change: impl FnOnce(&mut LeadForm)) -> LeadRequest {
        let text = |text: &str| Some(text.to_owned());
        let mut form = LeadForm {
            request_id: text("0b9e4a1c-7d52-4f3e-9a68-5c2d1e0f7b34"),
            name: text("🎈 Лола <b>"),
            telegram: text("lola_k"),
            phone: text("+998 90 123-45-67"),
            locale: text("uz"),
            ..LeadForm::default()
        };
        change(&mut form);
        form.check().expect("a request that keeps the rules")
    }

    #[test]
    fn the_warning_line_stands_first_and_the_username_is_a_link() {
        let lead = lead(|form| {
            form.date = Some("14 декабря".into());
            form.guests = Some("около 150".into());
            form.comment = Some("Свадьба & танцы".into());
            form.utm_source = Some("tg".into());
        });
        let sent = message(&lead, Channel::Backup, -5);
        assert_eq!(
            sent.text,
            "⚠️ Запасной канал: сервер заявок не ответил — заявки нет в базе (request_id 0b9e4a1c-7d52-4f3e-9a68-5c2d1e0f7b34)\n\n\
             Заявка с сайта\nИмя: 🎈 Лола <b>\nTelegram: @lola_k\nТелефон: +998901234567\nКогда: 14 декабря\nГостей: около 150\n\
             Язык: uz\nutm_source: tg\n\nСвадьба & танцы"
        );
        assert!(!sent.parse_mode_html && !sent.link_preview && sent.buttons.is_none());
        let [link] = &sent.links[..] else { panic!("one link") };
        assert_eq!((&sent.text[link.range.clone()], link.url.as_str()), ("@lola_k", "https://t.me/lola_k"));
    }

    #[test]
    fn without_a_server_there_is_no_warning_but_the_request_can_be_found() {
        let sent = message(&lead(|_| {}), Channel::Direct, -5);
        assert_eq!(
            sent.text,
            "Заявка с сайта\nИмя: 🎈 Лола <b>\nTelegram: @lola_k\nТелефон: +998901234567\nЯзык: uz\n\
             request_id 0b9e4a1c-7d52-4f3e-9a68-5c2d1e0f7b34"
        );
    }

    #[test]
    fn the_longest_request_fits_one_message_with_its_link_whole() {
        let lead = lead(|form| {
            form.name = Some("🎈".repeat(80));
            form.date = Some("🎈".repeat(60));
            form.guests = Some("🎈".repeat(40));
            form.comment = Some("🎈".repeat(1_200));
            form.utm_source = Some("🎈".repeat(200));
            form.utm_medium = Some("🎈".repeat(200));
            form.utm_term = Some("🎈".repeat(200));
        });
        let sent = message(&lead, Channel::Backup, -5);
        assert!((4_090..=4_096).contains(&sent.text.encode_utf16().count()));
        assert!(sent.text.ends_with("🎈 […]"));
        assert_eq!(&sent.text[sent.links[0].range.clone()], "@lola_k");
    }
}
