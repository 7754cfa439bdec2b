//! `/admin`: what to do now, and how it goes.

use super::access::Signed;
use super::chart::{self, Chart, Column, Part};
use super::error::PanelError;
use super::jobs::Row;
use super::page::{self, Frame, Place};
use super::words;
use crate::WebState;
use app::panel::{self, Active, Kiosk, Now, SLOT, Todo};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::Timestamp;
use domain::job::JobStatus;
use domain::maintenance::Maintenance;
use domain::operator::TABLET_SILENT_AFTER;
use http::StatusCode;

/// Bars on a phone, where eighteen have no room for their numbers.
const BARS_ON_A_PHONE: usize = 10;

/// The page.
#[derive(Template)]
#[template(path = "admin/now.html")]
struct NowPage {
    frame: Frame,
    now: Now,
    matters: Vec<Matter>,
    wide: Chart,
    small: Chart,
    active: Vec<ActiveLine>,
}

/// A job that is being made.
struct ActiveLine {
    row: Row,
    state: String,
}

impl ActiveLine {
    fn new(state: &WebState, one: &Active, now: Timestamp) -> ActiveLine {
        let row = Row::new(state, one.job.clone(), now);
        let state = match one.job.status {
            JobStatus::Queued => format!("{}, {}", row.tag, one.position),
            _ => row.tag.to_owned(),
        };
        ActiveLine { row, state }
    }
}

/// Shows the page.
pub async fn page(State(state): State<WebState>, signed: Signed) -> Result<Response, PanelError> {
    let now = panel::now(&state.ctx, &state.panel()?.server).await?;
    let matters = now.todo.iter().map(matter).collect();
    let columns: Vec<_> = now.slots.iter().map(column).collect();
    let small = &columns[columns.len().saturating_sub(BARS_ON_A_PHONE)..];
    let whole = |number: f64| format!("{number:.0}");
    let page = NowPage {
        frame: Frame::new(&state, &signed, Place::Now).await?,
        matters,
        active: now.active.iter().map(|one| ActiveLine::new(&state, one, now.at)).collect(),
        wide: chart::bars(&columns, 560, 230, whole),
        small: chart::bars(small, 320, 210, whole),
        now,
    };
    Ok(page::html(StatusCode::OK, &page))
}

fn column(slot: &panel::Slot) -> Column {
    #[expect(clippy::cast_precision_loss, reason = "a few packs")]
    let value = |count: i64| count as f64;
    let clock = words::clock(slot.from);
    Column {
        label: if clock.get(3..5) == Some("00") { clock.chars().take(5).collect() } else { String::new() },
        parts: vec![
            Part { tone: "c1", value: value(slot.packs) },
            Part { tone: "bad", value: value(slot.failed) },
        ],
        top: if slot.failed > 0 { slot.failed.to_string() } else { String::new() },
    }
}

/// A line of what to do.
struct Matter {
    /// `bad` or `warn`, in the style sheet.
    tone: &'static str,
    /// In the circle before it.
    sign: String,
    /// What is wrong.
    what: String,
    /// What to do.
    todo: String,
    /// The page that helps, and the word of its button.
    way: Option<(&'static str, &'static str)>,
}

