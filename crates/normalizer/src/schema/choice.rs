//! The discriminator of a union: the value of one member often selects the branches.
//!
//! `{"oneOf": [{"properties": {"kind": {"const": "a"}, …}}, …]}`: a value whose `kind` is `"a"` is
//! validated and repaired by the branches of that kind only.

use std::collections::{HashMap, HashSet};

use smallvec::SmallVec;
use toolwright_base::{closest_by, keystrokes_apart, letters_apart};
use toolwright_jsonrpc::raw::Node;

use super::{EnumOptions, Literal, Schema, SchemaId, SchemaIds, SchemaNode, Types};
use crate::names::fold_value;

/// Maximum number of schemas that are searched for the members of a branch.
const MAX_PARTS: usize = 16;

/// Maximum number of kinds that are listed for an unknown one.
const NEAREST: usize = 12;
/// Longer kinds are not compared.
const COMPARED_BYTES: usize = 64;

/// The member that distinguishes the branches of a union, and the branches for each of its values.
#[derive(Debug)]
pub(crate) struct UnionChoice {
    key: Box<str>,
    branches: HashMap<Box<str>, Vec<SchemaId>>,
    folded: HashMap<Box<str>, Vec<SchemaId>>,
}

/// A value with a kind that a union does not have.
pub(crate) struct UnknownKind<'c, 'v> {
    pub key: &'c str,
    pub sent: Node<'v>,
    /// Some of the existing kinds, the closest match first.
    pub nearest: Vec<&'c str>,
    /// Number of kinds.
    pub count: usize,
}

impl UnionChoice {
    /// Finds a member for which every branch that accepts objects lists its values.
    pub fn of(nodes: &[SchemaNode], union: &[SchemaId]) -> Option<UnionChoice> {
        let branches = union.iter().map(|id| (*id, parts(nodes, *id)));
        let objects: Vec<(SchemaId, Parts<'_>)> =
            branches.filter(|(_, parts)| takes_objects(parts)).collect();
        let [(_, first), _, ..] = &objects[..] else { return None };
        let keys = first.iter().flat_map(|node| node.object.properties.iter());
        keys.filter(|(_, id)| texts(nodes, *id).is_some())
            .find_map(|(key, _)| UnionChoice::by(nodes, &objects, key))
    }

    fn by(nodes: &[SchemaNode], objects: &[(SchemaId, Parts<'_>)], key: &str) -> Option<UnionChoice> {
        let mut choice = UnionChoice { key: key.into(), branches: HashMap::new(), folded: HashMap::new() };
        for (id, parts) in objects {
            let member = parts.iter().find_map(|node| node.object.properties.get(key))?;
            for text in texts(nodes, member)? {
                choice.branches.entry(text.into()).or_default().push(*id);
                choice.folded.entry(fold_value(text).into()).or_default().push(*id);
            }
        }
        // A single value for all branches distinguishes nothing.
        (choice.branches.len() > 1).then_some(choice)
    }

    /// The branches that can accept the value; `None` if the value lacks the member.
    pub fn accepting(&self, value: &Node<'_>) -> Option<&[SchemaId]> {
        let sent = value.get(&self.key)?;
        Some(sent.as_text().and_then(|text| self.branches.get(&*text)).map_or(&[], Vec::as_slice))
    }

    /// The unknown kind of the value, if no branch has it.
    fn unknown<'v>(&self, value: &Node<'v>) -> Option<UnknownKind<'_, 'v>> {
        let sent = value.get(&self.key)?;
        let text = sent.as_text().filter(|_| self.candidates(value).is_none())?;
        let folded = fold_value(&text);
        let kinds = self.branches.keys().filter(|kind| kind.len().max(text.len()) <= COMPARED_BYTES);
        let kinds = closest_by(
            kinds.map(|kind| (fold_value(kind), &**kind)),
            |(other, kind)| Some((letters_apart(other, &folded), *kind)),
            |(other, kind)| Some((keystrokes_apart(other, &folded), *kind)),
            NEAREST,
        );
        let nearest = kinds.into_iter().map(|(_, kind)| kind).collect();
        let count = self.branches.len();
        Some(UnknownKind { key: &self.key, sent, nearest, count })
    }

    /// The branches that the value may be intended for; `None` if it cannot be determined.
    pub fn candidates(&self, value: &Node<'_>) -> Option<&[SchemaId]> {
        let sent = value.get(&self.key)?.as_text()?;
        let found = self.branches.get(&*sent).or_else(|| self.folded.get(&*fold_value(&sent)))?;
        Some(found)
    }
}

/// A schema and those that it applies to the same value.
type Parts<'n> = SmallVec<[&'n SchemaNode; 2]>;

fn parts(nodes: &[SchemaNode], id: SchemaId) -> Parts<'_> {
    let mut ids = SchemaIds::from_slice(&[id]);
    let mut at = 0;
    while let Some(id) = ids.get(at).copied() {
        let node = &nodes[id.0 as usize];
        for part in node.reference.iter().chain(&node.all_of) {
            if ids.len() < MAX_PARTS && !ids.contains(part) {
                ids.push(*part);
            }
        }
        at += 1;
    }
    ids.iter().map(|id| &nodes[id.0 as usize]).collect()
}

