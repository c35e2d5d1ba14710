//! Suggestion: a rule with everything that a person needs to decide.

use std::collections::BTreeMap;

use aws_lc_rs::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::evidence::Source;
use super::rule_candidate::Lesson;

/// Number of hex digits of an id.
const ID_DIGITS: usize = 12;

/// A rule that a person may accept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// Id, the same for the same candidate of the same tool and schema, on every gateway.
    pub id: String,
    /// The rule in the format of a rules file. Its `note` is completed on acceptance.
    pub rule: Value,
    /// The tool: `server/name`, or `name` when it has no server.
    pub tool: String,
    /// Fingerprint of the schema. The rule lapses when the schema changes.
    pub schema: String,
    /// The rule candidate.
    pub lesson: Lesson,
    /// The reason as text.
    pub reason: String,
    /// The evidence for it.
    pub evidence: Evidence,
    /// From 0 to 1: `w / (w + 1 + 3·against)` with `w` = corrections + errors / 2; at most 0.5 for errors alone.
    pub confidence: f64,
    /// The effect on recorded calls.
    pub replay: Tried,
    /// The status after the decisions about it.
    pub status: Status,
}

/// The evidence for a suggestion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Independent observations: of different conversations, or of different values in one.
    pub observations: u64,
    /// Number of witnesses: conversations of the owner, and tokens.
    pub sessions: u64,
    /// Number of observations by source, with refusals of the same mistake.
    pub sources: BTreeMap<Source, u64>,
    /// Number of observations against it.
    pub against: u64,
    /// Time of the first observation in microseconds since 1970.
    pub first: i64,
    /// Time of the last observation.
    pub last: i64,
    /// Sequence numbers of some records that show it.
    pub samples: Vec<u64>,
    /// Names of the witnesses: the owner, or a token.
    #[serde(default)]
    pub witnesses: Vec<String>,
}

/// Effect of a rule on recorded calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// Failed calls with this mistake that it repairs.
    pub mends: u64,
    /// Failed calls with this mistake.
    pub of: u64,
    /// Successful calls that it would have changed.
    pub changes_good: u64,
}

/// Status of a suggestion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not decided yet.
    #[default]
    Suggested,
    /// Its rule is active.
    Active,
    /// Hidden by a person. It returns when the evidence has doubled.
    Dismissed,
    /// Its rule was active and was undone. Only a person can accept it again.
    Undone,
    /// Its rule was active for an earlier schema of the tool.
    Lapsed,
}

impl Status {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Status::Suggested => "suggested",
            Status::Active => "in force",
            Status::Dismissed => "dismissed",
            Status::Undone => "undone",
            Status::Lapsed => "lapsed",
        }
    }
}

/// The id of a suggestion.
pub(super) fn id(tool: &str, schema: &str, candidate: &Lesson) -> String {
    let text = serde_json::json!([tool, schema, candidate]).to_string();
    let hash = digest(&SHA256, text.as_bytes());
    let digits: String = hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    digits[..ID_DIGITS].to_owned()
}

/// Fingerprint of a schema for records that do not contain one.
pub(super) fn fingerprint(schema: &str) -> String {
    let hash = digest(&SHA256, schema.as_bytes());
    hash.as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The id of the rule of an accepted suggestion.
pub(super) fn rule_id(suggestion: &str) -> String {
    format!("learned-{suggestion}")
}

impl Suggestion {
    /// The rule with its provenance.
    pub fn rule_accepted(&self, by: &str, at: &str) -> Value {
        let note = format!(
            "learned: accepted by {by} at {at} on {} observations of {} conversations (suggestion {})",
            self.evidence.observations, self.evidence.sessions, self.id
        );
        self.lesson.rule(&rule_id(&self.id), &self.tool, &note)
    }
}
