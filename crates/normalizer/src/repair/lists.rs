//! T4: one item where a list is declared, and a list of one where its item is.
//!
//! # What it does
//! `"https://a.com"` becomes `["https://a.com"]`, and `["."]` becomes `"."`.
//!
//! # What it refuses
//! Splitting text at commas, taking the first of several, and wrapping text that looks like a list
//! that could not be read.

use toolwright_jsonrpc::raw::{Kind, Node};
use toolwright_model::Code;

use super::{Attempt, Fit, Fitter, Path, Slot};
use crate::costs;
use crate::schema::{Goal, Types};

impl<'a> Fitter<'_, 'a> {
    pub(super) fn one_item_and_list(
        &self,
        goal: &Goal,
        value: &Node<'a>,
        path: &Path<'_>,
        slot: Slot<'_>,
    ) -> Option<Attempt<'a>> {
        if slot.is_root {
            return None;
        }
        let types = goal.types(self.judge.schema());
        match value.kind {
            Kind::Array([item]) if !types.overlaps(Types::ARRAY) && !matches!(item.kind, Kind::Null) => {
                let unwrapped = Fit::edited(Code::T4, path, value, *item, costs::VALUE_LIST, "a list of one");
                let inner = self.fit(goal.ids(), *item, path, Slot { in_list: true, ..slot }).ok()?;
                Some(Ok(unwrapped.then(inner)))
            }
            Kind::Array(_) | Kind::Null => None,
            _ if !types.overlaps(Types::ARRAY) || types.overlaps(Types::STRING) && is_text(value) => None,
            _ if is_text(value) && is_hollow_or_broken(value) => None,
            _ => {
                let list = Node::built(Kind::Array(self.arena.alloc_slice_copy(&[*value])));
                let wrapped =
                    Fit::edited(Code::T4, path, value, list, costs::VALUE_LIST, "one item of a list");
                let inner = self.fit(goal.ids(), list, path, slot);
                // A list of lists of one is a guess too many.
                let item = path.item(0).to_string();
                let is_wrapped_again = |fit: &Fit<'a>| {
                    fit.changes.iter().any(|change| change.code == Code::T4 && change.path == item)
                };
                if inner.as_ref().is_ok_and(is_wrapped_again) {
                    return None;
                }
                Some(inner.map(|fit| wrapped.then(fit)))
            }
        }
    }
}

fn is_text(value: &Node<'_>) -> bool {
    matches!(value.kind, Kind::String(_))
}

/// Text that is empty, a word for nothing, or the look of a list or object.
fn is_hollow_or_broken(value: &Node<'_>) -> bool {
    let Some(text) = value.as_text() else { return false };
    let text = text.trim();
    if super::empty::is_word_for_nothing(text) {
        return true;
    }
    let Some(rest) = text.strip_prefix(['[', '{']) else { return false };
    let first = rest.trim_start().chars().next();
    text.ends_with([']', '}'])
        || !text.contains([']', '}'])
        || first.is_none_or(|char| char.is_ascii_digit() || "\"'[{-".contains(char))
}
