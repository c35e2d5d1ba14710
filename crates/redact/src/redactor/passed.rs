//! Short texts that hide nothing: the names of tools, clients and models come with every record.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard};

use toolwright_base::IgnorePoison;

/// How many are kept.
const MOST: usize = 1024;
/// Longer ones are no names.
const LONGEST: usize = 96;

/// Texts in which nothing was found.
#[derive(Default)]
pub(super) struct Passed(Mutex<HashSet<Box<str>>>);

impl Passed {
    /// Whether this text was looked at before, and nothing was found.
    pub(super) fn has(&self, text: &str) -> bool {
        text.len() <= LONGEST && self.texts().contains(text)
    }

    /// Nothing was found in this text.
    pub(super) fn add(&self, text: &str) {
        if text.len() > LONGEST {
            return;
        }
        let mut texts = self.texts();
        if texts.len() >= MOST {
            // Whoever makes up names costs the others a second look, and no memory.
            texts.clear();
        }
        texts.insert(text.into());
    }

    fn texts(&self) -> MutexGuard<'_, HashSet<Box<str>>> {
        self.0.lock().ignore_poison()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_again_and_their_number_is_bounded() {
        let passed = Passed::default();
        assert!(!passed.has("gpt-4.1"));
        passed.add("gpt-4.1");
        assert!(passed.has("gpt-4.1") && !passed.has("gpt-4"));
        let long = "x".repeat(LONGEST + 1);
        passed.add(&long);
        assert!(!passed.has(&long));
        for number in 0..3 * MOST {
            passed.add(&number.to_string());
            assert!(passed.has(&number.to_string()));
        }
        assert!(passed.texts().len() <= MOST);
    }
}
