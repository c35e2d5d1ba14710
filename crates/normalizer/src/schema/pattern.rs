//! Regular expressions of schemas, matched without backtracking.
//!
//! JSON Schema means ECMA-262; the engine here runs in linear time and has no look-around. What
//! it cannot compile is left unjudged rather than guessed.

use regex::{Regex, RegexBuilder};

/// The compiled size a pattern may have, in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// A `pattern` or a key of `patternProperties`.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    regex: Option<Regex>,
}

impl Pattern {
    pub fn new(source: &str) -> Pattern {
        let regex = RegexBuilder::new(&from_ecma(source)).size_limit(MAX_COMPILED_BYTES).build().ok();
        Pattern { regex }
    }

    /// Whether this engine can judge the pattern.
    pub fn is_judged(&self) -> bool {
        self.regex.is_some()
    }

    /// Whether the text matches anywhere; an unjudged pattern matches everything.
    pub fn matches(&self, text: &str) -> bool {
        self.regex.as_ref().is_none_or(|regex| regex.is_match(text))
    }
}

/// Gives the character classes their ECMA-262 meaning: `\d` and `\w` are ASCII.
fn from_ecma(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 16);
    let mut chars = source.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        match chars.next() {
            Some('d') => out.push_str("[0-9]"),
            Some('D') => out.push_str("[^0-9]"),
            Some('w') => out.push_str("[0-9A-Za-z_]"),
            Some('W') => out.push_str("[^0-9A-Za-z_]"),
            Some(other) => {
                out.push('\\');
                out.push(other);
            }
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn classes_are_ascii_as_in_ecma_262() {
        assert!(Pattern::new(r"^\d+$").matches("42"));
        assert!(!Pattern::new(r"^\d+$").matches("٤٢"));
        assert!(Pattern::new(r"^[\w-]+$").matches("a_b-c"));
    }

    #[test]
    fn what_needs_backtracking_is_left_unjudged() {
        let pattern = Pattern::new("^(?!x).*$");
        assert!(!pattern.is_judged());
        assert!(pattern.matches("xyz"));
    }
}
