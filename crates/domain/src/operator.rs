//! What operators are told, in Russian: answers to their commands, and alerts that are not about one job (interfaces.md, "Telegram";
//! product.md, "Decided once": an alert says what to do).

use crate::clock::Timestamp;
use crate::job::{JobId, JobStatus};
use crate::maintenance::Maintenance;
use crate::schedule;
use std::fmt::Write;
use std::time::Duration;

/// A number since midnight in Tashkent, and since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Since midnight.
    pub today: i64,
    /// In all.
    pub all: i64,
}

/// `/stats`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Guests who came to the bot.
    pub guests: Count,
    /// Packs made.
    pub packs: Count,
}

/// The answer of `/stats`.
pub fn stats(stats: &Stats) -> String {
    let Stats { guests, packs } = stats;
    format!(
        "📊 Сегодня: гостей {}, наборов {}\nВсего: гостей {}, наборов {}",
        guests.today, packs.today, guests.all, packs.all
    )
}

/// A failed job, as operators see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its number.
    pub job: JobId,
    /// `jobs.error`.
    pub error: String,
}

/// A tablet, as operators see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tablet {
    /// Its name.
    pub name: String,
    /// `ok`, `lost` or `denied`.
    pub camera: String,
    /// Time since it was last heard.
    pub silent: Duration,
}

/// `/admin_stats`.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Jobs by status, every status once.
    pub jobs: Vec<(JobStatus, i64)>,
    /// What a guest who comes now would wait.
    pub wait: Duration,
    /// Failed jobs of the last hour, newest first; some of them.
    pub failures: Vec<Failure>,
    /// How many there were.
    pub failed: i64,
    /// US dollars spent on providers since midnight.
    pub spent_today: f64,
    /// And in all.
    pub spent: f64,
    /// Whether the product is paused.
    pub pause: Option<Maintenance>,
    /// Tablets heard within a day.
    pub tablets: Vec<Tablet>,
}

/// Failures listed in a report.
pub const FAILURES_LISTED: u32 = 5;
/// Characters of an error that are shown.
const ERROR_SHOWN: usize = 160;

/// A tablet that was not heard for this long is silent (interfaces.md, `POST /kiosk/heartbeat`).
pub const TABLET_SILENT_AFTER: Duration = Duration::from_secs(3 * 60);
/// One that was not heard for this long was put away: nobody is told any more.
pub const TABLET_GONE_AFTER: Duration = Duration::from_secs(60 * 60);

/// Below this operators are told that the prepaid balance ends: some packs at the highest allowed cost.
pub const LOW_BALANCE_USD: f64 = 5.0;
/// The largest balance that can be typed.
pub const BALANCE_MAX_USD: f64 = 1_000_000.0;

/// The answer of `/admin_stats`.
pub fn report(report: &Report) -> String {
    let jobs: Vec<String> =
        report.jobs.iter().map(|(status, count)| format!("{} {count}", job_word(*status))).collect();
    let mut text = format!("⚙️ Задания: {}\nЖдать сейчас: {}", jobs.join(", "), minutes(report.wait));
    let _ = write!(text, "\nНе вышло за последний час: {}", report.failed);
    for failure in &report.failures {
        let error: String = failure.error.chars().take(ERROR_SHOWN).collect();
        let _ = write!(text, "\n• задание {}: {error}", failure.job);
    }
    let _ = write!(text, "\nРасходы: сегодня ${:.2}, всего ${:.2}", report.spent_today, report.spent);
    let _ = write!(text, "\nПауза: {}", report.pause.map_or("нет", pause_word));
    for tablet in &report.tablets {
        let _ = write!(text, "\nПланшет «{}»: {}", tablet.name, tablet_word(tablet));
    }
    text
}

fn job_word(status: JobStatus) -> &'static str {
    match status {
        JobStatus::Queued => "в очереди",
        JobStatus::Processing => "рисуются",
        JobStatus::Delivering => "доставляются",
        JobStatus::Done => "готово",
        JobStatus::Failed => "не вышло",
    }
}

fn pause_word(pause: Maintenance) -> &'static str {
    match pause {
        Maintenance::Env => "да, MAINTENANCE_MODE=1 на сервере",
        Maintenance::Auto => "да, у провайдера закончились деньги; снять: /resume",
        Maintenance::Admin => "да, включена командой; снять: /resume",
    }
}

fn tablet_word(tablet: &Tablet) -> String {
    if tablet.silent >= TABLET_SILENT_AFTER {
        return format!("молчит {}", minutes(tablet.silent));
    }
    match tablet.camera.as_str() {
        "lost" => "на связи, камера пропала".to_owned(),
        "denied" => "на связи, камера запрещена".to_owned(),
        _ => "на связи".to_owned(),
    }
}

/// Whole minutes, rounded up; one at least.
fn minutes(time: Duration) -> String {
    format!("{} мин", time.as_secs().div_ceil(60).max(1))
}

/// `/pause`: it is paused now.
pub const PAUSED: &str = "⏸ Пауза включена. Новые гости видят «скоро вернёмся», начатые наборы доделываются, очередь ждёт, её сроки \
                          идут. Снять: /resume";
