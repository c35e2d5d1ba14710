//! Parameter names in a tool's error message. The text is untrusted: it can only point at parameters of the schema, and
//! at a key that was sent.

use serde_json::{Map, Value};

use super::rule_candidate::Lesson;
use super::tool_schema::ToolSchema;

/// Bytes of an error message that are searched.
const MAX_MESSAGE_BYTES: usize = 2048;

/// The candidate that an error points at: exactly one parameter that it names is missing, and exactly one key of the
/// call is unknown (or is the only unknown key that it names).
pub(super) fn candidate_from_error(
    message: &str,
    sent: &Map<String, Value>,
    schema: &ToolSchema,
) -> Option<Lesson> {
    let message = truncate(message);
    let mut targets = schema
        .tool
        .parameters()
        .iter()
        .filter(|name| !sent.contains_key(*name) && contains_word(message, name));
    let (Some(to), None) = (targets.next(), targets.next()) else { return None };
    let unknown: Vec<&String> = sent.keys().filter(|key| !schema.declares(key)).collect();
    let from = match &unknown[..] {
        [only] => *only,
        several => {
            let mut named = several.iter().filter(|key| contains_word(message, key));
            let (Some(from), None) = (named.next(), named.next()) else { return None };
            *from
        }
    };
    let mut moved = sent.clone();
    let value = moved.remove(from)?;
    moved.insert(to.clone(), value);
    let candidate = Lesson::ParamAlias { from: from.clone(), to: to.clone() };
    schema.tool.accepts(&Value::Object(moved).to_string()).then_some(candidate)
}

/// Whether a text contains the name as a whole word.
fn contains_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    !name.is_empty()
        && text.match_indices(name).any(|(at, found)| {
            !text[..at].chars().next_back().is_some_and(is_part)
                && !text[at + found.len()..].chars().next().is_some_and(is_part)
        })
}

fn truncate(text: &str) -> &str {
    let mut end = text.len().min(MAX_MESSAGE_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
