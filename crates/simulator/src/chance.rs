//! Seeded chance: one seed gives the same ids, names and odd answers again.

use serde::{Deserialize, Serialize};

/// A small generator (SplitMix64). Not secret: nothing here protects anything.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Chance {
    state: u64,
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl Chance {
    /// A generator that repeats itself for the same seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound - 1`; 0 when there is nothing to choose from.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.next() % bound }
    }

    /// One of two.
    pub fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }

    /// `length` letters of the URL-safe alphabet.
    pub fn letters(&mut self, length: usize) -> String {
        (0..length).map(|_| char::from(LETTERS[(self.next() % 64) as usize])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_gives_the_same_letters_again() {
        assert_eq!(Chance::seeded(7).letters(20), Chance::seeded(7).letters(20));
        assert_ne!(Chance::seeded(7).letters(20), Chance::seeded(8).letters(20));
    }
}
