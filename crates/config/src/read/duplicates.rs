//! Duplicate keys in one object.

use std::collections::HashMap;

use toolwright_jsonrpc::raw::{Member, Node, quote, same_value};

use super::ConfigReader;
use crate::Severity;

/// The object that has the keys; it determines the fix.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DuplicateScope {
    File,
    Toolboxes,
    Toolbox,
    Server,
}

impl<'t> ConfigReader<'t, '_> {
    /// Reports duplicate keys. `None` if two have different values, since either could be intended.
    pub(super) fn check_duplicates(
        &mut self,
        members: &'t [Member<'t>],
        within: DuplicateScope,
    ) -> Option<()> {
        let mut seen: HashMap<&str, Node<'t>> = HashMap::with_capacity(members.len());
        let mut result = Some(());
        for member in members {
            let first = *seen.entry(member.key).or_insert(member.value);
            if std::ptr::eq(source(&first), source(&member.value)) {
                continue;
            }
            let key = quote(member.key);
            if same_value(&first, &member.value) {
                let message = format!("{key} occurs twice with the same value");
                self.collector.warning_at_key(member.raw_key(), message, "remove one of them");
                continue;
            }
            let fix = match (within, member.key) {
                (DuplicateScope::File, "mcpServers" | "servers" | "toolboxes") => {
                    "put everything into the first one"
                }
                (DuplicateScope::Toolboxes, _) => "give one of them another name",
                _ => "keep one of them",
            };
            let message = format!("{key} occurs twice with different values");
            let place = self.collector.offset_of_key(member.raw_key());
            self.collector.add(Severity::Error, place, message, fix.to_owned());
            result = None;
        }
        result
    }
}

fn source<'t>(node: &Node<'t>) -> &'t str {
    node.source().unwrap_or_default()
}
