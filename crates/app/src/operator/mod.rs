//! What operators ask and decide (interfaces.md, "Telegram"): counts, the pause, the prepaid balance, and what they are told unasked.

mod balance;
mod clock;
mod pause;
mod report;
mod watch;

pub use balance::{BALANCE_OVERRIDE, balance, set_balance, set_balance_as};
pub use clock::ClockWatch;
pub use pause::{Paused, Resumed, pause, pause_as, resume, resume_as};
pub use report::{report, stats};
pub use watch::watch;

use crate::Ctx;
use domain::guest::TelegramId;

/// Whether this person is one of `ADMIN_USER_IDS`.
pub fn is_operator(ctx: &Ctx, id: TelegramId) -> bool {
    ctx.settings.admin_user_ids.contains(&id.0)
}

/// How an operator is named in the audit log.
fn actor(id: TelegramId) -> String {
    format!("operator:{}", id.0)
}
