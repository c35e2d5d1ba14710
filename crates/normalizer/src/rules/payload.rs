//! Payloads: JSON inside a parameter, raw or as a string, and the path to the items in it.

use std::fmt;

use toolwright_jsonrpc::raw::{Kind, Member, Node, parse};
use toolwright_model::Change;

use super::{Applied, Site};
use crate::repair::Path;

/// Where in a payload: `[]`, `steps[]`, `data.groups[].steps[]`, or empty for the payload itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrayPath {
    segments: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Key(String),
    Each,
}

/// What is done to each object that the path leads to: its members and its place in its list.
type Edit<'e, 'a> = &'e dyn Fn(&[Member<'a>], &[Node<'a>], usize, &Path<'_>) -> Option<Applied<'a>>;

impl ArrayPath {
    /// Whether the path leads to items of a list.
    pub(super) fn has_items(&self) -> bool {
        self.segments.last() == Some(&Segment::Each)
    }

    /// Reads a path; the error says what is wrong.
    pub fn parse(text: &str) -> Result<ArrayPath, String> {
        let mut segments = Vec::new();
        for part in text.split('.').filter(|_| !text.is_empty()) {
            let key = part.trim_end_matches("[]");
            if key.is_empty() && key.len() == part.len() || key.contains(['[', ']']) {
                return Err(format!("\"{part}\" is no step; write names and `[]`, as in `data.steps[]`"));
            }
            if !key.is_empty() {
                segments.push(Segment::Key(key.to_owned()));
            }
            segments.extend((0..(part.len() - key.len()) / 2).map(|_| Segment::Each));
        }
        Ok(ArrayPath { segments })
    }
}

impl fmt::Display for ArrayPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.segments.iter().enumerate() {
            match segment {
                Segment::Key(key) if index == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
                Segment::Each => f.write_str("[]")?,
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
    edit: Edit<'_, 'a>,
) -> Option<Applied<'a>> {
    let index = site.position(payload)?;
    let value = site.members[index].value;
    // A payload that the schema describes is judged and mended by the schema.
    if site.needs_agreement() && site.fitter.describes_inside(payload) {
        return None;
    }
    let arena = site.fitter.arena;
    let (node, is_text) = match value.kind {
        Kind::String(text) => {
            let decoded = text.decode();
            // Half a surrogate pair has no text: editing would lose it.
            if decoded.contains(char::REPLACEMENT_CHARACTER) {
                return None;
            }
            (parse(arena.alloc_str(&decoded), arena).ok()?.root, true)
        }
        _ => (value, false),
    };
    let mut changes = Vec::new();
    let root = Path::Root;
    let place = root.key(payload);
    let edited = walk(site, node, &path.segments, &place, (&[], 0), edit, &mut changes)?;
    let value = if is_text { site.fitter.text_node(&edited.to_json()) } else { edited };
    Some(Applied { members: site.with_value(index, value), changes })
}

fn walk<'a>(
    site: &Site<'_, '_, 'a>,
    node: Node<'a>,
    segments: &[Segment],
    place: &Path<'_>,
    (siblings, index): (&[Node<'a>], usize),
    edit: Edit<'_, 'a>,
    changes: &mut Vec<Change>,
) -> Option<Node<'a>> {
    let arena = site.fitter.arena;
    match segments {
        [] => {
            let applied = edit(node.as_object()?, siblings, index, place)?;
            changes.extend(applied.changes);
            Some(Node::built(Kind::Object(arena.alloc_slice_copy(&applied.members))))
        }
        [Segment::Key(key), rest @ ..] => {
            let members = node.as_object()?;
            let at = members.iter().position(|member| member.key == key)?;
            let inner = walk(site, members[at].value, rest, &place.key(key), (&[], 0), edit, changes)?;
            let mut members = members.to_vec();
            members[at] = members[at].with_value(inner);
            Some(Node::built(Kind::Object(arena.alloc_slice_copy(&members))))
        }
        [Segment::Each, rest @ ..] => {
            let mut items = node.as_array()?.to_vec();
            let mut touched = false;
            for index in 0..items.len() {
                let siblings = items.clone();
                let place = place.item(index);
                if let Some(inner) = walk(site, items[index], rest, &place, (&siblings, index), edit, changes)
                {
                    items[index] = inner;
                    touched = true;
                }
            }
            touched.then(|| Node::built(Kind::Array(arena.alloc_slice_copy(&items))))
        }
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
        for text in ["a..b", "a[0]", "a]b", "."] {
            assert!(ArrayPath::parse(text).is_err(), "{text}");
        }
    }
}
