//! One suite for both engines: each body is a function of an open database, and runs once on SQLite and once on PostgreSQL.

#[macro_use]
mod harness;
mod stories;

mod asking;
mod backup;
mod erasure;
mod group_commit;
mod job_queue;
mod job_rows;
mod lead_intake;
mod lead_rows;
mod lifecycle;
mod migrations;
mod news;
mod openings;
mod operations;
mod outbox;
mod pack_limit;
mod panel;
mod privacy;
mod races;
mod session_rows;
mod sessions;
mod troubles;
mod updates;
mod users;
mod waits;
mod wake_up;
