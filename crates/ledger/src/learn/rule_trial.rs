//! Trial of rules: on one call, and on recorded calls.

use serde_json::Value;
use toolwright_model::{Outcome, ToolDefinition};
use toolwright_normalizer::rules::{Rule, parse_learned};
use toolwright_normalizer::{Normalizer, RawArguments, Tool};

use super::rule_candidate::Lesson;
use super::suggestion::Tried;
use crate::Record;

/// Maximum number of recorded calls of a tool that are tried.
pub const MAX_REPLAYED_CALLS: usize = 10_000;

/// The part of a recorded call that a trial needs.
#[derive(Clone, Debug)]
pub(super) struct RecordedCall {
    pub text: String,
    pub is_good: bool,
}

/// The rules of candidates for one tool; candidates that a rules file would reject are skipped.
pub(super) fn rules_of(tool: &str, candidates: &[&Lesson]) -> Vec<Rule> {
    let rule = |(index, candidate): (usize, &&Lesson)| {
        let rule = candidate.rule(&format!("trial-{index}"), tool, "tried");
        parse_learned(&Value::Array(vec![rule]).to_string()).ok()
    };
    candidates.iter().enumerate().filter_map(rule).flatten().collect()
}

/// A normalizer with these rules added to its learned ones.
pub(super) fn with_rules(normalizer: &Normalizer, rules: Vec<Rule>) -> Normalizer {
    Normalizer::new(normalizer.rules().clone().with_learned_rules(rules))
}

/// The repaired arguments of a call; `None` when it is refused, or already valid.
pub(super) fn repair(normalizer: &Normalizer, tool: &Tool, arguments: &str) -> Option<Value> {
    match normalizer.normalize(tool, &RawArguments::json(arguments)) {
        Outcome::Repaired { arguments, .. } => serde_json::from_str(&arguments).ok(),
        Outcome::Unchanged | Outcome::Refused { .. } => None,
    }
}

/// Tries a candidate, together with the other candidates, on recorded calls.
pub(super) fn try_candidate(
    normalizer: &Normalizer,
    (scope, tool): (&str, &Tool),
    (candidate, others): (&Lesson, &[&Lesson]),
    calls: impl Iterator<Item = RecordedCall>,
) -> Tried {
    let without = with_rules(normalizer, rules_of(scope, others));
    let all: Vec<&Lesson> = others.iter().copied().chain([candidate]).collect();
    let with = with_rules(normalizer, rules_of(scope, &all));
    let mut counts = Tried::default();
    for call in calls.take(MAX_REPLAYED_CALLS) {
        let arguments = RawArguments::json(&call.text);
        let before = without.normalize(tool, &arguments);
        let after = with.normalize(tool, &arguments);
        if call.is_good {
            counts.changes_good += u64::from(differs(&before, &after));
            continue;
        }
        let concerns = || {
            let sent = serde_json::from_str::<Value>(&call.text).ok();
            sent.as_ref().and_then(Value::as_object).is_some_and(|sent| candidate.concerns(sent))
        };
        if matches!(before, Outcome::Refused { .. }) && concerns() {
            counts.of += 1;
            counts.mends += u64::from(matches!(after, Outcome::Repaired { .. }));
        }
    }
    counts
}

/// Tries the rule of a suggestion on recorded calls of its tool, at most [`MAX_REPLAYED_CALLS`] of them. Records of
/// other tools are skipped. `normalizer` has the active rules.
pub fn replay_rule(
    normalizer: &Normalizer,
    suggestion: &super::Suggestion,
    definition: &ToolDefinition,
    records: impl Iterator<Item = Record>,
) -> Result<Tried, toolwright_normalizer::SchemaError> {
    let tool = Tool::compile(definition)?;
    let calls =
        records.filter(|record| super::collector::scope_of(record) == suggestion.tool).filter_map(|record| {
            Some(RecordedCall { text: super::collector::arguments_text(&record)?, is_good: record.is_ok() })
        });
    Ok(try_candidate(normalizer, (&suggestion.tool, &tool), (&suggestion.lesson, &[]), calls))
}

fn differs(before: &Outcome, after: &Outcome) -> bool {
    match (before, after) {
        (Outcome::Unchanged, Outcome::Unchanged) | (Outcome::Refused { .. }, Outcome::Refused { .. }) => {
            false
        }
        (Outcome::Repaired { arguments: one, .. }, Outcome::Repaired { arguments: two, .. }) => one != two,
        _ => true,
    }
}
