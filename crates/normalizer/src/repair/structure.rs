//! E1 and E2 inside the arguments: members one level too deep, or one level too high.
//!
//! # What it does
//! `{"path": "a", "options": {"recursive": true}}` loses the level if `options` is not a parameter
//! and `recursive` is; `{"toolbox": "dev", "name": "x"}` gets the level of `tool` if `tool` is a
//! missing object that declares them; `{"tool.name": "x"}` is split at its dots.
//!
//! # What it refuses
//! A level whose members are not all parameters, and members that fit into two wrappers.

use std::collections::HashSet;

use toolwright_jsonrpc::raw::{Kind, Member, Node, quote};
use toolwright_model::{Change, Code};

use super::envelope::LABELS;
use super::limits::is_comparable;
use super::{Attempt, Fitter, ParameterSlot, ValuePath};
use crate::costs;
use crate::names::{Folded, NameContext, SplitName, compare, fold, is_envelope};
use crate::schema::{Goal, KEYS_PER_STEP, KeyState, SchemaId, steps};

/// Maximum number of combined moves.
const MAX_MOVES: u32 = 3;

impl<'s, 'a> Fitter<'s, 'a> {
    /// The first move of members that makes the object fit.
    pub(super) fn restructure(
        &self,
        goal: &Goal,
        members: &'a [Member<'a>],
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> Option<Attempt<'a>> {
        let depth = self.moves.get();
        if depth >= MAX_MOVES {
            return None;
        }
        self.moves.set(depth + 1);
        let restructured = self.first_move_that_fits(goal, members, path, slot);
        self.moves.set(depth);
        restructured
    }

    fn first_move_that_fits(
        &self,
        goal: &Goal,
        members: &'a [Member<'a>],
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> Option<Attempt<'a>> {
        // A whole call around the arguments is unwrapped elsewhere; its labels are not members to move.
        let is_free =
            |member: &Member<'a>| goal.key(self.validator.schema(), member.key).0 != KeyState::Declared;
        let labels = |member: &Member<'a>| LABELS.contains(&fold(member.key).as_str()) && is_free(member);
        let holds = |member: &Member<'a>| is_envelope(&fold(member.key)) && is_free(member);
        if slot.is_root && members.iter().any(labels) && members.iter().any(holds) {
            return None;
        }
        let moves = [
            self.take_dotted_keys_apart(goal, members),
            self.lift_inner_members(goal, members, slot),
            self.restore_wrapper(goal, members),
        ];
        for (moved, change, cost, risk) in moves.into_iter().flatten() {
            let change = Change { path: format!("{path}{}", change.path), ..change };
            self.trace.tried(path, cost, || format!("{}: {}", change.code, change.why));
            if let Some(Ok(mut fit)) = self.object(goal, moved, path, slot) {
                fit.changes.insert(0, change);
                fit.cost += cost;
                return Some(Ok(fit.risky(risk)));
            }
        }
        None
    }

    /// `{"options": {"recursive": true}}` → `{"recursive": true}`.
    fn lift_inner_members(
        &self,
        goal: &Goal,
        members: &'a [Member<'a>],
        slot: ParameterSlot<'_>,
    ) -> Option<MemberMove<'a>> {
        let schema = self.validator.schema();
        // A whole call around the arguments is an envelope, and may name another tool.
        let labels_a_call = |member: &Member<'a>| {
            LABELS.contains(&fold(member.key).as_str())
                && goal.key(schema, member.key).0 != KeyState::Declared
        };
        // At the root, a single key around everything is unwrapped before anything is fitted.
        if slot.is_root && (members.len() == 1 || members.iter().any(labels_a_call)) {
            return None;
        }
        let wraps = |member: &&Member<'a>| {
            let name = fold(member.key);
            (is_envelope(&name) || ["settings", "config", "extra", "filters"].contains(&name.as_str()))
                && goal.key(schema, member.key).0 != KeyState::Declared
        };
        let envelope = members.iter().find(wraps)?;
        let opened = match envelope.value.kind {
            Kind::String(_) => self.open_container(&envelope.value)?.0,
            _ => envelope.value,
        };
        let inner = opened.as_object().filter(|inner| !inner.is_empty())?;
        let folded = |members: &[Member<'a>]| -> HashSet<Folded> {
            members
                .iter()
                .filter(|member| member.key != envelope.key)
                .map(|member| fold(member.key))
                .collect()
        };
        let (outside, inside) = (folded(members), folded(inner));
        let declared = goal.property_names(schema);
        if !inside.is_disjoint(&outside) || !declared.iter().any(|name| inside.contains(&fold(name))) {
            return None;
        }
        let mut moved = Vec::with_capacity(members.len() + inner.len());
        for member in members {
            if member.key == envelope.key { moved.extend_from_slice(inner) } else { moved.push(*member) }
        }
        let change = Change {
            code: Code::EnvelopeRemoved,
            path: ValuePath::Root.key(envelope.key).to_string(),
            from: Some(quote(envelope.key)),
            to: None,
            rule: None,
            rule_type: None,
            why: "a level too deep: its members are parameters".to_owned(),
        };
        Some((self.arena.alloc_slice_copy(&moved), change, costs::ENVELOPE, 0))
    }

    /// `{"toolbox": "dev", "name": "x"}` → `{"tool": {"toolbox": "dev", "name": "x"}}`.
    fn restore_wrapper(&self, goal: &Goal, members: &'a [Member<'a>]) -> Option<MemberMove<'a>> {
        let schema = self.validator.schema();
        let required = goal.required(schema);

        let names = goal.property_names(schema);
        let belongs_here = |sent: &SplitName| {
            names.iter().filter_map(|name| schema.name(name)).any(|known| known.folded == sent.folded)
        };
        let unknown: Vec<(Member<'a>, KeyState, SplitName)> = members
            .iter()
            .filter(|member| is_comparable(member.key))
            .map(|member| (*member, goal.key(schema, member.key).0))
            .filter(|(_, state)| *state != KeyState::Declared)
            .map(|(member, state)| (member, state, SplitName::new(member.key)))
            .filter(|(_, _, sent)| !belongs_here(sent))
            .collect();
        let looks = names.len().saturating_mul(required.len() + members.len()) / KEYS_PER_STEP;
        if unknown.is_empty() || !self.validator.spend_many(steps(looks)) {
            return None;
        }
        let forbidden = unknown.iter().any(|(_, state, _)| *state == KeyState::Forbidden);
        let mut wrappers: Vec<(&'s str, Vec<Member<'a>>)> = Vec::new();
        for name in names.iter().copied() {
            let present = members.iter().find(|member| member.key == name);
            let open_place = present.is_none_or(|member| member.value.as_object().is_some());
            if !open_place || !(required.contains(&name) && present.is_none() || forbidden) {
                continue;
            }
            let inner = self.inner_names(&goal.key(schema, name).1);
            if !self.spend_on_goal() || !self.spend_on_comparisons(unknown.len(), inner.len()) {
                return None;
            }
            let around =
                NameContext { tool_words: self.context.tool_words, declared: &inner, ..NameContext::NONE };
            let is_like = |sent: &SplitName| inner.iter().any(|inner| compare(sent, inner, around).is_some());
            let is_named = |sent: &SplitName| inner.iter().any(|inner| inner.folded == sent.folded);
            // `latitude` and `longitude` for `lat` and `lng`: two of them in another spelling.
            let is_spelt = |sent: &SplitName| inner.iter().any(|inner| inner.meaning == sent.meaning);
            let spelt = unknown.iter().filter(|(_, _, sent)| is_spelt(sent)).count();
            if spelt > 1 || unknown.iter().any(|(_, _, sent)| is_named(sent)) {
                let belonging = unknown.iter().filter(|(_, _, sent)| is_like(sent));
                wrappers.push((name, belonging.map(|(member, _, _)| *member).collect()));
            }
        }
        let [(name, taken)] = &wrappers[..] else { return None };
        let is_taken = |member: &Member<'a>| taken.iter().any(|other| other.key == member.key);
        let present = members.iter().position(|member| member.key == *name);
        let mut inner: Vec<Member<'a>> =
            present.and_then(|at| members[at].value.as_object()).unwrap_or_default().to_vec();
        if taken.iter().any(|member| inner.iter().any(|known| fold(known.key) == fold(member.key))) {
            return None;
        }
        inner.extend_from_slice(taken);
        let value = Node::built(Kind::Object(self.arena.alloc_slice_copy(&inner)));
        let stays = |member: &&Member<'a>| !is_taken(member) && member.key != *name;
        let mut moved: Vec<Member<'a>> = members.iter().filter(stays).copied().collect();
        let at = present.or_else(|| members.iter().position(is_taken)).unwrap_or(0).min(moved.len());
        moved.insert(at, Member::new(self.arena.alloc_str(name), value));
        let change = Change {
            code: Code::WrapperRestored,
            path: ValuePath::Root.key(name).to_string(),
            from: None,
            to: Some(quote(name)),
            rule: None,
            rule_type: None,
            why: "a level too high: these members belong inside".to_owned(),
        };
        Some((self.arena.alloc_slice_copy(&moved), change, costs::WRAPPER, costs::RISK_STRUCTURE))
    }

    /// Whether the schema describes the contents of a parameter.
    pub(crate) fn describes_inside(&self, key: &str) -> bool {
        let schema = self.validator.schema();
        let probe = Node::built(Kind::Object(&[]));
        Goal::alternatives(self.validator, &[schema.root()], &probe)
            .iter()
            .any(|goal| !self.inner_names(&goal.key(schema, key).1).is_empty())
    }

    /// The names that an object, or the items of a list of objects, declares.
    fn inner_names(&self, ids: &[SchemaId]) -> Vec<&'s SplitName> {
        let schema = self.validator.schema();
        let probe = Node::built(Kind::Object(&[]));
        let mut names = Vec::new();
        for goal in Goal::alternatives(self.validator, ids, &probe) {
            names.extend(goal.names(schema));
            if names.is_empty() {
                for item in Goal::alternatives(self.validator, &goal.item(schema, 0), &probe) {
                    names.extend(item.names(schema));
                }
            }
        }
        names
    }

    /// `{"tool.name": "x", "tool.server": "y"}` → `{"tool": {"name": "x", "server": "y"}}`.
    fn take_dotted_keys_apart(&self, goal: &Goal, members: &'a [Member<'a>]) -> Option<MemberMove<'a>> {
        let schema = self.validator.schema();
        let names = goal.property_names(schema);
        let parts = |member: &Member<'a>| -> Option<(&'s str, &'a str)> {
            let (head, tail) = member.key.split_once(['.', '/'])?;
            if tail.is_empty() || goal.key(schema, member.key).0 == KeyState::Declared {
                return None;
            }
            let head = fold(head);
            let name = names.iter().find(|name| fold(name) == head)?;
            Some((*name, tail))
        };
        let (name, _) = members.iter().find_map(parts)?;
        if !self.validator.spend_many(steps(members.len().saturating_mul(members.len().max(names.len())))) {
            return None;
        }
        let existing = members.iter().find(|member| member.key == name);
        let mut inner: Vec<Member<'a>> = match existing {
            Some(member) => member.value.as_object()?.to_vec(),
            None => Vec::new(),
        };
        let mut moved = Vec::with_capacity(members.len());
        for member in members {
            match parts(member).filter(|(head, _)| *head == name) {
                Some((_, tail)) if inner.iter().any(|known| fold(known.key) == fold(tail)) => return None,
                Some((_, tail)) => inner.push(Member::new(tail, member.value)),
                None if member.key == name => {}
                None => moved.push(*member),
            }
        }
        let value = Node::built(Kind::Object(self.arena.alloc_slice_copy(&inner)));
        moved.push(Member::new(self.arena.alloc_str(name), value));
        let change = Change {
            code: Code::WrapperRestored,
            path: ValuePath::Root.key(name).to_string(),
            from: None,
            to: Some(quote(name)),
            rule: None,
            rule_type: None,
            why: "dotted keys are levels".to_owned(),
        };
        Some((self.arena.alloc_slice_copy(&moved), change, costs::WRAPPER, costs::RISK_NAME))
    }
}

/// Members after a move, the change to report, its cost and its risk.
type MemberMove<'a> = (&'a [Member<'a>], Change, u32, u32);
