//! The rules of the product without any I/O: states and their transition tables as data, texts in three languages,
//! names, waiting times, and the traits through which time and chance are passed in.
//!
//! **Invariant:** nothing here opens a file, a socket or a database, reads a clock or draws a number by itself.

pub mod address;
pub mod backup;
pub mod clock;
pub mod consent;
pub mod cost;
pub mod delivery;
pub mod guest;
pub mod job;
pub mod language;
pub mod lead;
pub mod lead_form;
pub mod maintenance;
pub mod names;
pub mod operator;
pub mod readable;
pub mod rng;
pub mod schedule;
pub mod session;
pub mod texts;
pub mod wait;

pub use clock::{Clock, Timestamp};
pub use language::Language;
pub use rng::Rng;
