//! Calls of `use_tool` with members at the wrong level: arguments beside the identifier or in it, the
//! identifier beside the arguments.
//!
//! What is moved is moved by name: a member counts as an argument when the tool that is meant has a parameter
//! of exactly that name, and none whose name is one of ours.

use toolwright_jsonrpc::Json;
use toolwright_model::{Code, ToolDefinition};
use toolwright_normalizer::Tool;

use super::reading::{Reading, as_object, is_blank, is_string, pointer};
use super::{Identifier, Known};

/// The keys of a call and of an identifier.
pub(super) const FIELDS: [&str; 3] = ["toolbox", "server", "name"];
const OURS: [&str; 5] = ["toolbox", "server", "name", "tool", "arguments"];

/// Other words for `arguments`.
const ALSO_ARGUMENTS: &[&str] = &["args", "params", "parameters", "input", "tool_input", "tool_arguments"];

/// How many members are looked at.
const MAX_MOVED: usize = 200;

/// E2: an identifier that stands beside the arguments: `{"toolbox": …, "server": …, "name": …, "arguments": …}`.
pub(super) fn gather_identifier(reading: &mut Reading) {
    // A tool's name beside its toolbox and server.
    let named = reading.get("tool").filter(is_string);
    let is_named_by_tool = named.is_some() && reading.get("name").is_none();
    if reading.get("tool").is_some() && !is_named_by_tool || reading.len() > MAX_MOVED {
        return;
    }
    let keys = if is_named_by_tool { ["toolbox", "server", "tool"] } else { FIELDS };
    let mut identifier = Json::empty_object();
    let mut rest = reading.value.clone();
    for (key, field) in keys.into_iter().zip(FIELDS) {
        let Some(value) = reading.get(key).filter(is_string) else { return };
        identifier = identifier.with(field, &value);
        rest = rest.without(key);
    }
    let sent = reading.value.clone();
    let mut call = Json::empty_object().with("tool", &identifier);
    for member in rest.members().unwrap_or_default() {
        let Ok(value) = Json::parse(member.value) else { return };
        call = call.with(&member.key, &value);
    }
    reading.value = call;
    reading.note(
        Code::WrapperRestored,
        "",
        Some(&sent),
        Some(&reading.value.clone()),
        "the identifier was not in \"tool\"",
    );
}

/// V2: `"arguments": null`, `"arguments": ""` and other members that say nothing.
pub(super) fn leave_out_blanks(reading: &mut Reading) {
    if let Some(blank) = reading.get("arguments").filter(is_blank) {
        reading.value = reading.value.without("arguments");
        reading.note(Code::EmptyOptional, "/arguments", Some(&blank), None, "it says nothing");
    }
}

/// T2: `tool` or `arguments` as JSON in a string; an object only.
pub(super) fn open_strings(reading: &mut Reading) {
    for key in ["tool", "arguments"] {
        let Some(sent) = reading.get(key).filter(is_string) else { continue };
        if let Some(object) = as_object(&sent) {
            reading.value = reading.value.with(key, &object);
            let path = pointer("", key);
            reading.note(
                Code::StringToContainer,
                &path,
                Some(&sent),
                Some(&object),
                "it was JSON inside a string",
            );
        }
    }
}

