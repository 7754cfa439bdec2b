//! The tablet: its calls, its page, its sample stickers. One file an operation.

pub mod answers;
pub mod config;
pub mod create;
pub mod events;
pub mod expire;
pub mod face;
pub mod heartbeat;
pub mod page;
pub mod photo;
pub mod sample;
pub mod template;
pub mod templates;
pub mod view;
