//! Random numbers that are the same on every machine.

/// SplitMix64: small, fast, good enough to choose mistakes.
#[derive(Debug, Clone)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// A generator of its own for one case, so that a change to one case leaves the others as they are.
    pub fn for_case(seed: u64, group: &str, index: usize) -> Self {
        let mut rng = Self { state: seed };
        for byte in group.bytes() {
            rng.state = rng.next() ^ u64::from(byte);
        }
        rng.state = rng.next() ^ index as u64;
        rng.next();
        rng
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 when the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.next() % bound as u64) as usize }
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of the items, or nothing when there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// One of a list that is known not to be empty.
    pub fn word<const N: usize>(&mut self, items: &[&'static str; N]) -> &'static str {
        items.get(self.below(N)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_case_gets_the_same_numbers() {
        assert_eq!(Rng::for_case(1, "a", 2).next(), Rng::for_case(1, "a", 2).next());
        assert_ne!(Rng::for_case(1, "a", 2).next(), Rng::for_case(1, "a", 3).next());
        assert_ne!(Rng::for_case(1, "a", 2).next(), Rng::for_case(2, "a", 2).next());
    }
}
