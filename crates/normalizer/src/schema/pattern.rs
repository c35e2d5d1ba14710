//! Regular expressions of schemas, matched without backtracking.
//!
//! JSON Schema means ECMA-262; the engine here runs in linear time and has no look-around. What
//! it cannot compile is left unjudged rather than guessed.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use regex::Regex;
use regex_syntax::ast::ErrorKind;
use regex_syntax::hir::{Class, Hir, HirKind};
use regex_syntax::{Error, Parser};

/// The weight that one pattern may have; about 1 MiB when it is compiled.
const MAX_WEIGHT: usize = 32 << 10;
/// The weight that the patterns of one schema may have together.
const MAX_TOTAL_WEIGHT: usize = 16 * MAX_WEIGHT;
/// What compiling takes however short a pattern is.
const LEAST_WEIGHT: usize = 16;
/// The weight of the bytes that a character outside of ASCII may have.
const CHAR_WEIGHT: usize = 12;
/// How much may be read of the patterns of one schema, in bytes.
const MAX_READ: usize = 4 << 20;
/// A class of Unicode takes as long to read as so many bytes.
const CLASS_BYTES: usize = 1 << 10;

/// A `pattern` or a key of `patternProperties`. Compiled when it is first matched: most calls use few
/// of the patterns that a schema has.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(Arc<Source>);

#[derive(Debug)]
struct Source {
    text: Box<str>,
    regex: Result<OnceLock<Option<Regex>>, Unjudged>,
}

/// The patterns of one schema: equal ones are one, and all of them share a limit.
#[derive(Debug)]
pub(super) struct Patterns {
    known: HashMap<Box<str>, Pattern>,
    weight_left: usize,
    read_left: usize,
}

/// Why a pattern is not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unjudged {
    /// Look-around or a back-reference.
    Backtracking,
    TooLarge,
    /// The patterns before it have used up the limit of the schema.
    TooMany,
    Invalid,
}

impl Default for Patterns {
    fn default() -> Self {
        Patterns { known: HashMap::new(), weight_left: MAX_TOTAL_WEIGHT, read_left: MAX_READ }
    }
}

impl Patterns {
    /// The pattern with this source, and whether it is a new one.
    pub fn add(&mut self, source: &str) -> (Pattern, bool) {
        if let Some(known) = self.known.get(source) {
            return (known.clone(), false);
        }
        let regex = self.admit(source).map(|()| OnceLock::new());
        let pattern = Pattern(Arc::new(Source { text: source.into(), regex }));
        self.known.insert(source.into(), pattern.clone());
        (pattern, true)
    }

    /// Reads a pattern and pays for it, without compiling it.
    fn admit(&mut self, source: &str) -> Result<(), Unjudged> {
        let classes = source.matches("\\p").count() + source.matches("\\P").count();
        let effort = classes.saturating_mul(CLASS_BYTES).saturating_add(source.len());
        if effort > MAX_READ / 4 {
            return Err(Unjudged::TooLarge);
        }
        self.read_left = self.read_left.checked_sub(effort).ok_or(Unjudged::TooMany)?;
        let read = Parser::new().parse(&from_ecma(source)).map_err(|error| Unjudged::from(&error))?;
        let weight = LEAST_WEIGHT.saturating_add(weight(&read));
        if weight > MAX_WEIGHT {
            return Err(Unjudged::TooLarge);
        }
        self.weight_left = self.weight_left.checked_sub(weight).ok_or(Unjudged::TooMany)?;
        Ok(())
    }
}

impl Pattern {
    /// The pattern as the schema has it.
    pub fn source(&self) -> &str {
        &self.0.text
    }

    /// Why this engine cannot judge the pattern, if it cannot.
    pub fn unjudged(&self) -> Option<Unjudged> {
        self.0.regex.as_ref().err().copied()
    }

