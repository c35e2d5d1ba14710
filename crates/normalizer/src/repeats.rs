//! Keys that are present twice in one object: with one value they are one parameter, with two a conflict.

use bumpalo::Bump;
use toolwright_jsonrpc::raw::{Kind, Member, Node, Parsed, same_value};
use toolwright_model::{Code, Problem};

use crate::repair::{ValuePath, problem};

/// Objects with more members than this are not searched for repeated keys.
const MAX_REPEATS_LOOKED_FOR: usize = 256;

/// R7 for a key that is present twice with different values.
pub(crate) fn key_conflict(parsed: &Parsed<'_>) -> Option<Problem> {
    let key = parsed.conflicting_key?;
    let found = key_conflict_within(&parsed.root, key, &ValuePath::Root);
    found.or_else(|| Some(problem(Code::ConflictingValues, &ValuePath::Root.key(key), message(key, ""))))
}

fn key_conflict_within(node: &Node<'_>, key: &str, path: &ValuePath<'_>) -> Option<Problem> {
    match node.kind {
        Kind::Object(members) => {
            let mut values = members.iter().filter(|member| member.key == key).map(|member| member.value);
            if let Some(first) = values.next()
                && let Some(other) = values.find(|other| !same_value(&first, other))
            {
                let values =
                    format!(" ({} and {})", crate::repair::preview(&first), crate::repair::preview(&other));
                return Some(problem(Code::ConflictingValues, &path.key(key), message(key, &values)));
            }
            members.iter().find_map(|member| key_conflict_within(&member.value, key, &path.key(member.key)))
        }
        Kind::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| key_conflict_within(item, key, &path.item(index))),
        _ => None,
    }
}

fn message(key: &str, values: &str) -> String {
    format!("\"{key}\" is given twice with different values{values}; send it once")
}

/// Merges a key that is present twice with one value into one parameter.
pub(crate) fn without_repeats<'a>(node: Node<'a>, members: &'a [Member<'a>], arena: &'a Bump) -> Node<'a> {
    let is_first = |index: usize| !members[..index].iter().any(|earlier| earlier.key == members[index].key);
    if members.len() > MAX_REPEATS_LOOKED_FOR || (0..members.len()).all(is_first) {
        return node;
    }
    let unique: Vec<Member<'a>> =
        (0..members.len()).filter(|index| is_first(*index)).map(|index| members[index]).collect();
    Node::built(Kind::Object(arena.alloc_slice_copy(&unique)))
}
