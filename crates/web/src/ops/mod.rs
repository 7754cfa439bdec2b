//! For operators and their tools.

pub mod health;
pub mod metrics;
pub mod openapi;
