//! The rules of a tool, run over one reading of its arguments until none has anything left to do.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use toolwright_jsonrpc::raw::{Kind, Member, Node};
use toolwright_model::{Code, Problem};

use super::Call;
use crate::repair::{Fit, Path, problem};
use crate::rules::{Rule, Surrounding};

/// When the rules that fill in defaults run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Defaults {
    Now,
    /// After the names are aligned.
    Later,
}

/// What the rules made of the arguments.
pub(super) struct Ruled<'a> {
    pub fit: Fit<'a>,
    /// Whether the schema accepts it.
    pub is_valid: bool,
}

impl<'a> Call<'_, '_, 'a> {
    /// Rules that may change valid calls see what the repair made, so that a second pass would find
    /// nothing left to do.
    pub(super) fn settle(&self, fit: Fit<'a>) -> Result<Fit<'a>, Vec<Problem>> {
        match fit.node.as_object() {
            Some(members)
                if self.rules.may_change_valid_calls(self.tool) || self.rules.may_map(self.tool, members) =>
            {
                let is_valid = self.fitter.judge.accepts(self.tool.schema().root(), &fit.node);
                self.apply_rules(Ruled { fit, is_valid }, members, Defaults::Now).map(|ruled| ruled.fit)
            }
            _ => Ok(fit),
        }
    }

    /// Applies every matching rule in order, and those that may change valid calls again and again
    /// until none has anything left to do. Rules that never come to rest refuse the call.
    pub(super) fn apply_rules(
        &self,
        mut ruled: Ruled<'a>,
        members: &'a [Member<'a>],
        defaults: Defaults,
    ) -> Result<Ruled<'a>, Vec<Problem>> {
        let is_valid = ruled.is_valid;
        let waits = |rule: &&Rule| defaults == Defaults::Later && rule.is_default();
        let all: Vec<&Rule> = self.rules.for_tool(self.tool);
        let is_for_valid = |rule: &&Rule| rule.may_change_valid_calls() || rule.is_mapping();
        let mut rules = all.clone();
        rules.retain(|rule| !waits(rule) && (!is_valid || is_for_valid(rule)));
        let mut members = members.to_vec();
        let mut at_rest = true;
        for rule in &rules {
            let around = Surrounding { tool: self.tool, rules: &all, is_valid };
            at_rest &= !self.apply_rule(rule, &around, &mut members, &mut ruled)?;
        }
        rules.retain(is_for_valid);
        // A value goes through every step of every rule once at most, unless they lead in a circle,
        // and then the same arguments come again.
        let mut rounds = 1 + rules.iter().map(|rule| rule.steps()).sum::<usize>();
        let mut seen = HashSet::new();
        while !at_rest && rounds > 0 {
            at_rest = true;
            rounds -= 1;
            for rule in &rules {
                // While the arguments are not valid, a built-in rule has said what it has to say.
                if ruled.is_valid || rule.may_change_valid_calls() {
                    let around = Surrounding { tool: self.tool, rules: &all, is_valid: ruled.is_valid };
                    at_rest &= !self.apply_rule(rule, &around, &mut members, &mut ruled)?;
                }
            }
            if !at_rest && !seen.insert(fingerprint(&ruled.fit.node)) {
                break;
            }
        }
        if at_rest { Ok(ruled) } else { Err(vec![self.restless(&ruled.fit)]) }
    }

    /// Applies one rule; says whether it did something.
    fn apply_rule(
        &self,
        rule: &Rule,
        around: &Surrounding<'_>,
        members: &mut Vec<Member<'a>>,
        ruled: &mut Ruled<'a>,
    ) -> Result<bool, Vec<Problem>> {
        let applied = rule.apply(&self.fitter, members, around).map_err(|problem| vec![problem])?;
        let Some(applied) = applied else { return Ok(false) };
        let node = Node::built(Kind::Object(self.fitter.arena.alloc_slice_copy(&applied.members)));
        let still_valid = self.fitter.judge.accepts(self.tool.schema().root(), &node);
        if ruled.is_valid && !still_valid {
            let text = || format!("rule {} would make a valid call invalid", rule.id);
            self.fitter.trace.rejected(&Path::Root, 0, text);
            return Ok(false);
        }
        self.fitter.trace.chosen(&Path::Root, 0, || format!("rule {}", rule.id));
        *members = applied.members;
        ruled.is_valid = still_valid;
        ruled.fit.node = node;
        ruled.fit.changes.extend(applied.changes);
        Ok(true)
    }

    /// The refusal of a call that the rules would change for ever.
    fn restless(&self, fit: &Fit<'a>) -> Problem {
        let mut ids: Vec<&str> = Vec::new();
        for id in fit.changes.iter().rev().filter_map(|change| change.rule.as_deref()) {
            if ids.contains(&id) {
                break;
            }
            ids.push(id);
        }
        ids.sort_unstable();
        let message = format!("rules undo each other without end: {}; change one of them", ids.join(", "));
        problem(Code::OverLimit, &Path::Root, message)
    }
}

/// A number for the arguments; keeping their text of every round would take too much memory.
fn fingerprint(node: &Node<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    node.to_json().hash(&mut hasher);
    hasher.finish()
}
