//! Keys that stand twice in one object.

use std::collections::HashMap;

use toolwright_jsonrpc::raw::{Member, Node, quote, same_value};

use super::Reader;
use crate::Severity;

/// Which object it is, and so what is lost.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    File,
    Toolboxes,
    Toolbox,
    Server,
}

impl<'t> Reader<'t, '_> {
    /// Tells of keys that stand twice; nothing when two differ, since nobody knows which one is meant.
    pub(super) fn check_repeats(&mut self, members: &'t [Member<'t>], within: Within) -> Option<()> {
        let mut seen: HashMap<&str, Node<'t>> = HashMap::with_capacity(members.len());
        let mut result = Some(());
        for member in members {
            let first = *seen.entry(member.key).or_insert(member.value);
            if std::ptr::eq(source(&first), source(&member.value)) {
                continue;
            }
            let key = quote(member.key);
            if same_value(&first, &member.value) {
                let message = format!("{key} stands here twice, the same both times");
                self.mistakes.warning_at_key(member.raw_key(), message, "remove one of them");
                continue;
            }
            let fix = match (within, member.key) {
                (Within::File, "mcpServers" | "servers" | "toolboxes") => "put everything into the first one",
                (Within::Toolboxes, _) => "give one of them another name",
                _ => "keep one of them",
            };
            let message = format!("{key} stands here twice with different values");
            let place = self.mistakes.place_of_key(member.raw_key());
            self.mistakes.add(Severity::Error, place, message, fix.to_owned());
            result = None;
        }
        result
    }
}

fn source<'t>(node: &Node<'t>) -> &'t str {
    node.source().unwrap_or_default()
}
