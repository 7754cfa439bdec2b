//! The two engines: connections, the way a write runs, and the wake-up between processes.

pub(crate) mod postgres;
pub(crate) mod sqlite;
