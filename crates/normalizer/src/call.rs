//! One call that did not simply pass: its readings, the rules, the repair and the verdict.

pub(crate) mod around;
mod refusal;
mod rules;
pub(crate) mod words;

use toolwright_jsonrpc::raw::{self, Kind, Member, Node, same_value};
use toolwright_model::{Change, Code, Origin, Outcome, Problem};

use crate::costs;
use crate::names::{fold, is_envelope};
use crate::repair::envelope::{Opened, names_tool};
use crate::repair::{Fit, Fitter, Path, Slot, preview, problem, shown, too_much};
use crate::repeats::without_repeats;
use crate::rules::RuleSet;
use crate::schema::Goal;
use crate::text::{Outside, Step};
use crate::tool::Tool;

use self::refusal::is_bare_guess;
use self::rules::{Defaults, Ruled};

pub(crate) use self::refusal::refused;

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
    /// What stands around the arguments, and around them in a string of JSON.
    pub outside: Vec<Outside>,
}

impl<'a> Start<'a> {
    /// Arguments that were there to read, with nothing around them.
    pub fn with(node: Node<'a>) -> Start<'a> {
        Start {
            node,
            changes: Vec::new(),
            risk: 0,
            guessed: false,
            callee: None,
            label: None,
            outside: Vec::new(),
        }
    }
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
    pub fn mend(&self, mut start: Start<'a>) -> Outcome {
        if let Some(problem) = self.check_surroundings(&start) {
            self.fitter.trace.rejected(&Path::Root, 0, || problem.message.clone());
            return self.refuse(start.node, vec![problem]);
        }
        self.report_words_around(&mut start);
        let root = match start.node.kind {
            // Nothing sent is an empty object, if the tool needs nothing.
            Kind::Null => Node::built(Kind::Object(&[])),
            Kind::Object(members) => without_repeats(start.node, members, self.fitter.arena),
            _ => start.node,
        };
        let was_null = matches!(start.node.kind, Kind::Null);
        if was_null && self.tool.is_broader_without_arguments() {
            let form = self.fitter.nearest_form(None, self.tool.name());
            let message = format!(
                "no arguments were sent, and without them this tool may touch everything; send an object{}",
                form.as_ref().map_or(String::new(), |form| format!(": the tool takes {form}"))
            );
            self.fitter.trace.rejected(&Path::Root, 0, || message.clone());
            return refused(vec![problem(Code::ValueMismatch, &Path::Root, message)], form);
        }
        if self.tool.origin() == Origin::BuiltIn {
            return self.pass_or_refuse(&start, root);
        }
        let openings = if was_null {
            vec![self.nothing_sent(root)]
        } else if self.is_valid_as_sent(&start, &root) {
            // Only rules change a valid call: what looks like an envelope in it is none.
            vec![Opened { node: root, changes: Vec::new(), cost: 0, risk: 0 }]
        } else {
            self.fitter.openings(root, self.tool.name())
        };
        // One key around everything that is named like an envelope is one, and so is a whole call that
        // names this tool: with it the arguments hardly fit, so that reading is tried only when no
        // other fits.
        let is_shell = |opened: &[Opened<'a>]| match opened {
            [outer, inner] => {
                let is_around = |members: &[Member<'a>]| {
                    members.len() == 1 || self.fitter.is_whole_call(members, self.tool.name())
                };
                outer.node.as_object().is_some_and(is_around) && inner.risk == outer.risk
            }
            _ => false,
        };
        let are_shells: Vec<bool> = openings.windows(2).map(is_shell).collect();
        let mut shells = Vec::new();
        let mut readings = openings;
        for index in (0..are_shells.len()).rev().filter(|index| are_shells[*index]) {
            shells.insert(0, readings.remove(index));
        }
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
            let found = match self.tool.schema().applies_within_itself() {
                true => problem(
                    Code::OverLimit,
                    &Path::Root,
                    "the tool's schema refers to itself without end, so no call can be judged; its server has to mend it",
                ),
                false => too_much(&Path::Root),
            };
            self.fitter.trace.rejected(&Path::Root, 0, || found.message.clone());
            return refused(vec![found], None);
        }
        fits.sort_by_key(|fit| fit.cost);
        let mut fits = fits.into_iter();
        let Some(best) = fits.next() else {
            if let Some(named) = self.fitter.names_another_tool(&root, self.tool.name()) {
                let message = format!(
                    "the call names \"{}\", but it was sent to \"{}\"",
                    shown(&named),
                    shown(self.tool.name())
                );
                problems.insert(0, problem(Code::ConflictingValues, &Path::Root, message));
            }
            return self.refuse(root, problems);
        };
        if let Some(other) = fits.next()
            && other.cost < best.cost + costs::MARGIN
            && !same_value(&other.node, &best.node)
        {
            let message = "the arguments can be read with and without their envelope; send them without it";
            self.fitter.trace.rejected(&Path::Root, best.cost, || message.to_owned());
            return self.refuse(root, vec![problem(Code::AmbiguousReading, &Path::Root, message)]);
        }
        self.conclude(start, best)
    }

