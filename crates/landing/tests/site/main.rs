//! The site from outside: its pages, and forms on their way to servers that answer, refuse, hang or are not there.

mod answers;
mod checks;
mod fallback;
mod harness;
mod pages;
mod retries;
