//! How a job went, step by step, in people's words.

use super::words;
use app::panel::{JobDetails, JobMessage};
use domain::Timestamp;
use domain::job::JobStatus;

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    at: Timestamp,
    /// `ok`, `warn`, `bad` or `quiet`, in the style sheet.
    pub tone: &'static str,
    /// What happened.
    pub what: String,
    /// When, and more.
    pub note: String,
}

/// The steps of a job in their order.
pub fn of(details: &JobDetails, now: Timestamp) -> Vec<Step> {
    let job = &details.job;
    let mut steps = Vec::new();
    let mut add = |at: Timestamp, tone, what: &str, more: String| {
        let time = words::full_moment(at, now);
        let note = if more.is_empty() { time } else { format!("{time} · {more}") };
        steps.push(Step { at, tone, what: what.to_owned(), note });
    };
    let retries: Vec<_> = details.audit.iter().filter(|line| line.action == "retry_job").collect();
    for retry in &retries {
        let error = retry.details.as_deref().unwrap_or_default();
        add(retry.at, "warn", &format!("Повторено: {}", retry.actor), before(error));
    }
    if retries.is_empty() {
        let kiosk = details.kiosk.as_deref().map(|kiosk| format!("планшет «{kiosk}»"));
        add(job.created_at, "ok", "Фото принято", kiosk.unwrap_or_default());
    }
    if let Some(at) = job.started_at {
        let waited = format!("ждало {}", words::length(at.since(job.created_at)));
        add(at, "ok", "Взято в работу", waited);
    }
    for call in &details.calls {
        let (tone, more) = if call.images == 0 && call.stage != "describe" && call.stage != "judge" {
            ("warn", "картинки нет, ")
        } else {
            ("ok", "")
        };
        let what = format!("{}: {}", words::stage(&call.stage), call.provider);
        let note = format!("{more}{} · {}", words::dollars(call.cost_usd), call.model);
        add(Timestamp::from_millis(call.at), tone, &what, note);
    }
    if let Some(at) = job.delay_notice_at {
        add(at, "warn", "Гостю сказали, что дольше обычного", String::new());
    }
    if let Some(at) = job.pack_created_at {
        add(at, "ok", "Набор создан", job.pack_name.clone().unwrap_or_default());
    }
    if let Some(at) = job.link_sent_at {
        let all = format!("всего {}", words::length(at.since(job.created_at)));
        add(at, "ok", "Набор проверен, ссылка в очереди на отправку", all);
    }
    for message in &details.messages {
        if let Some((tone, what, more)) = message_step(message) {
            add(Timestamp::from_millis(message.sent_at.unwrap_or(message.created_at)), tone, what, more);
        }
    }
    if job.status == JobStatus::Failed {
        add(job.updated_at, "bad", "Упало", job.error.clone().unwrap_or_default());
    } else if let Some(error) = job.error.as_ref().filter(|_| job.status != JobStatus::Done) {
        add(job.updated_at, "warn", "Попытка не удалась, будет ещё одна", error.clone());
    }
    steps.sort_by_key(|step| step.at);
    steps
}

fn before(error: &str) -> String {
    if error.is_empty() { String::new() } else { format!("до этого: {error}") }
}

/// Messages to the guest; those to operators are no step of the job.
fn message_step(message: &JobMessage) -> Option<(&'static str, &'static str, String)> {
    let what = match message.kind.as_str() {
        "link" => ["Ссылка отправлена", "Ссылка ждёт отправки", "Ссылка не отправлена"],
        "failed" => [
            "Гостю сказали, что не вышло",
            "Сообщение о неудаче ждёт отправки",
            "Сообщение о неудаче не отправлено",
        ],
        _ => return None,
    };
    let tries = match message.attempts {
        0 => String::new(),
        count => format!("неудачных попыток: {count}"),
    };
    Some(match message.state.as_str() {
        "sent" => ("ok", what[0], tries),
        "failed" => ("bad", what[2], tries),
        "dropped" => return None,
        _ => ("quiet", what[1], tries),
    })
}
