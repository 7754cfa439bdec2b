//! A clock that goes back: whoever set it right by an hour must not make guests wait for that hour. Looked at by the sweeper, which is one.

use crate::health::BOT_SEEN_AT;
use crate::lead::group;
use crate::outbox::alert_of_kind;
use crate::{AppError, Ctx};
use domain::Timestamp;
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
    /// Looks once. When the clock went back, also while no bot ran, everything that waits in the database follows it, and operators are told.
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
    ctx.store
        .write(move |tx| {
            Box::pin(async move {
                let moved = waits::follow_clock(tx, by, now).await?;
                if let Some(until) = group::quiet_until(tx).await?.filter(|until| *until > now) {
                    group::be_quiet(tx, until.minus(by).max(now), now).await?;
                }
                tracing::warn!(seconds = by.as_secs(), moved, "the clock went back; what waits follows it");
                alert_of_kind(tx, &admins, ALERT, &text(by), now).await
            })
        })
        .await
}

fn text(by: Duration) -> String {
    let ago = match by.as_secs() {
        seconds @ 0..=119 => format!("{seconds} с"),
        seconds => format!("{} мин", seconds / 60),
    };
    format!(
        "⚠️ Часы сервера ушли назад на {ago}. Очереди сдвинуты вместе с ними, ничего не потеряно. Что делать: проверить время \
         (timedatectl) и службу времени; дедлайны заказов, принятых до сдвига, наступят позже на столько же."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_say_how_far_and_what_to_do() {
        assert!(text(Duration::from_secs(3_600)).contains("на 60 мин.") && text(JUMP).contains("на 5 с."));
        assert!(text(JUMP).contains("Что делать"));
    }
}
