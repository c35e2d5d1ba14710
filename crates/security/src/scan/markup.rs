//! `hidden_markup`: tags and comments that a rendered page does not show, or that give a text the look of a system
//! message.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::patterns::{PatternSet, Rule, compile};
use super::text::Folded;
use super::{ScannedText, Severity};

const CODE: &str = "hidden_markup";

/// The number of bytes of a comment that are read.
const MAX_COMMENT_BYTES: usize = 2_000;

pub(super) const RULES: &[Rule] = &[
    (
        Severity::High,
        "A tag that gives the text more weight than a description has.",
        r"<\s?/?\s?(?:important|system|secret|hidden|admin|critical|override|sys|developer|assistant|system[-_](?:prompt|message|reminder|instructions?)|instructions?|(?:hidden|secret|ai|llm|model|agent)[-_]instructions?)(?:\s[^>]{0,100})?/?>",
    ),
    (
        Severity::High,
        "Delimiters of a model's input: the text after them can pass as a message of another role.",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id)|\[/?inst\]|<</?sys>>|\[(?:system|admin|important)(?: (?:message|note|instruction|override|prompt))?\]:?|#{2,} ?(?:system|instructions? (?:for|to) (?:the )?(?:ai|assistant|model|llm|agent))\b",
    ),
    (
        Severity::High,
        "An image whose address sends text to another site.",
        r"!\[[^\]]{0,200}\]\(\s?URL[^)\s]{0,300}(?:\{|\$|%7b|<|\[)",
    ),
    (
        Severity::High,
        "An image whose address sends text to another site.",
        r"(?:!\[[^\]]{0,200}\]\(\s?|<img [^>]{0,100}src=.?)URL[^)\s>]{0,200}[?&](?:data|secret|conversation|chat|history|token|key|leak|exfil|content|prompt|d|q|c)=(?:[^)\s>]{0,40}(?:\{|\$|<|\[|here|content|conversation|secret|data|token|key)|[)\x22'\s>])",
    ),
];

static PATTERNS: LazyLock<PatternSet> = LazyLock::new(|| PatternSet::new(CODE, RULES));

/// Words that address a model rather than a reader of the source.
const ORDER: &str = r"\b(?:you (?:must|should|need|have to|are)|ignore|do not|don'?t|never|assistant|ai|llm|agents?|model|instructions?|system prompt|(?:before|after|when) (?:using|calling|answering)|secrets?|the user|also (?:call|send|read|include)|conversation|credentials?|password|read (?:the )?(?:file|content)|URL)";
static ORDER_REGEX: LazyLock<Option<Regex>> = LazyLock::new(|| compile(ORDER));

const UNSEEN: &str = r"<[a-z0-9]{1,20} [^>]{0,200}(?:style ?= ?[^>]{0,120}(?:display ?: ?none|font-size ?: ?0|visibility ?: ?hidden|opacity ?: ?0(?:[; \x22']|\.0)|color ?: ?(?:white|transparent|#fff))|\bhidden\b)[^>]{0,120}>";
static UNSEEN_REGEX: LazyLock<Option<Regex>> = LazyLock::new(|| compile(UNSEEN));

pub(super) fn check(folded: &Folded, scanned: &mut ScannedText<'_>) {
    if !folded.text.contains(['<', '[', '#']) {
        return;
    }
    PATTERNS.check(folded, scanned);
    let mut at = 0;
    while let Some(start) = folded.text[at..].find("<!--").map(|found| at + found) {
        // Folded text is ASCII, so every byte is a character boundary.
        let limit = (start + MAX_COMMENT_BYTES).min(folded.text.len());
        let end = folded.text[start..limit].find("-->").map_or(limit, |length| start + length);
        if contains_order(&folded.text[start..end]) {
            let why = "A hidden comment with instructions for the model.";
            scanned.add_finding(CODE, Severity::High, folded.origin(start, end), why);
        }
        at = end.max(start + 4);
    }
    let Some(unseen) = UNSEEN_REGEX.as_ref() else { return };
    for found in unseen.find_iter(folded.text.as_bytes()) {
        let end = (found.end() + 300).min(folded.text.len());
        if contains_order(&folded.text[found.end()..end]) {
            let why = "A hidden element with instructions for the model.";
            scanned.add_finding(CODE, Severity::High, folded.origin(found.start(), end), why);
        }
    }
}

fn contains_order(text: &str) -> bool {
    ORDER_REGEX.as_ref().is_some_and(|contains_order| contains_order.is_match(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(PATTERNS.count(), RULES.len());
        assert!(ORDER_REGEX.is_some() && UNSEEN_REGEX.is_some());
    }
}