    /// Whether the text matches anywhere; an unjudged pattern matches everything.
    pub fn matches(&self, text: &str) -> bool {
        let Ok(lazy) = &self.0.regex else { return true };
        // What was read can be compiled: the weight keeps it far below the engine's own limit.
        let regex = lazy.get_or_init(|| Regex::new(&from_ecma(self.source())).ok());
        regex.as_ref().is_none_or(|regex| regex.is_match(text))
    }
}

/// How large a pattern becomes, in units of about 32 bytes. Repetitions are written out.
fn weight(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Unicode(class)) if class.is_ascii() => 1 + class.ranges().len(),
        HirKind::Class(Class::Unicode(class)) => CHAR_WEIGHT + class.ranges().len(),
        HirKind::Class(Class::Bytes(class)) => 1 + class.ranges().len(),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(1);
            weight(&repetition.sub).saturating_add(1).saturating_mul(times as usize)
        }
        HirKind::Capture(capture) => weight(&capture.sub).saturating_add(2),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(weight).fold(1, usize::saturating_add)
        }
    }
}

impl Unjudged {
    /// What is the matter with the pattern, as the end of a sentence.
    pub fn describe(self) -> &'static str {
        match self {
            Unjudged::Backtracking => "needs backtracking (look-around or a back-reference)",
            Unjudged::TooLarge => "is too large to compile",
            Unjudged::TooMany => "is too much together with the other patterns of the schema",
            Unjudged::Invalid => "is not a valid regular expression",
        }
    }
}

impl From<&Error> for Unjudged {
    fn from(error: &Error) -> Unjudged {
        match error {
            Error::Parse(error) => match error.kind() {
                ErrorKind::UnsupportedLookAround | ErrorKind::UnsupportedBackreference => {
                    Unjudged::Backtracking
                }
                ErrorKind::NestLimitExceeded(_) => Unjudged::TooLarge,
                _ => Unjudged::Invalid,
            },
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
    use super::{Pattern, Patterns, Unjudged, from_ecma};
    use regex::RegexBuilder;

    fn pattern(source: &str) -> Pattern {
        Patterns::default().add(source).0
    }

    #[test]
    fn classes_are_ascii_as_in_ecma_262() {
        assert!(pattern(r"^\d+$").matches("42"));
        assert!(!pattern(r"^\d+$").matches("٤٢"));
        assert!(pattern(r"^[\w-]+$").matches("a_b-c"));
    }

    #[test]
    fn what_needs_backtracking_is_left_unjudged() {
        let look_ahead = pattern("^(?!x).*$");
        assert_eq!(look_ahead.unjudged(), Some(Unjudged::Backtracking));
        assert!(look_ahead.matches("xyz"));
        assert_eq!(pattern(r"(a)\1").unjudged(), Some(Unjudged::Backtracking));
        assert_eq!(pattern("(").unjudged(), Some(Unjudged::Invalid));
        assert_eq!(pattern("(a{1000}){1000}").unjudged(), Some(Unjudged::TooLarge));
    }

    #[test]
    fn what_is_admitted_compiles_within_two_mebibytes() {
        let largest =
            ["a{#}", "[a-c]{#}", ".{#}", r"\p{L}{#}", "(ab|[^x]){#}", r"[\p{L}\p{N} _-]{0,#}", r"(\s*\w){#}"];
        for form in largest {
            let source = |count: usize| form.replace('#', &count.to_string());
            let admitted = |count: &usize| pattern(&source(*count)).unjudged().is_none();
            let count = (0..16).rev().map(|power| 1 << power).find(admitted).expect("one is admitted");
            let built = RegexBuilder::new(&from_ecma(&source(count))).size_limit(2 << 20).build();
            assert!(built.is_ok(), "{}", source(count));
        }
    }

    #[test]
    fn equal_patterns_are_one() {
        let mut patterns = Patterns::default();
        assert!(patterns.add("^a+$").1);
        let (again, is_new) = patterns.add("^a+$");
        assert!(!is_new && again.matches("aa") && !again.matches("b"));
    }
}
