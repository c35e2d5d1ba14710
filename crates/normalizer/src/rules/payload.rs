//! Payloads: JSON inside a parameter, raw or as a string, and the path to the items in it.

use std::fmt;

use toolwright_jsonrpc::raw::{Kind, Member, Node, Str, parse};
use toolwright_model::{Change, Problem};

use super::{AppliedRule, Ruling, Site};
use crate::repair::{Fitter, ValuePath, too_many_steps};
use crate::schema::{KEYS_PER_STEP, steps};

/// Number of bytes of a payload that are parsed or written in one step.
const BYTES_PER_STEP: usize = 32;
/// Steps charged for a change of an object in a payload and its report.
const STEPS_PER_EDIT: u32 = 4;

/// A position in a payload: `[]`, `steps[]`, `data.groups[].steps[]`, or empty for the payload itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrayPath {
    segments: Vec<PathSegment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PathSegment {
    Key(String),
    Each,
}

/// Why a text is not a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// A path in another language.
    #[error("\"{text}\" is {language}; an array_path is names, dots and `[]` from the payload on")]
    Foreign {
        /// The path.
        text: String,
        /// The language.
        language: &'static str,
    },
    /// One step is neither a name nor `[]`.
    #[error("\"{step}\" is not a step; write names and `[]`, as in `data.steps[]`")]
    NoStep {
        /// The step.
        step: String,
    },
}

impl PathError {
    /// What to write instead.
    pub(super) fn fix(&self) -> String {
        if let PathError::Foreign { text, .. } = self {
            let own = text.trim_start_matches('$').replace("[*]", "[]").replace('/', ".");
            let own = own.trim_start_matches('.');
            if own.is_empty() {
                return "leave array_path out for the payload itself".to_owned();
            }
            if ArrayPath::parse(own).is_ok() {
                return format!("write \"{own}\"");
            }
        }
        "for example \"steps[]\"".to_owned()
    }
}

/// An edit of every object that a path leads to.
pub(super) trait PayloadEdit<'a> {
    /// Starts a list: the following objects are its items.
    fn enter(&mut self, _items: &'a [Node<'a>]) {}

    /// Edits one object, the item `index` of its list if it is in one.
    fn object(&mut self, members: &[Member<'a>], index: usize, place: &ValuePath<'_>) -> Ruling<'a>;
}

impl ArrayPath {
    /// Whether the path leads to items of a list.
    pub(super) fn has_items(&self) -> bool {
        self.segments.last() == Some(&PathSegment::Each)
    }

    /// Parses a path.
    pub fn parse(text: &str) -> Result<ArrayPath, PathError> {
        let foreign = if text == "$" || text.starts_with("$.") || text.starts_with("$[") {
            Some("JSONPath")
        } else {
            text.starts_with('/').then_some("a JSON Pointer")
        };
        if let Some(language) = foreign {
            return Err(PathError::Foreign { text: text.to_owned(), language });
        }
        let mut segments = Vec::new();
        for part in text.split('.').filter(|_| !text.is_empty()) {
            let key = part.trim_end_matches("[]");
            let is_empty = key.is_empty() && key.len() == part.len();
            if is_empty || key == "*" || key.trim() != key || key.contains(['[', ']']) {
                return Err(PathError::NoStep { step: part.to_owned() });
            }
            if !key.is_empty() {
                segments.push(PathSegment::Key(key.to_owned()));
            }
            segments.extend((0..(part.len() - key.len()) / 2).map(|_| PathSegment::Each));
        }
        Ok(ArrayPath { segments })
    }
}

impl fmt::Display for ArrayPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.segments.iter().enumerate() {
            match segment {
                PathSegment::Key(key) if index == 0 => f.write_str(key)?,
                PathSegment::Key(key) => write!(f, ".{key}")?,
                PathSegment::Each => f.write_str("[]")?,
            }
        }
        Ok(())
    }
}

/// Edits every object that the path leads to, in a raw payload or in one that is a string.
pub(super) fn edit<'a>(
    site: &Site<'_, '_, 'a>,
    payload: &str,
    path: &ArrayPath,
    edit: &mut dyn PayloadEdit<'a>,
) -> Ruling<'a> {
    let Some(index) = site.position(payload) else { return Ok(None) };
    let value = site.members[index].value;
    // A payload that the schema describes is validated and repaired by the schema, except for learned rules.
    if site.needs_agreement() && !site.rule.is_learned() && site.fitter.describes_inside(payload) {
        return Ok(None);
    }
    let too_many_steps = || too_many_steps(&ValuePath::Root.key(payload));
    let (node, is_text) = match value.kind {
        Kind::String(text) => match parsed_payload(site, text) {
            _ if site.fitter.validator.is_exhausted() => return Err(too_many_steps()),
            Some(node) => (node, true),
            None => return Ok(None),
        },
        _ => (value, false),
    };
    let mut walk = PayloadWalk { fitter: site.fitter, edit, changes: Vec::new() };
    let edited = walk.at(node, &path.segments, &ValuePath::Root.key(payload), 0)?;
    if site.fitter.validator.is_exhausted() {
        return Err(too_many_steps());
    }
    let Some(edited) = edited else { return Ok(None) };
    let changes = walk.changes;
    let value = if is_text {
        let json = edited.to_json();
        if !site.fitter.validator.spend_many(steps(json.len() / BYTES_PER_STEP)) {
            return Err(too_many_steps());
        }
        let value = site.fitter.text_node(&json);
        cache_payload(site, &value, edited);
        value
    } else {
        edited
    };
    Ok(Some(AppliedRule { members: site.with_value(index, value), changes }))
}

