//! Leads: what the team does with a request once it is stored. Verbs decide and queue; only the leads loop speaks to the group.

pub mod card;
pub mod export;
pub mod forget;
pub mod group;
pub mod report;
pub mod status;
