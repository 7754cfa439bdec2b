//! The pause of the product (seed 001, "Maintenance pause"): not a status of any record, but no guest may begin and nothing is claimed
//! while it holds.

use serde::Serialize;

/// Who paused the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Maintenance {
    /// `MAINTENANCE_MODE=1`; nobody can lift it from inside.
    Env,
    /// A provider answered "no funds" during a job.
    Auto,
    /// `/pause`.
    Admin,
}

impl Maintenance {
    /// The word of `/health` and of `settings.maintenance`.
    pub fn word(self) -> &'static str {
        match self {
            Maintenance::Env => "env",
            Maintenance::Auto => "auto",
            Maintenance::Admin => "admin",
        }
    }

    /// The pause that a stored word means; the environment's is never stored.
    pub fn stored(word: &str) -> Option<Maintenance> {
        [Maintenance::Auto, Maintenance::Admin].into_iter().find(|pause| pause.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_two_pauses_that_can_be_lifted_are_stored() {
        assert_eq!(Maintenance::stored("auto"), Some(Maintenance::Auto));
        assert_eq!(Maintenance::stored("admin"), Some(Maintenance::Admin));
        assert_eq!((Maintenance::stored("env"), Maintenance::stored("")), (None, None));
        assert_eq!(Maintenance::Env.word(), "env");
    }
}