fn matter(todo: &Todo) -> Matter {
    let line = |tone, what: String, todo: &str, way| Matter {
        tone,
        sign: "!".to_owned(),
        what,
        todo: todo.to_owned(),
        way,
    };
    match todo {
        Todo::Machine(trouble) => {
            let (what, todo) = trouble.in_two();
            line("bad", what.to_owned(), todo, None)
        }
        Todo::BotSilent(None) => line(
            "bad",
            "Бот ещё не запускался".to_owned(),
            "Гостям никто не отвечает. Запусти службу sticker-bot.",
            None,
        ),
        Todo::BotSilent(Some(silent)) => line(
            "bad",
            format!("Бот молчит {}", words::rough(*silent)),
            "Наборы не рисуются, гостям никто не отвечает. Перезапусти службу sticker-bot и посмотри её журнал.",
            None,
        ),
        Todo::Disk(percent) => line(
            "bad",
            format!("Диск занят на {percent} %"),
            "Освободи место: старые копии и журналы. На полном диске новые гости получат отказ.",
            None,
        ),
        Todo::Paused(pause) => paused(*pause),
        Todo::TabletSilent(name, silent) => line(
            "bad",
            format!("Планшет «{name}» молчит {}", words::rough(*silent)),
            "Проверь питание и сеть. Не ожил: выключи и включи экран.",
            Some(("#tablets", "К планшетам")),
        ),
        Todo::TabletCamera(name, camera) => {
            let (what, todo) = if camera == "denied" {
                ("камера запрещена", "Разреши камеру в браузере планшета и обнови страницу.")
            } else {
                ("камера пропала", "Проверь кабель камеры и обнови страницу на планшете.")
            };
            line("bad", format!("Планшет «{name}»: {what}"), todo, Some(("#tablets", "К планшетам")))
        }
        Todo::PhotosTooOld(age) => line(
            "bad",
            format!("Самому старому фото {}: срок прошёл", words::length(*age)),
            "Удаляет бот раз в час. Проверь, что он запущен и что у него есть права на папку.",
            None,
        ),
        Todo::CopyLate(age) => line(
            "warn",
            format!("Последней копии базы {}", words::length(*age)),
            "Посмотри таймер sticker-backup и запусти stickers backup.",
            None,
        ),
        Todo::NoCopy => line(
            "warn",
            "Копий базы нет".to_owned(),
            "Запусти stickers backup и включи таймер sticker-backup.",
            None,
        ),
        Todo::BalanceLow(left) => line(
            "warn",
            format!("На счёте провайдера около {}", words::dollars(*left)),
            "Пополни счёт и запиши новую сумму.",
            Some(("/admin/costs", "К расходам")),
        ),
        Todo::Failures(count) => Matter {
            sign: count.to_string(),
            ..line(
                "warn",
                format!(
                    "{count} {} за час",
                    words::plural(*count, "задание упало", "задания упали", "заданий упало")
                ),
                "Посмотри причины. Пока фото не удалено, упавшее можно повторить.",
                Some(("/admin/jobs?status=failed", "Показать")),
            )
        },
        Todo::LeadsWait(count, age) => Matter {
            sign: count.to_string(),
            ..line(
                "warn",
                format!("Заявка ждёт {}", words::length(*age)),
                "Возьми её или отметь, что с ней.",
                Some(("/admin/leads", "К заявкам")),
            )
        },
    }
}

fn paused(pause: Maintenance) -> Matter {
    let (tone, what, todo) = match pause {
        Maintenance::Env => (
            "warn",
            "Пауза задана на сервере",
            "Здесь её не снять: поставь MAINTENANCE_MODE=0 и перезапусти обе службы.",
        ),
        Maintenance::Auto => {
            ("bad", "У провайдера кончились деньги: киоск на паузе", "Пополни счёт и сними паузу.")
        }
        Maintenance::Admin => ("warn", "Киоск на паузе", "Новые гости ждут. Сними паузу, когда будет можно."),
    };
    let way = (pause != Maintenance::Env).then_some(("/admin/maintenance", "Снять паузу"));
    Matter { tone, sign: "!".to_owned(), what: what.to_owned(), todo: todo.to_owned(), way }
}

impl NowPage {
    fn wait(&self) -> String {
        words::minutes_up(self.now.wait)
    }

    /// Share of the last hour's jobs that failed.
    fn failed_share(&self) -> String {
        let all = self.now.failed + self.now.packs_hour;
        if all == 0 {
            return "за час ничего не сделано".to_owned();
        }
        #[expect(clippy::cast_precision_loss, reason = "counts of an hour")]
        let share = self.now.failed as f64 * 100.0 / all as f64;
        format!("{share:.1} % за час").replace('.', ",")
    }

