//! What a process can know of the others: whether one that left its name on a lease or a claim still runs.

/// Whether a process still runs, as far as this machine can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It runs.
    Alive,
    /// It ran here and does not any more: what it held is free.
    Dead,
    /// It never ran here: another machine's, and what it holds is waited out.
    Unknown,
}

/// Looks after the other processes of this machine.
pub trait Neighbours: Send + Sync {
    /// What is known of the process of this name.
    fn life(&self, process: &str) -> Life;
}

/// Knows nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strangers;

impl Neighbours for Strangers {
    fn life(&self, _process: &str) -> Life {
        Life::Unknown
    }
}
