//! Russian words of the panel: statuses, times, amounts, plural forms.

use domain::job::JobStatus;
use domain::{Timestamp, schedule};
use std::time::Duration;

/// The form of a noun that goes with this number: `1 набор`, `2 набора`, `5 наборов`.
pub fn plural<'w>(count: i64, one: &'w str, few: &'w str, many: &'w str) -> &'w str {
    let (tens, units) = ((count % 100).abs(), (count % 10).abs());
    if (11..=14).contains(&tens) {
        many
    } else if units == 1 {
        one
    } else if (2..=4).contains(&units) {
        few
    } else {
        many
    }
}

/// A time of waiting in whole minutes, rounded up: `1 минуту`, `9 минут`.
pub fn minutes_of(seconds: u64) -> String {
    let minutes = i64::try_from(seconds.div_ceil(60).max(1)).unwrap_or(i64::MAX);
    format!("{minutes} {}", plural(minutes, "минуту", "минуты", "минут"))
}

/// A length of time as people say it: `48 с`, `3:31`, `2 ч 10 мин`, `4 дня`.
pub fn length(of: Duration) -> String {
    let seconds = of.as_secs();
    match seconds {
        0..60 => format!("{seconds} с"),
        60..3_600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        3_600..172_800 => format!("{} ч {} мин", seconds / 3_600, seconds % 3_600 / 60),
        _ => {
            let days = i64::try_from(seconds / 86_400).unwrap_or(i64::MAX);
            format!("{days} {}", plural(days, "день", "дня", "дней"))
        }
    }
}

/// A length in minutes or more, where seconds mean nothing: `1 мин`, `2 ч 10 мин`.
pub fn rough(of: Duration) -> String {
    if of < Duration::from_secs(3_600) {
        format!("{} мин", (of.as_secs() / 60).max(1))
    } else {
        length(of)
    }
}

/// A wait in whole minutes, rounded up as the kiosk does: `4 мин`.
pub fn minutes_up(of: Duration) -> String {
    format!("{} мин", of.as_secs().div_ceil(60).max(1))
}

/// A count that stops counting: `1000+`.
pub fn at_least(count: i64, is_many: bool) -> String {
    if is_many { format!("{count}+") } else { count.to_string() }
}

/// `21:14:08` in Tashkent.
pub fn clock(at: Timestamp) -> String {
    schedule::full_time(at).split_whitespace().nth(1).unwrap_or_default().to_owned()
}

/// `21:14` in Tashkent, with the day when it is another one than `now`: `29.11 21:14`.
pub fn moment(at: Timestamp, now: Timestamp) -> String {
    if schedule::midnight(at) == schedule::midnight(now) {
        clock(at).chars().take(5).collect()
    } else {
        schedule::short_time(at)
    }
}

/// `21:14:08` in Tashkent, with the day when it is another one than `now`: `29.11 21:14:08`.
pub fn full_moment(at: Timestamp, now: Timestamp) -> String {
    if schedule::midnight(at) == schedule::midnight(now) {
        clock(at)
    } else {
        format!("{} {}", schedule::short_time(at).split_whitespace().next().unwrap_or_default(), clock(at))
    }
}

/// US dollars as they fit on a bar: `$18`, `$0,4`, `$0,05`.
pub fn short_dollars(usd: f64) -> String {
    let text = if usd >= 10.0 || usd == 0.0 {
        format!("{usd:.0}")
    } else if usd >= 1.0 {
        format!("{usd:.1}")
    } else {
        format!("{usd:.2}")
    };
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("${}", short.replace('.', ","))
}

/// US dollars: `$18,40`, and below a cent not `$0,00`.
pub fn dollars(usd: f64) -> String {
    if usd != 0.0 && usd.abs() < 0.01 { format!("${usd:.4}") } else { format!("${usd:.2}") }.replace('.', ",")
}

/// A size on disk: `4,1 МБ`, `15,6 ГБ`.
pub fn size(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "shown with one digit after the comma")]
    let of = |unit: u64| bytes as f64 / unit as f64;
    let text = match bytes {
        0..1_000 => return format!("{bytes} Б"),
        1_000..1_000_000 => format!("{:.1} КБ", of(1_000)),
        1_000_000..1_000_000_000 => format!("{:.1} МБ", of(1_000_000)),
        _ => format!("{:.1} ГБ", of(1_000_000_000)),
    };
    text.replace('.', ",")
}

/// What a job's status is called on its tag. A failed one is `Упал`, as seed 002 calls it.
pub fn job_tag(status: JobStatus) -> &'static str {
    match status {
        JobStatus::Queued => "В очереди",
        JobStatus::Processing => "Рисуется",
        JobStatus::Delivering => "Отправляется",
        JobStatus::Done => "Готово",
        JobStatus::Failed => "Упал",
    }
}

/// What the jobs of a status are called together, on a filter.
pub fn job_filter(status: JobStatus) -> &'static str {
    match status {
        JobStatus::Queued => "В очереди",
        JobStatus::Processing => "Рисуются",
        JobStatus::Delivering => "Отправляются",
        JobStatus::Done => "Готово",
        JobStatus::Failed => "Упал",
    }
}

