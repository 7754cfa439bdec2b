//! What the bot says about leads: Russian, for the team's group. Plain text without anything personal, so that an erasure has
//! nothing to look for in them; the card alone shows a person ([`super::card`]).

use super::{LeadId, LeadStatus};
use crate::Timestamp;
use crate::schedule::{full_time, short_time};
use std::fmt::Write as _;
use std::time::Duration;

/// The same button again (seed 001).
pub const SAME: &str = "Уже так";
/// A press or a command of somebody who is not in `LEADS_ADMIN_IDS` (seed 001).
pub const NO_ACCESS: &str = "Нет доступа";
/// A press on the card of an erased lead (seed 001).
pub const FROZEN: &str = "Данные заявки удалены — статус не меняется";
/// An admin who hides behind the group cannot be told from any other.
pub const ANONYMOUS: &str =
    "Нет доступа: ты пишешь анонимно, от имени группы. Выключи «Анонимность» в правах админа и повтори.";
/// The button of a lead that is gone.
pub const GONE: &str = "Такой заявки нет";

/// Hashtags listed in a digest.
pub const DIGEST_TAGS: usize = 10;

/// The one ping (seed 000, "Reminder").
pub fn reminder(id: LeadId, hours: u64) -> String {
    format!("⏰ #stickers_{id} без статуса уже {hours} ч — кто возьмёт?")
}

/// The ping that replies to a card with a new repeat; nothing personal (seed 003).
pub fn repeat_ping(id: LeadId) -> String {
    format!("🔁 Повторное обращение: #stickers_{id}")
}

/// What stands where a card was that moved.
pub fn pointer(id: LeadId) -> String {
    format!("↪️ Карточка #stickers_{id} отправлена заново, она ниже.")
}

/// What a digest counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// The period.
    pub window: (i64, i64),
    /// Leads created in it.
    pub new_leads: i64,
    /// Leads that are `new` now, whatever their age.
    pub without_status: i64,
    /// The oldest of those, at most [`DIGEST_TAGS`].
    pub oldest: Vec<LeadId>,
    /// Packs created in it, without those of operators.
    pub packs: i64,
}

/// The digest; none when there is nothing to report (seed 000, "Digest").
pub fn digest(digest: &Digest) -> Option<String> {
    if digest.new_leads == 0 && digest.without_status == 0 && digest.packs == 0 {
        return None;
    }
    let time = |ms: i64| short_time(Timestamp::from_millis(ms));
    let (from, to) = digest.window;
    let mut waiting = format!("Без статуса: {}", digest.without_status);
    if digest.without_status > 0 {
        let tags: Vec<String> =
            digest.oldest.iter().take(DIGEST_TAGS).map(|id| format!("#stickers_{id}")).collect();
        let _ = write!(waiting, " — {}", tags.join(", "));
        let more = digest.without_status.saturating_sub(i64::try_from(tags.len()).unwrap_or(i64::MAX));
        if more > 0 {
            let _ = write!(waiting, " и ещё {more}");
        }
    }
    Some(format!(
        "☀️ Стикеры за сутки ({} — {})\nНовых заявок: {}\n{waiting}\nПаков сгенерировано: {}",
        time(from),
        time(to),
        digest.new_leads,
        digest.packs
    ))
}

/// `/stickers_forget <N>` was done (seed 002, to the letter).
pub fn forgotten(id: LeadId) -> String {
    format!(
        "Данные заявки #{id} удалены (имя, Telegram, телефон, комментарий). Из бэкапов сервера уйдут за 14 дней. В статистике \
         заявка остаётся без контактов."
    )
}

/// `/stickers_forget <N>` of a lead that was erased before.
pub fn already_forgotten(id: LeadId, at: Timestamp) -> String {
    format!("Данные заявки #{id} уже удалены ({}).", crate::schedule::date(at))
}

/// `/stickers_forget <N> тест` was done.
pub fn deleted(id: LeadId) -> String {
    format!(
        "Тестовая заявка #{id} удалена полностью, и из статистики тоже. Из бэкапов сервера уйдёт за 14 дней."
    )
}

