//! Stories of sessions, jobs and deliveries inside one process, on a manual clock: each names the row of seed 001 or 002 that it proves.

mod deliveries;
mod fake;
mod jobs;
mod operators;
mod providers;
mod sessions;
mod stage;