/// `/resume`: it goes on.
pub const RESUMED: &str = "▶️ Пауза снята, гости снова могут начинать.";
/// `/resume` when nothing was paused.
pub const NOT_PAUSED: &str = "Паузы нет, всё работает.";
/// `/resume` under `MAINTENANCE_MODE=1`.
pub const ENV_STAYS: &str =
    "Ничего не изменилось: пауза задана на сервере. Поставь MAINTENANCE_MODE=0 и перезапусти оба процесса.";

/// `/pause` when it was paused already.
pub fn paused_already(pause: Maintenance) -> String {
    format!("Уже на паузе: {}.", pause_word(pause))
}

/// What is known of the money that providers were paid in advance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// What an operator typed, in US dollars.
    pub typed: f64,
    /// When.
    pub at: Timestamp,
    /// What was spent since.
    pub spent: f64,
}

impl Balance {
    /// What should be left.
    pub fn left(&self) -> f64 {
        self.typed - self.spent
    }
}

/// The answer of `/balance`.
pub fn balance(balance: Option<&Balance>) -> String {
    match balance {
        None => "Баланс не задан. После пополнения напиши сумму в долларах: /balance 25.50".to_owned(),
        Some(known) => format!(
            "💰 Осталось около ${:.2}: было ${:.2} ({}), с тех пор потрачено ${:.2}.",
            known.left(),
            known.typed,
            schedule::short_time(known.at),
            known.spent
        ),
    }
}

/// `/balance` with something that is no amount.
pub const BALANCE_USAGE: &str = "Напиши сумму в долларах от 0 до 1000000: /balance 25.50";

/// An amount as people type it: `25`, `25.50`, `25,50`, `$25`.
pub fn amount(text: &str) -> Option<f64> {
    let text = text.trim().trim_start_matches('$').trim_end_matches('$').trim().replace(',', ".");
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let amount: f64 = text.parse().ok().filter(|_| plain)?;
    (amount <= BALANCE_MAX_USD).then_some(amount)
}

/// Alert: the prepaid balance ends.
pub fn low_balance(left: f64) -> String {
    format!(
        "⚠️ На счёте провайдера осталось около ${left:.2}. Что делать: пополнить счёт и написать новую сумму: /balance 25.50"
    )
}

/// Alert: a tablet is silent.
pub fn tablet_silent(name: &str, silent: Duration) -> String {
    format!(
        "⚠️ Планшет «{name}» молчит {}. Что делать: проверить питание, Wi-Fi и что страница киоска открыта.",
        minutes(silent)
    )
}

/// Alert: a tablet lost its camera.
pub fn tablet_camera(name: &str, camera: &str) -> String {
    let (what, to_do) = match camera {
        "denied" => ("камера запрещена", "разрешить камеру в настройках браузера и перезагрузить страницу"),
        _ => ("камера пропала", "проверить кабель камеры и перезагрузить страницу"),
    };
    format!("⚠️ Планшет «{name}»: {what}. Что делать: {to_do}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_told_for_today_and_in_all() {
        let told =
            stats(&Stats { guests: Count { today: 12, all: 340 }, packs: Count { today: 9, all: 322 } });
        assert_eq!(told, "📊 Сегодня: гостей 12, наборов 9\nВсего: гостей 340, наборов 322");
    }

    #[test]
    fn the_report_says_what_waits_what_failed_and_what_it_cost() {
        let told = report(&Report {
            jobs: vec![(JobStatus::Queued, 2), (JobStatus::Done, 310), (JobStatus::Failed, 4)],
            wait: Duration::from_secs(121),
            failures: vec![Failure { job: JobId(311), error: "ы".repeat(300) }],
            failed: 2,
            spent_today: 1.2,
            spent: 31.0,
            pause: Some(Maintenance::Auto),
            tablets: vec![
                Tablet {
                    name: "Стойка".into(), camera: "lost".into(), silent: Duration::from_secs(179)
                },
                Tablet { name: "Вход".into(), camera: "ok".into(), silent: Duration::from_secs(180) },
            ],
        });
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines[0], "⚙️ Задания: в очереди 2, готово 310, не вышло 4");
        assert_eq!(lines[1], "Ждать сейчас: 3 мин");
        assert_eq!(lines[2], "Не вышло за последний час: 2");
        assert_eq!(lines[3], format!("• задание 311: {}", "ы".repeat(160)));
        assert_eq!(lines[4], "Расходы: сегодня $1.20, всего $31.00");
        assert_eq!(lines[5], "Пауза: да, у провайдера закончились деньги; снять: /resume");
        assert_eq!(lines[6], "Планшет «Стойка»: на связи, камера пропала");
        assert_eq!(lines[7], "Планшет «Вход»: молчит 3 мин");
    }

    #[test]
    fn an_amount_is_read_as_people_type_it() {
        for (text, expected) in [("25", 25.0), ("25.50", 25.5), (" $7,5 ", 7.5), ("0", 0.0), ("1000000", 1e6)]
        {
            assert_eq!(amount(text), Some(expected), "{text}");
        }
        for text in ["", "много", "-5", "1e3", "inf", "NaN", "1000000.01", "1.2.3", "+5"] {
            assert_eq!(amount(text), None, "{text}");
        }
    }

    #[test]
    fn a_balance_tells_what_is_left() {
        let known = Balance { typed: 25.5, at: Timestamp::from_millis(1_795_959_000_000), spent: 5.25 };
        assert_eq!(
            balance(Some(&known)),
            "💰 Осталось около $20.25: было $25.50 (29.11 18:30), с тех пор потрачено $5.25."
        );
    }
}
