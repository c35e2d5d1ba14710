//! Trying a rule: on one call, and on calls that were recorded.

use serde_json::Value;
use toolwright_model::{Outcome, ToolDefinition};
use toolwright_normalizer::rules::{Rule, parse_learned};
use toolwright_normalizer::{Normalizer, RawArguments, Tool};

use super::lesson::Lesson;
use super::suggestion::Tried;
use crate::Record;

/// So many recorded calls of a tool are tried.
pub const MAX_REPLAYED_CALLS: usize = 10_000;

/// One recorded call as far as a trial needs it.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub text: String,
    pub is_good: bool,
}

/// The rules of lessons for one tool; lessons that no rules file would take are left out.
pub(super) fn rules_of(tool: &str, lessons: &[&Lesson]) -> Vec<Rule> {
    let rule = |(index, lesson): (usize, &&Lesson)| {
        let rule = lesson.rule(&format!("trial-{index}"), tool, "tried");
        parse_learned(&Value::Array(vec![rule]).to_string()).ok()
    };
    lessons.iter().enumerate().filter_map(rule).flatten().collect()
}

/// A normalizer with these rules added to its learned ones.
pub(super) fn with_rules(normalizer: &Normalizer, rules: Vec<Rule>) -> Normalizer {
    Normalizer::new(normalizer.rules().clone().with_learned_rules(rules))
}

/// What a call is mended to; none when it is refused, or valid as it is.
pub(super) fn mended(normalizer: &Normalizer, tool: &Tool, arguments: &str) -> Option<Value> {
    match normalizer.normalize(tool, &RawArguments::json(arguments)) {
        Outcome::Repaired { arguments, .. } => serde_json::from_str(&arguments).ok(),
        Outcome::Unchanged | Outcome::Refused { .. } => None,
    }
}

/// Tries a lesson, with others that are thought to hold, on recorded calls.
pub(super) fn try_lesson(
    normalizer: &Normalizer,
    (scope, tool): (&str, &Tool),
    (lesson, others): (&Lesson, &[&Lesson]),
    calls: impl Iterator<Item = Call>,
) -> Tried {
    let without = with_rules(normalizer, rules_of(scope, others));
    let all: Vec<&Lesson> = others.iter().copied().chain([lesson]).collect();
    let with = with_rules(normalizer, rules_of(scope, &all));
    let mut tried = Tried::default();
    for call in calls.take(MAX_REPLAYED_CALLS) {
        let arguments = RawArguments::json(&call.text);
        let before = without.normalize(tool, &arguments);
        let after = with.normalize(tool, &arguments);
        if call.is_good {
            tried.changes_good += u64::from(is_other(&before, &after));
            continue;
        }
        let concerns = || {
            let sent = serde_json::from_str::<Value>(&call.text).ok();
            sent.as_ref().and_then(Value::as_object).is_some_and(|sent| lesson.concerns(sent))
        };
        if matches!(before, Outcome::Refused { .. }) && concerns() {
            tried.of += 1;
            tried.mends += u64::from(matches!(after, Outcome::Repaired { .. }));
        }
    }
    tried
}

/// Tries the rule of a suggestion on recorded calls of its tool, at most [`MAX_REPLAYED_CALLS`] of them. Records of
/// other tools are passed over. `normalizer` has the rules in force.
pub fn replay_rule(
    normalizer: &Normalizer,
    suggestion: &super::Suggestion,
    definition: &ToolDefinition,
    records: impl Iterator<Item = Record>,
) -> Result<Tried, toolwright_normalizer::SchemaError> {
    let tool = Tool::compile(definition)?;
    let calls =
        records.filter(|record| super::learner::scope_of(record) == suggestion.tool).filter_map(|record| {
            Some(Call { text: super::learner::arguments_text(&record)?, is_good: record.is_ok() })
        });
    Ok(try_lesson(normalizer, (&suggestion.tool, &tool), (&suggestion.lesson, &[]), calls))
}

fn is_other(before: &Outcome, after: &Outcome) -> bool {
    match (before, after) {
        (Outcome::Unchanged, Outcome::Unchanged) | (Outcome::Refused { .. }, Outcome::Refused { .. }) => {
            false
        }
        (Outcome::Repaired { arguments: one, .. }, Outcome::Repaired { arguments: two, .. }) => one != two,
        _ => true,
    }
}
