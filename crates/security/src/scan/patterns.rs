//! Patterns over folded text, tried together.

use regex::bytes::{Regex, RegexSet};

use super::text::Folded;
use super::{Severity, Spot};

/// How grave a match is, why it matters, and the pattern. See [`spelled_out`] for its words in capitals.
pub(super) type Rule = (Severity, &'static str, &'static str);

/// Rules of one code, ready for use.
pub(super) struct Patterns {
    code: &'static str,
    rules: Vec<(Severity, &'static str, Regex)>,
    all: RegexSet,
}

impl Patterns {
    pub(super) fn new(code: &'static str, rules: &[Rule]) -> Self {
        // A pattern that cannot be read is a mistake that a test finds; here it must not end the process.
        let compiled = |(severity, why, pattern): &Rule| Some((*severity, *why, compile(pattern)?));
        let rules: Vec<_> = rules.iter().filter_map(compiled).collect();
        let all = RegexSet::new(rules.iter().map(|(_, _, regex)| regex.as_str())).unwrap_or_default();
        Self { code, rules, all }
    }

    pub(super) fn look(&self, folded: &Folded, spot: &mut Spot<'_>) {
        for number in self.all.matches(folded.text.as_bytes()) {
            let (severity, why, regex) = &self.rules[number];
            let found = regex.find_iter(folded.text.as_bytes()).find(|found| !is_passive(found.as_bytes()));
            if let Some(found) = found {
                spot.tell(self.code, *severity, folded.origin(found.start(), found.end()), why);
            }
        }
    }

    /// Whether any of them is found.
    pub(super) fn finds(&self, folded: &Folded) -> bool {
        self.all.is_match(folded.text.as_bytes())
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }
}

/// Reads a pattern. Folded text is ASCII, so `\b` and `\w` need not know more.
pub(super) fn compile(pattern: &str) -> Option<Regex> {
    Regex::new(&spelled_out(pattern)).ok()
}

/// "Is read from" explains; "read" orders. Patterns that may begin with `PASSIVE` leave the first to this.
fn is_passive(found: &[u8]) -> bool {
    [&b"is "[..], b"are ", b"was ", b"were "].iter().any(|start| found.starts_with(start))
}

/// Folded text has no capitals, so capitals can stand for what many patterns share.
fn spelled_out(pattern: &str) -> String {
    let pattern = pattern
        .replace("NOT", r"\b(?:do not|don'?t|never|must not|mustn'?t|should not|shouldn'?t)\b")
        .replace("PASSIVE", r"(?:\b(?:is|are|was|were) (?:only |also |then )?)?")
        .replace("GAP", "[^.!?]")
        .replace("URL", r"(?:https?|wss?|ftp)://");
    format!("(?-u){pattern}")
}
