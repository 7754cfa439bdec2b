//! Copies of the whole database: a consistent one of a live SQLite file, its checks, and what has to change in a database that was brought
//! back from a copy. PostgreSQL is copied by its own tools; settling is the same on both.

mod file;
mod settle;

pub use file::{BackupError, Contents, check, columns, copy, in_use};
pub use settle::{Settled, guests, lead_requests, settle};
