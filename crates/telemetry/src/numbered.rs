//! Names that come from outside, but only so many of them: every name is a time series of its own somewhere.

use std::collections::BTreeSet;
use std::sync::RwLock;

use toolwright_base::IgnorePoison;

/// How many rules are told apart.
pub const MAX_RULES: usize = 200;
/// The name of all the others.
const OTHER: &str = "other";

/// The first names that come, up to a number; the others are one.
#[derive(Debug)]
pub struct NumberedNames {
    known: RwLock<BTreeSet<String>>,
    most: usize,
}

impl NumberedNames {
    /// Tells this many apart.
    pub fn new(most: usize) -> NumberedNames {
        NumberedNames { known: RwLock::default(), most }
    }

    /// The name itself, or that of all the others.
    pub fn name<'n>(&self, name: &'n str) -> &'n str {
        if self.known.read().ignore_poison().contains(name) {
            return name;
        }
        let mut known = self.known.write().ignore_poison();
        if known.len() < self.most {
            known.insert(name.to_owned());
            return name;
        }
        if known.contains(name) { name } else { OTHER }
    }
}

impl Default for NumberedNames {
    fn default() -> Self {
        NumberedNames::new(MAX_RULES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_names_are_told_apart_and_the_others_are_one() {
        let names = NumberedNames::new(2);
        assert_eq!([names.name("a"), names.name("b"), names.name("c")], ["a", "b", "other"]);
        assert_eq!([names.name("b"), names.name("d")], ["b", "other"]);
    }
}
