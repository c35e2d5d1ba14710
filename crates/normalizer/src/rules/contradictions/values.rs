//! Values of one parameter that rules change back and forth.

use std::collections::HashSet;

use toolwright_jsonrpc::raw::{is_json_number, quote};

use super::cycles::{RuleMoves, cycles};
use super::{Contradiction, KEEP_ONE};
use crate::rules::scope_index::ScopeIndex;
use crate::rules::type_coerce::boolean;
use crate::rules::{Action, CoerceTo, Rule};

/// Maximum number of moves of values that are checked for one parameter.
const MAX_MOVES: usize = 100_000;

/// The parameter whose value a rule changes.
pub(super) fn parameter(action: &Action) -> Option<&str> {
    match action {
        Action::TypeCoerce { name, .. } | Action::JsonAcceptBoth { name } | Action::ValueMap { name, .. } => {
            Some(name)
        }
        _ => None,
    }
}

/// The contradictions among the rules for one parameter.
pub(super) fn contradictions(rules: &[&Rule], of_one: &[usize]) -> Vec<Contradiction> {
    let mut found = Vec::new();
    let [mut to_text, mut from_text] = [ScopeIndex::default(), ScopeIndex::default()];
    for index in of_one {
        let rule = rules[*index];
        let Action::TypeCoerce { to, .. } = rule.action else { continue };
        let (own, others) = match to {
            CoerceTo::String => (&mut to_text, &from_text),
            _ => (&mut from_text, &to_text),
        };
        if let Some(other) = others.meeting(&rule.tools) {
            let message = format!("rule \"{}\" undoes \"{}\"", rule.id, rules[other].id);
            found.push(Contradiction { rule: *index, message, fix: KEEP_ONE });
        }
        own.insert(&rule.tools, *index);
    }
    for cycle in cycles(&moves(rules, of_one)) {
        found.push(cycle.into_contradiction(rules, "map every old value to its final one"));
    }
    found
}

/// The moves of single values, as JSON text: those of the maps, and the results of the other rules for the
/// values in them.
fn moves<'r>(rules: &[&'r Rule], of_one: &[usize]) -> RuleMoves<'r> {
    let mut moves = RuleMoves::default();
    let mut values: Vec<String> = Vec::new();
    let maps = of_one.iter().filter_map(|index| match &rules[*index].action {
        Action::ValueMap { pairs, .. } => Some((*index, pairs)),
        _ => None,
    });
    let mut count = 0;
    for (index, pairs) in maps {
        for (old, new) in pairs {
            count += 1;
            // A number, boolean or null is matched by its text.
            let is_json = is_json_number(old) || matches!(old.as_str(), "true" | "false" | "null");
            for from in [Some(quote(old)), is_json.then(|| old.clone())].into_iter().flatten() {
                values.extend([from.clone(), new.clone()]);
                moves.add(from, new.clone(), index, &rules[index].tools);
            }
        }
    }
    let others: Vec<usize> = of_one
        .iter()
        .copied()
        .filter(|index| !matches!(rules[*index].action, Action::ValueMap { .. }))
        .collect();
    let mut seen: HashSet<String> = HashSet::new();
    while let Some(value) = values.pop() {
        if !seen.insert(value.clone()) {
            continue;
        }
        for index in &others {
            count += 1;
            if let Some(changed) = changed(&rules[*index].action, &value).filter(|_| count < MAX_MOVES) {
                moves.add(value.clone(), changed.clone(), *index, &rules[*index].tools);
                values.push(changed);
            }
        }
    }
    moves
}

/// The result of a rule that is not a map for a value.
fn changed(action: &Action, value: &str) -> Option<String> {
    let text = || plain_text(value);
    match action {
        Action::JsonAcceptBoth { .. } => value.starts_with(['[', '{']).then(|| quote(value)),
        Action::TypeCoerce { to: CoerceTo::String, .. } => {
            (is_json_number(value) || matches!(value, "true" | "false")).then(|| quote(value))
        }
        Action::TypeCoerce { to: CoerceTo::Bool, .. } => boolean(text()?).map(|flag| flag.to_string()),
        Action::TypeCoerce { .. } => text().filter(|text| is_json_number(text)).map(str::to_owned),
        _ => None,
    }
}

/// The text of a JSON string without escapes, which is sufficient for a number or a boolean.
fn plain_text(value: &str) -> Option<&str> {
    value.strip_prefix('"')?.strip_suffix('"').filter(|text| !text.contains('\\'))
}
