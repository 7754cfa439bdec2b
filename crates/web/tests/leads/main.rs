//! `POST /leads` as the landing site sees it (seed 003, steps and branch 3; seed 004): each body runs on SQLite and on PostgreSQL.

#[macro_use]
mod stage;

mod decisions;
mod races;
mod repeats;
mod steps;
mod text;
