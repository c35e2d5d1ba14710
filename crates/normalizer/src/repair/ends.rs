//! N4: the two ends of a route under other names.
//!
//! # What it does
//! `{"start": "Rome", "end": "Milan"}` becomes `origin` and `destination` if the tool has exactly these
//! two ends and both were sent.
//!
//! # What it refuses
//! One end alone, numbers and times, and tools with a third name for one of the ends.

use toolwright_model::Code;

use super::evidence::{KeyMatch, text_of};
use super::object::ObjectDraft;
use super::{Fitter, ParameterSlot, ValuePath};
use crate::costs;
use crate::names::{NameContext, Similarity, SplitName, ValueShape, ends_of, may_be_end};
use crate::schema::{Goal, KeyState};

impl<'s, 'a> Fitter<'s, 'a> {
    /// Renames both ends to their declared names, or neither.
    pub(super) fn align_ends(&self, goal: &Goal, draft: &mut ObjectDraft<'s, 'a>, path: &ValuePath<'_>) {
        let schema = self.validator.schema();
        if draft.free.len() < 2 {
            return;
        }
        let unknown = draft.entries.iter().enumerate().filter(|(_, entry)| entry.state != KeyState::Declared);
        let sent: Vec<(usize, SplitName)> =
            unknown.map(|(index, entry)| (index, SplitName::new(entry.member.key))).collect();
        let ends: Vec<&(usize, SplitName)> =
            sent.iter().filter(|(_, name)| !ends_of(name).is_empty()).collect();
        let [first, second] = ends[..] else { return };
        let Some((_, end)) = ends_of(&first.1).first() else { return };
        let declared = goal.names(schema);
        let the_only = |end: usize| {
            let mut names = declared.iter().filter(|name| ends_of(name).iter().any(|(_, own)| *own == end));
            names.next().filter(|_| names.next().is_none())
        };
        let (Some(known), Some(other)) = (the_only(*end), the_only(1 - end)) else { return };
        // All four are ends of one route.
        let is_end = |name: &SplitName, way: usize, end: usize| ends_of(name).contains(&(way, end));
        let is_way = |way: usize| {
            is_end(&first.1, way, *end)
                && is_end(known, way, *end)
                && is_end(&second.1, way, 1 - end)
                && is_end(other, way, 1 - end)
        };
        if !ends_of(known).iter().any(|(way, _)| is_way(*way)) {
            return;
        }
        let mut pairs = Vec::new();
        for ((index, key), known) in [(first, known), (second, other)] {
            let Some(name) = draft.free.iter().copied().find(|free| **free == *known.text) else { return };
            let value = draft.entries[*index].member.value;
            let described = || self.described_words(goal, name);
            let around = NameContext {
                tool_words: self.context.tool_words,
                declared: &declared,
                described: &described,
                shape: ValueShape::of(&value),
                text: &text_of(&value),
                ..NameContext::NONE
            };
            if !may_be_end(key, known, around) {
                return;
            }
            let slot = ParameterSlot { name, in_list: false, is_root: false };
            let Ok(fit) = self.fit(&goal.key(schema, name).1, value, &path.key(&key.text), slot) else {
                return;
            };
            let why = "both ends are said, and the tool has just these two".to_owned();
            let cost = costs::KEY_SYNONYM;
            let similarity = Similarity { cost, code: Code::AliasBySchema, why, needs_exact_value: false };
            pairs.push(KeyMatch { entry: *index, name, similarity, cost: cost + fit.cost, fit });
        }
        if pairs.iter().all(|pair| pair.fit.cost == 0) {
            for pair in pairs {
                self.trace
                    .chosen(path, pair.cost, || format!("→ \"{}\": {}", pair.name, pair.similarity.why));
                self.rename(goal, draft, pair, path);
            }
        }
    }
}