/// Caches the tree of a serialized text for the next rule.
fn cache_payload<'a>(site: &Site<'_, '_, 'a>, value: &Node<'a>, tree: Node<'a>) {
    if let Kind::String(text) = value.kind {
        site.fitter.payload.set(Some((text.raw(), tree)));
    }
}

/// The JSON in a string.
fn parsed_payload<'a>(site: &Site<'_, '_, 'a>, text: Str<'a>) -> Option<Node<'a>> {
    if let Some((known, tree)) = site.fitter.payload.get()
        && std::ptr::eq(known, text.raw())
    {
        return Some(tree);
    }
    let raw = text.raw();
    if !site.fitter.validator.spend_many(steps(raw.len() / BYTES_PER_STEP)) {
        return None;
    }
    let decoded = text.decode();
    // A lone surrogate has no text: editing would lose it.
    if decoded.contains(char::REPLACEMENT_CHARACTER) {
        return None;
    }
    let arena = site.fitter.arena;
    let tree = parse(arena.alloc_str(&decoded), arena).ok()?.root;
    site.fitter.payload.set(Some((raw, tree)));
    Some(tree)
}

struct PayloadWalk<'e, 's, 'a> {
    fitter: &'e Fitter<'s, 'a>,
    edit: &'e mut dyn PayloadEdit<'a>,
    changes: Vec<Change>,
}

impl<'a> PayloadWalk<'_, '_, 'a> {
    /// The new node, if anything in it changes. `index` is its index in its list.
    fn at(
        &mut self,
        node: Node<'a>,
        segments: &[PathSegment],
        place: &ValuePath<'_>,
        index: usize,
    ) -> Result<Option<Node<'a>>, Problem> {
        match segments {
            [] => {
                let Some(members) = node.as_object() else { return Ok(None) };
                if !self.fitter.validator.spend_many(1 + steps(members.len() / KEYS_PER_STEP)) {
                    return Ok(None);
                }
                let Some(applied) = self.edit.object(members, index, place)? else { return Ok(None) };
                self.fitter.validator.spend_many(STEPS_PER_EDIT + steps(members.len() / KEYS_PER_STEP));
                self.changes.extend(applied.changes);
                Ok(Some(Node::built(Kind::Object(self.fitter.arena.alloc_slice_copy(&applied.members)))))
            }
            [PathSegment::Key(key), rest @ ..] => {
                let members = node.as_object().unwrap_or_default();
                let Some(at) = members.iter().position(|member| member.key == key) else { return Ok(None) };
                let Some(inner) = self.at(members[at].value, rest, &place.key(key), 0)? else {
                    return Ok(None);
                };
                let members = self.fitter.arena.alloc_slice_copy(members);
                members[at] = members[at].with_value(inner);
                Ok(Some(Node::built(Kind::Object(members))))
            }
            [PathSegment::Each, rest @ ..] => self.items(node.as_array().unwrap_or_default(), rest, place),
        }
    }

    fn items(
        &mut self,
        items: &'a [Node<'a>],
        rest: &[PathSegment],
        place: &ValuePath<'_>,
    ) -> Result<Option<Node<'a>>, Problem> {
        if rest.is_empty() {
            self.edit.enter(items);
        }
        let mut edited: Option<&mut [Node<'a>]> = None;
        for (index, item) in items.iter().enumerate() {
            if let Some(inner) = self.at(*item, rest, &place.item(index), index)? {
                edited.get_or_insert_with(|| self.fitter.arena.alloc_slice_copy(items))[index] = inner;
            }
        }
        Ok(edited.map(|items| Node::built(Kind::Array(items))))
    }
}

#[cfg(test)]
mod tests {
    use super::ArrayPath;

    #[test]
    fn paths_are_read_at_any_depth() {
        for text in ["", "[]", "steps[]", "data.steps[]", "groups[].steps[]", "[][]"] {
            assert_eq!(ArrayPath::parse(text).unwrap().to_string(), text);
        }
        for text in ["a..b", "a[0]", "a]b", ".", "$", "$.a", "$[*]", "/a/b", "a.*", "a. b"] {
            assert!(ArrayPath::parse(text).is_err(), "{text}");
        }
        // A name may contain a dollar sign.
        assert!(ArrayPath::parse("$defs.steps[]").is_ok());
    }
}
