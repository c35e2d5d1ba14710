//! Cardinality limit for names that come from outside: every name becomes a time series in the collector.

use std::collections::BTreeSet;
use std::sync::RwLock;

use toolwright_base::IgnorePoison;

/// The number of rules that are counted separately.
pub const MAX_RULES: usize = 200;
/// The name that stands for all further names.
const OTHER: &str = "other";

/// Passes the first `most` names; replaces all further ones by `other`.
#[derive(Debug)]
pub struct NumberedNames {
    known: RwLock<BTreeSet<String>>,
    most: usize,
}

impl NumberedNames {
    /// Passes this many distinct names.
    pub fn new(most: usize) -> NumberedNames {
        NumberedNames { known: RwLock::default(), most }
    }

    /// The name itself if it is within the limit, else `other`.
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
    fn names_above_the_limit_become_other() {
        let names = NumberedNames::new(2);
        assert_eq!([names.name("a"), names.name("b"), names.name("c")], ["a", "b", "other"]);
        assert_eq!([names.name("b"), names.name("d")], ["b", "other"]);
    }
}
