//! The closest valid form of a refused call, so that a model can correct itself.
//!
//! Valid values stay, repairable values are repaired, and `<…>` is a placeholder for a value that only the
//! model knows: `{"path": "a.md", "limit": <an integer of at most 100>}`. A form leaves out nothing with a
//! meaning and makes no decision: if a parameter is unknown or two conflict, there is no form.

use std::cell::Cell;

use toolwright_jsonrpc::raw::{Kind, Member, Node, quote};

use super::object::DraftEntry;
use super::{Fitter, ParameterSlot, ValuePath, preview};
use crate::explain::Trace;
use crate::schema::{Goal, KeyState};

/// Calls with more members than this get no form.
const MAX_MEMBERS: usize = 64;
/// Maximum number of parameters in a form for a call that could not be parsed.
const MAX_NAMED: usize = 12;

impl<'s, 'a> Fitter<'s, 'a> {
    /// The form for a call with the arguments `sent`, or for one that could not be parsed. `None` if no form is
    /// certain to be valid.
    pub(crate) fn nearest_form(&self, sent: Option<Node<'a>>, tool_name: &str) -> Option<String> {
        let quiet = Trace::default();
        let fitter = Fitter {
            validator: self.validator,
            arena: self.arena,
            context: self.context,
            trace: &quiet,
            moves: Cell::new(0),
            nesting: Cell::new(0),
            fits: Cell::new(0),
            payload: Cell::new(None),
        };
        // A level that is not named like an envelope may have a meaning.
        let innermost =
            |node| fitter.unwrapped_readings(node, tool_name).into_iter().rfind(|opened| opened.risk == 0);
        let inner = sent.and_then(innermost).map(|opened| opened.node);
        let members = inner.and_then(|node| node.as_object());
        if members.is_some_and(|members| members.len() > MAX_MEMBERS) || self.validator.is_exhausted() {
            return None;
        }
        fitter.form_of(members, tool_name).filter(|_| !self.validator.is_exhausted())
    }

    fn form_of(&self, sent: Option<&'a [Member<'a>]>, tool_name: &str) -> Option<String> {
        let schema = self.validator.schema();
        let members = sent.unwrap_or_default();
        let node = Node::built(Kind::Object(members));
        let missing =
            |goal: &Goal| goal.required(schema).iter().filter(|name| node.get(name).is_none()).count();
        let goal =
            Goal::alternatives(self.validator, &[schema.root()], &node).into_iter().min_by_key(missing)?;
        let slot = ParameterSlot { name: tool_name, in_list: false, is_root: true };
        let draft = self.aligned(&goal, members, &ValuePath::Root, slot);
        if sent.is_none() {
            return Some(self.empty_form(&goal));
        }
        let is_lost = |entry: &DraftEntry<'a>| {
            entry.state == KeyState::Forbidden
                && !self.is_droppable(&entry.member, &ValuePath::Root, slot.is_root)
        };
        if !draft.problems.is_empty() || draft.entries.iter().any(is_lost) {
            return None;
        }
        let mut parts = Vec::new();
        let mut fitting = Vec::new();
        for entry in draft.entries.iter().filter(|entry| entry.state != KeyState::Forbidden) {
            let key = entry.member.key;
            match self.fitted(entry) {
                Some(value) => {
                    parts.push(format!("{}: {}", quote(key), preview(&value)));
                    fitting.push(Member::new(key, value));
                }
                None => parts.push(format!("{}: <{}>", quote(key), self.expected(&entry.ids))),
            }
        }
        for name in draft.missing() {
            parts.push(format!("{}: <{}>", quote(name), self.expected(&goal.key(schema, name).1)));
        }
        let is_whole = fitting.len() == parts.len();
        let whole = Node::built(Kind::Object(self.arena.alloc_slice_copy(&fitting)));
        // A form without a placeholder must be valid, or the hint would be refused as well.
        if is_whole && !self.validator.accepts(schema.root(), &whole) {
            return None;
        }
        Some(format!("{{{}}}", parts.join(", ")))
    }

    /// The form with all required parameters, and the names of the optional ones.
    fn empty_form(&self, goal: &Goal) -> String {
        let schema = self.validator.schema();
        let required = goal.required(schema);
        let gap = |name: &&str| format!("{}: <{}>", quote(name), self.expected(&goal.key(schema, name).1));
        let needed: Vec<String> = required.iter().take(MAX_NAMED).map(gap).collect();
        let names = goal.property_names(schema);
        let optional: Vec<String> = names
            .iter()
            .filter(|name| !required.contains(name))
            .take(MAX_NAMED)
            .map(|name| quote(name))
            .collect();
        let rest = if optional.is_empty() {
            String::new()
        } else {
            format!(" and, if wanted, {}", optional.join(", "))
        };
        format!("{{{}}}{rest}", needed.join(", "))
    }

    fn fitted(&self, entry: &DraftEntry<'a>) -> Option<Node<'a>> {
        if let Some(fit) = &entry.fitted {
            return Some(fit.node);
        }
        let slot = ParameterSlot {
            name: entry.member.key,
            in_list: entry.state != KeyState::Declared,
            is_root: false,
        };
        self.fit(&entry.ids, entry.member.value, &ValuePath::Root, slot).ok().map(|fit| fit.node)
    }
}
