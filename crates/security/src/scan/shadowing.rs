//! `shadowing`: a tool that says how another server's tool is to be used.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::patterns::compile;
use super::text::Folded;
use super::{Context, Severity, Spot};

const CODE: &str = "shadowing";

/// How far around a name an order is looked for, in bytes.
const AROUND: usize = 120;

/// Below this length a name of one word, such as `search`, is a word like others.
const MIN_PLAIN_NAME: usize = 12;

/// How many names are looked at in a text.
const MAX_NAMES: usize = 200;

const STRONG: &str = r"\b(?:must|always|never|instead of|whenever|every time|do not|don't|replaces?|replacement for|supersed(?:e|es|ed|ing)|obsoletes?|takes? the place of|redirect|change|modify|override|rerouted?|disabled?|deprecated|broken|unsafe|no longer|intercepts?|set (?:the|its)|first call|side effect)\b";
static STRONGS: LazyLock<Option<Regex>> = LazyLock::new(|| compile(STRONG));

pub(super) fn look(folded: &Folded, context: &Context, spot: &mut Spot<'_>) {
    if context.other_tools.is_empty() || spot.place == "/name" || !folded.text.contains(' ') {
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
        if !is_distinct(name) && !called_a_tool(around, name) {
            continue;
        }
        names += 1;
        if names > MAX_NAMES {
            return;
        }
        let range = folded.origin(start, start + word.len());
        if STRONGS.as_ref().is_some_and(|strong| strong.is_match(around.as_bytes())) {
            let why = "It gives orders about the use of another server's tool.";
            spot.tell(CODE, Severity::High, range, why);
        } else {
            spot.tell(CODE, Severity::Low, range, "It names another server's tool.");
        }
    }
}

fn is_distinct(name: &str) -> bool {
    name.contains(['_', '-', '.', '/']) || name.len() >= MIN_PLAIN_NAME
}

fn called_a_tool(around: &str, name: &str) -> bool {
    around.contains(&format!("{name} tool")) || around.contains(&format!("tool {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_can_be_read() {
        assert!(STRONGS.is_some());
    }
}
