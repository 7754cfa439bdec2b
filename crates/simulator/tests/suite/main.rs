//! The imitation against the facts it was made from: every row of the tables names its refusal to the letter.

mod access;
mod control;
mod editing;
mod failures;
mod keeping;
mod sending;
mod sets;
mod socket;
mod stage;
mod stickers;
mod updates;
