//! Random words that are the same in each run.

const ALPHANUMERIC: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// A generator of Marsaglia's kind.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    pub fn of(&mut self, letters: &[u8], length: usize) -> String {
        (0..length).map(|_| char::from(letters[self.below(letters.len())])).collect()
    }

    pub fn word(&mut self, length: usize) -> String {
        self.of(ALPHANUMERIC, length)
    }

    pub fn upper(&mut self, length: usize) -> String {
        // A digit is among them, as in every one that Amazon gives out.
        self.of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length - 1) + "7"
    }

    pub fn hex(&mut self, length: usize) -> String {
        self.of(b"0123456789abcdef", length)
    }

    pub fn base64(&mut self, length: usize) -> String {
        self.of(&[ALPHANUMERIC, b"+/"].concat(), length)
    }
}
