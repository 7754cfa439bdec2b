//! The figures as a table for a spreadsheet: UTF-8 with a mark at its beginning, `;`, CRLF, as the table of leads.

use super::Figures;
use crate::lead::export::{BOM, line, safe};
use domain::schedule;

/// Section, name and value of each figure.
pub fn csv(figures: &Figures) -> String {
    let mut csv = String::from(BOM);
    let mut row = |section: &str, name: &str, value: String| {
        line(&mut csv, [section.to_owned(), safe(name), value]);
    };
    row("Раздел", "Показатель", "Значение".to_owned());
    row("Период", "с", schedule::full_time(figures.period.from));
    row("Период", "до", schedule::full_time(figures.period.to));
    for (name, value) in [
        ("Гостей", figures.guests),
        ("Согласились", figures.agreed),
        ("Нажатий «СТАРТ»", figures.taps),
        ("С телефоном", figures.linked),
        ("Фото", figures.photos),
        ("Наборов выдано", figures.packs),
        ("Не получилось", figures.failed),
        ("Ещё рисуется", figures.active),
    ] {
        row("Итого", name, value.to_string());
    }
    if let Some(waiting) = &figures.waiting {
        row("Ожидание, секунд", "половина гостей не дольше", waiting.median_s.to_string());
        row("Ожидание, секунд", "девять из десяти не дольше", waiting.nine_of_ten_s.to_string());
        row("Ожидание, секунд", "самое долгое", waiting.longest_s.to_string());
    }
    for (section, list) in [
        ("Наряды", &figures.outfits),
        ("Языки", &figures.languages),
        ("Способ рисования", &figures.modes),
        ("По часам", &figures.hours),
        ("Планшеты", &figures.tablets),
        ("Закрыто без фото", &figures.closed),
    ] {
        for (name, count) in list {
            row(section, name, count.to_string());
        }
    }
    row("Расходы, USD", "всего", format!("{:.2}", figures.cost_usd));
    if let Some(each) = figures.cost_per_pack_usd {
        row("Расходы, USD", "на один набор", format!("{each:.4}"));
    }
    csv
}
