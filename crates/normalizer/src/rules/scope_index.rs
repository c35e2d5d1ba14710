//! Index of rules by their tools, so that a lookup does not check every rule.

use std::collections::HashMap;

use super::Scope;

/// Further patterns under one key are not compared with others: comparing all with all takes too long, and
/// rules that undo each other are also detected when they run.
const MAX_BROAD: usize = 256;

/// Entries of `tools` and the rules they belong to.
#[derive(Default)]
pub(super) struct ScopeIndex<'r> {
    /// Entries that name a tool, by that name.
    named: HashMap<&'r str, Vec<(&'r Scope, usize)>>,
    /// Patterns and `*`.
    broad: Vec<(&'r Scope, usize)>,
}

impl<'r> ScopeIndex<'r> {
    pub fn insert(&mut self, scopes: &'r [Scope], rule: usize) {
        for scope in scopes {
            match scope.tool_name() {
                Some(name) => self.named.entry(name).or_default().push((scope, rule)),
                None if self.broad.len() < MAX_BROAD => self.broad.push((scope, rule)),
                None => {}
            }
        }
    }

    /// The first rule with an entry that covers this one.
    pub fn covering(&self, scope: &Scope) -> Option<usize> {
        let named = scope.tool_name().and_then(|name| self.named.get(name)).into_iter().flatten();
        let covering = named.chain(&self.broad).filter(|(known, _)| known.covers(scope));
        covering.map(|(_, rule)| *rule).min()
    }

    /// The first rule that has a tool in common with these entries.
    pub fn meeting(&self, scopes: &[Scope]) -> Option<usize> {
        let first = |known: &mut dyn Iterator<Item = &(&'r Scope, usize)>, scope: &Scope| {
            known.filter(|(known, _)| known.meet(scope).is_some()).map(|(_, rule)| *rule).min()
        };
        let meeting = |scope: &Scope| {
            let broad = first(&mut self.broad.iter(), scope);
            let named = match scope.tool_name() {
                Some(name) => first(&mut self.named.get(name).into_iter().flatten(), scope),
                None if self.broad.len() < MAX_BROAD => first(&mut self.named.values().flatten(), scope),
                None => None,
            };
            broad.into_iter().chain(named).min()
        };
        scopes.iter().filter_map(meeting).min()
    }
}
