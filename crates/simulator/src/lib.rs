//! The outside world, imitated: a Bot API server with persons, chats and packs. It shares no types with the product,
//! so that both cannot be wrong together.
//!
//! A [`World`] is reached by a direct call ([`World::call`]) or over a socket ([`serve`]). Persons act through its
//! other methods or through the control API below `/sim`, which the chat page uses. Time comes from a [`clock::Clock`],
//! chance from a seed, failures from [`faults::Fault`].
//!
//! [`images`] imitates the two image services in the same way: a world of its own, by direct call or over a socket.
//!
//! Known limits: of the parse modes only HTML is read; files are not fetched by address; stickers do not move.

mod chance;
pub mod clock;
mod control;
mod entity;
pub mod faults;
mod flood;
mod html;
mod http;
pub mod images;
mod methods;
mod page;
mod refusal;
mod updates;
pub mod wire;
pub mod world;

pub use clock::{Clock, SystemClock, VirtualClock};
pub use faults::{Fault, Loss, Play, Upgrade};
pub use http::serve;
pub use refusal::Refusal;
pub use wire::{Params, Reply};
pub use world::{
    NewGroup, NewPerson, NewPress, NewSet, Settings, Standing, StrangeUpdate, Telling, Trouble, World,
};
