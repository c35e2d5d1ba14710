//! The nearest valid form of a call that is refused, so that a model can correct itself.
//!
//! What fits stays, what can be mended is mended, and `<…>` stands where only the model knows the
//! value: `{"path": "a.md", "limit": <an integer of at most 100>}`. A form leaves nothing out that
//! says something and decides nothing: where a parameter is unknown or two are in each other's way,
//! there is none.

use std::cell::Cell;

use toolwright_jsonrpc::raw::{Kind, Member, Node, quote};

use super::object::Entry;
use super::{Fitter, Path, Slot, preview};
use crate::explain::Trace;
use crate::schema::{Goal, KeyState};

/// Calls with more members than this get no form.
const MAX_MEMBERS: usize = 64;
/// How many parameters are named when nothing was sent that could be read.
const MAX_NAMED: usize = 12;

impl<'s, 'a> Fitter<'s, 'a> {
    /// The form for a call that sent this, or could not be read at all. `None` when there is no form
    /// that would surely do.
    pub(crate) fn nearest_form(&self, sent: Option<Node<'a>>, tool_name: &str) -> Option<String> {
        let quiet = Trace::default();
        let fitter = Fitter {
            judge: self.judge,
            arena: self.arena,
            context: self.context,
            trace: &quiet,
            moves: Cell::new(0),
            nesting: Cell::new(0),
            fits: Cell::new(0),
            payload: Cell::new(None),
        };
        // A level that does not call itself an envelope may mean something.
        let innermost = |node| fitter.openings(node, tool_name).into_iter().rfind(|opened| opened.risk == 0);
        let inner = sent.and_then(innermost).map(|opened| opened.node);
        let members = inner.and_then(|node| node.as_object());
        if members.is_some_and(|members| members.len() > MAX_MEMBERS) || self.judge.is_exhausted() {
            return None;
        }
        fitter.form_of(members, tool_name).filter(|_| !self.judge.is_exhausted())
    }

    fn form_of(&self, sent: Option<&'a [Member<'a>]>, tool_name: &str) -> Option<String> {
        let schema = self.judge.schema();
        let members = sent.unwrap_or_default();
        let node = Node::built(Kind::Object(members));
        let missing =
            |goal: &Goal| goal.required(schema).iter().filter(|name| node.get(name).is_none()).count();
        let goal = Goal::alternatives(self.judge, &[schema.root()], &node).into_iter().min_by_key(missing)?;
        let slot = Slot { name: tool_name, in_list: false, is_root: true };
        let draft = self.aligned(&goal, members, &Path::Root, slot);
        if sent.is_none() {
            return Some(self.empty_form(&goal));
        }
        let is_lost = |entry: &Entry<'a>| {
            entry.state == KeyState::Forbidden && !self.is_droppable(&entry.member, &Path::Root, slot.is_root)
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
        // A form without a gap must be valid, or it would say to send what is refused.
        if is_whole && !self.judge.accepts(schema.root(), &whole) {
            return None;
        }
        Some(format!("{{{}}}", parts.join(", ")))
    }

    /// What the tool takes: the form of what it needs, and the names of what it can have.
    fn empty_form(&self, goal: &Goal) -> String {
        let schema = self.judge.schema();
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

    fn fitted(&self, entry: &Entry<'a>) -> Option<Node<'a>> {
        if let Some(fit) = &entry.fitted {
            return Some(fit.node);
        }
        let slot =
            Slot { name: entry.member.key, in_list: entry.state != KeyState::Declared, is_root: false };
        self.fit(&entry.ids, entry.member.value, &Path::Root, slot).ok().map(|fit| fit.node)
    }
}
