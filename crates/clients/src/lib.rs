//! Everything outside that we call: Telegram, image providers, media storage. It knows no database.
//!
//! A client here sends one request, waits a bounded time and says plainly what came of it: done, refused (and why), not
//! sent, or unknown. It never decides what to do next and never tries again by itself, because only the caller knows
//! whether a second message would be a double one.

pub mod images;
pub mod leads;
pub mod media;
pub mod telegram;
