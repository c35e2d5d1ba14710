//! Regular expressions of schemas, matched without backtracking.
//!
//! JSON Schema means ECMA-262; the engine here runs in linear time and has no look-around. What
//! it cannot compile is left unjudged rather than guessed.

use regex::{Error, Regex, RegexBuilder};

/// The compiled size a pattern may have, in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// A `pattern` or a key of `patternProperties`.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    source: Box<str>,
    regex: Result<Regex, Unjudged>,
}

/// Why a pattern is not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unjudged {
    /// Look-around or a back-reference.
    Backtracking,
    TooLarge,
    Invalid,
}

impl Pattern {
    pub fn new(source: &str) -> Pattern {
        let built = RegexBuilder::new(&from_ecma(source)).size_limit(MAX_COMPILED_BYTES).build();
        Pattern { source: source.into(), regex: built.map_err(|error| Unjudged::from(&error)) }
    }

    /// The pattern as the schema has it.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Why this engine cannot judge the pattern, if it cannot.
    pub fn unjudged(&self) -> Option<Unjudged> {
        self.regex.as_ref().err().copied()
    }

    /// Whether the text matches anywhere; an unjudged pattern matches everything.
    pub fn matches(&self, text: &str) -> bool {
        self.regex.as_ref().map_or(true, |regex| regex.is_match(text))
    }
}

impl Unjudged {
    /// What is the matter with the pattern, as the end of a sentence.
    pub fn describe(self) -> &'static str {
        match self {
            Unjudged::Backtracking => "needs backtracking (look-around or a back-reference)",
            Unjudged::TooLarge => "is too large to compile",
            Unjudged::Invalid => "is not a valid regular expression",
        }
    }
}

impl From<&Error> for Unjudged {
    fn from(error: &Error) -> Unjudged {
        match error {
            Error::CompiledTooBig(_) => Unjudged::TooLarge,
            Error::Syntax(reason) if reason.contains("look-around") || reason.contains("backreferences") => {
                Unjudged::Backtracking
            }
            _ => Unjudged::Invalid,
        }
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
    use super::{Pattern, Unjudged};

    #[test]
    fn classes_are_ascii_as_in_ecma_262() {
        assert!(Pattern::new(r"^\d+$").matches("42"));
        assert!(!Pattern::new(r"^\d+$").matches("٤٢"));
        assert!(Pattern::new(r"^[\w-]+$").matches("a_b-c"));
    }

    #[test]
    fn what_needs_backtracking_is_left_unjudged() {
        let pattern = Pattern::new("^(?!x).*$");
        assert_eq!(pattern.unjudged(), Some(Unjudged::Backtracking));
        assert!(pattern.matches("xyz"));
        assert_eq!(Pattern::new(r"(a)\1").unjudged(), Some(Unjudged::Backtracking));
        assert_eq!(Pattern::new("(").unjudged(), Some(Unjudged::Invalid));
        assert_eq!(Pattern::new("(a{1000}){1000}").unjudged(), Some(Unjudged::TooLarge));
    }
}
