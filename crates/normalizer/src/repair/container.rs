//! T2: a string that contains the declared list or object.
//!
//! # What it does
//! `"[\"a\"]"` and `"('a',)"` become `["a"]` and `"{'theme': 'dark'}"` becomes `{"theme": "dark"}`
//! if a list or an object is declared and a string is not.
//!
//! # What it refuses
//! Text that ends too early, that is not JSON or a Python literal as a whole, and every string
//! if the schema accepts a string. Text that contains an empty list or object, for a destructive or writing tool
//! where that may select everything.

use toolwright_jsonrpc::raw::{self, Kind, Node};
use toolwright_model::{Code, Finish};

use super::reach::may_select_all;
use super::{Attempt, Fit, Fitter, ParameterSlot, ValuePath, preview, problem};
use crate::costs;
use crate::schema::{Goal, Types};
use crate::text::{self, FirstValue};

impl<'a> Fitter<'_, 'a> {
    pub(super) fn string_to_container(
        &self,
        goal: &Goal,
        value: &Node<'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> Option<Attempt<'a>> {
        let types = goal.types(self.validator.schema());
        if types.overlaps(Types::STRING) || !types.overlaps(Types::ARRAY.union(Types::OBJECT)) {
            return None;
        }
        let (node, risk) = self.open_container(value)?;
        if may_select_all(&node) && self.is_guarded(path) {
            let message =
                format!("{} is empty and may stand for everything; send what is meant", preview(value));
            return Some(Err(vec![problem(Code::ValueMismatch, path, message)]));
        }
        let opened = Fit::edited(
            Code::StringToContainer,
            path,
            value,
            node,
            costs::VALUE_CONTAINER,
            "the string holds it",
        )
        .risky(risk);
        let inner = self.propose_all(goal, node, path, slot);
        Some(inner.map(|fit| opened.then(fit)))
    }

    /// Fits a value by the goal, unchanged if it is valid.
    fn propose_all(
        &self,
        goal: &Goal,
        node: Node<'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> Attempt<'a> {
        self.fit(goal.ids(), node, path, slot)
    }

    /// The container in a string, and the risk of the lenient parse.
    pub(super) fn open_container(&self, value: &Node<'a>) -> Option<(Node<'a>, u32)> {
        let text = value.as_text()?;
        // Encoded twice: the string contains a string.
        if text.starts_with('"') {
            let inner = raw::parse(self.arena.alloc_str(&text), self.arena).ok()?.root;
            return matches!(inner.kind, Kind::String(_)).then(|| self.open_container(&inner))?;
        }
        if text.trim_start().starts_with('(') {
            return self.open_tuple(&text);
        }
        if !text.trim_start().starts_with(['{', '[', '`']) {
            return None;
        }
        let text: &'a str = self.arena.alloc_str(&text);
        let first = match raw::parse_or_break(text, self.arena) {
            Ok(parsed) => {
                let whole = parsed.conflicting_key.is_none();
                return whole.then_some((parsed.root, 0)).filter(|(node, _)| is_container(node));
            }
            Err(broken) => FirstValue::after(&broken),
        };
        let reading = text::read(text, Finish::Unknown, first).ok()?;
        if reading.steps.iter().any(|step| step.is_outside()) {
            return None;
        }
        let strict: &'a str = self.arena.alloc_str(&reading.json);
        let parsed = raw::parse(strict, self.arena).ok()?;
        let risk = reading.steps.iter().map(|step| step.risk()).max().unwrap_or(0);
        (is_container(&parsed.root) && parsed.conflicting_key.is_none()).then_some((parsed.root, risk))
    }
}

impl<'a> Fitter<'_, 'a> {
    /// `('a', 'b')`: a list in Python.
    fn open_tuple(&self, text: &str) -> Option<(Node<'a>, u32)> {
        let reading = text::read_tuple(text)?;
        let strict: &'a str = self.arena.alloc_str(&reading.json);
        let node = raw::parse(strict, self.arena).ok()?.root;
        let risk = reading.steps.iter().map(|step| step.risk()).max().unwrap_or(0);
        node.as_array().is_some().then_some((node, risk))
    }
}

fn is_container(node: &Node<'_>) -> bool {
    node.as_object().is_some() || node.as_array().is_some()
}