/// `/stickers_forget <N> тест` of a lead that is none.
pub fn no_test(id: LeadId) -> String {
    format!(
        "Заявка #{id} не тестовая: в имени и комментарии нет слова «тест». Полностью удаляются только тестовые. Удалить \
         контакты: /stickers_forget {id}"
    )
}

/// A command about a lead that is not there.
pub fn unknown(asked: &str) -> String {
    let asked: String = asked.trim_start_matches('#').chars().take(40).collect();
    let mark = if !asked.is_empty() && asked.bytes().all(|b| b.is_ascii_digit()) { "#" } else { "" };
    format!("Заявки {mark}{asked} нет.")
}

/// `/stickers_lead` without a number.
pub const LEAD_USAGE: &str = "Напиши номер заявки или её request_id: /stickers_lead 12";
/// `/stickers_forget` with something that is no number.
pub const FORGET_USAGE: &str =
    "Напиши номер заявки: /stickers_forget 12. Тестовую можно удалить полностью: /stickers_forget 12 тест";
/// `/stickers_forget` without a number.
pub const FORGET_WHICH: &str = "Чьи данные удалить? Последние заявки:";
/// `/stickers_forget` without a number when there is nothing to forget.
pub const FORGET_NONE: &str = "Заявок с контактами нет.";

/// The question behind a button of `/stickers_forget`.
pub fn forget_question(id: LeadId) -> String {
    format!("Удалить контакты заявки #{id} (имя, Telegram, телефон, комментарий)? Вернуть их будет нельзя.")
}

/// The button that forgets.
pub const FORGET_YES: &str = "Да, удалить";

/// `/stickers_lead` of a lead whose card was not sent yet.
pub fn on_its_way(id: LeadId) -> String {
    format!("Карточка #stickers_{id} ещё не отправлена: пробуем сейчас.")
}

/// A lead in a list: number, time, status; nothing personal.
pub fn list_label(id: LeadId, created_at: Timestamp, status: LeadStatus) -> String {
    format!("#{id} · {} · {}", short_time(created_at), status.label())
}

/// Leads in the answer of `/stickers_new`.
pub const NEW_LISTED: usize = 30;

/// A lead without a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its number.
    pub id: LeadId,
    /// When it came.
    pub created_at: Timestamp,
    /// Whether its card is in the group.
    pub published: bool,
}

/// `/stickers_new`: leads without a status, oldest first, those whose card could not be sent too.
pub fn waiting(count: i64, oldest: &[Waiting], now: Timestamp) -> String {
    if count == 0 {
        return "Все заявки разобраны 👍".to_owned();
    }
    let mut text = format!("Без статуса: {count}");
    for lead in oldest.iter().take(NEW_LISTED) {
        let age = span(now.since(lead.created_at));
        let _ = write!(text, "\n#stickers_{} — {}, {age}", lead.id, short_time(lead.created_at));
        if !lead.published {
            text.push_str(" ⚠️ карточка ещё не отправлена");
        }
    }
    let more = count - i64::try_from(oldest.len().min(NEW_LISTED)).unwrap_or(0);
    if more > 0 {
        let _ = write!(text, "\nи ещё {more}");
    }
    text
}

/// What `/stickers_stats` tells of one period.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Leads by status.
    pub by_status: Vec<(LeadStatus, i64)>,
    /// Leads by `utm_source`, most first; none: no source.
    pub by_source: Vec<(Option<String>, i64)>,
    /// From creation to the first press: the median, and of how many leads.
    pub first_touch: Option<(Duration, usize)>,
}

