//! Rules that undo each other, so that a call would never come to rest.
//!
//! A rule moves a key to another key, or a value to another value. If the moves of rules with a tool
//! in common lead round in a circle, normalizing the result would change it again. So would a default
//! for what another rule takes away. What is not found here, because it takes a schema or a very odd
//! file, is refused when the rules run.

mod circles;
mod values;

use std::collections::{BTreeMap, HashMap};

use self::circles::{Moves, circles};
use super::scope_index::ScopeIndex;
use super::{Action, CaseStyle, Rule, Scope};

/// A rule that undoes what one before it does.
#[derive(Debug)]
pub(super) struct Contradiction {
    /// The later of the rules.
    pub rule: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub fix: &'static str,
}

const KEEP_ONE: &str = "keep one of them, or give them different tools";

/// The contradictions among these rules, one for each rule at most of each kind. Rules that are
/// switched off contradict nothing.
pub(super) fn contradictions(rules: &[&Rule]) -> Vec<Contradiction> {
    let mut found = Vec::new();
    let mut keys: BTreeMap<Place<'_>, Moves<'_>> = BTreeMap::new();
    for (index, rule) in enabled(rules) {
        if let Some((place, from, to)) = key_move(&rule.action) {
            keys.entry(place).or_default().add(from.to_owned(), to, index, &rule.tools);
        }
    }
    for moves in keys.values() {
        for circle in circles(moves) {
            found.push(circle.told(rules, "keep the one that leads to the name the tool declares"));
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

/// Where keys stand: `None` for parameters, payload and path for fields.
type Place<'r> = Option<(&'r str, String)>;

/// The place, the old and the new name, of a rule that renames one key.
fn key_move(action: &Action) -> Option<(Place<'_>, &str, String)> {
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

/// What a default fills and another rule takes away.
fn defaults_of_what_is_taken(rules: &[&Rule]) -> Vec<Contradiction> {
    enum Does {
        Fills,
        Takes,
    }
    let mut known: HashMap<(Place<'_>, &str), [ScopeIndex<'_>; 2]> = HashMap::new();
    let mut found = Vec::new();
    for (index, rule) in enabled(rules) {
        let (place, name, does) = match &rule.action {
            Action::ParamDefault { name, .. } => (None, name.as_str(), Does::Fills),
            Action::NestedDefault { payload, path, name, .. } => {
                (Some((payload.as_str(), path.to_string())), name.as_str(), Does::Fills)
            }
            Action::ParamDrop { name } => (None, name.as_str(), Does::Takes),
            action => match key_move(action) {
                Some((place, from, _)) => (place, from, Does::Takes),
                None => continue,
            },
        };
        let [fillers, takers] = known.entry((place, name)).or_default();
        let (own, others) = if matches!(does, Does::Fills) { (fillers, takers) } else { (takers, fillers) };
        if let Some(other) = others.meeting(&rule.tools) {
            let (id, other) = (&rule.id, &rules[other].id);
            let message = match does {
                Does::Fills => format!("rule \"{id}\" fills \"{name}\", which \"{other}\" takes away"),
                Does::Takes => format!("rule \"{id}\" takes \"{name}\" away, which \"{other}\" fills"),
            };
            found.push(Contradiction { rule: index, message, fix: KEEP_ONE });
        }
        own.insert(&rule.tools, index);
    }
    found
}

/// Rules for all keys: two styles, or a style and a rule that leads out of it.
fn styles(rules: &[&Rule]) -> Vec<Contradiction> {
    let mut styles: HashMap<&str, ScopeIndex<'_>> = HashMap::new();
    let mut found = Vec::new();
    let mut tell = |index: usize, other: usize| {
        let (rule, other) = if index > other { (index, other) } else { (other, index) };
        let message = format!("rule \"{}\" undoes \"{}\"", rules[rule].id, rules[other].id);
        found.push(Contradiction { rule, message, fix: KEEP_ONE });
    };
    for (index, rule) in enabled(rules) {
        let Action::CaseConvert { style, name: None } = rule.action else { continue };
        let others = CaseStyle::NAMES.iter().filter(|(_, other)| *other != style);
        let others = others.filter_map(|(name, _)| styles.get(name)?.meeting(&rule.tools));
        others.min().into_iter().for_each(|other| tell(index, other));
        if let Some((name, _)) = CaseStyle::NAMES.iter().find(|(_, known)| *known == style) {
            styles.entry(name).or_default().insert(&rule.tools, index);
        }
    }
    for (index, rule) in enabled(rules) {
        let Some((None, from, to)) = key_move(&rule.action) else { continue };
        let leading_back = CaseStyle::NAMES.iter().filter(|(_, style)| style.convert(&to) == from);
        let converters = leading_back.filter_map(|(name, _)| styles.get(name)?.meeting(&rule.tools));
        converters.min().into_iter().for_each(|other| tell(index, other));
    }
    found
}

/// The tools that rules with these entries have in common.
fn common(one: &[Scope], two: &[Scope]) -> Vec<Scope> {
    let mut scopes: Vec<Scope> =
        one.iter().flat_map(|scope| two.iter().filter_map(|other| scope.meet(other))).collect();
    scopes.dedup();
    scopes
}
