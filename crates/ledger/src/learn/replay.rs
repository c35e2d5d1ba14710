//! Calls of the past once more, each answered with only what came before it.

use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use toolwright_model::{Finish, LearnPolicy, Outcome, ToolDefinition};
use toolwright_normalizer::{ActiveRules, RawArguments, RuleSet, Tool};

use super::learning::{Learning, LearningError, LearningOptions};
use super::store::MemoryStore;
use super::suggestion::Status;
use crate::{Failure, Record};

/// One call of the past.
#[derive(Clone, Copy, Debug)]
pub struct ReplayCall<'c> {
    /// The tool as it was defined.
    pub definition: &'c ToolDefinition,
    /// The same, compiled.
    pub tool: &'c Tool,
    /// The arguments: JSON, or what the model wrote.
    pub arguments: &'c str,
    /// How the model's turn ended.
    pub finish: Finish,
    /// The conversation.
    pub session: Option<&'c str>,
    /// What became of the call as it was sent.
    pub result: Option<ReplayResult<'c>>,
}

/// What became of a call of the past.
#[derive(Clone, Copy, Debug)]
pub struct ReplayResult<'c> {
    /// Whether it went well.
    pub ok: bool,
    /// What the tool said when not.
    pub error: Option<&'c str>,
}

/// Answers calls of the past in their order. Nothing of it is kept.
#[derive(Debug)]
pub struct Replayer {
    learning: Learning,
    seen: u64,
}

impl Replayer {
    /// Begins with these rules and nothing learned.
    pub fn new(rules: RuleSet, policy: LearnPolicy) -> Result<Replayer, LearningError> {
        // All lines may be of one day or of a year: the limit for a day says nothing here.
        let options = LearningOptions {
            policy,
            rules: Arc::new(ActiveRules::new(rules)),
            folder: None,
            applied_per_tool_and_day: usize::MAX,
            ..LearningOptions::default()
        };
        let (learning, _) = Learning::open(options, Box::<MemoryStore>::default())?;
        Ok(Replayer { learning, seen: 0 })
    }

    /// What the call gets by what is known so far. Then it is learned from.
    pub fn answer(&mut self, call: &ReplayCall<'_>) -> Result<Outcome, LearningError> {
        let arguments = RawArguments::text(call.arguments, call.finish);
        let outcome = self.learning.rules().load().normalizer().normalize(call.tool, &arguments);
        self.seen += 1;
        if let Some(record) = self.record(call, &outcome) {
            self.learning.observe(&record, Some(call.definition))?;
        }
        Ok(outcome)
    }

    /// The last line of the output: every rule that is in force or suggested.
    pub fn rules_line(&self) -> String {
        let rules: Vec<Value> = self
            .learning
            .suggestions()
            .iter()
            .filter(|suggestion| matches!(suggestion.status, Status::Active | Status::Suggested))
            .map(|suggestion| {
                let mut line = json!({
                    "type": suggestion.lesson.type_name(),
                    "tool": suggestion.tool,
                    "from": suggestion.lesson.from(),
                    "to": suggestion.lesson.to(),
                    "status": suggestion.status,
                    "evidence": suggestion.evidence.observations,
                });
                for key in ["value", "in_payload", "array_path"] {
                    if let Some(value) = suggestion.rule.get(key) {
                        line[key] = value.clone();
                    }
                }
                line
            })
            .collect();
        json!({ "rules": rules }).to_string()
    }

    /// All that is known at this point.
    pub fn learning(&self) -> &Learning {
        &self.learning
    }

    /// The call as a record; none when nobody knows what became of it.
    fn record(&self, call: &ReplayCall<'_>, outcome: &Outcome) -> Option<Record> {
        let failure = |message: &str, is_from_tool| Failure {
            code: "tool_error".to_owned(),
            message: message.to_owned(),
            parameters: Vec::new(),
            is_from_tool,
        };
        let error = match (call.result, outcome) {
            (Some(result), _) if result.ok => None,
            (Some(result), _) => Some(failure(result.error.unwrap_or("failed"), true)),
            (None, Outcome::Unchanged) => None,
            (None, Outcome::Refused { hint, .. }) => Some(failure(hint, false)),
            (None, Outcome::Repaired { .. }) => return None,
        };
        let arguments = match serde_json::from_str::<Box<RawValue>>(call.arguments) {
            Ok(json) => json,
            Err(_) => to_raw_value(call.arguments).ok()?,
        };
        Some(Record {
            seq: self.seen,
            // There is no time in the lines, only an order.
            ts: i64::try_from(self.seen).unwrap_or(i64::MAX),
            // Whoever replays calls vouches for them.
            principal: Some("default".to_owned()),
            session: call.session.map(str::to_owned),
            server: call.definition.server.clone(),
            tool: call.definition.name.clone(),
            arguments: Some(arguments),
            error,
            ..Record::default()
        })
    }
}
