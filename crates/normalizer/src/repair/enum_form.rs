//! V1: a value that is one of the allowed ones but for case, separators or punctuation.
//!
//! # What it does
//! `"In Progress"` becomes `"in_progress"` when exactly one allowed value folds to the same form.
//! A number or boolean becomes the allowed string of the same text.
//!
//! # What it refuses
//! Other words, synonyms, misspellings, and forms that two allowed values share (`c` and `c++`).

use toolwright_jsonrpc::raw::{self, Kind, Node, Str};
use toolwright_model::Code;

use super::{Attempt, Fit, Fitter, Path, preview, problem};
use crate::costs;
use crate::names::fold_value;
use crate::schema::{Goal, Literal};

impl<'a> Fitter<'_, 'a> {
    pub(super) fn enum_form(&self, goal: &Goal, value: &Node<'a>, path: &Path<'_>) -> Option<Attempt<'a>> {
        let options = goal.options(self.judge.schema());
        if options.is_empty() {
            return None;
        }
        let sent = match value.kind {
            Kind::String(text) => text.decode().into_owned(),
            Kind::Number(text) => text.to_owned(),
            Kind::Bool(boolean) => boolean.to_string(),
            _ => return None,
        };
        let texts = || options.iter().filter_map(|option| option.as_text());
        let only = |same: &dyn Fn(&str) -> bool| {
            let mut matching: Vec<&str> = texts().filter(|option| same(option)).collect();
            matching.dedup();
            (matching.len() == 1).then(|| matching[0])
        };
        let lower = sent.trim().to_lowercase();
        let folded = fold_value(&sent);
        let by_case = only(&|option| option.to_lowercase() == lower);
        let is_text = matches!(value.kind, Kind::String(_));
        let alike = texts().filter(|option| fold_value(option) == folded).count();
        if by_case.is_none() && is_text && !folded.is_empty() && alike > 1 {
            let message = format!(
                "{} could stand for several of the allowed values; send one of them exactly",
                preview(value)
            );
            return Some(Err(vec![problem(Code::R2, path, message)]));
        }
        let found = by_case.or_else(|| {
            if is_text && !folded.is_empty() { only(&|option| fold_value(option) == folded) } else { None }
        })?;
        let node = self.text_node(found);
        let code = if is_text { Code::V1 } else { Code::T5 };
        Some(Ok(Fit::edited(
            code,
            path,
            value,
            node,
            costs::VALUE_FORM,
            "the only allowed value of that form",
        )))
    }

    /// A string node with the given text.
    pub(crate) fn text_node(&self, text: &str) -> Node<'a> {
        let quoted: &'a str = self.arena.alloc_str(&raw::quote(text));
        Node::built(Kind::String(Str::from_escaped(&quoted[1..quoted.len() - 1])))
    }
}

impl Literal {
    fn as_text(&self) -> Option<&str> {
        match self {
            Literal::Text(text) => Some(text),
            Literal::Json(_) => None,
        }
    }
}
