//! The imitation against the facts it was made from: every row of the tables names its refusal to the letter.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the message, also in what tests share")]

mod access;
mod control;
mod editing;
mod failures;
mod groups;
mod keeping;
mod sending;
mod sets;
mod socket;
mod stage;
mod stickers;
mod team;
mod topics;
mod updates;
