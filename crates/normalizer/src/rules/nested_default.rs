//! `nested_default`: a missing field inside a payload.
//!
//! `{"type": "nested_default", "in_payload": "pipeline_json", "array_path": "steps[]", "from": "id",
//! "value": "step-{{index}}"}` fills `id` where it is missing, `null` or empty. `{{index}}` is the
//! item's place, counted from 0; a generated text that a sibling already has is moved on.

use toolwright_jsonrpc::raw::{Kind, Member, Node, parse};
use toolwright_model::Code;

use super::payload::{ArrayPath, edit};
use super::{Applied, Site};
use crate::repair::preview;

pub(super) fn apply<'a>(
    site: &Site<'_, '_, 'a>,
    payload: &str,
    path: &ArrayPath,
    name: &str,
    value: &str,
) -> Option<Applied<'a>> {
    edit(site, payload, path, &|members, siblings, index, place| {
        let at = members.iter().position(|member| member.key == name);
        if at.is_some_and(|at| !is_empty(&members[at].value)) {
            return None;
        }
        let node = default_for(site, value, name, siblings, index)?;
        let mut filled = members.to_vec();
        match at {
            Some(at) => filled[at] = filled[at].with_value(node),
            None => filled.push(Member::new(site.fitter.arena.alloc_str(name), node)),
        }
        let from = at.map(|at| preview(&members[at].value));
        let change =
            site.change(Code::D2, place.key(name).to_string(), from, Some(preview(&node)), "default");
        Some(Applied { members: filled, changes: vec![change] })
    })
}

fn is_empty(value: &Node<'_>) -> bool {
    match value.kind {
        Kind::Null => true,
        Kind::String(text) => text.raw().is_empty(),
        _ => false,
    }
}

fn default_for<'a>(
    site: &Site<'_, '_, 'a>,
    value: &str,
    name: &str,
    siblings: &[Node<'a>],
    index: usize,
) -> Option<Node<'a>> {
    let arena = site.fitter.arena;
    if !value.contains("{{index}}") {
        return Some(parse(arena.alloc_str(value), arena).ok()?.root);
    }
    let taken = |text: &str| {
        siblings.iter().any(|item| item.get(name).and_then(|id| id.as_text()).is_some_and(|id| id == text))
    };
    let at = |index: usize| {
        let json: &'a str = arena.alloc_str(&value.replace("{{index}}", &index.to_string()));
        parse(json, arena).ok().map(|parsed| parsed.root)
    };
    // At most one sibling can be in the way of each number.
    (index..=index + siblings.len())
        .find_map(|index| at(index).filter(|node| !node.as_text().is_some_and(|text| taken(&text))))
}
