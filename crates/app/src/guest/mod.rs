//! What a guest may ask for outside a session: their pack again, and to be forgotten.

mod allowance;
mod forget;

pub(crate) use allowance::{KEY as ALLOWANCE_KEY, new_key, packs_before};
pub(crate) use forget::{By, erase_rows, wipe};
pub use forget::{Forgotten, forget, reset, reset_by_command};

use crate::{AppError, Ctx};
use domain::guest::TelegramId;
use store::users;

/// The link of the guest's pack, if there is one.
///
/// # Errors
/// When the database fails.
pub async fn my_pack(ctx: &Ctx, guest: TelegramId) -> Result<Option<String>, AppError> {
    Ok(users::find(&mut ctx.store.reader(), guest).await?.and_then(|user| user.pack_link))
}
