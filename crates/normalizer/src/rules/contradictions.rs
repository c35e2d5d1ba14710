//! Rules that undo each other, so that there is no fixed point.
//!
//! A rule moves a key to another key, or a value to another value. If the moves of rules with a tool
//! in common form a cycle, normalizing the result would change it again. So would a default for a
//! parameter that another rule removes. Contradictions that are not found here, because they depend on a
//! schema or on a very unusual file, are refused when the rules run.

mod cycles;
mod values;

use std::collections::{BTreeMap, HashMap};

use self::cycles::{RuleMoves, cycles};
use super::scope_index::ScopeIndex;
use super::{Action, CaseStyle, Rule, Scope};

/// A rule that undoes an earlier one.
#[derive(Debug)]
pub(super) struct Contradiction {
    /// The later of the rules.
    pub rule: usize,
    /// The problem.
    pub message: String,
    /// The suggested fix.
    pub fix: &'static str,
}

const KEEP_ONE: &str = "keep one of them, or give them different tools";

/// The contradictions among these rules, at most one of each kind for each rule. Disabled rules
/// contradict nothing.
pub(super) fn contradictions(rules: &[&Rule]) -> Vec<Contradiction> {
    let mut found = Vec::new();
    let mut keys: BTreeMap<KeyPlace<'_>, RuleMoves<'_>> = BTreeMap::new();
    for (index, rule) in enabled(rules) {
        if let Some((place, from, to)) = key_move(&rule.action) {
            keys.entry(place).or_default().add(from.to_owned(), to, index, &rule.tools);
        }
    }
    for moves in keys.values() {
        for cycle in cycles(moves) {
            found.push(
                cycle.into_contradiction(rules, "keep the one that leads to the name the tool declares"),
            );
        }
    }
    let mut values: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, rule) in enabled(rules) {
        if let Some(name) = values::parameter(&rule.action) {
            values.entry(name).or_default().push(index);
        }
    }
    for of_one in values.values() {
        found.extend(values::contradictions(rules, of_one));
    }
    found.extend(defaults_of_what_is_taken(rules));
    found.extend(styles(rules));
    found.sort_by_key(|contradiction| contradiction.rule);
    found
}

fn enabled<'r>(rules: &[&'r Rule]) -> impl Iterator<Item = (usize, &'r Rule)> {
    rules.iter().copied().enumerate().filter(|(_, rule)| rule.enabled)
}

/// Position of keys: `None` for parameters, payload and path for fields.
type KeyPlace<'r> = Option<(&'r str, String)>;

/// The position, the old and the new name, of a rule that renames one key.
fn key_move(action: &Action) -> Option<(KeyPlace<'_>, &str, String)> {
    match action {
        Action::ParamAlias { from, to } => Some((None, from, to.clone())),
        Action::NestedAlias { payload, path, from, to } => {
            Some((Some((payload, path.to_string())), from, to.clone()))
        }
        Action::CaseConvert { style, name: Some(name) } => {
            Some((None, name.as_str(), style.convert(name))).filter(|(_, from, to)| from != to)
        }
        _ => None,
    }
}

/// Parameters that a default fills and another rule removes.
fn defaults_of_what_is_taken(rules: &[&Rule]) -> Vec<Contradiction> {
    enum DefaultConflict {
        Fills,
        Takes,
    }
    let mut known: HashMap<(KeyPlace<'_>, &str), [ScopeIndex<'_>; 2]> = HashMap::new();
    let mut found = Vec::new();
    for (index, rule) in enabled(rules) {
        let (place, name, does) = match &rule.action {
            Action::ParamDefault { name, .. } => (None, name.as_str(), DefaultConflict::Fills),
            Action::NestedDefault { payload, path, name, .. } => {
                (Some((payload.as_str(), path.to_string())), name.as_str(), DefaultConflict::Fills)
            }
            Action::ParamDrop { name } => (None, name.as_str(), DefaultConflict::Takes),
            action => match key_move(action) {
                Some((place, from, _)) => (place, from, DefaultConflict::Takes),
                None => continue,
            },
        };
        let [fillers, takers] = known.entry((place, name)).or_default();
        let (own, others) =
            if matches!(does, DefaultConflict::Fills) { (fillers, takers) } else { (takers, fillers) };
        if let Some(other) = others.meeting(&rule.tools) {
            let (id, other) = (&rule.id, &rules[other].id);
            let message = match does {
                DefaultConflict::Fills => {
                    format!("rule \"{id}\" fills \"{name}\", which \"{other}\" removes")
                }
                DefaultConflict::Takes => {
                    format!("rule \"{id}\" removes \"{name}\", which \"{other}\" fills")
                }
            };
            found.push(Contradiction { rule: index, message, fix: KEEP_ONE });
        }
        own.insert(&rule.tools, index);
    }
    found
}

/// Rules for all keys: two styles, or a style and a rule that contradicts it.
fn styles(rules: &[&Rule]) -> Vec<Contradiction> {
    let mut styles: HashMap<&str, ScopeIndex<'_>> = HashMap::new();
    let mut found = Vec::new();
    let mut report = |index: usize, other: usize| {
        let (rule, other) = if index > other { (index, other) } else { (other, index) };
        let message = format!("rule \"{}\" undoes \"{}\"", rules[rule].id, rules[other].id);
        found.push(Contradiction { rule, message, fix: KEEP_ONE });
    };
    for (index, rule) in enabled(rules) {
        let Action::CaseConvert { style, name: None } = rule.action else { continue };
        let others = CaseStyle::NAMES.iter().filter(|(_, other)| *other != style);
        let others = others.filter_map(|(name, _)| styles.get(name)?.meeting(&rule.tools));
        others.min().into_iter().for_each(|other| report(index, other));
        if let Some((name, _)) = CaseStyle::NAMES.iter().find(|(_, known)| *known == style) {
            styles.entry(name).or_default().insert(&rule.tools, index);
        }
    }
    for (index, rule) in enabled(rules) {
        let Some((None, from, to)) = key_move(&rule.action) else { continue };
        let leading_back = CaseStyle::NAMES.iter().filter(|(_, style)| style.convert(&to) == from);
        let converters = leading_back.filter_map(|(name, _)| styles.get(name)?.meeting(&rule.tools));
        converters.min().into_iter().for_each(|other| report(index, other));
    }
    found
}

/// The tools that rules with these scopes have in common.
fn common(one: &[Scope], two: &[Scope]) -> Vec<Scope> {
    let mut scopes: Vec<Scope> =
        one.iter().flat_map(|scope| two.iter().filter_map(|other| scope.meet(other))).collect();
    scopes.dedup();
    scopes
}
