//! `strict` of tools on its way to another dialect: whether a schema is one that the upstream takes there.
//!
//! OpenAI and Anthropic hold a model to a schema only when it is written in a part of JSON Schema that each has chosen,
//! and refuse the whole request otherwise. So `strict` goes on where the schema is in that part for certain, and else is
//! left out with a note: Toolwright itself checks the calls either way.

use toolwright_jsonrpc::{ObjectWriter, raw};

use super::history::note_once;
use super::offer::flag;
use crate::Notes;
use crate::form::Tool;

/// Whose rules a schema has to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    /// Objects are closed, and every property is required.
    OpenAi,
    /// Objects are closed.
    Anthropic,
}

/// The keywords that both take. What is not among them may be refused by one.
const KEYWORDS: [&str; 13] = [
    "type",
    "description",
    "title",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "anyOf",
    "$ref",
    "$defs",
    "$schema",
];

/// How deep a schema may be: OpenAI takes fewer levels.
const MOST_DEPTH: usize = 10;

/// Writes `strict` as it was sent where the dialect is the same, and else where the upstream takes it for certain.
pub(crate) fn write_strict(
    tool: &Tool,
    is_same: bool,
    rules: Rules,
    out: &mut ObjectWriter,
    notes: &mut Notes,
) {
    match tool.strict {
        Some(strict) if is_same => out.value("strict", &flag(strict)),
        Some(true) if takes_strictly(tool, rules) => out.value("strict", &flag(true)),
        Some(true) => note_not_sent(notes),
        _ => {}
    }
}

/// Notes that `strict` was left out.
pub(crate) fn note_not_sent(notes: &mut Notes) {
    note_once(
        notes,
        "strict_not_sent",
        "the upstream is not asked to hold the model to the schemas: its rules for them are others",
    );
}

/// Whether an upstream with these rules holds a model to the schema of a tool.
pub(crate) fn takes_strictly(tool: &Tool, rules: Rules) -> bool {
    tool.schema.as_ref().is_some_and(|schema| is_strict(schema.as_str(), rules, 0))
}

/// Whether a schema is written as these rules want it.
fn is_strict(schema: &str, rules: Rules, depth: usize) -> bool {
    let Ok(members) = raw::members(schema) else { return false };
    if depth > MOST_DEPTH || members.iter().any(|member| !KEYWORDS.contains(&&*member.key)) {
        return false;
    }
    let find = |key: &str| members.iter().find(|member| member.key == key).map(|member| member.value);
    let is_inner_strict = |schema: &str| is_strict(schema, rules, depth + 1);
    let properties = find("properties").map(|value| raw::members(value).unwrap_or_default());
    if properties.is_some() || find("type") == Some(r#""object""#) {
        let required = find("required").and_then(|list| raw::items(list).ok()).unwrap_or_default();
        let is_required = |key: &str| required.contains(&raw::quote(key).as_str());
        let is_closed = find("additionalProperties") == Some("false");
        let is_right = |member: &raw::RawMember<'_>| {
            (rules == Rules::Anthropic || is_required(&member.key)) && is_inner_strict(member.value)
        };
        if !is_closed || !properties.iter().flatten().all(is_right) {
            return false;
        }
    }
    let listed = find("anyOf").map(|list| raw::items(list).unwrap_or_default()).unwrap_or_default();
    let defined = find("$defs").map(|defs| raw::members(defs).unwrap_or_default()).unwrap_or_default();
    find("items").is_none_or(is_inner_strict)
        && listed.into_iter().all(is_inner_strict)
        && defined.iter().all(|member| is_inner_strict(member.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_upstream_takes_for_certain_is_strict() {
        let closed = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array","items":{"type":"integer"}}},"required":["a","b"],"additionalProperties":false}"#;
        let optional = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false}"#;
        for (schema, openai, anthropic) in [
            (closed, true, true),
            (optional, false, true),
            (r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#, false, false),
            (
                r#"{"type":"object","properties":{"a":{"type":"integer","minimum":1}},"required":["a"],"additionalProperties":false}"#,
                false,
                false,
            ),
            (
                r#"{"type":"object","properties":{"a":{"type":"object","properties":{}}},"required":["a"],"additionalProperties":false}"#,
                false,
                false,
            ),
            (r#"{"type":"object","properties":{},"additionalProperties":false}"#, true, true),
            ("true", false, false),
        ] {
            assert_eq!(is_strict(schema, Rules::OpenAi, 0), openai, "{schema}");
            assert_eq!(is_strict(schema, Rules::Anthropic, 0), anthropic, "{schema}");
        }
    }
}
