//! `shadowing`: a tool that gives instructions about another server's tool.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::patterns::compile;
use super::text::Folded;
use super::{Context, ScannedText, Severity};

const CODE: &str = "shadowing";

/// The distance around a name in which an order is searched, in bytes.
const AROUND: usize = 120;

/// Below this length a name of one word, such as `search`, is an ordinary word.
const MIN_PLAIN_NAME: usize = 12;

/// The most names that are checked per text.
const MAX_NAMES: usize = 200;

const STRONG: &str = r"\b(?:must|always|never|instead of|whenever|every time|do not|don't|replaces?|replacement for|supersed(?:e|es|ed|ing)|obsoletes?|takes? the place of|redirect|change|modify|override|rerouted?|disabled?|deprecated|broken|unsafe|no longer|intercepts?|set (?:the|its)|first call|side effect)\b";
static STRONG_REGEX: LazyLock<Option<Regex>> = LazyLock::new(|| compile(STRONG));

pub(super) fn check(folded: &Folded, context: &Context, scanned: &mut ScannedText<'_>) {
    if context.other_tools.is_empty() || scanned.place == "/name" || !folded.text.contains(' ') {
        return;
    }
    let text = folded.text.as_str();
    let mut at = 0;
    let mut names = 0;
    for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))) {
        let start = at;
        at += word.len() + 1;
        let name = word.trim_matches(['.', '-', '/']);
        if name.is_empty() || !context.other_tools.contains(name) {
            continue;
        }
        let from = start.saturating_sub(AROUND);
        let to = (start + word.len() + AROUND).min(text.len());
        let around = &text[from..to];
        if !is_distinct(name) && !is_called_a_tool(around, name) {
            continue;
        }
        names += 1;
        if names > MAX_NAMES {
            return;
        }
        let range = folded.origin(start, start + word.len());
        if STRONG_REGEX.as_ref().is_some_and(|strong| strong.is_match(around.as_bytes())) {
            let why = "It gives orders about the use of another server's tool.";
            scanned.add_finding(CODE, Severity::High, range, why);
        } else {
            scanned.add_finding(CODE, Severity::Low, range, "It names another server's tool.");
        }
    }
}

fn is_distinct(name: &str) -> bool {
    name.contains(['_', '-', '.', '/']) || name.len() >= MIN_PLAIN_NAME
}

fn is_called_a_tool(around: &str, name: &str) -> bool {
    around.contains(&format!("{name} tool")) || around.contains(&format!("tool {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(STRONG_REGEX.is_some());
    }
}
