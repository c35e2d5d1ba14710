//! Repair of a value by its schema: one file per repair step.
//!
//! [`Fitter::fit`] does not change a value that its schema accepts. Otherwise every step proposes a
//! repair; proposals that the schema does not accept are discarded, and the cheapest of the others is
//! used if no other is within the margin.

mod array;
mod breach;
mod container;
mod draft;
mod drops;
mod empty;
mod ends;
mod enum_form;
pub(crate) mod envelope;
mod evidence;
mod expected;
mod form;
mod guesses;
mod json_text;
mod keys;
mod limits;
mod lists;
mod object;
mod path;
mod preview;
mod problems;
mod reach;
mod scalar;
mod spellings;
mod structure;
mod text_form;
mod unicode_forms;

use std::cell::Cell;

use bumpalo::Bump;
use toolwright_jsonrpc::raw::{Kind, Node, same_value};
use toolwright_model::{Change, Code, Problem};

use crate::costs;
use crate::explain::Trace;
use crate::names::fold;
use crate::rules::CaseStyle;
use crate::schema::{Goal, KeyState, SchemaId, Validator};

pub(crate) use object::THE_TOOL_HAS;
pub(crate) use path::{ValuePath, shown};
pub(crate) use preview::preview;
pub(crate) use problems::{problem, shortened, too_many_steps};
pub(crate) use reach::{ToolEffect, narrows, requests_destruction};
pub(crate) use scalar::plain_scalar;

/// Maximum depth of values that are fitted within each other.
const MAX_NESTING: u32 = 160;

/// A value that fits, and its changes.
#[derive(Clone, Debug)]
pub(crate) struct Fit<'a> {
    pub node: Node<'a>,
    pub cost: u32,
    pub risk: u32,
    pub changes: Vec<Change>,
}

/// A fit, or the problems.
pub(crate) type Attempt<'a> = Result<Fit<'a>, Vec<Problem>>;

/// The position of a value: its name and its role.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParameterSlot<'p> {
    pub name: &'p str,
    /// An item of a list and not a parameter of its own.
    pub in_list: bool,
    /// The arguments as a whole.
    pub is_root: bool,
}

/// Facts about the tool that the steps need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RepairContext<'t> {
    /// Words of the tool's name, canonical.
    pub tool_words: &'t [String],
    /// The names of the tool's parameters.
    pub parameters: &'t [String],
    /// The effect of the tool.
    pub effect: ToolEffect,
    /// Whether every flag accepts `true` and `false` only.
    pub has_strict_flags: bool,
    /// Seed for generated ids, in addition to the call.
    pub seed: &'t str,
}

impl RepairContext<'_> {
    /// Whether the tool can destroy something.
    pub fn is_destructive(&self) -> bool {
        self.effect == ToolEffect::Destroys
    }
}

/// Fits values to the schemas of one tool.
pub(crate) struct Fitter<'s, 'a> {
    pub validator: &'s Validator<'s>,
    pub arena: &'a Bump,
    pub context: RepairContext<'s>,
    pub trace: &'s Trace,
    /// Depth of nested moves of members.
    pub moves: Cell<u32>,
    /// Depth of nested fits.
    pub nesting: Cell<u32>,
    /// Number of values that did not fit as they were sent.
    pub fits: Cell<u32>,
    /// The last payload that a rule parsed: its text and its contents.
    pub payload: Cell<Option<(&'a str, Node<'a>)>>,
}

