//! Report about error patterns.

use serde::{Deserialize, Serialize};

use super::pattern_table::EvictedCounts;
use super::{MAX_LISTED, Trend};

/// Similar errors of one tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pattern {
    /// The common part of their messages.
    pub pattern: String,
    /// The tool; the sent name when there is no such tool.
    pub tool: String,
    /// Its server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The toolbox of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolbox: Option<String>,
    /// Stable error code.
    pub code: String,
    /// The affected parameter, when it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// Number of errors.
    pub count: u64,
    /// Time of the first one, in RFC 3339 format.
    pub first_seen: String,
    /// Time of the last one.
    pub last_seen: String,
    /// Whether their frequency increases.
    pub trend: Trend,
    /// The last errors, at most 20, in twelve equal intervals from the first of them until now. For charts: not
    /// serialized.
    #[serde(skip)]
    pub recent: Vec<u64>,
    /// Up to three original messages.
    pub sample_errors: Vec<String>,
    /// Share of the tool's calls that failed like this, from 0 to 1. Absent when its calls are not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// A rule that would repair it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_rule: Option<SuggestedRule>,
}

/// Short form of a rule that would repair a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedRule {
    /// Type of the rule as in rules files.
    #[serde(rename = "type")]
    pub rule_type: String,
    /// The parameter that is sent.
    pub from: String,
    /// The target.
    pub to: String,
    /// The reason.
    pub reason: String,
    /// Id of the suggestion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// The response of `/api/error-patterns`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorPatterns {
    /// The most frequent patterns, at most [`MAX_LISTED`].
    pub patterns: Vec<Pattern>,
    /// All errors, including those of evicted patterns.
    pub total_errors: u64,
    /// Number of patterns in memory.
    pub unique_patterns: usize,
    /// Number of patterns with a suggested rule.
    pub with_suggestions: usize,
    /// Number of evicted patterns. One that returns counts again.
    #[serde(default)]
    pub forgotten_patterns: u64,
    /// Number of their errors.
    #[serde(default)]
    pub forgotten_errors: u64,
}

impl ErrorPatterns {
    pub(super) fn of(
        mut patterns: Vec<Pattern>,
        total_errors: u64,
        evicted: EvictedCounts,
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
            forgotten_patterns: evicted.patterns,
            forgotten_errors: evicted.errors,
        }
    }
}
