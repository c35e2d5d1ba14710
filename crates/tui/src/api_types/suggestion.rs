//! A suggested rule, from `/api/suggestions`.

use serde::Deserialize;
use serde_json::Value;

use super::MOST_ROWS;
use crate::Clean;

/// A rule that the user may accept.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiSuggestion {
    /// Its id.
    pub id: Clean,
    /// The tool it applies to.
    pub tool: Clean,
    /// The type of the rule.
    pub rule_type: Clean,
    /// The short form of the rule: `payload -> prose`.
    pub rule: Clean,
    /// The reason.
    pub reason: Clean,
    /// The evidence.
    pub evidence: SuggestionEvidence,
    /// The decision about it.
    pub standing: DecisionState,
}

/// The evidence for a suggestion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SuggestionEvidence {
    /// From 0 to 1.
    pub confidence: f64,
    /// Independent observations.
    pub observations: u64,
    /// The number of sessions with observations.
    pub sessions: u64,
    /// Observations against it.
    pub against: u64,
    /// Failed calls that it repairs, and their total.
    pub mends: (u64, u64),
    /// Successful calls that it would have changed.
    pub changes_good: u64,
}

/// The decision about a suggestion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecisionState {
    /// None yet.
    Waiting,
    /// A decision, by its name.
    Decided(Clean),
}

impl DecisionState {
    /// The displayed name.
    pub fn word(&self) -> &str {
        match self {
            DecisionState::Waiting => "waiting",
            DecisionState::Decided(word) => word.as_str(),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawSuggestion {
    id: Clean,
    tool: Clean,
    rule: Value,
    reason: Clean,
    evidence: RawEvidence,
    confidence: f64,
    replay: RawReplay,
    status: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawEvidence {
    observations: u64,
    sessions: u64,
    against: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawReplay {
    mends: u64,
    of: u64,
    changes_good: u64,
}

impl ApiSuggestion {
    /// Parses a response of `/api/suggestions`; pending ones come first.
    ///
    /// # Errors
    /// When the response has another form.
    pub fn read_all(text: &[u8]) -> Result<Vec<ApiSuggestion>, serde_json::Error> {
        #[derive(Deserialize)]
        struct SuggestionsResponse {
            suggestions: Vec<RawSuggestion>,
        }
        let answer: SuggestionsResponse = serde_json::from_slice(text)?;
        let mut all: Vec<ApiSuggestion> =
            answer.suggestions.into_iter().take(MOST_ROWS).map(ApiSuggestion::of).collect();
        all.sort_by_key(|suggestion| !suggestion.is_waiting());
        Ok(all)
    }

    /// Whether it is undecided.
    pub fn is_waiting(&self) -> bool {
        self.standing == DecisionState::Waiting
    }

    fn of(raw: RawSuggestion) -> ApiSuggestion {
        let standing = match raw.status.as_str() {
            "suggested" => DecisionState::Waiting,
            "active" => DecisionState::Decided("in force".into()),
            other => DecisionState::Decided(other.into()),
        };
        ApiSuggestion {
            rule_type: Clean::new(raw.rule["type"].as_str().unwrap_or("rule")),
            rule: Clean::new(&in_short(&raw.rule)),
            id: raw.id,
            tool: raw.tool,
            reason: raw.reason,
            evidence: SuggestionEvidence {
                confidence: raw.confidence,
                observations: raw.evidence.observations,
                sessions: raw.evidence.sessions,
                against: raw.evidence.against,
                mends: (raw.replay.mends, raw.replay.of),
                changes_good: raw.replay.changes_good,
            },
            standing,
        }
    }
}

/// The short form of a rule.
fn in_short(rule: &Value) -> String {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let from = text(&rule["from"]);
    match rule["type"].as_str() {
        Some("param_alias") => format!("{from} -> {}", text(&rule["to"])),
        Some("nested_alias") => format!("{}: {from} -> {}", text(&rule["in_payload"]), text(&rule["to"])),
        Some("type_coerce") => format!("{from} as {}", text(&rule["coerce_to"])),
        Some("value_map") => {
            let pairs = rule["value"].as_object().into_iter().flatten();
            let pairs: Vec<String> =
                pairs.map(|(sent, value)| format!("{sent} -> {}", text(value))).collect();
            format!("{from}: {}", pairs.join(", "))
        }
        Some("param_default") => format!("{from} = {}", text(&rule["value"])),
        _ => [from, text(&rule["to"]), text(&rule["value"])].join(" ").trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn suggestions_are_read_and_those_that_wait_come_first() {
        let raw = json!({ "policy": "suggest", "suggestions": [
            { "id": "a", "status": "active", "rule": { "type": "type_coerce", "from": "n", "coerce_to": "int" } },
            { "id": "b", "status": "suggested", "tool": "notes/send_note", "confidence": 0.75, "reason": "seen",
              "rule": { "type": "param_alias", "from": "payload", "to": "pro\u{1b}[2Jse" },
              "evidence": { "observations": 3, "sessions": 2, "against": 0, "samples": [] },
              "replay": { "mends": 2, "of": 2, "changes_good": 0 } },
            { "id": "c", "status": "lapsed", "rule": { "type": "value_map", "from": "unit", "value": { "c": "celsius" } } },
        ] });
        let read = ApiSuggestion::read_all(raw.to_string().as_bytes()).expect("a list");
        let rules: Vec<&str> = read.iter().map(|suggestion| suggestion.rule.as_str()).collect();
        assert_eq!(rules, ["payload -> prose", "n as int", "unit: c -> celsius"]);
        let words: Vec<&str> = read.iter().map(|suggestion| suggestion.standing.word()).collect();
        assert_eq!(words, ["waiting", "in force", "lapsed"]);
        assert_eq!((read[0].evidence.mends, read[0].evidence.observations), ((2, 2), 3));
    }
}