/// What a stage of drawing is called.
pub fn stage(word: &str) -> &'static str {
    match word {
        "describe" => "Описание внешности",
        "anchor" => "Портрет-якорь",
        "sheet" => "Лист фигур",
        "redo" => "Ячейка заново",
        "judge" => "Проверка сходства",
        _ => "Другое",
    }
}

/// The colour of its tag: a name of the style sheet.
pub fn job_tone(status: JobStatus) -> &'static str {
    match status {
        JobStatus::Queued => "plain",
        JobStatus::Processing => "info",
        JobStatus::Delivering => "warn",
        JobStatus::Done => "ok",
        JobStatus::Failed => "bad",
    }
}

/// What an entry of the audit log says was done.
pub fn action(word: &str) -> &str {
    match word {
        "login" => "вошёл",
        "login_refused" => "вход отклонён",
        "logout" => "вышел",
        "logout_everywhere" => "вышел на всех устройствах",
        "pause" => "поставил паузу",
        "resume" => "снял паузу",
        "balance" => "записал сумму на счёте",
        "retry_job" => "повторил задание",
        "reset_user" => "сбросил гостя",
        "forget_me" => "гость попросил забыть его",
        "lead_status" => "изменил статус заявки",
        "stickers_export" => "выгрузил заявки",
        "event_close" => "закрыл событие",
        _ => word,
    }
}

/// What an entry of the audit log is about, and the page of it.
pub fn subject(word: &str) -> (String, Option<String>) {
    let (kind, key) = word.split_once(':').unwrap_or((word, ""));
    let number = key.parse::<i64>().ok();
    match (kind, number) {
        ("job", Some(id)) => (format!("задание {id}"), Some(format!("/admin/jobs/{id}"))),
        ("guest", Some(id)) => (format!("гость {id}"), Some(format!("/admin/guests/{id}"))),
        ("lead", Some(id)) => (format!("заявка {id}"), Some(format!("/admin/leads/{id}"))),
        ("panel", _) => ("панель".to_owned(), None),
        ("maintenance", _) => ("приём гостей".to_owned(), None),
        ("providers", _) => ("счёт провайдера".to_owned(), None),
        _ => (word.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_follow_their_numbers() {
        let said = |count| plural(count, "набор", "набора", "наборов");
        for (count, word) in [
            (0, "наборов"),
            (1, "набор"),
            (2, "набора"),
            (4, "набора"),
            (5, "наборов"),
            (11, "наборов"),
            (14, "наборов"),
            (21, "набор"),
            (22, "набора"),
            (111, "наборов"),
            (1_001, "набор"),
        ] {
            assert_eq!(said(count), word, "{count}");
        }
    }

    #[test]
    fn lengths_are_said_as_people_say_them() {
        for (seconds, said) in [
            (0, "0 с"),
            (48, "48 с"),
            (211, "3:31"),
            (3_599, "59:59"),
            (7_800, "2 ч 10 мин"),
            (172_800, "2 дня"),
            (86_400 * 5, "5 дней"),
        ] {
            assert_eq!(length(Duration::from_secs(seconds)), said);
        }
        assert_eq!(minutes_of(1), "1 минуту");
        assert_eq!(minutes_of(540), "9 минут");
        assert_eq!(rough(Duration::from_secs(10)), "1 мин");
    }

    #[test]
    fn amounts_have_a_comma_and_small_ones_do_not_vanish() {
        for (usd, said) in [(18.4, "$18,40"), (0.0, "$0,00"), (0.0053, "$0,0053"), (214.0, "$214,00")] {
            assert_eq!(dollars(usd), said);
        }
        for (usd, said) in
            [(18.4, "$18"), (0.0, "$0"), (1.5, "$1,5"), (2.0, "$2"), (0.05, "$0,05"), (100.0, "$100")]
        {
            assert_eq!(short_dollars(usd), said);
        }
        for (bytes, said) in [(999, "999 Б"), (4_100_000, "4,1 МБ"), (15_600_000_000, "15,6 ГБ")] {
            assert_eq!(size(bytes), said);
        }
    }

    #[test]
    fn times_are_tashkents_and_have_their_day_when_it_is_not_today() {
        // 29 November 2026, 16:14:08 UTC.
        let at = Timestamp::from_millis(1_795_968_848_000);
        assert_eq!(clock(at), "21:14:08");
        assert_eq!(moment(at, at.plus(Duration::from_secs(3_600))), "21:14");
        assert_eq!(moment(at, at.plus(Duration::from_secs(86_400))), "29.11 21:14");
        assert_eq!(full_moment(at, at.plus(Duration::from_secs(3_600))), "21:14:08");
        assert_eq!(full_moment(at, at.plus(Duration::from_secs(86_400))), "29.11 21:14:08");
        assert_eq!(minutes_up(Duration::from_secs(61)), "2 мин");
        assert_eq!((at_least(7, false), at_least(1_000, true)), ("7".to_owned(), "1000+".to_owned()));
    }
}