/// `/stickers_stats`: counts only.
pub fn stats(periods: &[(&str, Stats)]) -> String {
    let mut text = "📊 Заявки".to_owned();
    for (title, stats) in periods {
        let total: i64 = stats.by_status.iter().map(|(_, count)| count).sum();
        let _ = write!(text, "\n\n{title}: {total}");
        if total == 0 {
            continue;
        }
        let statuses: Vec<String> = stats
            .by_status
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(status, count)| format!("{} {count}", status.label()))
            .collect();
        let _ = write!(text, "\n{}", statuses.join(" · "));
        let sources: Vec<String> = stats
            .by_source
            .iter()
            .map(|(source, count)| {
                let name: String = source.as_deref().unwrap_or("без метки").chars().take(40).collect();
                format!("{name} {count}")
            })
            .collect();
        let _ = write!(text, "\nИсточники: {}", sources.join(", "));
        if let Some((median, leads)) = stats.first_touch {
            let _ = write!(text, "\nДо первого ответа: {} (медиана, заявок: {leads})", span(median));
        }
    }
    text
}

/// A length of time as people say it.
fn span(length: Duration) -> String {
    let minutes = length.as_secs() / 60;
    match (minutes / (24 * 60), minutes / 60, minutes) {
        (0, 0, minutes) => format!("{minutes} мин"),
        (0, hours, minutes) => format!("{hours} ч {} мин", minutes % 60),
        (days, hours, _) => format!("{days} д {} ч", hours % 24),
    }
}

/// `/stickers_export`: the file was sent.
pub const EXPORT_SENT: &str = "Выгрузка отправлена тебе в личные сообщения.";
/// The admin never pressed Start in the bot, or blocked it.
pub const EXPORT_NO_CHAT: &str =
    "Не могу написать тебе в личные сообщения. Открой бота, нажми «Старт» и повтори /stickers_export.";
/// The file is larger than Telegram takes.
pub const EXPORT_TOO_LARGE: &str = "Выгрузка больше 45 МБ, Telegram её не примет. Попроси инженера: stickers sql \"SELECT * FROM leads_readable\"";

/// Alert from the fifth failure of a card on.
pub fn alert_publish(id: LeadId, failures: i64, error: &str) -> String {
    format!(
        "⚠️ Карточка заявки #{id} не отправляется в группу, попыток: {failures}. Причина: {error}. Заявка в базе и не \
         потеряется; посмотри /stickers_new и проверь бота в группе."
    )
}

/// Alert: the bot cannot write to the group.
pub fn alert_group(why: &str) -> String {
    format!(
        "⚠️ Бот не может писать в группу заявок: {why}. Заявки хранятся и ждут. Верни бота в группу и разреши ему писать — \
         карточки придут сами."
    )
}

/// Alert: the topic of the group is gone.
pub const ALERT_THREAD: &str = "⚠️ Темы LEADS_TOPIC_ID в группе заявок больше нет: карточки идут в общую ленту. Создай тему и \
     обнови LEADS_TOPIC_ID.";

/// Alert: a message with erased data could be neither rewritten nor deleted.
pub fn alert_erase(id: LeadId, error: &str) -> String {
    format!(
        "⚠️ Данные заявки #{id} удалены из базы, но её сообщение в группе не переписать и не удалить: {error}. Удали его в \
         группе руками (поиск: #stickers_{id})."
    )
}

/// Header of the export, in the order of its columns.
pub const EXPORT_HEADER: [&str; 18] = [
    "Номер",
    "Создана",
    "Статус",
    "Статус изменён",
    "Имя",
    "Telegram",
    "Телефон",
    "Дата",
    "Гостей",
    "Комментарий",
    "Язык",
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
    "request_id",
    "Данные удалены",
];