impl<'s, 'a> Fitter<'s, 'a> {
    /// Makes the value valid for all the schemas, or returns the problems.
    pub fn fit(
        &self,
        ids: &[SchemaId],
        value: Node<'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> Attempt<'a> {
        if self.accepts(ids, &value) {
            return Ok(Fit::unchanged(value));
        }
        self.fit_rejected(ids, value, path, slot)
    }

    /// Fits a value that is known to be invalid.
    pub fn fit_rejected(
        &self,
        ids: &[SchemaId],
        value: Node<'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> Attempt<'a> {
        let nesting = self.nesting.get();
        if nesting >= MAX_NESTING || !self.begin_fit() {
            return Err(vec![too_many_steps(path)]);
        }
        self.nesting.set(nesting + 1);
        let result = self.fit_by_steps(ids, value, path, slot);
        self.nesting.set(nesting);
        result
    }

    fn fit_by_steps(
        &self,
        ids: &[SchemaId],
        value: Node<'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> Attempt<'a> {
        let mut proposals: Vec<Fit<'a>> = Vec::new();
        let mut reasons: Vec<Vec<Problem>> = Vec::new();
        let Some(goals) = Goal::all_alternatives(self.validator, ids, &value) else {
            return Err(vec![self.too_many_forms(ids, &value, path)]);
        };
        for goal in goals {
            if !self.spend_on_goal() {
                break;
            }
            self.propose(&goal, value, path, slot, &mut proposals, &mut reasons);
        }
        let nearest = proposals.first().map(|fit| fit.node);
        proposals.retain(|fit| self.accepts(ids, &fit.node));
        self.choose(proposals, path)
            .unwrap_or_else(|| Err(self.explain_misfit(ids, &value, path, reasons, nearest)))
    }

    pub fn accepts(&self, ids: &[SchemaId], value: &Node<'_>) -> bool {
        ids.iter().all(|id| self.validator.accepts(*id, value))
    }

    /// Whether the tool has a parameter of that name.
    pub fn declares(&self, key: &str) -> bool {
        self.context.parameters.iter().any(|name| name == key)
    }

    /// The state of a key in the schema, in the alternative that is most specific.
    pub fn key_state(&self, key: &str) -> KeyState {
        let schema = self.validator.schema();
        let probe = Node::built(Kind::Object(&[]));
        let goals = Goal::alternatives(self.validator, &[schema.root()], &probe);
        let states = || goals.iter().map(|goal| goal.key(schema, key).0);
        if states().any(|state| state == KeyState::Declared) {
            return KeyState::Declared;
        }
        match goals.is_empty() || states().any(|state| state == KeyState::Open) {
            true => KeyState::Open,
            false => KeyState::Forbidden,
        }
    }

    /// Whether the key is a declared name in another spelling.
    pub fn is_spelling_of_a_declared_name(&self, key: &str) -> bool {
        let folded = fold(key);
        self.context.parameters.iter().any(|name| fold(name) == folded)
    }

    /// The one declared name that is the key in another case, if it has the given style.
    pub fn declared_spelling(&self, key: &str, style: CaseStyle) -> Option<String> {
        let folded = fold(key);
        let schema = self.validator.schema();
        let is_spelling = |name: &&String| schema.name(name).is_some_and(|known| *known.folded == *folded);
        let parameters = self.context.parameters.iter();
        let mut found = parameters.filter(is_spelling).filter(|name| style.convert(name) == **name);
        found.next().filter(|_| found.next().is_none()).cloned()
    }

    /// Whether the parameter of that name accepts the value.
    pub fn accepts_parameter(&self, key: &str, value: &Node<'a>) -> bool {
        let schema = self.validator.schema();
        let probe = Node::built(Kind::Object(&[]));
        Goal::alternatives(self.validator, &[schema.root()], &probe).iter().any(|goal| {
            let (state, ids) = goal.key(schema, key);
            state == KeyState::Declared && self.accepts(&ids, value)
        })
    }

    fn propose(
        &self,
        goal: &Goal,
        value: Node<'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
        proposals: &mut Vec<Fit<'a>>,
        reasons: &mut Vec<Vec<Problem>>,
    ) {
        // Another type does not help a value of a declared type that breaks another constraint.
        let has_type = goal.types(self.validator.schema()).accept(&value);
        let mut attempt = |attempt: Attempt<'a>| match attempt {
            Ok(fit) => proposals.push(fit),
            Err(problems) => reasons.push(problems),
        };
        match value.kind {
            Kind::Object(members) => {
                if let Some(result) = self.object(goal, members, path, slot) {
                    attempt(result);
                }
            }
            Kind::Array(items) => {
                if let Some(result) = self.array(goal, items, path, slot) {
                    attempt(result);
                }
            }
            Kind::String(_) if !has_type => {
                self.string_to_scalar(goal, &value, path, slot).into_iter().for_each(&mut attempt);
                self.string_to_container(goal, &value, path, slot).into_iter().for_each(&mut attempt);
            }
            Kind::Number(text) if !has_type => {
                self.number_to_text(goal, text, &value, path).into_iter().for_each(&mut attempt);
                self.number_to_boolean(goal, text, &value, path, slot).into_iter().for_each(&mut attempt);
            }
            _ => {}
        }
        self.enum_form(goal, &value, path).into_iter().for_each(&mut attempt);
        if !has_type {
            self.container_to_text(goal, &value, path, slot).into_iter().for_each(&mut attempt);
            self.one_item_and_list(goal, &value, path, slot).into_iter().for_each(&mut attempt);
        }
        self.inner_envelope(goal, &value, path, slot).into_iter().for_each(&mut attempt);
    }

    /// The cheapest proposal, if no different one is within the margin.
    fn choose(&self, mut proposals: Vec<Fit<'a>>, path: &ValuePath<'_>) -> Option<Attempt<'a>> {
        proposals.sort_by_key(|fit| fit.cost);
        let mut rest = proposals.into_iter();
        let best = rest.next()?;
        for other in rest {
            if other.cost >= best.cost + costs::MARGIN {
                break;
            }
            if !same_value(&other.node, &best.node) {
                let message = format!(
                    "two readings are possible: {} and {}; send the one you mean",
                    preview(&best.node),
                    preview(&other.node)
                );
                self.trace.rejected(path, best.cost, || message.clone());
                return Some(Err(vec![problem(Code::AmbiguousReading, path, message)]));
            }
        }
        self.trace.price_rest(&best.changes, best.cost);
        self.trace.chosen(path, best.cost, || format!("{} fits", preview(&best.node)));
        Some(Ok(best))
    }
}

/// The report entry for a value that became another.
pub(crate) fn change_of(
    code: Code,
    path: &ValuePath<'_>,
    from: &Node<'_>,
    to: &Node<'_>,
    why: &str,
) -> Change {
    Change {
        code,
        path: path.to_string(),
        from: Some(preview(from)),
        to: Some(preview(to)),
        rule: None,
        rule_type: None,
        why: why.to_owned(),
    }
}

// === impl Fit ===

impl<'a> Fit<'a> {
    pub fn unchanged(node: Node<'a>) -> Self {
        Fit { node, cost: 0, risk: 0, changes: Vec::new() }
    }

    /// One change of the value at `path`.
    pub fn edited(
        code: Code,
        path: &ValuePath<'_>,
        from: &Node<'a>,
        to: Node<'a>,
        cost: u32,
        why: &str,
    ) -> Self {
        let change = change_of(code, path, from, &to, why);
        Fit { node: to, cost, risk: 0, changes: vec![change] }
    }

    /// Appends the changes of a further fit of the result.
    pub fn then(mut self, next: Fit<'a>) -> Self {
        self.node = next.node;
        self.cost += next.cost;
        self.risk += next.risk;
        self.changes.extend(next.changes);
        self
    }

    pub fn risky(mut self, risk: u32) -> Self {
        self.risk += risk;
        self
    }
}