/// E1, N4, E2: brings the arguments to where they belong. Nothing is moved when the tool that is meant is not
/// known, or when one of its parameters could be meant by what we would move.
pub(super) fn gather_arguments(reading: &mut Reading, known: &dyn Known) {
    let Some(tool) = reading.object("tool") else { return };
    let inside = others(&tool, &FIELDS);
    let beside = others(&reading.value, &["tool", "arguments"]);
    if inside.is_empty() && beside.is_empty() || inside.len() + beside.len() > MAX_MOVED {
        return;
    }
    let Some(target) = identifier(&tool) else { return };
    let Some(parameters) = parameters(&target, known) else { return };
    let is_parameter = |key: &str| parameters.iter().any(|parameter| parameter == key);
    let mut moved = reading.clone();
    if !inside.is_empty() {
        // One of them may stand for a parameter of the same name.
        if OURS.iter().any(|key| is_parameter(key)) {
            return;
        }
        for (key, value) in inside {
            let identifier = moved.object("tool").unwrap_or_else(Json::empty_object).without(&key);
            moved.value = moved.value.with("tool", &identifier);
            let path = pointer("/tool", &key);
            let is_whole =
                key == "arguments" || ALSO_ARGUMENTS.contains(&key.as_str()) && !is_parameter(&key);
            let put = match (is_whole, is_parameter(&key)) {
                (true, _) => {
                    put_whole(&mut moved, &value, Code::EnvelopeRemoved, &path, "it stood inside \"tool\"")
                }
                (false, true) => put_one(&mut moved, &key, &value, &path, "it stood inside \"tool\""),
                (false, false) => false,
            };
            if !put {
                return;
            }
        }
    }
    if !beside.is_empty() {
        if ["tool", "arguments"].iter().any(|key| is_parameter(key)) {
            return;
        }
        for (key, value) in beside {
            moved.value = moved.value.without(&key);
            let path = pointer("", &key);
            let is_other_word = ALSO_ARGUMENTS.contains(&key.as_str()) && as_object(&value).is_some();
            let put = if OURS.contains(&key.as_str()) {
                // A second identifier, or an argument of that name: nobody can tell.
                false
            } else if is_parameter(&key) {
                // `input` may be a parameter and may stand for all of them.
                !is_other_word && put_one(&mut moved, &key, &value, &path, "it stood beside \"tool\"")
            } else if is_other_word {
                put_whole(&mut moved, &value, Code::AliasBySchema, &path, "another word for \"arguments\"")
            } else if value.as_str() == "null" {
                moved.note(Code::EmptyOptional, &path, Some(&value), None, "it says nothing");
                true
            } else {
                false
            };
            if !put {
                return;
            }
        }
    }
    *reading = moved;
}

/// The identifier that an object holds, whatever else is in it.
pub(super) fn identifier(tool: &Json) -> Option<Identifier> {
    let field = |key: &str| tool.get_text(key).filter(|text| !text.is_empty());
    Some(Identifier { toolbox: field("toolbox")?, server: field("server")?, name: field("name")? })
}

/// The parameters of a tool, when its schema is known.
pub(super) fn parameters(tool: &Identifier, known: &dyn Known) -> Option<Vec<String>> {
    Some(compiled(tool, known)?.parameters().to_vec())
}

fn compiled(tool: &Identifier, known: &dyn Known) -> Option<Tool> {
    let input_schema = known.input_schema(tool)?;
    Tool::compile(&ToolDefinition { name: tool.name.clone(), input_schema, ..ToolDefinition::default() }).ok()
}

/// The members that are none of these.
fn others(object: &Json, known: &[&str]) -> Vec<(String, Json)> {
    let members = object.members().unwrap_or_default();
    members
        .iter()
        .filter(|member| !known.contains(&member.key.as_ref()))
        .filter_map(|member| Some((member.key.to_string(), Json::parse(member.value).ok()?)))
        .collect()
}

/// Takes a value for all the arguments, when there are none.
fn put_whole(moved: &mut Reading, value: &Json, code: Code, path: &str, why: &str) -> bool {
    let Some(object) = as_object(value) else { return false };
    if moved.get("arguments").is_some() {
        return false;
    }
    moved.value = moved.value.with("arguments", &object);
    moved.note(code, path, Some(value), Some(&object), why);
    true
}

/// Puts one argument to the others, when it is not there.
fn put_one(moved: &mut Reading, key: &str, value: &Json, path: &str, why: &str) -> bool {
    let arguments = moved.get("arguments").unwrap_or_else(Json::empty_object);
    let Some(arguments) = as_object(&arguments).filter(|arguments| arguments.get(key).is_none()) else {
        return false;
    };
    moved.value = moved.value.with("arguments", &arguments.with(key, value));
    moved.note(Code::WrapperRestored, path, Some(value), Some(value), why);
    true
}
