//! The admin panel over HTTP: who gets in, what a page shows, what a form does and what is refused.

#[path = "../harness/mod.rs"]
mod harness;

mod browser;
mod costs;
mod jobs;
mod journal;
mod leads;
mod live;
mod now;
mod sign_in;
