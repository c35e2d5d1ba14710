//! What a tool's error says about names. Its words are somebody else's: they can only point at parameters that the
//! schema has, and at a key that was really sent.

use serde_json::{Map, Value};

use super::lesson::Lesson;
use super::shape::Shape;

/// So much of an error is read.
const MAX_BYTES: usize = 2048;

/// The lesson that an error points at: exactly one parameter that it names is missing, and exactly one key of the
/// call is none of the tool's (or is the only such one that it names).
pub(super) fn pointed_at(message: &str, sent: &Map<String, Value>, shape: &Shape) -> Option<Lesson> {
    let message = beginning(message);
    let mut targets =
        shape.tool.parameters().iter().filter(|name| !sent.contains_key(*name) && names(message, name));
    let (Some(to), None) = (targets.next(), targets.next()) else { return None };
    let unknown: Vec<&String> = sent.keys().filter(|key| !shape.declares(key)).collect();
    let from = match &unknown[..] {
        [only] => *only,
        several => {
            let mut named = several.iter().filter(|key| names(message, key));
            let (Some(from), None) = (named.next(), named.next()) else { return None };
            *from
        }
    };
    let mut moved = sent.clone();
    let value = moved.remove(from)?;
    moved.insert(to.clone(), value);
    let lesson = Lesson::ParamAlias { from: from.clone(), to: to.clone() };
    shape.tool.accepts(&Value::Object(moved).to_string()).then_some(lesson)
}

/// Whether a text has the name as a word of its own.
fn names(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    !name.is_empty()
        && text.match_indices(name).any(|(at, found)| {
            !text[..at].chars().next_back().is_some_and(is_part)
                && !text[at + found.len()..].chars().next().is_some_and(is_part)
        })
}

fn beginning(text: &str) -> &str {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