fn takes_objects(parts: &Parts<'_>) -> bool {
    parts.iter().all(|node| !node.never && node.types.overlaps(Types::OBJECT))
}

/// The texts that a schema allows, if it allows nothing else.
fn texts(nodes: &[SchemaNode], id: SchemaId) -> Option<Vec<&str>> {
    parts(nodes, id).iter().find_map(|node| match (&node.constant, &node.options) {
        (Some(constant), _) => Some(vec![constant.as_text()?]),
        (None, Some(options)) => options.iter().map(Literal::as_text).collect(),
        (None, None) => None,
    })
}

impl Schema {
    /// The unknown kind of the value, if a union of these schemas does not have it.
    pub(crate) fn unknown_kind<'v>(&self, ids: &[SchemaId], value: &Node<'v>) -> Option<UnknownKind<'_, 'v>> {
        ids.iter().flat_map(|id| parts(&self.nodes, *id)).find_map(|node| {
            let choices = node.any_choice.iter().chain(&node.one_choice);
            choices.into_iter().find_map(|choice| choice.unknown(value))
        })
    }
}

impl SchemaNode {
    /// The branches of `anyOf` and of `oneOf` that the value may be intended for.
    pub fn candidates(&self, value: &Node<'_>) -> [&[SchemaId]; 2] {
        [
            self.any_choice.as_ref().and_then(|choice| choice.candidates(value)).unwrap_or(&self.any_of),
            self.one_choice.as_ref().and_then(|choice| choice.candidates(value)).unwrap_or(&self.one_of),
        ]
    }

    /// The branches of `anyOf` and of `oneOf` without those that cannot accept the value.
    pub fn accepting(&self, value: &Node<'_>) -> [&[SchemaId]; 2] {
        [
            self.any_choice.as_ref().and_then(|choice| choice.accepting(value)).unwrap_or(&self.any_of),
            self.one_choice.as_ref().and_then(|choice| choice.accepting(value)).unwrap_or(&self.one_of),
        ]
    }

    /// Converts `{"anyOf": [{"const": "a"}, {"const": "b"}]}` to an enum: it is one with a description for each value.
    pub fn read_union_of_texts(&mut self, nodes: &[SchemaNode]) {
        let text = |id: &SchemaId| {
            let node = &nodes[id.0 as usize];
            let has = node.has;
            let is_more = has.object || has.array || has.string || has.number || has.combinators;
            let is_text = !is_more && node.options.is_none() && node.types == Types::STRING;
            node.constant.clone().filter(|_| is_text)
        };
        for union in [&mut self.any_of, &mut self.one_of] {
            let texts: Option<Box<[Literal]>> = union.iter().map(text).collect();
            let Some(texts) = texts.filter(|texts| !texts.is_empty() && self.options.is_none()) else {
                continue;
            };
            let distinct: HashSet<Option<&str>> = texts.iter().map(Literal::as_text).collect();
            if distinct.len() == texts.len() {
                union.clear();
                self.options = Some(Box::new(EnumOptions::new(texts)));
            }
        }
    }
}
