//! Repair of one call that the gate did not accept: its readings, the rules, the repair and the outcome.

pub(crate) mod objections;
mod refusal;
mod rules;
pub(crate) mod surrounding_text;

use toolwright_jsonrpc::raw::{self, Kind, Member, Node, same_value};
use toolwright_model::{Change, Code, Origin, Outcome, Problem};

use crate::costs;
use crate::names::{fold, is_envelope};
use crate::repair::envelope::{EnvelopeReading, names_tool};
use crate::repair::{Fit, Fitter, ParameterSlot, ValuePath, preview, problem, shown, too_many_steps};
use crate::repeats::without_repeats;
use crate::rules::RuleSet;
use crate::schema::Goal;
use crate::text::{Outside, Step};
use crate::tool::Tool;

use self::refusal::is_bare_guess;
use self::rules::{Defaults, RuleResult};

pub(crate) use self::refusal::refused;

/// The arguments as a tree, and the steps that were needed to parse them.
pub(crate) struct ParsedArguments<'a> {
    pub node: Node<'a>,
    pub changes: Vec<Change>,
    pub risk: u32,
    /// Strings may have been split by mistake: unknown keys are then refused.
    pub guessed: bool,
    /// The name in `name({…})` around the arguments.
    pub callee: Option<String>,
    /// The name in `name = {…}` before the arguments.
    pub label: Option<String>,
    /// The text around the arguments, also around arguments that are JSON inside a string.
    pub outside: Vec<Outside>,
}

impl<'a> ParsedArguments<'a> {
    /// Arguments that were parsed strictly, without surrounding text.
    pub fn with(node: Node<'a>) -> ParsedArguments<'a> {
        ParsedArguments {
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

/// One call that the gate did not accept.
pub(crate) struct CallRepair<'n, 's, 'a> {
    pub rules: &'n RuleSet,
    pub tool: &'n Tool,
    pub fitter: Fitter<'s, 'a>,
    /// The arguments as sent are strict JSON that the schema does not accept.
    pub rejected_by_gate: bool,
}

impl<'a> CallRepair<'_, '_, 'a> {
    pub fn repair_call(&self, mut start: ParsedArguments<'a>) -> Outcome {
        if let Some(problem) = self.check_surroundings(&start) {
            self.fitter.trace.rejected(&ValuePath::Root, 0, || problem.message.clone());
            return self.refuse(start.node, vec![problem]);
        }
        self.report_words_around(&mut start);
        let root = match start.node.kind {
            // No arguments are an empty object, if the tool requires none.
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
            self.fitter.trace.rejected(&ValuePath::Root, 0, || message.clone());
            return refused(vec![problem(Code::ValueMismatch, &ValuePath::Root, message)], form);
        }
        if self.tool.origin() == Origin::BuiltIn {
            return self.pass_or_refuse(&start, root);
        }
        let unwrapped_readings = if was_null {
            vec![self.empty_arguments(root)]
        } else if self.is_valid_as_sent(&start, &root) {
            // Only rules change a valid call: a key in it that looks like an envelope is a parameter.
            vec![EnvelopeReading { node: root, changes: Vec::new(), cost: 0, risk: 0 }]
        } else {
            self.fitter.unwrapped_readings(root, self.tool.name())
        };
        // A single key around everything that is named like an envelope is one, and so is a whole call that
        // names this tool. With the envelope the arguments hardly ever fit, so that reading is tried only if no
        // other fits.
        let is_shell = |opened: &[EnvelopeReading<'a>]| match opened {
            [outer, inner] => {
                let is_around = |members: &[Member<'a>]| {
                    members.len() == 1 || self.fitter.is_whole_call(members, self.tool.name())
                };
                outer.node.as_object().is_some_and(is_around) && inner.risk == outer.risk
            }
            _ => false,
        };
        let are_shells: Vec<bool> = unwrapped_readings.windows(2).map(is_shell).collect();
        let mut shells = Vec::new();
        let mut readings = unwrapped_readings;
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
        // Results after the limit are meaningless, even that a reading is the only one.
        if self.fitter.validator.is_exhausted() {
            let found = match self.tool.schema().applies_within_itself() {
                true => problem(
                    Code::OverLimit,
                    &ValuePath::Root,
                    "the tool's schema refers to itself without end, so no call can be validated; its server has to fix it",
                ),
                false => too_many_steps(&ValuePath::Root),
            };
            self.fitter.trace.rejected(&ValuePath::Root, 0, || found.message.clone());
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
                problems.insert(0, problem(Code::ConflictingValues, &ValuePath::Root, message));
            }
            return self.refuse(root, problems);
        };
        if let Some(other) = fits.next()
            && other.cost < best.cost + costs::MARGIN
            && !same_value(&other.node, &best.node)
        {
            let message = "the arguments can be read with and without their envelope; send them without it";
            self.fitter.trace.rejected(&ValuePath::Root, best.cost, || message.to_owned());
            return self.refuse(root, vec![problem(Code::AmbiguousReading, &ValuePath::Root, message)]);
        }
        self.conclude(start, best)
    }

    fn is_valid_as_sent(&self, start: &ParsedArguments<'a>, root: &Node<'a>) -> bool {
        !self.rejected_by_gate
            && start.changes.is_empty()
            && root.as_object().is_some()
            && self.fitter.validator.accepts(self.tool.schema().root(), root)
    }

    /// Refuses `remove_talk({…})`, a call of another tool, and `options = {…}`, one parameter of several.
    fn check_surroundings(&self, start: &ParsedArguments<'a>) -> Option<Problem> {
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
                return Some(problem(Code::ConflictingValues, &ValuePath::Root, message));
            }
        }
        let json = if start.outside.is_empty() { String::new() } else { start.node.to_json() };
        let objections =
            start.outside.iter().filter_map(|text| surrounding_text::objection(text, self.tool, &json));
        if let Some(problem) = { objections }.next() {
            return Some(problem);
        }
        let label =
            start.label.as_ref().filter(|label| self.fitter.declares(label) && !is_envelope(&fold(label)))?;
        let message = format!("\"{label}\" is outside of the object; send one object with all parameters");
        Some(problem(Code::UnreadableText, &ValuePath::Root, message))
    }