    fn is_valid_as_sent(&self, start: &Start<'a>, root: &Node<'a>) -> bool {
        !self.rejected_by_gate
            && start.changes.is_empty()
            && root.as_object().is_some()
            && self.fitter.judge.accepts(self.tool.schema().root(), root)
    }

    /// `remove_talk({…})` is a call of another tool, and `options = {…}` is one parameter of several.
    fn check_surroundings(&self, start: &Start<'a>) -> Option<Problem> {
        const PLAIN_CALLS: &[&str] =
            &["json", "dumps", "loads", "parse", "stringify", "print", "dict", "call", "function"];
        if let Some(callee) = &start.callee {
            let named = fold(callee);
            let is_plain = PLAIN_CALLS.iter().any(|plain| named.ends_with(plain));
            let is_own = named.is_empty() || names_tool(callee, self.tool.name());
            if !is_plain && !is_own && callee.contains('_') {
                let message = format!(
                    "the call names \"{}\", but it was sent to \"{}\"",
                    shown(callee),
                    shown(self.tool.name())
                );
                return Some(problem(Code::ConflictingValues, &Path::Root, message));
            }
        }
        let json = if start.outside.is_empty() { String::new() } else { start.node.to_json() };
        let objections = start.outside.iter().filter_map(|text| around::objection(text, self.tool, &json));
        if let Some(problem) = { objections }.next() {
            return Some(problem);
        }
        let label =
            start.label.as_ref().filter(|label| self.fitter.declares(label) && !is_envelope(&fold(label)))?;
        let message =
            format!("\"{label}\" stands outside of the object; send one object with all parameters");
        Some(problem(Code::UnreadableText, &Path::Root, message))
    }

    /// Law 8: the words that were left out are in the report. For a tool that can destroy something they
    /// are a risk, unless they are a label.
    fn report_words_around(&self, start: &mut Start<'a>) {
        let prose = raw::quote(Step::Prose.describe());
        for (said, is_free) in start.outside.iter().filter_map(|text| around::left_out(text, self.tool)) {
            let is_prose = |change: &&mut Change| change.from.as_ref() == Some(&prose);
            if let Some(change) = start.changes.iter_mut().find(is_prose) {
                change.from = Some(raw::quote(&said));
            }
            if is_free && self.tool.is_destructive() {
                start.risk += costs::DESTRUCTIVE_BUDGET + 1;
            }
        }
    }

    /// The readings that fit, and the shortest list of reasons why one does not.
    fn fit_all(&self, readings: Vec<Opened<'a>>) -> (Vec<Fit<'a>>, Vec<Problem>) {
        let mut fits = Vec::new();
        let mut problems: Vec<Problem> = Vec::new();
        for opened in readings {
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
            code: Code::EmptyOptional,
            path: String::new(),
            from: Some("null".to_owned()),
            to: Some("{}".to_owned()),
            rule: None,
            rule_type: None,
            why: "no arguments at all".to_owned(),
        };
        Opened { node: root, changes: vec![change], cost: costs::VALUE_EMPTY, risk: 0 }
    }

