//! A suggested rule, from `/api/suggestions`.

use serde::Deserialize;
use serde_json::Value;

use super::MOST_ROWS;
use crate::Clean;

/// A rule that the user may accept.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
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
    pub evidence: Evidence,
    /// The decision about it.
    pub standing: Standing,
}

/// The evidence for a suggestion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
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
pub enum Standing {
    /// None yet.
    Waiting,
    /// A decision, by its name.
    Decided(Clean),
}

impl Standing {
    /// The displayed name.
    pub fn word(&self) -> &str {
        match self {
            Standing::Waiting => "waiting",
            Standing::Decided(word) => word.as_str(),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    id: Clean,
    tool: Clean,
    rule: Value,
    reason: Clean,
    evidence: SaidEvidence,
    confidence: f64,
    replay: Replay,
    status: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SaidEvidence {
    observations: u64,
    sessions: u64,
    against: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Replay {
    mends: u64,
    of: u64,
    changes_good: u64,
}

impl Suggestion {
    /// Parses a response of `/api/suggestions`; pending ones come first.
    ///
    /// # Errors
    /// When the response has another form.
    pub fn read_all(text: &[u8]) -> Result<Vec<Suggestion>, serde_json::Error> {
        #[derive(Deserialize)]
        struct Answer {
            suggestions: Vec<Said>,
        }
        let answer: Answer = serde_json::from_slice(text)?;
        let mut all: Vec<Suggestion> =
            answer.suggestions.into_iter().take(MOST_ROWS).map(Suggestion::of).collect();
        all.sort_by_key(|suggestion| !suggestion.is_waiting());
        Ok(all)
    }

    /// Whether it is undecided.
    pub fn is_waiting(&self) -> bool {
        self.standing == Standing::Waiting
    }

    fn of(said: Said) -> Suggestion {
        let standing = match said.status.as_str() {
            "suggested" => Standing::Waiting,
            "active" => Standing::Decided("in force".into()),
            other => Standing::Decided(other.into()),
        };
        Suggestion {
            rule_type: Clean::new(said.rule["type"].as_str().unwrap_or("rule")),
            rule: Clean::new(&in_short(&said.rule)),
            id: said.id,
            tool: said.tool,
            reason: said.reason,
            evidence: Evidence {
                confidence: said.confidence,
                observations: said.evidence.observations,
                sessions: said.evidence.sessions,
                against: said.evidence.against,
                mends: (said.replay.mends, said.replay.of),
                changes_good: said.replay.changes_good,
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
                pairs.map(|(sent, meant)| format!("{sent} -> {}", text(meant))).collect();
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
        let said = json!({ "policy": "suggest", "suggestions": [
            { "id": "a", "status": "active", "rule": { "type": "type_coerce", "from": "n", "coerce_to": "int" } },
            { "id": "b", "status": "suggested", "tool": "notes/send_note", "confidence": 0.75, "reason": "seen",
              "rule": { "type": "param_alias", "from": "payload", "to": "pro\u{1b}[2Jse" },
              "evidence": { "observations": 3, "sessions": 2, "against": 0, "samples": [] },
              "replay": { "mends": 2, "of": 2, "changes_good": 0 } },
            { "id": "c", "status": "lapsed", "rule": { "type": "value_map", "from": "unit", "value": { "c": "celsius" } } },
        ] });
        let read = Suggestion::read_all(said.to_string().as_bytes()).expect("a list");
        let rules: Vec<&str> = read.iter().map(|suggestion| suggestion.rule.as_str()).collect();
        assert_eq!(rules, ["payload -> prose", "n as int", "unit: c -> celsius"]);
        let words: Vec<&str> = read.iter().map(|suggestion| suggestion.standing.word()).collect();
        assert_eq!(words, ["waiting", "in force", "lapsed"]);
        assert_eq!((read[0].evidence.mends, read[0].evidence.observations), ((2, 2), 3));
    }
}
