//! Leads: taking a request (`submit`), and what the team does with it once it is stored. Verbs decide and queue; only the leads
//! loop speaks to the group.

pub mod card;
pub mod export;
pub mod forget;
pub mod group;
pub mod report;
pub mod status;
mod submit;

pub use status::set_status_as;
pub use submit::{Submitted, submit};