    fn measured(&self) -> String {
        match self.now.measured {
            0 => "пока не измерено".to_owned(),
            count => format!("медиана последних {count}"),
        }
    }

    fn drawing(&self) -> String {
        let (drawing, sending) = (self.now.drawing, self.now.sending);
        match sending {
            0 => format!("рисуются: {drawing}"),
            _ => format!("рисуются: {drawing}, отправляются: {sending}"),
        }
    }

    /// `Приём открыт` or why not.
    fn intake(&self) -> (&'static str, bool) {
        match self.now.pause {
            None => ("Приём открыт", true),
            Some(Maintenance::Env) => ("Пауза на сервере", false),
            Some(Maintenance::Auto) => ("Пауза: нет денег", false),
            Some(Maintenance::Admin) => ("Пауза", false),
        }
    }

    fn may_switch(&self) -> bool {
        self.now.pause != Some(Maintenance::Env)
    }

    fn tablet(&self, tablet: &Kiosk) -> TabletLine {
        let silent = self.now.at.since(tablet.seen_at);
        let (good, tag) = if silent >= TABLET_SILENT_AFTER {
            (false, format!("молчит {}", words::rough(silent)))
        } else {
            (true, tablet.battery.map_or("сеть".to_owned(), |percent| format!("{percent} %")))
        };
        let camera = match tablet.camera.as_str() {
            "ok" if good => "камера работает",
            "ok" => "камера была исправна",
            "denied" => "камера запрещена",
            _ => "камера пропала",
        };
        TabletLine { good: good && tablet.camera == "ok", camera, tag }
    }

    fn copy(&self) -> (String, bool) {
        let newest = self.now.server.copies.as_ref().and_then(|copies| copies.first());
        match (newest, &self.now.server.copies) {
            (Some(copy), Some(copies)) => {
                let at = words::moment(copy.at, self.now.at);
                (format!("{at}, {}, всего {}", words::size(copy.size), copies.len()), self.copy_is_fresh())
            }
            (_, Some(_)) => ("копий нет".to_owned(), false),
            (_, None) => ("папка копий не читается".to_owned(), false),
        }
    }

    fn copy_is_fresh(&self) -> bool {
        let last = self.now.server.last_copy.map(|at| self.now.at.since(at));
        last.is_some_and(|age| age <= domain::backup::LATE_AFTER)
    }

    fn disk(&self) -> Option<(u64, String)> {
        let disk = self.now.server.disk?;
        let used = disk.used_percent();
        Some((used, format!("занято {used} %, свободно {}", words::size(disk.free))))
    }

    fn photos(&self) -> (String, String) {
        let ttl = self.now.photo_ttl_hours;
        match self.now.server.photos {
            None => ("?".to_owned(), "хранилище не отвечает".to_owned()),
            Some(photos) => match photos.oldest {
                None => ("0".to_owned(), format!("файлов гостей нет, срок {ttl} ч")),
                Some(oldest) => {
                    let age = words::length(self.now.at.since(oldest));
                    (photos.selfies.to_string(), format!("старшему файлу {age}, срок {ttl} ч"))
                }
            },
        }
    }

    fn balance(&self) -> Option<(String, String)> {
        let balance = self.now.balance?;
        let note = format!("записано {}", words::moment(balance.at, self.now.at));
        Some((words::dollars(balance.left()), note))
    }

    /// The chart in a sentence, for whoever does not see it.
    fn sentence(&self) -> String {
        let packs: i64 = self.now.slots.iter().map(|slot| slot.packs).sum();
        let failed: i64 = self.now.slots.iter().map(|slot| slot.failed).sum();
        format!("Наборы по десять минут за три часа: всего {packs}, упало {failed}")
    }

    fn slot(&self, slot: &panel::Slot) -> String {
        let until = slot.from.plus(SLOT);
        format!("{} — {}", &words::clock(slot.from)[..5], &words::clock(until)[..5])
    }
}

/// How a tablet is shown.
struct TabletLine {
    good: bool,
    camera: &'static str,
    tag: String,
}
