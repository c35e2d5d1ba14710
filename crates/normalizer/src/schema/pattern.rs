//! Regular expressions of schemas, matched without backtracking.
//!
//! JSON Schema uses ECMA-262; the engine here runs in linear time and has no look-around. A pattern that
//! it cannot compile is not validated instead of guessed.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use regex::Regex;
use regex_syntax::ast::ErrorKind;
use regex_syntax::hir::{Class, Hir, HirKind};
use regex_syntax::{Error, Parser};

/// Maximum weight of one pattern; about 1 MiB when it is compiled.
const MAX_WEIGHT: usize = 32 << 10;
/// Maximum weight of all patterns of one schema.
const MAX_TOTAL_WEIGHT: usize = 16 * MAX_WEIGHT;
/// Minimum weight of a pattern: the fixed cost of compiling.
const LEAST_WEIGHT: usize = 16;
/// Weight of the bytes of a character outside of ASCII.
const CHAR_WEIGHT: usize = 12;
/// Maximum effort of parsing the patterns of one schema, in bytes.
const MAX_READ: usize = 4 << 20;
/// Parsing effort of a Unicode class, in bytes.
const CLASS_BYTES: usize = 1 << 10;

/// A `pattern` or a key of `patternProperties`. Compiled when it is first matched: most calls use few
/// of the patterns of a schema.
#[derive(Clone, Debug)]
pub(crate) struct SchemaPattern(Arc<PatternSource>);

#[derive(Debug)]
struct PatternSource {
    text: Box<str>,
    regex: Result<OnceLock<Option<Regex>>, UnsupportedPattern>,
}

/// The patterns of one schema: equal ones are shared, and all of them share a limit.
#[derive(Debug)]
pub(super) struct SchemaPatterns {
    known: HashMap<Box<str>, SchemaPattern>,
    weight_left: usize,
    read_left: usize,
}

/// Why a pattern is not validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnsupportedPattern {
    /// Look-around or a back-reference.
    Backtracking,
    TooLarge,
    /// The previous patterns have used up the limit of the schema.
    TooMany,
    Invalid,
}

impl Default for SchemaPatterns {
    fn default() -> Self {
        SchemaPatterns { known: HashMap::new(), weight_left: MAX_TOTAL_WEIGHT, read_left: MAX_READ }
    }
}

impl SchemaPatterns {
    /// The pattern with this source, and whether it is a new one.
    pub fn add(&mut self, source: &str) -> (SchemaPattern, bool) {
        if let Some(known) = self.known.get(source) {
            return (known.clone(), false);
        }
        let regex = self.admit(source).map(|()| OnceLock::new());
        let pattern = SchemaPattern(Arc::new(PatternSource { text: source.into(), regex }));
        self.known.insert(source.into(), pattern.clone());
        (pattern, true)
    }

    /// Parses a pattern and charges for it, without compiling it.
    fn admit(&mut self, source: &str) -> Result<(), UnsupportedPattern> {
        let classes = source.matches("\\p").count() + source.matches("\\P").count();
        let effort = classes.saturating_mul(CLASS_BYTES).saturating_add(source.len());
        if effort > MAX_READ / 4 {
            return Err(UnsupportedPattern::TooLarge);
        }
        self.read_left = self.read_left.checked_sub(effort).ok_or(UnsupportedPattern::TooMany)?;
        let read =
            Parser::new().parse(&from_ecma(source)).map_err(|error| UnsupportedPattern::from(&error))?;
        let weight = LEAST_WEIGHT.saturating_add(weight(&read));
        if weight > MAX_WEIGHT {
            return Err(UnsupportedPattern::TooLarge);
        }
        self.weight_left = self.weight_left.checked_sub(weight).ok_or(UnsupportedPattern::TooMany)?;
        Ok(())
    }
}

impl SchemaPattern {
    /// The pattern as written in the schema.
    pub fn source(&self) -> &str {
        &self.0.text
    }

    /// Why this engine cannot validate the pattern, if it cannot.
    pub fn unsupported(&self) -> Option<UnsupportedPattern> {
        self.0.regex.as_ref().err().copied()
    }

