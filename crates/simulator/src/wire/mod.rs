//! The wire: what a call carries, how it is written down for HTTP, and how things look in an answer.

pub mod decode;
pub(crate) mod keyboard;
pub mod params;
pub mod reply;
pub(crate) mod show;

pub use params::{Params, Upload};
pub use reply::Reply;
