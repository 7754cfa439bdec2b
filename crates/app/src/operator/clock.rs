//! A clock that goes back: whoever set it right by an hour must not make guests wait for that hour. Looked at by the sweeper, which is one.

use crate::health::BOT_SEEN_AT;
use crate::lead::group;
use crate::outbox::alert_of_kind;
use crate::{AppError, Ctx};
use domain::Timestamp;
use domain::delivery::LEASE;
use std::time::Duration;
use store::{settings, waits};

/// Less than this is the usual correction of a clock.
const JUMP: Duration = Duration::from_secs(5);
/// Kind of the alert.
const ALERT: &str = "clock_back";

/// The time that was seen last.
#[derive(Debug, Default)]
pub struct ClockWatch(Option<Timestamp>);

impl ClockWatch {
    /// Looks once. When the clock went back, also while no bot ran, everything in the database that waits, or is
    /// measured from a time before, follows it, and operators are told.
    ///
    /// # Errors
    /// When the database fails; the next look finds the same then.
    pub async fn look(&mut self, ctx: &Ctx) -> Result<(), AppError> {
        let now = ctx.clock.now();
        let last = match self.0 {
            Some(last) => Some(last),
            None => seen_by_the_last_bot(ctx).await?,
        };
        if let Some(by) = last.map(|last| last.since(now)).filter(|by| *by >= JUMP) {
            follow(ctx, by, now).await?;
        }
        self.0 = Some(now);
        Ok(())
    }
}

async fn seen_by_the_last_bot(ctx: &Ctx) -> Result<Option<Timestamp>, AppError> {
    let seen = settings::get(&mut ctx.store.reader(), BOT_SEEN_AT).await?;
    Ok(seen.and_then(|value| value.parse().ok()).map(Timestamp::from_millis))
}

async fn follow(ctx: &Ctx, by: Duration, now: Timestamp) -> Result<(), AppError> {
    let admins = ctx.settings.admin_user_ids.clone();
    let of_database = ctx.store.lease_clock(now).await?;
    let right = is_right(now, by, of_database);
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                let mut moved = waits::follow_clock(tx, by, now).await?;
                if right {
                    moved += waits::bring_back(tx, by, now).await?;
                }
                moved += waits::cut_claims(tx, of_database.plus(LEASE)).await?;
                if let Some(until) = group::quiet_until(tx).await?.filter(|until| *until > now) {
                    group::be_quiet(tx, until.minus(by).max(now), now).await?;
                }
                tracing::warn!(
                    seconds = by.as_secs(),
                    moved,
                    right,
                    "the clock went back; what waits follows it"
                );
                alert_of_kind(tx, &admins, ALERT, &text(by, right), now).await
            })
        })
        .await
}

/// Whether the new time is the better one: nearer to the database's clock than the old one. On SQLite there is only one clock. Other machines go on
/// by the database's, and a job that one of them takes must not look older than it is because of a wrong clock here.
fn is_right(now: Timestamp, by: Duration, of_database: Timestamp) -> bool {
    let from = |time: Timestamp| time.since(of_database).max(of_database.since(time));
    from(now) <= from(now.plus(by))
}

fn text(by: Duration, right: bool) -> String {
    let ago = match by.as_secs() {
        seconds @ 0..=119 => format!("{seconds} с"),
        seconds => format!("{} мин", seconds / 60),
    };
    let (moved, todo) = if right {
        ("Очереди и сроки сдвинуты вместе с ними, ничего не потеряно.", "")
    } else {
        (
            "Очереди сдвинуты вместе с ними, ничего не потеряно; сроки заказов остались прежними.",
            " Часы сервера базы идут иначе: верны, скорее всего, они.",
        )
    };
    format!(
        "⚠️ Часы сервера ушли назад на {ago}. {moved} Что делать: проверить время (timedatectl) и службу времени.{todo}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_say_how_far_and_what_to_do() {
        let hour = Duration::from_secs(3_600);
        for right in [true, false] {
            assert!(text(hour, right).contains("на 60 мин.") && text(JUMP, right).contains("на 5 с."));
            assert!(text(JUMP, right).contains("Что делать"));
            assert_eq!(text(hour, right).contains("сроки сдвинуты"), right);
        }
    }

    #[test]
    fn the_new_time_is_right_when_the_databases_clock_is_nearer_to_it() {
        let (now, hour) = (Timestamp::from_millis(1_795_959_000_000), Duration::from_secs(3_600));
        for (of_database, right) in [
            (now, true),
            (now.plus(Duration::from_secs(2)), true),
            (now.minus(hour), true),
            (now.plus(hour), false),
            (now.plus(hour).minus(Duration::from_secs(2)), false),
        ] {
            assert_eq!(is_right(now, hour, of_database), right, "{of_database:?}");
        }
    }
}