    /// Whether the text matches anywhere; a pattern that is not validated matches everything.
    pub fn matches(&self, text: &str) -> bool {
        let Ok(lazy) = &self.0.regex else { return true };
        // A parsed pattern can be compiled: its weight is far below the engine's own limit.
        let regex = lazy.get_or_init(|| Regex::new(&from_ecma(self.source())).ok());
        regex.as_ref().is_none_or(|regex| regex.is_match(text))
    }
}

/// Size of a compiled pattern, in units of about 32 bytes. Repetitions are expanded.
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

impl UnsupportedPattern {
    /// The reason, as the end of a sentence.
    pub fn describe(self) -> &'static str {
        match self {
            UnsupportedPattern::Backtracking => "needs backtracking (look-around or a back-reference)",
            UnsupportedPattern::TooLarge => "is too large to compile",
            UnsupportedPattern::TooMany => "is too much together with the other patterns of the schema",
            UnsupportedPattern::Invalid => "is not a valid regular expression",
        }
    }
}

impl From<&Error> for UnsupportedPattern {
    fn from(error: &Error) -> UnsupportedPattern {
        match error {
            Error::Parse(error) => match error.kind() {
                ErrorKind::UnsupportedLookAround | ErrorKind::UnsupportedBackreference => {
                    UnsupportedPattern::Backtracking
                }
                ErrorKind::NestLimitExceeded(_) => UnsupportedPattern::TooLarge,
                _ => UnsupportedPattern::Invalid,
            },
            _ => UnsupportedPattern::Invalid,
        }
    }
}

/// White space as ECMA-262 defines it, for use in a class.
const SPACE: &str = r"\t\n\x0b\x0c\r\x{feff}\p{Z}";

/// Translates a pattern from ECMA-262: `\d`, `\w` and `\b` are ASCII, and a class has no operators and no
/// nested classes.
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
    use super::{SchemaPattern, SchemaPatterns, UnsupportedPattern, from_ecma};
    use regex::RegexBuilder;

    fn pattern(source: &str) -> SchemaPattern {
        SchemaPatterns::default().add(source).0
    }

    #[test]
    fn classes_are_ascii_as_in_ecma_262() {
        assert!(pattern(r"^\d+$").matches("42"));
        assert!(!pattern(r"^\d+$").matches("٤٢"));
        assert!(pattern(r"^[\w-]+$").matches("a_b-c"));
    }

    #[test]
    fn backtracking_pattern_is_not_validated() {
        let look_ahead = pattern("^(?!x).*$");
        assert_eq!(look_ahead.unsupported(), Some(UnsupportedPattern::Backtracking));
        assert!(look_ahead.matches("xyz"));
        assert_eq!(pattern(r"(a)\1").unsupported(), Some(UnsupportedPattern::Backtracking));
        assert_eq!(pattern("(").unsupported(), Some(UnsupportedPattern::Invalid));
        assert_eq!(pattern("(a{1000}){1000}").unsupported(), Some(UnsupportedPattern::TooLarge));
    }

    #[test]
    fn admitted_pattern_compiles_within_two_mebibytes() {
        let largest =
            ["a{#}", "[a-c]{#}", ".{#}", r"\p{L}{#}", "(ab|[^x]){#}", r"[\p{L}\p{N} _-]{0,#}", r"(\s*\w){#}"];
        for form in largest {
            let source = |count: usize| form.replace('#', &count.to_string());
            let admitted = |count: &usize| pattern(&source(*count)).unsupported().is_none();
            let count = (0..16).rev().map(|power| 1 << power).find(admitted).expect("one is admitted");
            let built = RegexBuilder::new(&from_ecma(&source(count))).size_limit(2 << 20).build();
            assert!(built.is_ok(), "{}", source(count));
        }
    }

    #[test]
    fn equal_patterns_are_one() {
        let mut patterns = SchemaPatterns::default();
        assert!(patterns.add("^a+$").1);
        let (again, is_new) = patterns.add("^a+$");
        assert!(!is_new && again.matches("aa") && !again.matches("b"));
    }
}
