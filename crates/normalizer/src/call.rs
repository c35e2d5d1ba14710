//! One call that did not simply pass: its readings, the rules, the repair and the verdict.

use toolwright_jsonrpc::raw::{self, Kind, Member, Node, same_value};
use toolwright_model::{Change, Code, Origin, Outcome, Problem};

use crate::costs;
use crate::names::{fold, is_envelope};
use crate::repair::envelope::Opened;
use crate::repair::{Fit, Fitter, Path, Slot, problem};
use crate::rules::{Rule, RuleSet};
use crate::schema::Goal;
use crate::tool::Tool;

/// Objects with more members than this are not looked through for repeated keys.
const MAX_REPEATS_LOOKED_FOR: usize = 256;
/// How often rules look at a call again.
const MAX_RULE_PASSES: usize = 4;

/// When the rules that fill in defaults run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Defaults {
    Now,
    /// After the names are aligned.
    Later,
}

/// The arguments as a tree, and what it took to read them.
pub(crate) struct Start<'a> {
    pub node: Node<'a>,
    pub changes: Vec<Change>,
    pub risk: u32,
    /// Strings may have been split by mistake: unknown keys are then refused.
    pub guessed: bool,
    /// The name in `name({…})` around the arguments.
    pub callee: Option<String>,
    /// The name in `name = {…}` before the arguments.
    pub label: Option<String>,
}

/// One call that did not simply pass.
pub(crate) struct Call<'n, 's, 'a> {
    pub rules: &'n RuleSet,
    pub tool: &'n Tool,
    pub fitter: Fitter<'s, 'a>,
    /// The arguments as sent are strict JSON that the schema does not accept.
    pub rejected_by_gate: bool,
}

impl<'a> Call<'_, '_, 'a> {
    pub fn mend(&self, start: Start<'a>) -> Outcome {
        if let Some(problem) = self.check_surroundings(&start) {
            return refused(vec![problem]);
        }
        let root = match start.node.kind {
            // Nothing sent is an empty object, if the tool needs nothing.
            Kind::Null => Node::built(Kind::Object(&[])),
            Kind::Object(members) => self.without_repeats(start.node, members),
            _ => start.node,
        };
        let was_null = matches!(start.node.kind, Kind::Null);
        if self.tool.origin() == Origin::BuiltIn {
            return self.pass_or_refuse(&start, root);
        }
        let openings = if was_null {
            vec![self.nothing_sent(root)]
        } else {
            self.fitter.openings(root, self.tool.name())
        };
        // One key around everything that is named like an envelope is one: with it the arguments hardly
        // fit, so that reading is tried only when no other fits.
        let is_shell = |opened: &[Opened<'a>]| match opened {
            [outer, inner] => {
                outer.node.as_object().is_some_and(|members| members.len() == 1) && inner.risk == outer.risk
            }
            _ => false,
        };
        let shells: Vec<bool> = openings.windows(2).map(is_shell).chain([false]).collect();
        let (shells, readings): (Vec<_>, Vec<_>) =
            openings.into_iter().enumerate().partition(|(index, _)| shells[*index]);
        let (mut fits, mut problems) = self.fit_all(readings);
        if fits.is_empty() {
            let (outer_fits, outer_problems) = self.fit_all(shells);
            fits = outer_fits;
            if !outer_problems.is_empty() && outer_problems.len() <= problems.len() {
                problems = outer_problems;
            }
        }
        // What was judged after the limit says nothing, not even that a reading is the only one.
        if self.fitter.judge.is_exhausted() {
            let message = "the call takes too long to judge; send less at once";
            return refused(vec![problem(Code::R12, &Path::Root, message)]);
        }
        fits.sort_by_key(|fit| fit.cost);
        let mut fits = fits.into_iter();
        let Some(best) = fits.next() else {
            if let Some(named) = self.fitter.names_another_tool(&root, self.tool.name()) {
                let message =
                    format!("the call names \"{named}\", but it was sent to \"{}\"", self.tool.name());
                problems.insert(0, problem(Code::R7, &Path::Root, message));
            }
            return refused(problems);
        };
        if let Some(other) = fits.next()
            && other.cost < best.cost + costs::MARGIN
            && !same_value(&other.node, &best.node)
        {
            let message = "the arguments can be read with and without their envelope; send them without it";
            return refused(vec![problem(Code::R2, &Path::Root, message)]);
        }
        self.conclude(start, best)
    }

