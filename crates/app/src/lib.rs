//! The verbs of the product, the bot and the loops.
//!
//! [`Ctx`] is what every verb gets: store, media, clock, chance, limits. [`Outside`] (Telegram and the timer) is given to loops only, so
//! that no verb of the API can ever call Telegram.
//!
//! **Invariant:** nothing here knows HTTP servers or the environment; whoever builds a [`Ctx`] has read the configuration.

pub mod backup;
pub mod bot;
mod captions;
pub mod ctx;
pub mod doctor;
pub mod error;
pub mod event;
pub mod figures;
pub mod guest;
pub mod health;
pub mod job;
pub mod kiosk;
pub mod lead;
pub mod loops;
pub mod neighbours;
pub mod operator;
pub mod outbox;
pub mod panel;
pub mod privacy;
pub mod providers;
pub mod session;
pub mod spend;
pub mod timer;
pub mod trouble;

pub use ctx::{Ctx, LeadsGroup, LeadsIntake, LeadsSettings, Limits, Outside, Settings};
pub use error::{AppError, Refusal};
pub use loops::{Role, RoleEnded, Roles, bot_run};
pub use store::Changes;
