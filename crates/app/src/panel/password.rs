//! Passwords of the panel: Argon2id and nothing else. Hashing takes a tenth of a second on purpose, so callers use a blocking thread.

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use domain::Rng;
use thiserror::Error;

/// The shortest password that is hashed (ASVS 5.0.0, 6.2.1).
pub const PASSWORD_MIN: usize = 8;
/// The longest; a longer one is not looked at when somebody signs in either.
pub const PASSWORD_MAX: usize = 256;

/// What one check may take at most, in KiB: a hash of the configuration says how much itself.
const MEMORY_MAX_KIB: u32 = 256 * 1024;
/// And how many rounds.
const ROUNDS_MAX: u32 = 20;
/// And how many lanes.
const LANES_MAX: u32 = 16;

/// Why a text is no hash that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadHash {
    /// Not the format `$argon2id$v=19$m=…,t=…,p=…$salt$hash`.
    #[error("no Argon2id hash as stickers admin-password prints it")]
    Format,
    /// It asks for more work than a server should do for a stranger.
    #[error("a hash that takes too much memory or time: at most m=262144, t=20, p=16")]
    TooExpensive,
}

/// The hash of a password, as `ADMIN_PASSWORD_HASH` takes it: OWASP's parameters of Argon2id (19 MiB, two rounds).
///
/// # Errors
/// When there is no memory for it.
pub fn hash(password: &str, rng: &dyn Rng) -> Result<String, argon2::password_hash::Error> {
    hash_with(password, rng, Params::default())
}

/// A hash that takes next to no time, for tests and for the demo, whose password everybody reads on its start page.
///
/// # Errors
/// Never in practice.
pub fn cheap_hash(password: &str, rng: &dyn Rng) -> Result<String, argon2::password_hash::Error> {
    let params = Params::new(Params::MIN_M_COST, 1, 1, None).unwrap_or_default();
    hash_with(password, rng, params)
}

fn hash_with(password: &str, rng: &dyn Rng, params: Params) -> Result<String, argon2::password_hash::Error> {
    let mut salt = [0u8; 16];
    rng.fill(&mut salt);
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    Ok(argon2.hash_password_with_salt(password.as_bytes(), &salt)?.to_string())
}

/// Whether this is a hash that [`verify`] takes.
///
/// # Errors
/// Says what is wrong with it; the hash itself is in no message.
pub fn check(hash: &str) -> Result<(), BadHash> {
    let parsed = PasswordHash::new(hash).map_err(|_| BadHash::Format)?;
    let params = Params::try_from(&parsed).map_err(|_| BadHash::Format)?;
    let whole = parsed.algorithm.as_str() == "argon2id" && parsed.salt.is_some() && parsed.hash.is_some();
    if !whole {
        return Err(BadHash::Format);
    }
    let bounded =
        params.m_cost() <= MEMORY_MAX_KIB && params.t_cost() <= ROUNDS_MAX && params.p_cost() <= LANES_MAX;
    if bounded { Ok(()) } else { Err(BadHash::TooExpensive) }
}

/// Whether this is the password behind the hash.
pub fn verify(password: &str, hash: &str) -> bool {
    password.len() <= PASSWORD_MAX && Argon2::default().verify_password(password.as_bytes(), hash).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::rng::SeededRng;

    #[test]
    fn only_the_password_itself_fits_its_hash() {
        let hash = cheap_hash("correct horse", &SeededRng::new(1)).expect("hashes");
        assert!(verify("correct horse", &hash));
        for wrong in ["correct horsE", "correct hors", "correct horse ", ""] {
            assert!(!verify(wrong, &hash), "{wrong}");
        }
        assert!(!verify("correct horse", "correct horse"), "a plain password is no hash");
    }

    #[test]
    fn two_hashes_of_one_password_differ_and_say_how_they_were_made() {
        let rng = SeededRng::new(2);
        let (one, other) = (hash("correct horse", &rng), hash("correct horse", &rng));
        let (one, other) = (one.expect("hashes"), other.expect("hashes"));
        assert_ne!(one, other);
        assert!(one.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{one}");
    }

    /// Typed from RFC 9106's variants and the bounds above.
    #[test]
    fn a_hash_of_another_kind_or_of_too_much_work_is_refused() {
        let good = cheap_hash("correct horse", &SeededRng::new(3)).expect("hashes");
        assert_eq!(check(&good), Ok(()));
        for bad in [
            "",
            "hunter2",
            "$2b$12$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234",
            "$argon2id$v=19$m=19456,t=2,p=1",
        ] {
            assert_eq!(check(bad), Err(BadHash::Format), "{bad}");
        }
        assert_eq!(check(&good.replace("argon2id", "argon2i")), Err(BadHash::Format));
        assert_eq!(check(&good.replace("m=8,", "m=4194304,")), Err(BadHash::TooExpensive));
        assert_eq!(check(&good.replace("t=1,", "t=1000,")), Err(BadHash::TooExpensive));
    }
}
