//! Sets of patterns over folded text, matched together.

use regex::bytes::{Regex, RegexSet};

use super::text::Folded;
use super::{ScannedText, Severity};

/// Severity, reason and pattern. See [`expand_placeholders`] for the placeholders in capitals.
pub(super) type Rule = (Severity, &'static str, &'static str);

/// The compiled rules of one code.
pub(super) struct PatternSet {
    code: &'static str,
    rules: Vec<(Severity, &'static str, Regex)>,
    all: RegexSet,
}

impl PatternSet {
    pub(super) fn new(code: &'static str, rules: &[Rule]) -> Self {
        // A pattern that does not compile is a bug that a test finds; it must not panic here.
        let compiled = |(severity, why, pattern): &Rule| Some((*severity, *why, compile(pattern)?));
        let rules: Vec<_> = rules.iter().filter_map(compiled).collect();
        let all = RegexSet::new(rules.iter().map(|(_, _, regex)| regex.as_str())).unwrap_or_default();
        Self { code, rules, all }
    }

    pub(super) fn check(&self, folded: &Folded, scanned: &mut ScannedText<'_>) {
        for number in self.all.matches(folded.text.as_bytes()) {
            let (severity, why, regex) = &self.rules[number];
            let found = regex.find_iter(folded.text.as_bytes()).find(|found| !is_passive(found.as_bytes()));
            if let Some(found) = found {
                scanned.add_finding(self.code, *severity, folded.origin(found.start(), found.end()), why);
            }
        }
    }

    /// Whether any rule matches.
    pub(super) fn finds(&self, folded: &Folded) -> bool {
        self.all.is_match(folded.text.as_bytes())
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }
}

/// Compiles a pattern. Folded text is ASCII, so `\b` and `\w` need no Unicode support.
pub(super) fn compile(pattern: &str) -> Option<Regex> {
    Regex::new(&expand_placeholders(pattern)).ok()
}

/// Whether a match is a statement: "is read from" explains, "read" orders. Patterns that start with `PASSIVE` match
/// both; this filter drops the first.
fn is_passive(found: &[u8]) -> bool {
    [&b"is "[..], b"are ", b"was ", b"were "].iter().any(|start| found.starts_with(start))
}

/// Expands placeholders. Folded text has no capitals, so capitals can stand for parts that many patterns share.
fn expand_placeholders(pattern: &str) -> String {
    let pattern = pattern
        .replace("NOT", r"\b(?:do not|don'?t|never|must not|mustn'?t|should not|shouldn'?t)\b")
        .replace("PASSIVE", r"(?:\b(?:is|are|was|were) (?:only |also |then )?)?")
        .replace("GAP", "[^.!?]")
        .replace("URL", r"(?:https?|wss?|ftp)://");
    format!("(?-u){pattern}")
}
