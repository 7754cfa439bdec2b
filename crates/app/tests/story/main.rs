//! Stories of sessions, jobs and deliveries inside one process, on a manual clock: each names the row of seed 001 or 002 that it proves.

mod clean_up;
mod deliveries;
mod erasures;
mod fake;
mod jobs;
mod languages;
mod operators;
mod plans;
mod privacy;
mod providers;
mod sessions;
mod stage;
mod troubles;
