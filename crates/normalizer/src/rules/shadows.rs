//! Rules that can never fire, because an earlier one always takes precedence.

use std::collections::HashMap;

use super::scope_index::ScopeIndex;
use super::{Action, Rule};

/// A rule that can never fire.
pub(super) struct Shadow {
    /// The rule.
    pub rule: usize,
    /// The earlier rule that takes precedence.
    pub earlier: usize,
    /// What both apply to.
    pub what: String,
}

/// The rules of a file that can never fire. Disabled rules neither shadow others nor are shadowed.
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

/// What no later rule of the same kind can match after the rule has fired.
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
