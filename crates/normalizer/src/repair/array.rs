//! Lists: every item is fitted by itself.

use toolwright_jsonrpc::raw::{Kind, Node};

use super::guesses::Guesses;
use super::limits::MAX_PROBLEMS;
use super::{Attempt, Fit, Fitter, ParameterSlot, ValuePath};
use crate::schema::{Goal, Types};

impl<'a> Fitter<'_, 'a> {
    /// Fits the items of a list; `None` if the goal accepts no list.
    pub(super) fn array(
        &self,
        goal: &Goal,
        items: &'a [Node<'a>],
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> Option<Attempt<'a>> {
        let schema = self.validator.schema();
        if !goal.types(schema).overlaps(Types::ARRAY) {
            return None;
        }
        let mut fitted = Fit::unchanged(Node::built(Kind::Array(items)));
        let mut nodes = Vec::with_capacity(items.len());
        let mut problems = Vec::new();
        let mut guesses = Guesses::default();
        for (index, item) in items.iter().enumerate() {
            let place = path.item(index);
            let item_slot = ParameterSlot { name: slot.name, in_list: true, is_root: false };
            match self.fit(&goal.item(schema, index), *item, &place, item_slot) {
                Ok(fit) => {
                    nodes.push(fit.node);
                    fitted = fitted.then(guesses.count(fit, &place));
                }
                Err(reasons) => problems.extend(reasons),
            }
            if problems.len() >= MAX_PROBLEMS {
                break;
            }
        }
        if !problems.is_empty() {
            return Some(Err(problems));
        }
        if fitted.changes.is_empty() {
            return None;
        }
        fitted.node = Node::built(Kind::Array(self.arena.alloc_slice_copy(&nodes)));
        Some(Ok(fitted))
    }
}