    /// Law 8: the report contains the surrounding text that was left out. For a tool that can destroy
    /// something this text is a risk, unless it is a label.
    fn report_words_around(&self, start: &mut ParsedArguments<'a>) {
        let prose = raw::quote(Step::Prose.describe());
        for (left_out_text, is_free_text) in
            start.outside.iter().filter_map(|text| surrounding_text::left_out(text, self.tool))
        {
            let is_prose = |change: &&mut Change| change.from.as_ref() == Some(&prose);
            if let Some(change) = start.changes.iter_mut().find(is_prose) {
                change.from = Some(raw::quote(&left_out_text));
            }
            if is_free_text && self.tool.is_destructive() {
                start.risk += costs::DESTRUCTIVE_BUDGET + 1;
            }
        }
    }

    /// The readings that fit, and the shortest list of problems of one that does not.
    fn fit_all(&self, readings: Vec<EnvelopeReading<'a>>) -> (Vec<Fit<'a>>, Vec<Problem>) {
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

    fn empty_arguments(&self, root: Node<'a>) -> EnvelopeReading<'a> {
        let change = Change {
            code: Code::EmptyOptional,
            path: String::new(),
            from: Some("null".to_owned()),
            to: Some("{}".to_owned()),
            rule: None,
            rule_type: None,
            why: "no arguments at all".to_owned(),
        };
        EnvelopeReading { node: root, changes: vec![change], cost: costs::VALUE_EMPTY, risk: 0 }
    }

    /// Applies the rules and then the repair to one reading of the arguments.
    fn fit(&self, opened: EnvelopeReading<'a>) -> Result<Fit<'a>, Vec<Problem>> {
        self.fitter.trace.opened(&opened.changes, opened.cost);
        let EnvelopeReading { node, changes, cost, risk } = opened;
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
        // The gate has already validated the arguments as they were sent.
        let is_valid = !(is_as_sent && self.rejected_by_gate)
            && self.fitter.validator.accepts(self.tool.schema().root(), &node);
        let sent = || RuleResult { fit: Fit::unchanged(node), is_valid };
        // A default must not replace a value that was sent under another name. So defaults wait until the
        // names are aligned, and fill what is missing only then.
        let result = self.apply_rules(sent(), members, Defaults::Later)?;
        let did_something = !result.fit.changes.is_empty();
        let problems = match self.repair(result) {
            Ok(fit) => return self.settle(fit),
            Err(problems) => problems,
        };
        let has_defaults = self.rules.for_tool(self.tool).iter().any(|rule| rule.is_default());
        if has_defaults && let Ok(fit) = self.repair(self.apply_rules(sent(), members, Defaults::Now)?) {
            return self.settle(fit);
        }
        // A rule that prevents the repair of a call that can be repaired without it is left out.
        if did_something && let Ok(fit) = self.repair(RuleResult { is_valid: false, ..sent() }) {
            return self.settle(fit);
        }
        Err(problems)
    }

    fn repair(&self, RuleResult { fit, is_valid }: RuleResult<'a>) -> Result<Fit<'a>, Vec<Problem>> {
        if is_valid {
            return Ok(fit);
        }
        let slot = ParameterSlot { name: self.tool.name(), in_list: false, is_root: true };
        let root_id = self.tool.schema().root();
        let repaired = self.fitter.fit_rejected(&[root_id], fit.node, &ValuePath::Root, slot)?;
        Ok(fit.then(repaired))
    }

    /// E2 for the whole arguments: a bare list if the tool's only list parameter is required.
    fn restore_root(&self, node: &Node<'a>) -> Result<Fit<'a>, Vec<Problem>> {
        self.only_list(node).ok_or_else(|| {
            let form = self.fitter.nearest_form(None, self.tool.name());
            let message = format!(
                "the arguments are {}, but an object is expected{}",
                node.a_type_name(),
                form.map_or(String::new(), |form| format!("; the tool takes {form}"))
            );
            self.fitter.trace.rejected(&ValuePath::Root, 0, || message.clone());
            vec![problem(Code::ValueMismatch, &ValuePath::Root, message)]
        })
    }

    fn only_list(&self, node: &Node<'a>) -> Option<Fit<'a>> {
        if !matches!(node.kind, Kind::Array(_)) {
            return None;
        }
        let schema = self.tool.schema();
        let goals =
            Goal::alternatives(self.fitter.validator, &[schema.root()], &Node::built(Kind::Object(&[])));
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
        if !self.fitter.validator.accepts(schema.root(), &wrapped) {
            return None;
        }
        let change = Change {
            code: Code::WrapperRestored,
            path: ValuePath::Root.key(name).to_string(),
            from: None,
            to: Some(raw::quote(name)),
            rule: None,
            rule_type: None,
            why: "the one list the tool takes".to_owned(),
        };
        Some(Fit { node: wrapped, cost: costs::WRAPPER, risk: costs::RISK_STRUCTURE, changes: vec![change] })
    }

    /// Built-in tools: arguments are validated, never changed.
    fn pass_or_refuse(&self, start: &ParsedArguments<'a>, root: Node<'a>) -> Outcome {
        let root_id = self.tool.schema().root();
        if start.changes.is_empty()
            && root.as_object().is_some()
            && self.fitter.validator.accepts(root_id, &root)
        {
            return if start.node.as_object().is_some() {
                Outcome::Unchanged
            } else {
                let opened = self.empty_arguments(root);
                self.fitter.trace.conclude(&opened.changes, opened.cost, || "{} fits".to_owned());
                self.conclude_node(root, opened.changes)
            };
        }
        let slot = ParameterSlot { name: self.tool.name(), in_list: false, is_root: true };
        match self.fitter.fit(&[root_id], root, &ValuePath::Root, slot) {
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

    fn conclude(&self, start: ParsedArguments<'a>, fit: Fit<'a>) -> Outcome {
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
            self.fitter.trace.rejected(&ValuePath::Root, fit.cost, || {
                format!("{form} fits, but at risk {risk}, and this tool allows {budget}")
            });
            // The form is a guess: it is offered only with its reasons.
            return refused(vec![problem(Code::OverRiskBudget, &ValuePath::Root, message)], None);
        }
        if start.guessed
            && let Some(unknown) = self.undeclared_key(&fit.node)
        {
            let message = format!(
                "quotes in the text are not escaped, and \"{unknown}\" may be a part of a string; escape them"
            );
            return refused(vec![problem(Code::AmbiguousReading, &ValuePath::Root, message)], None);
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
        // No form can decide which of two values was intended, or whether a parameter can be omitted.
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
