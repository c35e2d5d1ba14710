//! Calls of `use_tool` with something around them: JSON in a string, an object too many, dotted keys.

use toolwright_jsonrpc::Json;
use toolwright_model::Code;

use super::contract::is_same;
use super::reading::{Reading, as_object, is_object, object_in_string, pointer};

/// How many layers are taken off.
const MAX_LAYERS: usize = 4;

/// The most members of a call in which dotted keys are joined.
const MAX_DOTTED: usize = 200;

/// What people and models put around arguments.
const ENVELOPES: &[&str] = &[
    "arguments",
    "args",
    "parameters",
    "params",
    "input",
    "use_tool",
    "tool",
    "tool_input",
    "tool_call",
    "call",
    "request",
];

/// Where the name of the meta-tool stands beside its arguments.
const CALLEES: &[&str] = &["name", "tool_name", "function", "method"];

/// Takes off everything around a call that has no other meaning.
pub(super) fn open(reading: &mut Reading) {
    for _ in 0..MAX_LAYERS {
        let opened = open_string(reading) || open_wrapper(reading) || open_inner_tool(reading);
        if !opened {
            break;
        }
    }
    join_dotted(reading);
}

/// S3: the whole call as JSON in a string.
fn open_string(reading: &mut Reading) -> bool {
    let Some(inner) = object_in_string(&reading.value) else { return false };
    let sent = std::mem::replace(&mut reading.value, inner.clone());
    reading.note(Code::DoubleEncoding, "", Some(&sent), Some(&inner), "the call was JSON inside a string");
    true
}

/// E1: an object whose one member is the call.
fn open_wrapper(reading: &mut Reading) -> bool {
    let Some(members) = reading.value.members() else { return false };
    let mut callee = None;
    let mut inner = None;
    for member in &members {
        let value = Json::parse(member.value).ok();
        let is_callee = CALLEES.contains(&member.key.as_ref())
            && value.as_ref().and_then(Json::to_text).is_some_and(|name| name == super::USE_TOOL);
        if is_callee && callee.is_none() {
            callee = Some(());
        } else if ENVELOPES.contains(&member.key.as_ref()) && inner.is_none() {
            inner = value.map(|value| (member.key.to_string(), value));
        } else {
            // Something else stands beside it, and would be lost.
            return false;
        }
    }
    let Some((key, value)) = inner else { return false };
    let Some(call) = as_object(&value).filter(|inner| holds_call(&key, inner)) else { return false };
    let sent = std::mem::replace(&mut reading.value, call.clone());
    let why = format!("the call was wrapped in \"{key}\"");
    reading.note(Code::EnvelopeRemoved, "", Some(&sent), Some(&call), &why);
    true
}

/// E1: `{"tool": {"tool": {…}}, "arguments": …}`
fn open_inner_tool(reading: &mut Reading) -> bool {
    let Some(tool) = reading.object("tool") else { return false };
    let only = tool.members().filter(|members| members.len() == 1);
    let Some(inner) = only.and_then(|_| tool.get("tool")).filter(is_object) else { return false };
    reading.value = reading.value.with("tool", &inner);
    reading.note(
        Code::EnvelopeRemoved,
        "/tool",
        Some(&tool),
        Some(&inner),
        "the identifier was wrapped in \"tool\"",
    );
    true
}

/// Whether what is in an envelope is a call. The identifier's own object is no envelope.
fn holds_call(envelope: &str, inner: &Json) -> bool {
    let has = |key: &str| inner.get(key).is_some();
    let has_identifier = has("toolbox") && has("server") && (has("name") || has("tool"));
    let holds_tool = inner.get("tool").and_then(|tool| as_object(&tool)).is_some();
    match envelope {
        "tool" => holds_tool && !has("toolbox") && !has("server") && !has("name"),
        // It says so itself, whatever else is around the call.
        super::USE_TOOL => true,
        _ => holds_tool || has_identifier || has("tool.toolbox") || has("tool.server") || has("tool.name"),
    }
}

/// E2: `"tool.toolbox": …` and `"arguments.path": …`. All of them, or none.
fn join_dotted(reading: &mut Reading) {
    let Some(members) = reading.value.members() else { return };
    let is_dotted = |key: &str| key.starts_with("tool.") || key.starts_with("arguments.");
    // An identifier has few fields; what comes in hundreds is not one.
    if members.len() > MAX_DOTTED || !members.iter().any(|member| is_dotted(&member.key)) {
        return;
    }
    let mut joined = Reading { value: Json::empty_object(), changes: reading.changes.clone() };
    let mut dotted = Vec::new();
    for member in &members {
        let Ok(value) = Json::parse(member.value) else { return };
        match member.key.split_once('.') {
            Some((part @ ("tool" | "arguments"), key)) if !key.is_empty() && !key.contains('.') => {
                dotted.push((part.to_owned(), key.to_owned(), value));
            }
            Some(("tool" | "arguments", _)) => return,
            _ => joined.value = joined.value.with(&member.key, &value),
        }
    }
    for (part, key, value) in dotted {
        let object = joined.get(&part).unwrap_or_else(Json::empty_object);
        let Some(object) = as_object(&object) else { return };
        if object.get(&key).is_some_and(|other| !is_same(other.as_str(), value.as_str())) {
            return;
        }
        joined.value = joined.value.with(&part, &object.with(&key, &value));
        let why = format!("the key \"{part}.{key}\" stood for a member of \"{part}\"");
        let from = pointer("", &format!("{part}.{key}"));
        joined.note(Code::WrapperRestored, &from, Some(&value), Some(&value), &why);
    }
    *reading = joined;
}
