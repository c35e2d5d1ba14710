//! Patterns of model names: `*` is any text, and case does not matter.

use std::fmt;

/// The longest pattern, in bytes.
const LONGEST: usize = 256;

/// A pattern such as `*haiku*`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelPattern {
    text: String,
    lower: String,
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is empty.
    #[error("a pattern of models is empty: write * for all models")]
    Empty,
    /// It is longer than any name of a model.
    #[error("a pattern of models has {0} bytes; {LONGEST} are taken")]
    TooLong(usize),
}

impl ModelPattern {
    /// The pattern that a text is.
    pub fn new(text: &str) -> Result<ModelPattern, PatternError> {
        match text.len() {
            0 => Err(PatternError::Empty),
            bytes if bytes > LONGEST => Err(PatternError::TooLong(bytes)),
            _ => Ok(ModelPattern { text: text.to_owned(), lower: text.to_lowercase() }),
        }
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it takes a model.
    pub fn takes(&self, model: &str) -> bool {
        glob(&self.lower, &model.to_lowercase())
    }
}

impl fmt::Display for ModelPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether a pattern takes a text, case and all. The text is gone through once: each part between stars is looked for
/// after the one before it, and the last stands at the end.
pub(crate) fn glob(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut text) = text.strip_suffix(last) else { return false };
    for part in middle.split('*') {
        match find(text, part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// Where a part stands in a text. Both are short: preparing a search would take longer than the search.
fn find(text: &str, part: &str) -> Option<usize> {
    match part.len() {
        0 => Some(0),
        bytes => text.as_bytes().windows(bytes).position(|window| window == part.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn takes(pattern: &str, model: &str) -> bool {
        ModelPattern::new(pattern).unwrap().takes(model)
    }

    #[test]
    fn a_star_is_any_text_and_case_does_not_matter() {
        for (pattern, model, expected) in [
            ("*", "", true),
            ("**", "x", true),
            ("*haiku*", "claude-HAIKU-4-5", true),
            ("*Haiku*", "haiku", true),
            ("gpt-5*", "gpt-5", true),
            ("gpt-5*", "openai/gpt-5", false),
            ("*-mini", "gpt-4o-mini", true),
            ("*-mini", "gpt-4o-mini-2", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "acb", false),
            // The beginning and the end may not share letters.
            ("ab*ba", "aba", false),
            ("ab*ba", "abba", true),
            ("a*a", "a", false),
            ("exact", "exact", true),
            ("exact", "exact ", false),
            // Nothing else is special.
            ("gpt-?", "gpt-4", false),
            ("[ab]", "a", false),
            ("*ä*", "xÄy", true),
        ] {
            assert_eq!(takes(pattern, model), expected, "{pattern} {model}");
        }
    }

    #[test]
    fn a_pattern_that_is_empty_or_too_long_is_none() {
        assert_eq!(ModelPattern::new(""), Err(PatternError::Empty));
        assert_eq!(ModelPattern::new(&"*".repeat(257)), Err(PatternError::TooLong(257)));
        assert!(ModelPattern::new(&"*".repeat(256)).is_ok());
    }

    #[test]
    fn many_stars_take_no_longer_than_few() {
        let pattern = "*a".repeat(127) + "*b";
        let text = "a".repeat(1_000_000);
        assert!(!takes(&pattern, &text));
        assert!(takes(&pattern, &(text + "b")));
    }

    /// The plainest form of the same rule.
    fn slow(pattern: &[char], text: &[char]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some(('*', rest)) => (0..=text.len()).any(|at| slow(rest, &text[at..])),
            Some((letter, rest)) => {
                text.split_first().is_some_and(|(own, left)| own == letter && slow(rest, left))
            }
        }
    }

    proptest! {
        #[test]
        fn the_fast_way_says_what_the_plain_one_says(pattern in "[ab*]{1,7}", text in "[ab]{0,9}") {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(glob(&pattern, &text), slow(&letters(&pattern), &letters(&text)));
        }

        #[test]
        fn a_pattern_with_its_stars_filled_is_taken(parts in proptest::collection::vec("[a-c]{0,3}", 1..5), fill in "[a-c]{0,4}") {
            prop_assert!(glob(&parts.join("*"), &parts.join(&fill)));
        }
    }
}
