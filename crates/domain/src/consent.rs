//! Consent is the version of a text, stored with the guest and the time.

/// Version of the consent text in [`crate::texts`]. Raise it with every change of meaning: a guest who agreed to another
/// version is asked again.
pub const VERSION: i64 = 1;
