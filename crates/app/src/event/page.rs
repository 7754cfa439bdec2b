//! The figures as a page for the client: one file without anything from elsewhere, for a screen, a phone and paper.

use super::Figures;
use domain::schedule;
use std::fmt::Write;

const STYLE: &str = "*{box-sizing:border-box}body{margin:0;background:#f6f4ef;color:#1d1b18;font:16px/1.5 system-ui,sans-serif}\
main{max-width:960px;margin:0 auto;padding:32px 20px 64px}h1{margin:0;font-size:clamp(28px,5vw,44px);line-height:1.1}\
h2{margin:40px 0 12px;font-size:20px}p{margin:8px 0}.when{color:#6b645a}\
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin-top:28px}\
.tile{background:#fff;border-radius:14px;padding:16px 18px}.tile b{display:block;font-size:32px;line-height:1.1;font-variant-numeric:tabular-nums}\
.tile span{color:#6b645a;font-size:14px}.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:0 32px}\
table{width:100%;border-collapse:collapse}td{padding:6px 0;vertical-align:middle}td.n{width:4em;text-align:right;font-variant-numeric:tabular-nums}\
td.bar{width:45%;padding:0 12px}td.bar i{display:block;height:10px;min-width:2px;border-radius:5px;background:#d8572a}\
footer{margin-top:48px;color:#6b645a;font-size:14px}@media print{body{background:#fff}.tile{border:1px solid #ddd}}";

/// The page. `event` is its heading; `outfit` gives the title of an outfit.
pub fn html(event: &str, figures: &Figures, outfit: impl Fn(&str) -> String) -> String {
    let event = escaped(event);
    let mut page = format!(
        "<!doctype html><html lang=\"ru\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{event}: итоги</title><style>{STYLE}</style></head><body><main><h1>{event}</h1>\
         <p class=\"when\">Итоги: {} — {} (время Ташкента)</p>",
        schedule::short_time(figures.period.from),
        schedule::short_time(figures.period.to),
    );
    tiles(&mut page, figures);
    page.push_str("<div class=\"pair\">");
    let titled: Vec<_> = figures.outfits.iter().map(|(id, count)| (outfit(id), *count)).collect();
    let languages: Vec<_> = figures.languages.iter().map(|(code, count)| (language(code), *count)).collect();
    let modes: Vec<_> = figures.modes.iter().map(|(mode, count)| (mode_words(mode), *count)).collect();
    bars(&mut page, "Наряды", &titled);
    bars(&mut page, "Языки гостей", &languages);
    bars(&mut page, "Наборы по часам", &figures.hours);
    bars(&mut page, "Планшеты", &figures.tablets);
    bars(&mut page, "Как нарисовано", &modes);
    page.push_str("</div>");
    let _ = write!(
        page,
        "<footer><p>Фото: {}, не получилось: {}, ещё рисуется: {}. Нажатий «СТАРТ»: {}, с телефоном: {}.</p>\
         <p>Здесь только числа: ни имён, ни фотографий. Гости, которые попросили удалить свои данные, не считаются.</p></footer>\
         </main></body></html>",
        figures.photos, figures.failed, figures.active, figures.taps, figures.linked
    );
    page.push('\n');
    page
}

fn tiles(page: &mut String, figures: &Figures) {
    let minutes = |seconds: u64| format!("{}:{:02}", seconds / 60, seconds % 60);
    let mut tiles =
        vec![(figures.guests.to_string(), "гостей"), (figures.packs.to_string(), "наборов выдано")];
    if let Some(waiting) = &figures.waiting {
        tiles.push((minutes(waiting.median_s), "половина гостей ждала не дольше, мин:с"));
        tiles.push((minutes(waiting.nine_of_ten_s), "девять из десяти — не дольше, мин:с"));
    }
    tiles.push((format!("${:.2}", figures.cost_usd), "расходы на рисование"));
    if let Some(each) = figures.cost_per_pack_usd {
        tiles.push((format!("${each:.3}"), "на один набор"));
    }
    page.push_str("<div class=\"tiles\">");
    for (value, name) in tiles {
        let _ = write!(page, "<div class=\"tile\"><b>{value}</b><span>{name}</span></div>");
    }
    page.push_str("</div>");
}

/// A table whose bars are as long as the largest number allows; nothing where there is nothing.
fn bars(page: &mut String, title: &str, list: &[(String, u64)]) {
    let Some(largest) = list.iter().map(|(_, count)| *count).max().filter(|largest| *largest > 0) else {
        return;
    };
    let _ = write!(page, "<section><h2>{title}</h2><table>");
    for (name, count) in list {
        let percent = count * 100 / largest;
        let _ = write!(
            page,
            "<tr><td>{}</td><td class=\"bar\"><i style=\"width:{percent}%\"></i></td><td class=\"n\">{count}</td></tr>",
            escaped(name)
        );
    }
    page.push_str("</table></section>");
}

fn language(code: &str) -> String {
    match code {
        "ru" => "русский".to_owned(),
        "uz" => "узбекский".to_owned(),
        "en" => "английский".to_owned(),
        other => other.to_owned(),
    }
}

fn mode_words(mode: &str) -> String {
    match mode {
        "figure" => "нейросетью".to_owned(),
        "composite" => "без нейросети".to_owned(),
        "composite_fallback" => "без нейросети, вместо неё".to_owned(),
        other => other.to_owned(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Period, csv};
    use domain::Timestamp;

    fn figures() -> Figures {
        let at = Timestamp::from_millis(1_795_959_000_000);
        let one = |name: &str, count| vec![(name.to_owned(), count)];
        Figures {
            period: Period { from: at, to: at },
            guests: 3,
            agreed: 2,
            taps: 5,
            linked: 4,
            photos: 3,
            packs: 2,
            failed: 1,
            active: 0,
            waiting: None,
            outfits: one("chapan", 2),
            languages: one("uz", 3),
            modes: one("composite", 2),
            hours: one("2026-11-29 18:00", 2),
            tablets: one("=<b>stand", 5),
            closed: Vec::new(),
            cost_usd: 0.5,
            cost_per_pack_usd: Some(0.25),
        }
    }

    #[test]
    fn the_page_escapes_names_and_loads_nothing() {
        let page = html("Fest <script>", &figures(), |id| format!("Чапан ({id})"));
        assert!(page.contains("<h1>Fest &lt;script&gt;</h1>") && page.contains("=&lt;b&gt;stand"), "{page}");
        assert!(
            page.contains("Чапан (chapan)") && page.contains("узбекский") && page.contains("$0.250"),
            "{page}"
        );
        for word in ["<script", "http:", "https:", "src="] {
            assert!(!page.contains(word), "{word}");
        }
    }

    #[test]
    fn the_table_has_sections_and_keeps_formulas_from_running() {
        let table = csv(&figures());
        assert!(table.starts_with("\u{feff}Раздел;Показатель;Значение\r\n"), "{table}");
        for line in ["Итого;Наборов выдано;2", "Планшеты;'=<b>stand;5", "Расходы, USD;на один набор;0.2500"]
        {
            assert!(table.contains(&format!("{line}\r\n")), "{line}: {table}");
        }
    }
}
