//! Stories of leads inside one process, on a manual clock: each names the row of seed 000, 001, 002, 003 or 004 that it proves.

mod buttons;
mod commands;
mod erasure;
mod fake;
mod housekeeping;
mod moves;
mod publishing;
mod repeats;
mod stage;
mod trouble;
