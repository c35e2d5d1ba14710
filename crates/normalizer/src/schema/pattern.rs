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

/// White space as ECMA-262 counts it, for the inside of a class.
const SPACE: &str = r"\t\n\x0b\x0c\r\x{feff}\p{Z}";

/// Gives a pattern the meaning it has in ECMA-262: `\d`, `\w` and `\b` are ASCII, and a class knows no
/// operators and no classes within.
fn from_ecma(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 16);
    let mut chars = source.chars().peekable();
    let mut in_class = false;
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some('d') => out.push_str("[0-9]"),
                Some('D') => out.push_str("[^0-9]"),
                Some('w') => out.push_str("[0-9A-Za-z_]"),
                Some('W') => out.push_str("[^0-9A-Za-z_]"),
                Some('s') => out.push_str(&format!("[{SPACE}]")),
                Some('S') => out.push_str(&format!("[^{SPACE}]")),
                Some('b') if !in_class => out.push_str(r"(?-u:\b)"),
                Some(other) => out.extend(['\\', other]),
                None => out.push('\\'),
            },
            '[' if in_class => out.push_str(r"\["),
            '&' | '~' if in_class => out.extend(['\\', char]),
            '-' if in_class && chars.peek() == Some(&'-') => out.push_str(r"\-"),
            _ => {
                in_class = match char {
                    '[' => true,
                    ']' => false,
                    _ => in_class,
                };
                out.push(char);
            }
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
