//! A suggestion: a rule with all that a person needs to decide.

use std::collections::BTreeMap;

use aws_lc_rs::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::evidence::Source;
use super::lesson::Lesson;

/// The digits of an id.
const ID_DIGITS: usize = 12;

/// A rule that somebody may accept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The same for the same lesson of the same tool and schema, on every gateway.
    pub id: String,
    /// The rule as a rules file has it. What it says in `note` is completed when it is accepted.
    pub rule: Value,
    /// The tool: `server/name`, or `name` when it has no server.
    pub tool: String,
    /// The schema that it was learned from. With another one it lapses.
    pub schema: String,
    /// What was learned.
    pub lesson: Lesson,
    /// Why, in words.
    pub reason: String,
    /// What speaks for it.
    pub evidence: Evidence,
    /// From 0 to 1: `w / (w + 1 + 3·against)` with `w` = corrections + errors / 2; at most 0.5 for errors alone.
    pub confidence: f64,
    /// What it would have done to recorded calls.
    pub replay: Tried,
    /// What was decided about it.
    pub status: Status,
}

/// What speaks for a suggestion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Independent observations: of different conversations, or of different values in one.
    pub observations: u64,
    /// The conversations that they come from.
    pub sessions: u64,
    /// How many there are of each kind, with refusals that show the same mistake.
    pub sources: BTreeMap<Source, u64>,
    /// What speaks against it.
    pub against: u64,
    /// The first one, in microseconds since 1970.
    pub first: i64,
    /// The last one.
    pub last: i64,
    /// The numbers of some records that show it.
    pub samples: Vec<u64>,
    /// Whose corrections they are: the owner, a token by its name.
    #[serde(default)]
    pub witnesses: Vec<String>,
}

/// What a rule would have done to recorded calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// Failed calls with this mistake that it mends.
    pub mends: u64,
    /// Failed calls with this mistake.
    pub of: u64,
    /// Calls that went well and would have been changed.
    pub changes_good: u64,
}

/// What became of a suggestion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody decided yet.
    #[default]
    Suggested,
    /// Its rule is in force.
    Active,
    /// Somebody does not want it. It comes back when the evidence has doubled.
    Dismissed,
    /// It was in force and was taken back. Only a person can accept it again.
    Undone,
    /// It was in force for a schema that the tool has no longer.
    Lapsed,
}

impl Status {
    /// The words for it, for people.
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
pub(super) fn id(tool: &str, schema: &str, lesson: &Lesson) -> String {
    let text = serde_json::json!([tool, schema, lesson]).to_string();
    let hash = digest(&SHA256, text.as_bytes());
    let digits: String = hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    digits[..ID_DIGITS].to_owned()
}

/// Tells schemas apart where the record does not say which one it was.
pub(super) fn fingerprint(schema: &str) -> String {
    let hash = digest(&SHA256, schema.as_bytes());
    hash.as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The id of the rule that a suggestion becomes.
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
