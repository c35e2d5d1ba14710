//! `nested_default`: a missing field inside a payload.
//!
//! `{"type": "nested_default", "in_payload": "pipeline_json", "array_path": "steps[]", "from": "id",
//! "value": "step-{{index}}"}` fills `id` if it is missing, `null` or empty. `{{index}}` is the index of the
//! item, counted from 0; if a sibling already has the generated text, the next free number is used. `{{uuid}}` is
//! an id for the item (see `generated.rs`).

use std::collections::HashSet;

use toolwright_jsonrpc::raw::{Kind, Member, Node, parse, same_value};
use toolwright_model::Code;

use super::generated::GeneratedIds;
use super::payload::{ArrayPath, PayloadEdit, edit};
use super::{AppliedRule, Ruling, Site};
use crate::repair::{ValuePath, preview};

const INDEX: &str = "{{index}}";

pub(super) fn apply<'a>(
    site: &Site<'_, '_, 'a>,
    payload: &str,
    path: &ArrayPath,
    name: &str,
    value: &str,
) -> Ruling<'a> {
    edit(
        site,
        payload,
        path,
        &mut FieldFill { site, name, value, items: &[], numbers: None, ids: GeneratedIds::default() },
    )
}

struct FieldFill<'r, 's, 'f, 'a> {
    site: &'r Site<'s, 'f, 'a>,
    name: &'r str,
    value: &'r str,
    /// The list that is being filled.
    items: &'a [Node<'a>],
    /// Its numbers, created when the first is needed.
    numbers: Option<ItemNumbers>,
    ids: GeneratedIds,
}

/// The generated texts of one list.
struct ItemNumbers {
    /// The texts that items have, explicit and generated.
    taken: HashSet<String>,
    /// First and last of the numbers that are known to be taken: no search checks one twice.
    run: (usize, usize),
}

impl<'a> PayloadEdit<'a> for FieldFill<'_, '_, '_, 'a> {
    fn enter(&mut self, items: &'a [Node<'a>]) {
        self.items = items;
        self.numbers = None;
    }

    fn object(&mut self, members: &[Member<'a>], index: usize, place: &ValuePath<'_>) -> Ruling<'a> {
        let at = members.iter().position(|member| member.key == self.name);
        if at.is_some_and(|at| !is_empty(&members[at].value)) {
            return Ok(None);
        }
        let path = place.key(self.name).to_string();
        let Some(node) = self.default_for(index, &path) else { return Ok(None) };
        // An empty default would apply to its own result again.
        if at.is_some_and(|at| same_value(&members[at].value, &node)) {
            return Ok(None);
        }
        let mut filled = members.to_vec();
        match at {
            Some(at) => filled[at] = filled[at].with_value(node),
            None => filled.push(Member::new(self.site.fitter.arena.alloc_str(self.name), node)),
        }
        let from = at.map(|at| preview(&members[at].value));
        let change = self.site.change(Code::NestedDefaultByRule, path, from, Some(preview(&node)), "default");
        Ok(Some(AppliedRule { members: filled, changes: vec![change] }))
    }
}

impl<'a> FieldFill<'_, '_, '_, 'a> {
    fn default_for(&mut self, index: usize, place: &str) -> Option<Node<'a>> {
        let value = self.ids.fill(self.site, self.value, place);
        if !value.contains(INDEX) {
            return self.parse(&value);
        }
        let first = self.numbered(&value, index)?;
        let Some(text) = first.as_text() else { return Some(first) };
        let numbers = self.numbers.get_or_insert_with(|| ItemNumbers::of(self.items, self.name));
        if numbers.taken.insert(text.into_owned()) {
            return Some(first);
        }
        let (from, to) = numbers.run;
        let (start, mut next) =
            if (from..=to).contains(&index) { (from, to + 1) } else { (index, index + 1) };
        loop {
            let node = self.numbered(&value, next)?;
            let text = node.as_text()?.into_owned();
            let numbers = self.numbers.as_mut()?;
            if numbers.taken.insert(text) {
                numbers.run = (start, next);
                return Some(node);
            }
            next += 1;
        }
    }

    /// The default with its number.
    fn numbered(&self, value: &str, number: usize) -> Option<Node<'a>> {
        self.parse(&value.replace(INDEX, &number.to_string()))
    }

    fn parse(&self, json: &str) -> Option<Node<'a>> {
        let arena = self.site.fitter.arena;
        parse(arena.alloc_str(json), arena).ok().map(|parsed| parsed.root)
    }
}

impl ItemNumbers {
    fn of(items: &[Node<'_>], name: &str) -> ItemNumbers {
        let texts = items.iter().filter_map(|item| item.get(name)?.as_text()).map(|text| text.into_owned());
        ItemNumbers { taken: texts.collect(), run: (0, 0) }
    }
}

fn is_empty(value: &Node<'_>) -> bool {
    match value.kind {
        Kind::Null => true,
        Kind::String(text) => text.raw().is_empty(),
        _ => false,
    }
}