    /// Rules, then repair, on one reading of the arguments.
    fn fit(&self, opened: Opened<'a>) -> Result<Fit<'a>, Vec<Problem>> {
        self.fitter.trace.opened(&opened.changes, opened.cost);
        let Opened { node, changes, cost, risk } = opened;
        let is_as_sent = changes.is_empty();
        let opened = Fit { node, cost, risk, changes };
        match node.as_object() {
            Some(members) => self.fit_object(node, members, is_as_sent),
            None => self.restore_root(&node),
        }
        .map(|fit| opened.then(fit))
    }

    fn fit_object(
        &self,
        node: Node<'a>,
        members: &'a [Member<'a>],
        is_as_sent: bool,
    ) -> Result<Fit<'a>, Vec<Problem>> {
        // The gate has judged the arguments as they were sent.
        let is_valid = !(is_as_sent && self.rejected_by_gate)
            && self.fitter.judge.accepts(self.tool.schema().root(), &node);
        let sent = || Ruled { fit: Fit::unchanged(node), is_valid };
        // A default must not take the place of a value that was sent under another name, so defaults
        // wait until the names are aligned, and help to fill what is missing only then.
        let ruled = self.apply_rules(sent(), members, Defaults::Later)?;
        let did_something = !ruled.fit.changes.is_empty();
        let problems = match self.repair(ruled) {
            Ok(fit) => return self.settle(fit),
            Err(problems) => problems,
        };
        let has_defaults = self.rules.for_tool(self.tool).iter().any(|rule| rule.is_default());
        if has_defaults && let Ok(fit) = self.repair(self.apply_rules(sent(), members, Defaults::Now)?) {
            return self.settle(fit);
        }
        // A rule that stands in the way of a call that can be mended without it is left out.
        if did_something && let Ok(fit) = self.repair(Ruled { is_valid: false, ..sent() }) {
            return self.settle(fit);
        }
        Err(problems)
    }

    fn repair(&self, Ruled { fit, is_valid }: Ruled<'a>) -> Result<Fit<'a>, Vec<Problem>> {
        if is_valid {
            return Ok(fit);
        }
        let slot = Slot { name: self.tool.name(), in_list: false, is_root: true };
        let root_id = self.tool.schema().root();
        let repaired = self.fitter.fit_rejected(&[root_id], fit.node, &Path::Root, slot)?;
        Ok(fit.then(repaired))
    }

    /// E2 for the whole arguments: a bare list where the tool's one list parameter is required.
    fn restore_root(&self, node: &Node<'a>) -> Result<Fit<'a>, Vec<Problem>> {
        self.only_list(node).ok_or_else(|| {
            let form = self.fitter.nearest_form(None, self.tool.name());
            let message = format!(
                "the arguments are {}, but an object is expected{}",
                node.a_type_name(),
                form.map_or(String::new(), |form| format!("; the tool takes {form}"))
            );
            self.fitter.trace.rejected(&Path::Root, 0, || message.clone());
            vec![problem(Code::ValueMismatch, &Path::Root, message)]
        })
    }

    fn only_list(&self, node: &Node<'a>) -> Option<Fit<'a>> {
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
            code: Code::WrapperRestored,
            path: Path::Root.key(name).to_string(),
            from: None,
            to: Some(raw::quote(name)),
            rule: None,
            rule_type: None,
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
                let opened = self.nothing_sent(root);
                self.fitter.trace.conclude(&opened.changes, opened.cost, || "{} fits".to_owned());
                self.conclude_node(root, opened.changes)
            };
        }
        let slot = Slot { name: self.tool.name(), in_list: false, is_root: true };
        match self.fitter.fit(&[root_id], root, &Path::Root, slot) {
            Err(problems) => self.refuse(root, problems),
            Ok(fit) => {
                let message = |change: &Change| match &change.to {
                    Some(to) => format!("{}: send {to}", change.why),
                    None if matches!(change.code, Code::EmptyOptional | Code::UnsupportedDropped) => {
                        format!("{}: leave it out", change.why)
                    }
                    None => change.why.clone(),
                };
                let changes = start.changes.iter().chain(&fit.changes);
                let problems = changes.map(|change| Problem {
                    code: Code::ValueMismatch,
                    path: change.path.clone(),
                    message: message(change),
                });
                refused(problems.collect(), Some(preview(&fit.node)))
            }
        }
    }

    fn conclude(&self, start: Start<'a>, fit: Fit<'a>) -> Outcome {
        let budget = match self.fitter.context.is_destructive() {
            true => costs::DESTRUCTIVE_BUDGET,
            false => self.tool.budget(),
        };
        let risk = start.risk + fit.risk;
        let mut changes = start.changes;
        if risk > budget {
            changes.extend(fit.changes);
            let guesses: Vec<String> = changes
                .iter()
                .map(|change| match (&change.from, &change.to) {
                    (Some(from), Some(to)) => format!("{from} → {to} ({})", change.why),
                    (Some(from), None) if !from.contains(&change.why) => {
                        format!("{from} left out ({})", change.why)
                    }
                    _ => change.why.clone(),
                })
                .collect();
            let form = preview(&fit.node);
            let advice = match changes.iter().any(|change| is_bare_guess(change, self.tool.name())) {
                true => "send every parameter under its own name".to_owned(),
                false => format!("send {form} if that is what you mean"),
            };
            let message =
                format!("too much would have to be guessed for this tool: {}; {advice}", guesses.join("; "));
            self.fitter.trace.rejected(&Path::Root, fit.cost, || {
                format!("{form} fits, but at risk {risk}, and this tool allows {budget}")
            });
            // The form is a guess: it is offered with what it rests on, never by itself.
            return refused(vec![problem(Code::OverRiskBudget, &Path::Root, message)], None);
        }
        if start.guessed
            && let Some(unknown) = self.undeclared_key(&fit.node)
        {
            let message = format!(
                "quotes in the text are not escaped, and \"{unknown}\" may be a part of a string; escape them"
            );
            return refused(vec![problem(Code::AmbiguousReading, &Path::Root, message)], None);
        }
        changes.extend(fit.changes);
        self.fitter.trace.conclude(&changes, fit.cost, || match changes.is_empty() {
            true => "nothing had to be changed".to_owned(),
            false => format!("{} fits, at risk {risk} of at most {budget}", preview(&fit.node)),
        });
        if changes.is_empty() {
            return Outcome::Unchanged;
        }
        self.conclude_node(fit.node, changes)
    }

    fn conclude_node(&self, node: Node<'a>, changes: Vec<Change>) -> Outcome {
        Outcome::Repaired { arguments: node.to_json(), changes }
    }

    fn refuse(&self, sent: Node<'a>, problems: Vec<Problem>) -> Outcome {
        // Which of two was meant, and whether a parameter can be done without, no form can say.
        let is_open = |problem: &Problem| {
            matches!(
                problem.code,
                Code::AmbiguousReading | Code::MeaningfulUnknown | Code::ConflictingValues | Code::OverLimit
            )
        };
        let form = match problems.iter().any(is_open) {
            true => None,
            false => self.fitter.nearest_form(Some(sent), self.tool.name()),
        };
        refused(problems, form)
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
