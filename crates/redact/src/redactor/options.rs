//! What somebody may say about secrets.

use regex::{Regex, RegexBuilder};

use super::keys::Keys;

/// The most patterns that somebody may add: each is searched for in everything.
pub const MAX_PATTERNS: usize = 64;

/// How large one compiled pattern may be, in bytes.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// What is hidden besides what is hidden anyway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactOptions {
    /// Keys whose values are hidden too. `*` stands for anything; upper and lower case, `_` and `-` are the
    /// same: `*_dsn` is `databaseDsn` as well.
    pub keys: Vec<String>,
    /// Keys whose values are not hidden because of the key, in the same spelling. What looks like a secret in
    /// them is hidden nevertheless.
    pub allow_keys: Vec<String>,
    /// Regular expressions of what is hidden. When one has a group, only what the group holds is.
    pub patterns: Vec<String>,
    /// Whether long words that look random are hidden.
    pub entropy: bool,
}

impl Default for RedactOptions {
    fn default() -> Self {
        RedactOptions { keys: Vec::new(), allow_keys: Vec::new(), patterns: Vec::new(), entropy: true }
    }
}

/// Why options cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OptionsError {
    /// A pattern is no regular expression, or too large a one.
    #[error("patterns[{index}] `{pattern}` is no regular expression that can be used: {why}")]
    Pattern {
        /// Which one, from 0 on.
        index: usize,
        /// What was written.
        pattern: String,
        /// What is wrong with it.
        why: String,
    },
    /// A pattern finds the empty text, so it would be found everywhere.
    #[error(
        "patterns[{index}] `{pattern}` matches the empty text and would be found everywhere: ask for at least one character, for example with + instead of *"
    )]
    MatchesNothing {
        /// Which one, from 0 on.
        index: usize,
        /// What was written.
        pattern: String,
    },
    /// There are too many patterns.
    #[error("{count} patterns are too many: at most {MAX_PATTERNS}; join some with `|`")]
    TooManyPatterns {
        /// How many there are.
        count: usize,
    },
    /// A key has no letters, so it would be every key or none.
    #[error("{list}[{index}] `{key}` names no key: write at least one letter or digit")]
    Key {
        /// `keys` or `allow_keys`.
        list: &'static str,
        /// Which one, from 0 on.
        index: usize,
        /// What was written.
        key: String,
    },
    /// The table of shapes cannot be searched for. It is ours, so this is a fault of the program.
    #[error("the shapes of secrets cannot be searched for: {why}")]
    Shapes {
        /// What is wrong.
        why: String,
    },
}

impl RedactOptions {
    /// Whether the options can be used.
    ///
    /// # Errors
    /// With the first that cannot.
    pub fn check(&self) -> Result<(), OptionsError> {
        self.compiled_patterns()?;
        Keys::new(self).map(drop)
    }

    pub(super) fn compiled_patterns(&self) -> Result<Vec<Regex>, OptionsError> {
        if self.patterns.len() > MAX_PATTERNS {
            return Err(OptionsError::TooManyPatterns { count: self.patterns.len() });
        }
        let compiled = |(index, pattern): (usize, &String)| {
            let found = RegexBuilder::new(pattern).size_limit(MAX_PATTERN_BYTES).build();
            let found = found.map_err(|error| OptionsError::Pattern {
                index,
                pattern: pattern.clone(),
                why: last_line(&error.to_string()),
            })?;
            if found.is_match("") {
                return Err(OptionsError::MatchesNothing { index, pattern: pattern.clone() });
            }
            Ok(found)
        };
        self.patterns.iter().enumerate().map(compiled).collect()
    }
}

/// The last line says what is wrong; those before draw where.
fn last_line(text: &str) -> String {
    let line = text.lines().last().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Redactor;

    fn error(options: RedactOptions) -> String {
        Redactor::new([1; 32], options).expect_err("these options are wrong").to_string()
    }

    #[test]
    fn other_options_take_the_place_of_those_before_and_known_values_stay() {
        let hides = |pattern: &str| RedactOptions {
            patterns: vec![pattern.to_owned()],
            keys: vec![format!("{pattern}_key")],
            ..RedactOptions::default()
        };
        let first = Redactor::new([1; 32], hides("alpha")).expect("they can be used");
        let first = first.with_known(vec!["meadow-lark".to_owned()]);
        let second = first.with_options(&hides("beta")).expect("they can be used");
        assert!(first.text("alpha beta meadow-lark").contains(" beta "));
        let shown = second.text("alpha beta meadow-lark");
        assert!(
            shown.starts_with("alpha [") && !shown.contains("beta") && !shown.contains("lark"),
            "{shown}"
        );
        assert!(second.hides_key("beta_key") && !second.hides_key("alpha_key"));
        assert_eq!(first.mark("x"), second.mark("x"));
        assert!(second.with_options(&hides("(")).is_err() && hides("(").check().is_err());
    }

    #[test]
    fn wrong_options_are_told_apart() {
        let patterns = |patterns: &[&str]| RedactOptions {
            patterns: patterns.iter().map(|pattern| (*pattern).to_owned()).collect(),
            ..RedactOptions::default()
        };
        let said = error(patterns(&["ok", "(unclosed"]));
        assert_eq!(said, "patterns[1] `(unclosed` is no regular expression that can be used: unclosed group");
        assert!(error(patterns(&["a*"])).contains("matches the empty text"));
        assert!(error(patterns(&["\\w{9000}{9000}"])).contains("patterns[0]"));
        assert!(error(patterns(&["x"; 65])).contains("65 patterns are too many"));
        let keys = RedactOptions { keys: vec!["*".to_owned()], ..RedactOptions::default() };
        assert!(error(keys).contains("keys[0] `*` names no key"));
    }
}
