//! Chance, passed in: tokens and pack keys are drawn through [`Rng`], so that a test can replay them.

use std::sync::Mutex;

/// A source of random bytes. In the product it is the operating system's; in tests a seeded one.
pub trait Rng: Send + Sync {
    /// Fills `buffer` with random bytes.
    fn fill(&self, buffer: &mut [u8]);
}

/// Lower-case letters and digits without those that people mix up when they read them aloud.
const TOKEN_ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// A session token: 160 random bits as 32 characters that fit a Telegram start payload (`A-Za-z0-9_-`, 64 at most).
pub fn session_token(rng: &dyn Rng) -> String {
    draw(rng, TOKEN_ALPHABET, 32)
}

/// The ten letters that make a pack name unguessable and unique for ever (`jobs.pack_key`).
pub fn pack_key(rng: &dyn Rng) -> String {
    draw(rng, TOKEN_ALPHABET, 10)
}

/// Draws `length` characters; the alphabet has 32 of them, so five bits of a byte choose one without a bias.
fn draw(rng: &dyn Rng, alphabet: &[u8; 32], length: usize) -> String {
    let mut bytes = vec![0u8; length];
    rng.fill(&mut bytes);
    bytes.iter().map(|byte| char::from(alphabet[usize::from(byte & 31)])).collect()
}

/// A seeded source (SplitMix64): the same seed gives the same bytes. Never for secrets.
#[derive(Debug)]
pub struct SeededRng(Mutex<u64>);

impl SeededRng {
    /// A source that replays `seed`.
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }
}

impl Rng for SeededRng {
    fn fill(&self, buffer: &mut [u8]) {
        // A poisoned lock only means that another test thread panicked; the number itself is still a number.
        let mut state = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for chunk in buffer.chunks_mut(8) {
            *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = *state;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^= z >> 31;
            chunk.copy_from_slice(&z.to_le_bytes()[..chunk.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_at_least_128_bits_and_fits_a_start_payload() {
        let token = session_token(&SeededRng::new(1));
        assert_eq!(token.len(), 32); // 32 characters of 5 bits are 160 bits
        assert!(token.bytes().all(|b| b.is_ascii_alphanumeric()));
    }

    #[test]
    fn a_seed_replays_and_another_seed_differs() {
        assert_eq!(pack_key(&SeededRng::new(7)), pack_key(&SeededRng::new(7)));
        assert_ne!(pack_key(&SeededRng::new(7)), pack_key(&SeededRng::new(8)));
    }
}