/// A time in a cell of the export.
pub fn export_time(at: Option<Timestamp>) -> String {
    at.map(full_time).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN_ON_29_NOVEMBER: i64 = 1_795_928_400_000;
    const DAY_MS: i64 = 24 * 3_600_000;

    fn example() -> Digest {
        Digest {
            window: (TEN_ON_29_NOVEMBER - DAY_MS, TEN_ON_29_NOVEMBER),
            new_leads: 3,
            without_status: 12,
            oldest: (1..=12).map(LeadId).collect(),
            packs: 5,
        }
    }

    #[test]
    fn row_000_reminder_3_the_ping_has_the_words_of_the_seed() {
        assert_eq!(reminder(LeadId(7), 63), "⏰ #stickers_7 без статуса уже 63 ч — кто возьмёт?");
    }

    #[test]
    fn row_000_digest_6_it_has_four_lines_and_ten_hashtags_at_most() {
        assert_eq!(
            digest(&example()).as_deref(),
            Some(
                "☀️ Стикеры за сутки (28.11 10:00 — 29.11 10:00)\nНовых заявок: 3\nБез статуса: 12 — #stickers_1, #stickers_2, \
                 #stickers_3, #stickers_4, #stickers_5, #stickers_6, #stickers_7, #stickers_8, #stickers_9, #stickers_10 и ещё \
                 2\nПаков сгенерировано: 5"
            )
        );
        let ten = Digest { without_status: 10, oldest: (1..=10).map(LeadId).collect(), ..example() };
        assert!(digest(&ten).is_some_and(|text| text.contains("#stickers_10\n") && !text.contains("и ещё")));
        let quiet = Digest { without_status: 0, oldest: Vec::new(), ..example() };
        assert!(digest(&quiet).is_some_and(|text| text.contains("\nБез статуса: 0\n")));
    }

    #[test]
    fn row_000_digest_5_an_empty_digest_is_none_and_one_number_is_enough() {
        let empty = Digest { window: example().window, ..Digest::default() };
        assert_eq!(digest(&empty), None);
        let one = [
            Digest { new_leads: 1, ..empty.clone() },
            Digest { without_status: 1, oldest: vec![LeadId(1)], ..empty.clone() },
            Digest { packs: 1, ..empty },
        ];
        for full in one {
            assert_eq!(digest(&full).map(|text| text.lines().count()), Some(4), "{full:?}");
        }
    }

    #[test]
    fn texts_quoted_in_the_seeds_are_used_to_the_letter() {
        assert_eq!(
            forgotten(LeadId(4)),
            "Данные заявки #4 удалены (имя, Telegram, телефон, комментарий). Из бэкапов сервера уйдут за 14 дней. В статистике \
             заявка остаётся без контактов."
        );
        assert_eq!(SAME, "Уже так");
        assert_eq!(NO_ACCESS, "Нет доступа");
        assert_eq!(FROZEN, "Данные заявки удалены — статус не меняется");
    }

    #[test]
    fn the_longest_list_of_waiting_leads_fits_one_message() {
        let lead = Waiting {
            id: LeadId(9_999_999_999),
            created_at: Timestamp::from_millis(TEN_ON_29_NOVEMBER),
            published: false,
        };
        let now = Timestamp::from_millis(TEN_ON_29_NOVEMBER + 100 * DAY_MS);
        let text = waiting(1_000_000, &[lead; 40], now);
        assert!(text.chars().count() < 4096 && text.ends_with("и ещё 999970"), "{text}");
        assert_eq!(text.matches("#stickers_").count(), 30);
    }

    #[test]
    fn lengths_of_time_are_said_in_minutes_hours_and_days() {
        for (seconds, words) in
            [(59, "0 мин"), (60, "1 мин"), (3_660, "1 ч 1 мин"), (86_400 + 7_200, "1 д 2 ч")]
        {
            assert_eq!(span(Duration::from_secs(seconds)), words);
        }
    }

    #[test]
    fn statistics_leave_out_what_is_zero() {
        let full = Stats {
            by_status: vec![(LeadStatus::New, 2), (LeadStatus::Deal, 0)],
            by_source: vec![(Some("instagram".into()), 1), (None, 1)],
            first_touch: Some((Duration::from_secs(600), 1)),
        };
        let text = stats(&[("Сегодня", Stats::default()), ("7 дней", full)]);
        assert_eq!(
            text,
            "📊 Заявки\n\nСегодня: 0\n\n7 дней: 2\n🆕 Новая 2\nИсточники: instagram 1, без метки 1\nДо первого ответа: 10 мин \
             (медиана, заявок: 1)"
        );
    }
}
