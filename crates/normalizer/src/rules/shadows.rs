//! Rules that can never fire, because an earlier one always leaves them nothing to do.

use std::collections::HashMap;

use super::scope_index::ScopeIndex;
use super::{Action, Rule};

/// A rule that can never fire.
pub(super) struct Shadow {
    /// The rule.
    pub rule: usize,
    /// The rule before it that takes what it is about.
    pub earlier: usize,
    /// What that is.
    pub what: String,
}

/// The rules of a file that can never fire. Rules that are switched off throw no shadow and stand in
/// none.
pub(super) fn shadows(rules: &[Rule]) -> Vec<Shadow> {
    let mut takers: HashMap<String, ScopeIndex<'_>> = HashMap::new();
    let mut found = Vec::new();
    for (index, rule) in rules.iter().enumerate().filter(|(_, rule)| rule.enabled) {
        let Some(what) = taken(&rule.action) else { continue };
        let earlier = takers.entry(what.clone()).or_default();
        let covering: Option<Vec<usize>> = rule.tools.iter().map(|scope| earlier.covering(scope)).collect();
        earlier.insert(&rule.tools, index);
        if let Some(earlier) = covering.and_then(|rules| rules.into_iter().min()) {
            found.push(Shadow { rule: index, earlier, what });
        }
    }
    found
}

/// What no later rule of its kind finds after the rule has fired.
fn taken(action: &Action) -> Option<String> {
    match action {
        Action::ParamAlias { from: name, .. } | Action::ParamDrop { name } => Some(name.clone()),
        Action::ParamDefault { name, .. } => Some(format!("missing {name}")),
        Action::NestedAlias { payload, path, from, .. } => Some(format!("{from} in {payload} {path}")),
        Action::NestedDefault { payload, path, name, .. } => {
            Some(format!("missing {name} in {payload} {path}"))
        }
        _ => None,
    }
}
