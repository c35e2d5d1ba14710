//! What is told about patterns.

use serde::{Deserialize, Serialize};

use super::held::Forgotten;
use super::{MAX_LISTED, Trend};

/// Errors of one tool that are alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pattern {
    /// What their messages have in common.
    pub pattern: String,
    /// The tool; what was sent when there is no such tool.
    pub tool: String,
    /// Its server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The toolbox of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolbox: Option<String>,
    /// The stable code.
    pub code: String,
    /// The parameter that they are about, when it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// How many there were.
    pub count: u64,
    /// When the first one was seen, as RFC 3339 text.
    pub first_seen: String,
    /// When the last one was seen.
    pub last_seen: String,
    /// Whether they become more.
    pub trend: Trend,
    /// The last ones, at most 20, in twelve equal spans of time from the first of them until now. For pictures: it is not
    /// written.
    #[serde(skip)]
    pub recent: Vec<u64>,
    /// Up to three messages as they were.
    pub sample_errors: Vec<String>,
    /// Which share of the tool's calls failed like this, from 0 to 1. Missing when its calls are not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// A rule that would mend it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_rule: Option<SuggestedRule>,
}

/// A rule that would mend a pattern, in a few words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedRule {
    /// Its type as rules files have it.
    #[serde(rename = "type")]
    pub rule_type: String,
    /// The parameter that is sent.
    pub from: String,
    /// What it becomes.
    pub to: String,
    /// Why it is suggested.
    pub reason: String,
    /// Where the suggestion can be accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// The answer of `/api/error-patterns`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorPatterns {
    /// The most frequent ones, at most [`MAX_LISTED`].
    pub patterns: Vec<Pattern>,
    /// All errors, also those of patterns that are not held any more.
    pub total_errors: u64,
    /// How many patterns are held.
    pub unique_patterns: usize,
    /// For how many of them there is a rule.
    pub with_suggestions: usize,
    /// How many patterns had to go because there were too many. One that came again counts again.
    #[serde(default)]
    pub forgotten_patterns: u64,
    /// How many errors these had.
    #[serde(default)]
    pub forgotten_errors: u64,
}

impl ErrorPatterns {
    pub(super) fn of(
        mut patterns: Vec<Pattern>,
        total_errors: u64,
        forgotten: Forgotten,
        mut suggest: impl FnMut(&Pattern) -> Option<SuggestedRule>,
    ) -> Self {
        for pattern in &mut patterns {
            pattern.suggested_rule = suggest(pattern);
        }
        let unique_patterns = patterns.len();
        let with_suggestions = patterns.iter().filter(|pattern| pattern.suggested_rule.is_some()).count();
        patterns.truncate(MAX_LISTED);
        ErrorPatterns {
            patterns,
            total_errors,
            unique_patterns,
            with_suggestions,
            forgotten_patterns: forgotten.patterns,
            forgotten_errors: forgotten.errors,
        }
    }
}
