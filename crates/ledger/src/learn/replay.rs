//! Replays recorded calls: each is normalized with only what was learned before it.

use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use toolwright_model::{Finish, LearnPolicy, Outcome, ToolDefinition};
use toolwright_normalizer::{ActiveRules, RawArguments, RuleSet, Tool};

use super::decision_store::MemoryStore;
use super::engine::{Learning, LearningError, LearningOptions};
use super::suggestion::Status;
use crate::{Failure, Record};

/// One recorded call.
#[derive(Clone, Copy, Debug)]
pub struct ReplayCall<'c> {
    /// The tool definition at that time.
    pub definition: &'c ToolDefinition,
    /// The compiled tool.
    pub tool: &'c Tool,
    /// The arguments: JSON, or the text that the model wrote.
    pub arguments: &'c str,
    /// How the model's turn ended.
    pub finish: Finish,
    /// The conversation.
    pub session: Option<&'c str>,
    /// Result of the call as it was sent.
    pub result: Option<ReplayResult<'c>>,
}

/// Result of a recorded call.
#[derive(Clone, Copy, Debug)]
pub struct ReplayResult<'c> {
    /// Whether it succeeded.
    pub ok: bool,
    /// The tool's error message when not.
    pub error: Option<&'c str>,
}

/// Normalizes recorded calls in their order. Nothing is stored.
#[derive(Debug)]
pub struct Replayer {
    learning: Learning,
    seen: u64,
}

impl Replayer {
    /// Starts with these rules and no learned ones.
    pub fn new(rules: RuleSet, policy: LearnPolicy) -> Result<Replayer, LearningError> {
        // The lines may cover a day or a year: the limit per day does not apply.
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

    /// Normalizes the call with what was learned so far, then learns from it.
    pub fn answer(&mut self, call: &ReplayCall<'_>) -> Result<Outcome, LearningError> {
        let arguments = RawArguments::text(call.arguments, call.finish);
        let outcome = self.learning.rules().load().normalizer().normalize(call.tool, &arguments);
        self.seen += 1;
        if let Some(record) = self.record(call, &outcome) {
            self.learning.observe(&record, Some(call.definition))?;
        }
        Ok(outcome)
    }

    /// The last line of the output: every active or suggested rule.
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

    /// The learning state at this point.
    pub fn learning(&self) -> &Learning {
        &self.learning
    }

    /// The call as a record; `None` when its result is unknown.
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
            // The lines have no times, only an order.
            ts: i64::try_from(self.seen).unwrap_or(i64::MAX),
            // Replayed calls are trusted like those of the owner.
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
