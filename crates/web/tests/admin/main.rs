//! The admin panel over HTTP: who gets in, what a page shows, what a form does and what is refused.

#[path = "../harness/mod.rs"]
mod harness;

mod browser;
mod journal;
mod live;
mod now;
mod sign_in;