    /// A key that stands twice with one value is one parameter.
    fn without_repeats(&self, node: Node<'a>, members: &'a [Member<'a>]) -> Node<'a> {
        let is_first =
            |index: usize| !members[..index].iter().any(|earlier| earlier.key == members[index].key);
        if members.len() > MAX_REPEATS_LOOKED_FOR || (0..members.len()).all(is_first) {
            return node;
        }
        let kept: Vec<Member<'a>> =
            (0..members.len()).filter(|index| is_first(*index)).map(|index| members[index]).collect();
        Node::built(Kind::Object(self.fitter.arena.alloc_slice_copy(&kept)))
    }

    /// `remove_talk({…})` is a call of another tool, and `options = {…}` is one parameter of several.
    fn check_surroundings(&self, start: &Start<'a>) -> Option<Problem> {
        const PLAIN_CALLS: &[&str] =
            &["json", "dumps", "loads", "parse", "stringify", "print", "dict", "call", "function"];
        let tool = fold(self.tool.name());
        if let Some(callee) = &start.callee {
            let named = fold(callee);
            let is_plain = PLAIN_CALLS.iter().any(|plain| named.ends_with(plain));
            if !named.is_empty() && !is_plain && !named.ends_with(&tool) && callee.contains('_') {
                let message =
                    format!("the call names \"{callee}\", but it was sent to \"{}\"", self.tool.name());
                return Some(problem(Code::R7, &Path::Root, message));
            }
        }
        let label =
            start.label.as_ref().filter(|label| self.fitter.declares(label) && !is_envelope(&fold(label)))?;
        let message =
            format!("\"{label}\" stands outside of the object; send one object with all parameters");
        Some(problem(Code::R9, &Path::Root, message))
    }

    /// The readings that fit, and the shortest list of reasons why one does not.
    fn fit_all(&self, readings: Vec<(usize, Opened<'a>)>) -> (Vec<Fit<'a>>, Vec<Problem>) {
        let mut fits = Vec::new();
        let mut problems: Vec<Problem> = Vec::new();
        for (_, opened) in readings {
            match self.fit(opened) {
                Ok(fit) => fits.push(fit),
                Err(reasons) if problems.is_empty() || reasons.len() < problems.len() => problems = reasons,
                Err(_) => {}
            }
        }
        (fits, problems)
    }

    fn nothing_sent(&self, root: Node<'a>) -> Opened<'a> {
        let change = Change {
            code: Code::V2,
            path: String::new(),
            from: Some("null".to_owned()),
            to: Some("{}".to_owned()),
            rule: None,
            why: "no arguments at all".to_owned(),
        };
        Opened { node: root, changes: vec![change], cost: costs::VALUE_EMPTY, risk: 0 }
    }

    /// Rules, then repair, on one reading of the arguments.
    fn fit(&self, opened: Opened<'a>) -> Result<Fit<'a>, Vec<Problem>> {
        let sent = Fit { node: opened.node, cost: opened.cost, risk: opened.risk, changes: opened.changes };
        let Some(members) = sent.node.as_object() else {
            let restored = self.restore_root(&sent.node);
            return restored.map(|restored| sent.clone().then(restored)).ok_or_else(|| {
                let message =
                    format!("the arguments are {}, but an object is expected", sent.node.a_type_name());
                vec![problem(Code::R8, &Path::Root, message)]
            });
        };
        // A default must not take the place of a value that was sent under another name, so defaults
        // wait until the names are aligned, and help to fill what is missing only then.
        let ruled = self.apply_rules(sent.clone(), members, Defaults::Later);
        let did_something = ruled.0.changes.len() > sent.changes.len();
        let problems = match self.repair(ruled) {
            Ok(fit) => return Ok(self.settle(fit)),
            Err(problems) => problems,
        };
        let has_defaults = self.rules.for_tool(self.tool).iter().any(|rule| rule.is_default());
        if has_defaults && let Ok(fit) = self.repair(self.apply_rules(sent.clone(), members, Defaults::Now)) {
            return Ok(self.settle(fit));
        }
        // A rule that stands in the way of a call that can be mended without it is left out.
        if did_something && let Ok(fit) = self.repair((sent, false)) {
            return Ok(fit);
        }
        Err(problems)
    }

    fn repair(&self, (fit, is_valid): (Fit<'a>, bool)) -> Result<Fit<'a>, Vec<Problem>> {
        if is_valid {
            return Ok(fit);
        }
        let slot = Slot { name: self.tool.name(), in_list: false, is_root: true };
        let root_id = self.tool.schema().root();
        let repaired = self.fitter.fit_rejected(&[root_id], fit.node, &Path::Root, slot)?;
        Ok(fit.then(repaired))
    }

    /// Rules that may change valid calls see what the repair made, so that a second pass would find
    /// nothing left to do.
    fn settle(&self, mut fit: Fit<'a>) -> Fit<'a> {
        for _ in 0..MAX_RULE_PASSES {
            if !self.rules.may_change_valid_calls(self.tool) {
                break;
            }
            let Some(members) = fit.node.as_object() else { break };
            let before = fit.changes.len();
            fit = self.apply_rules(fit, members, Defaults::Now).0;
            if fit.changes.len() == before {
                break;
            }
        }
        fit
    }

    /// Applies every matching rule once, in order; says whether the schema accepts the result.
    fn apply_rules(
        &self,
        mut fit: Fit<'a>,
        members: &'a [Member<'a>],
        defaults: Defaults,
    ) -> (Fit<'a>, bool) {
        let root_id = self.tool.schema().root();
        let mut members = members.to_vec();
        // The gate has judged the arguments as they were sent.
        let as_sent = fit.changes.is_empty();
        let was_valid = !(as_sent && self.rejected_by_gate) && self.fitter.judge.accepts(root_id, &fit.node);
        let mut valid = was_valid;
        for rule in self.rules.for_tool(self.tool) {
            let waits = defaults == Defaults::Later && rule.is_default();
            if waits || was_valid && !rule.may_change_valid_calls() {
                continue;
            }
            let Some(applied) = rule.apply(&self.fitter, &members) else { continue };
            let node = Node::built(Kind::Object(self.fitter.arena.alloc_slice_copy(&applied.members)));
            let still_valid = self.fitter.judge.accepts(root_id, &node);
            if valid && !still_valid {
                self.reject_rule(rule);
                continue;
            }
            self.fitter.trace.chosen(&Path::Root, 0, || format!("rule {}", rule.id));
            valid = still_valid;
            members = applied.members;
            fit.node = node;
            fit.changes.extend(applied.changes);
        }
        (fit, valid)
    }

    fn reject_rule(&self, rule: &Rule) {
        self.fitter
            .trace
            .rejected(&Path::Root, 0, || format!("rule {} would make a valid call invalid", rule.id));
    }

    /// E2 for the whole arguments: a bare list where the tool's one list parameter is required.
    fn restore_root(&self, node: &Node<'a>) -> Option<Fit<'a>> {
        if !matches!(node.kind, Kind::Array(_)) {
            return None;
        }
        let schema = self.tool.schema();
        let goals = Goal::alternatives(self.fitter.judge, &[schema.root()], &Node::built(Kind::Object(&[])));
        let [goal] = &goals[..] else { return None };
        let [name] = goal.required(schema)[..] else { return None };
        let (_, ids) = goal.key(schema, name);
        let takes_list = |ids: &[_]| self.fitter.accepts(ids, node);
        let others = goal.property_names(schema).into_iter().filter(|other| *other != name);
        if !takes_list(&ids) || others.into_iter().any(|other| takes_list(&goal.key(schema, other).1)) {
            return None;
        }
        let member = Member::new(self.fitter.arena.alloc_str(name), *node);
        let wrapped = Node::built(Kind::Object(self.fitter.arena.alloc_slice_copy(&[member])));
        if !self.fitter.judge.accepts(schema.root(), &wrapped) {
            return None;
        }
        let change = Change {
            code: Code::E2,
            path: Path::Root.key(name).to_string(),
            from: None,
            to: Some(raw::quote(name)),
            rule: None,
            why: "the one list the tool takes".to_owned(),
        };
        Some(Fit { node: wrapped, cost: costs::WRAPPER, risk: costs::RISK_STRUCTURE, changes: vec![change] })
    }

    /// Our own tools: checked, never changed.
    fn pass_or_refuse(&self, start: &Start<'a>, root: Node<'a>) -> Outcome {
        let root_id = self.tool.schema().root();
        if start.changes.is_empty() && root.as_object().is_some() && self.fitter.judge.accepts(root_id, &root)
        {
            return if start.node.as_object().is_some() {
                Outcome::Unchanged
            } else {
                self.conclude_node(root, self.nothing_sent(root).changes)
            };
        }
        let slot = Slot { name: self.tool.name(), in_list: false, is_root: true };
        match self.fitter.fit(&[root_id], root, &Path::Root, slot) {
            Err(problems) => refused(problems),
            Ok(fit) => {
                let message = |change: &Change| match &change.to {
                    Some(to) => format!("{}: send {to}", change.why),
                    None => change.why.clone(),
                };
                let changes = start.changes.iter().chain(&fit.changes);
                refused(
                    changes
                        .map(|change| Problem {
                            code: Code::R8,
                            path: change.path.clone(),
                            message: message(change),
                        })
                        .collect(),
                )
            }
        }
    }

    fn conclude(&self, start: Start<'a>, fit: Fit<'a>) -> Outcome {
        let budget = if self.tool.is_destructive() { costs::DESTRUCTIVE_BUDGET } else { costs::BUDGET };
        let risk = start.risk + fit.risk;
        let mut changes = start.changes;
        if risk > budget {
            changes.extend(fit.changes);
            let guesses: Vec<String> = changes
                .iter()
                .map(|change| match (&change.from, &change.to) {
                    (Some(from), Some(to)) => format!("{from} → {to} ({})", change.why),
                    _ => change.why.clone(),
                })
                .collect();
            let message = format!(
                "too much would have to be guessed for this tool: {}; send exactly what you mean",
                guesses.join("; ")
            );
            return refused(vec![problem(Code::R11, &Path::Root, message)]);
        }
        if start.guessed
            && let Some(unknown) = self.undeclared_key(&fit.node)
        {
            let message = format!(
                "quotes in the text are not escaped, and \"{unknown}\" may be a part of a string; escape them"
            );
            return refused(vec![problem(Code::R2, &Path::Root, message)]);
        }
        changes.extend(fit.changes);
        if changes.is_empty() {
            return Outcome::Unchanged;
        }
        self.conclude_node(fit.node, changes)
    }

    fn conclude_node(&self, node: Node<'a>, changes: Vec<Change>) -> Outcome {
        Outcome::Repaired { arguments: node.to_json(), changes }
    }

    fn undeclared_key(&self, node: &Node<'a>) -> Option<&'a str> {
        let members = node.as_object()?;
        let declared = self.tool.parameters();
        members
            .iter()
            .map(|member| member.key)
            .find(|key| !declared.iter().any(|name| fold(name) == fold(key)))
    }
}

/// A refusal with its reasons.
pub(crate) fn refused(problems: Vec<Problem>) -> Outcome {
    let problems = if problems.is_empty() {
        vec![problem(Code::R8, &Path::Root, "the arguments do not fit the tool's schema")]
    } else {
        problems
    };
    let hint = problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join("; ");
    Outcome::Refused { problems, hint }
}
