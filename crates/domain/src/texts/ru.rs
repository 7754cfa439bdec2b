//! Russian.

use super::{GuestTexts, short_name, title};

/// Russian texts.
pub(super) struct Ru;

impl GuestTexts for Ru {
    fn consent(&self, first_name: &str, event: &str, ttl_hours: u32, privacy_url: Option<&str>) -> String {
        let name = short_name(first_name);
        let hello =
            if name.is_empty() { "Привет!".to_owned() } else { format!("Привет, {name}!") };
        let more = privacy_url.map(|url| format!("\nПодробнее: {url}")).unwrap_or_default();
        format!(
            "{hello} Сделаем стикеры из твоего селфи — {event}.\n\nФото нужно только для набора: удалим сразу после него, \
             самое позднее через {} ч. Если тебе нет 18, спроси разрешения у родителей. Нажимая кнопку, ты \
             подтверждаешь, что тебе есть 18 или родители согласны.\n\nПередумаешь — /forget_me.{more}",
            ttl_hours
        )
    }
    fn consent_button(&self) -> &'static str {
        "✅ Согласен"
    }
    fn consented(&self) -> &'static str {
        "Теперь выбери наряд на планшете."
    }
    fn session_closed(&self) -> &'static str {
        "Сессия закрыта, нажми «СТАРТ» на планшете."
    }
    fn code_taken(&self) -> &'static str {
        "Этот код уже занят, нажми «СТАРТ» на планшете."
    }
    fn look_at_tablet(&self) -> &'static str {
        "Всё готово, теперь посмотри на планшет."
    }
    fn being_made(&self) -> &'static str {
        "Фото у нас, набор уже рисуем. Пришлю его сюда."
    }
    fn photo_received(&self, position: u32, minutes: u32) -> String {
        let wait = if minutes > 10 {
            "больше 10 минут".to_owned()
        } else {
            format!("около {minutes} мин")
        };
        format!(
            "Фото у нас. Твоё место в очереди: {position}, ждать {wait}. Можно отойти: набор придёт сюда."
        )
    }
    fn pack_in_progress(&self) -> &'static str {
        "Твой набор уже готовится ⏳…"
    }
    fn pack_ready(&self) -> &'static str {
        "Твой набор уже у тебя. Вот ссылка ещё раз."
    }
    fn pack_forgotten(&self) -> &'static str {
        "Набор у тебя уже был, и твои данные удалены: ссылки у нас больше нет. Набор остался в твоём Telegram."
    }
    fn pack_done(&self) -> &'static str {
        "Твой набор готов!"
    }
    fn open_pack(&self) -> &'static str {
        "Открыть набор"
    }
    fn delayed(&self) -> &'static str {
        "Дорабатываем детали твоего набора ✨ Скоро пришлю!"
    }
    fn failed(&self) -> &'static str {
        "Не получилось нарисовать набор, прости! Можно попробовать ещё раз: нажми «СТАРТ» на планшете."
    }
    fn photo_refused(&self) -> &'static str {
        "С этим фото нарисовать набор не получилось: не всё можно рисовать. Попробуй другое фото — подойди к планшету ещё раз 🙂"
    }

    fn failed_help(&self) -> &'static str {
        "Набор задерживается, прости! Мы уже знаем и поможем вручную. Или попробуй ещё раз: нажми «СТАРТ» на планшете."
    }
    fn maintenance(&self) -> &'static str {
        "Небольшой перерыв, скоро продолжим. Начатые наборы придут сюда."
    }
    fn welcome(&self) -> &'static str {
        "Привет! Я делаю стикеры из селфи. Нажми «СТАРТ» на планшете у стенда и наведи камеру на код.\n\n/mypack — прислать \
         набор ещё раз\n/forget_me — удалить мои данные"
    }
    fn help(&self) -> &'static str {
        "Нажми «СТАРТ» на планшете, наведи камеру на код, согласись здесь, выбери наряд и сделай селфи. Набор придёт в этот \
         чат.\n\n/mypack — прислать набор ещё раз\n/forget_me — удалить мои данные"
    }
    fn no_pack(&self) -> &'static str {
        "Набора пока нет. Нажми «СТАРТ» на планшете."
    }
    fn forget_question(&self) -> &'static str {
        "Удалить твои данные: имя, сессии, фото и рисунки на нашем сервере? Набор, который уже в Telegram, останется твоим."
    }
    fn forget_yes(&self) -> &'static str {
        "Да, удалить"
    }
    fn forget_no(&self) -> &'static str {
        "Нет, оставить"
    }
    fn forgotten(&self) -> &'static str {
        "Готово: твои данные и файлы удалены. Вот что остаётся и до какого времени.\n\n• Набор в Telegram: он твой, мы наборы не \
         удаляем.\n• Копии базы: не дольше 14 дней.\n• Если набор уже был, зашифрованная отметка об этом без имени: до закрытия \
         мероприятия.\n• Учёт расходов и запись об удалении, без имени и номера: остаются."
    }
    fn forget_kept(&self) -> &'static str {
        "Хорошо, ничего не удаляем."
    }
    fn pack_title(&self, first_name: &str, outfit: &str) -> String {
        let name = short_name(first_name);
        title(&if name.is_empty() {
            format!("Стикеры: {outfit}")
        } else {
            format!("{name}: {outfit}")
        })
    }
}
