//! The contract of `use_tool`: what a call has to look like, to the letter.

use toolwright_jsonrpc::Json;
use toolwright_jsonrpc::raw::{RawMember, same_value};

use super::Identifier;

/// The fields of an identifier and what an empty one is told.
const FIELDS: [(&str, &str); 3] = [
    ("toolbox", "Toolbox name cannot be empty"),
    ("server", "Server name cannot be empty"),
    ("name", "Tool name cannot be empty"),
];

/// How many unknown keys are named, and how much of each.
const NAMED_KEYS: usize = 10;
const KEY_CHARS: usize = 100;

/// A call that keeps the contract, or everything that is wrong with it.
pub(super) fn check(sent: &Json) -> Result<(Identifier, Json), Vec<String>> {
    let Some(members) = sent.members() else {
        return Err(vec![format!("Expected object, received {}", type_name(sent.as_str()))]);
    };
    let mut errors = Vec::new();
    let tool = match value(&members, "tool") {
        None => {
            errors.push("tool: Required".to_owned());
            None
        }
        Some(tool) => identifier(tool, &mut errors),
    };
    let arguments = match value(&members, "arguments") {
        None => Json::empty_object(),
        Some(arguments) => {
            if !arguments.starts_with('{') {
                errors.push(format!("arguments: Expected object, received {}", type_name(arguments)));
            }
            Json::parse(arguments).unwrap_or_else(|_| Json::empty_object())
        }
    };
    unrecognized(&members, &["tool", "arguments"], "use_tool", &mut errors);
    repeated(&members, &["tool", "arguments"], "use_tool", &mut errors);
    match tool {
        Some(tool) if errors.is_empty() => Ok((tool, arguments)),
        _ => Err(errors),
    }
}

fn identifier(tool: &str, errors: &mut Vec<String>) -> Option<Identifier> {
    let Ok(members) = toolwright_jsonrpc::raw::members(tool) else {
        errors.push(format!("tool: Expected object, received {}", type_name(tool)));
        return None;
    };
    let mut field = |key: &str, empty: &str| match value(&members, key) {
        None => {
            errors.push(format!("tool.{key}: Required"));
            None
        }
        Some(text) if !text.starts_with('"') => {
            errors.push(format!("tool.{key}: Expected string, received {}", type_name(text)));
            None
        }
        Some("\"\"") => {
            errors.push(format!("{key}: {empty}"));
            None
        }
        Some(text) => Json::parse(text).ok().and_then(|text| text.to_text()),
    };
    let [toolbox, server, name] = FIELDS.map(|(key, empty)| field(key, empty));
    unrecognized(&members, &FIELDS.map(|(key, _)| key), "tool", errors);
    repeated(&members, &FIELDS.map(|(key, _)| key), "tool", errors);
    Some(Identifier { toolbox: toolbox?, server: server?, name: name? })
}

fn value<'m>(members: &[RawMember<'m>], key: &str) -> Option<&'m str> {
    members.iter().find(|member| member.key == key).map(|member| member.value)
}

fn unrecognized(members: &[RawMember<'_>], known: &[&str], place: &str, errors: &mut Vec<String>) {
    let mut unknown = members.iter().filter(|member| !known.contains(&member.key.as_ref()));
    let mut named: Vec<String> =
        unknown.by_ref().take(NAMED_KEYS).map(|member| format!("'{}'", shown(&member.key))).collect();
    if named.is_empty() {
        return;
    }
    match unknown.count() {
        0 => {}
        more => named.push(format!("{more} more")),
    }
    errors.push(format!("{place}: Unrecognized key(s) in object: {}", named.join(", ")));
}

fn shown(key: &str) -> String {
    key.chars().take(KEY_CHARS).collect()
}

/// A key that stands twice with two values says two things.
fn repeated(members: &[RawMember<'_>], known: &[&str], place: &str, errors: &mut Vec<String>) {
    for key in known {
        let mut values = members.iter().filter(|member| member.key == *key).map(|member| member.value);
        let Some(first) = values.next() else { continue };
        if values.any(|other| !is_same(first, other)) {
            errors.push(format!("{place}: Key '{key}' is given twice with different values"));
        }
    }
}

pub(super) fn is_same(one: &str, other: &str) -> bool {
    let arena = bumpalo::Bump::new();
    let parse = |text| toolwright_jsonrpc::raw::parse(text, &arena);
    match (parse(one), parse(other)) {
        (Ok(one), Ok(other)) => same_value(&one.root, &other.root),
        _ => one == other,
    }
}

/// The name of a JSON text's type.
pub(super) fn type_name(text: &str) -> &'static str {
    match text.bytes().next() {
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b'"') => "string",
        Some(b't' | b'f') => "boolean",
        Some(b'n') => "null",
        _ => "number",
    }
}
