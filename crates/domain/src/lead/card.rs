//! The card of a lead in the team's group, in Telegram's HTML: everything a stranger typed is escaped, and cut before it is.
//!
//! Telegram counts at most 4,096 characters after the tags and entities are taken away; we count UTF-16 units, which is never
//! less (telegram.md, section 4).

use super::{Contact, Lead, LeadId, LeadStatus, Repeat, Taken};
use crate::guest::Personal;
use crate::schedule::short_time;
use crate::texts::escape_html;

/// The most characters of one message.
pub const MESSAGE_MAX: usize = 4096;
/// Repeats on a card, newest first (seed 003).
pub const REPEATS_SHOWN: usize = 3;
/// Where a card over the limit is cut: the comment, and each repeat (interfaces.md).
const COMMENT_CUT: usize = 1500;
const REPEAT_CUT: usize = 200;
/// No single line is longer, whatever is stored; the form allows less.
const LINE_MAX: usize = 200;

/// What a card is made from.
#[derive(Clone, Debug)]
pub struct Card<'a> {
    /// The lead.
    pub lead: &'a Lead,
    /// Its repeats, newest first.
    pub repeats: &'a [Repeat],
    /// Who changed the status last.
    pub taken: Option<&'a Taken>,
    /// `LEADS_CARD_PII`: whether name, username, phone and comment are shown.
    pub pii: bool,
}

/// How much of the long values is shown.
#[derive(Clone, Copy, Debug)]
struct Cut {
    comment: usize,
    repeat: usize,
    utm: usize,
}

/// From everything to almost nothing; the second step is that of the interface page.
const CUTS: [Cut; 5] = [
    Cut { comment: usize::MAX, repeat: usize::MAX, utm: LINE_MAX },
    Cut { comment: COMMENT_CUT, repeat: REPEAT_CUT, utm: LINE_MAX },
    Cut { comment: COMMENT_CUT, repeat: REPEAT_CUT, utm: 40 },
    Cut { comment: 700, repeat: 100, utm: 20 },
    Cut { comment: 300, repeat: 60, utm: 10 },
];

/// The text of a card. An erased lead has the words of [`stub`] instead.
pub fn card_text(card: &Card<'_>) -> String {
    if let Some(at) = card.lead.erased_at {
        return stub(card.lead.id, at);
    }
    let mut text = String::new();
    for cut in CUTS {
        text = build(card, cut);
        if shown_length(&text) <= MESSAGE_MAX {
            break;
        }
    }
    text
}

/// What stands where an erased lead's card was (seed 000).
pub fn stub(id: LeadId, erased_at: crate::Timestamp) -> String {
    format!("🗑 Заявка #stickers_{id} — данные удалены ({})", crate::schedule::date(erased_at))
}

/// The five buttons of a card in rows: label and callback data (`stickers_lead:<id>:<status>`).
pub fn card_buttons(id: LeadId) -> Vec<Vec<(String, String)>> {
    let button =
        |status: &LeadStatus| (status.label().to_owned(), format!("stickers_lead:{id}:{}", status.word()));
    let (first, second) = LeadStatus::HANDLED.split_at(3);
    [first, second].into_iter().map(|row| row.iter().map(button).collect()).collect()
}

fn build(card: &Card<'_>, cut: Cut) -> String {
    let lead = card.lead;
    let mut lines = vec![format!("<b>Заявка #stickers_{}</b> — {}", lead.id, lead.status.label())];
    if lead.may_be_posted_twice() {
        lines.push("⚠️ возможно, повтор".to_owned());
    }
    lines.push(String::new());
    lines.extend(contact_lines(&lead.contact, card.pii, cut.comment, usize::MAX));
    for repeat in card.repeats.iter().take(REPEATS_SHOWN) {
        lines.push(String::new());
        lines.push(format!("🔁 Повторное обращение: {}", short_time(repeat.created_at)));
        lines.extend(contact_lines(&repeat.contact, card.pii, usize::MAX, cut.repeat));
    }
    lines.push(String::new());
    if let Some(taken) = card.taken {
        let by = taken.by.as_ref().map(|name| shown(&name.0, 64)).unwrap_or_else(|| "—".to_owned());
        lines.push(format!("Статус: {by}, {}", short_time(taken.at)));
    }
    let utm: Vec<String> = lead.utm.iter().flatten().map(|value| shown(value, cut.utm)).collect();
    if !utm.is_empty() {
        lines.push(format!("Источник: {}", utm.join(" / ")));
    }
    lines.push(format!("Получена: {}, язык {}", short_time(lead.created_at), shown(&lead.locale, 10)));
    lines.push(format!("request_id: <code>{}</code>", shown(&lead.request_id, 64)));
    lines.join("\n")
}

/// The lines of what was typed; `budget` is how many characters of all values together may be shown.
fn contact_lines(contact: &Contact, pii: bool, comment_cut: usize, budget: usize) -> Vec<String> {
    let personal = |value: &'_ Option<Personal>| value.clone().filter(|_| pii);
    let values = [
        ("Имя", personal(&contact.name), LINE_MAX),
        ("Telegram", personal(&contact.telegram), LINE_MAX),
        ("Телефон", personal(&contact.phone), LINE_MAX),
        ("Дата", contact.date.clone(), LINE_MAX),
        ("Гостей", contact.guests.clone(), LINE_MAX),
        ("Комментарий", personal(&contact.comment), comment_cut),
    ];
    let mut left = budget;
    let mut lines = Vec::new();
    for (label, value, most) in values {
        let Some(Personal(value)) = value.filter(|value| !value.0.trim().is_empty()) else { continue };
        if left == 0 {
            lines.push("…".to_owned());
            break;
        }
        lines.push(format!("{label}: {}", shown(&value, most.min(left))));
        left = left.saturating_sub(value.chars().count());
    }
    lines
}

/// A value cut to `most` characters, the dots included, and then escaped.
fn shown(value: &str, most: usize) -> String {
    if value.chars().count() <= most {
        return escape_html(value);
    }
    let kept: String = value.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", escape_html(kept.trim_end()))
}

/// Length as Telegram counts it at most: UTF-16 units without our tags and with entities decoded.
fn shown_length(html: &str) -> usize {
    let mut plain = html.to_owned();
    for tag in ["<b>", "</b>", "<code>", "</code>"] {
        plain = plain.replace(tag, "");
    }
    for (entity, letter) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")] {
        plain = plain.replace(entity, letter);
    }
    plain.encode_utf16().count()
}

#[cfg(test)]
#[path = "card_tests.rs"]
mod tests;
