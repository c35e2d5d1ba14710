//! Application of a tool's rules to one reading of its arguments, up to a fixed point.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use toolwright_jsonrpc::raw::{Kind, Member, Node};
use toolwright_model::{Code, Problem};

use super::CallRepair;
use crate::repair::{Fit, ValuePath, problem};
use crate::rules::{Rule, RuleContext};

/// When the rules that fill in defaults run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Defaults {
    Now,
    /// After the names are aligned.
    Later,
}

/// The arguments after the rules.
pub(super) struct RuleResult<'a> {
    pub fit: Fit<'a>,
    /// Whether the schema accepts them.
    pub is_valid: bool,
}

impl<'a> CallRepair<'_, '_, 'a> {
    /// Applies the rules that may change valid calls to the result of the repair, so that normalization is
    /// idempotent.
    pub(super) fn settle(&self, fit: Fit<'a>) -> Result<Fit<'a>, Vec<Problem>> {
        match fit.node.as_object() {
            Some(members)
                if self.rules.may_change_valid_calls(self.tool) || self.rules.may_map(self.tool, members) =>
            {
                let is_valid = self.fitter.validator.accepts(self.tool.schema().root(), &fit.node);
                self.apply_rules(RuleResult { fit, is_valid }, members, Defaults::Now)
                    .map(|result| result.fit)
            }
            _ => Ok(fit),
        }
    }

    /// Applies every matching rule in order, and repeats those that may change valid calls until a fixed
    /// point. If the rules have no fixed point, the call is refused.
    pub(super) fn apply_rules(
        &self,
        mut result: RuleResult<'a>,
        members: &'a [Member<'a>],
        defaults: Defaults,
    ) -> Result<RuleResult<'a>, Vec<Problem>> {
        let is_valid = result.is_valid;
        let waits = |rule: &&Rule| defaults == Defaults::Later && rule.is_default();
        let all: Vec<&Rule> = self.rules.for_tool(self.tool);
        let is_for_valid = |rule: &&Rule| rule.may_change_valid_calls() || rule.is_mapping();
        let mut rules = all.clone();
        rules.retain(|rule| !waits(rule) && (!is_valid || is_for_valid(rule)));
        let mut members = members.to_vec();
        let mut is_stable = true;
        for rule in &rules {
            let context = RuleContext { tool: self.tool, rules: &all, is_valid };
            is_stable &= !self.apply_rule(rule, &context, &mut members, &mut result)?;
        }
        rules.retain(is_for_valid);
        // A value passes every step of every rule at most once, unless the rules form a cycle, and then the
        // same arguments occur twice.
        let mut rounds = 1 + rules.iter().map(|rule| rule.steps()).sum::<usize>();
        let mut seen = HashSet::new();
        while !is_stable && rounds > 0 {
            is_stable = true;
            rounds -= 1;
            for rule in &rules {
                // While the arguments are invalid, a built-in rule applies only once.
                if result.is_valid || rule.may_change_valid_calls() {
                    let context = RuleContext { tool: self.tool, rules: &all, is_valid: result.is_valid };
                    is_stable &= !self.apply_rule(rule, &context, &mut members, &mut result)?;
                }
            }
            if !is_stable && !seen.insert(fingerprint(&result.fit.node)) {
                break;
            }
        }
        if is_stable { Ok(result) } else { Err(vec![self.cyclic_rules(&result.fit)]) }
    }

    /// Applies one rule; returns whether it changed something.
    fn apply_rule(
        &self,
        rule: &Rule,
        context: &RuleContext<'_>,
        members: &mut Vec<Member<'a>>,
        result: &mut RuleResult<'a>,
    ) -> Result<bool, Vec<Problem>> {
        let applied = rule.apply(&self.fitter, members, context).map_err(|problem| vec![problem])?;
        let Some(applied) = applied else { return Ok(false) };
        let node = Node::built(Kind::Object(self.fitter.arena.alloc_slice_copy(&applied.members)));
        let still_valid = self.fitter.validator.accepts(self.tool.schema().root(), &node);
        if result.is_valid && !still_valid {
            let text = || format!("rule {} would make a valid call invalid", rule.id);
            self.fitter.trace.rejected(&ValuePath::Root, 0, text);
            return Ok(false);
        }
        self.fitter.trace.chosen(&ValuePath::Root, 0, || format!("rule {}", rule.id));
        *members = applied.members;
        result.is_valid = still_valid;
        result.fit.node = node;
        result.fit.changes.extend(applied.changes);
        Ok(true)
    }

    /// The refusal of a call for which the rules have no fixed point.
    fn cyclic_rules(&self, fit: &Fit<'a>) -> Problem {
        let mut ids: Vec<&str> = Vec::new();
        for id in fit.changes.iter().rev().filter_map(|change| change.rule.as_deref()) {
            if ids.contains(&id) {
                break;
            }
            ids.push(id);
        }
        ids.sort_unstable();
        let message = format!("rules undo each other without end: {}; change one of them", ids.join(", "));
        problem(Code::OverLimit, &ValuePath::Root, message)
    }
}

/// A hash of the arguments; storing their text for every round would need too much memory.
fn fingerprint(node: &Node<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    node.to_json().hash(&mut hasher);
    hasher.finish()
}
