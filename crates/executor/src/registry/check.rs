//! Whether a definition is in order, and what to do when it is not.

use std::fmt;

use serde_json::Value;
use toolwright_model::{Origin, ToolDefinition};
use toolwright_normalizer::{Schema, SchemaError, Tool};
use toolwright_redact::does_not_print;

use super::entry::{BUILT_IN, source};

/// The longest name of a tool or a server, as the protocol has it.
pub const MAX_NAME_BYTES: usize = 128;

/// How much of a bad name a message shows, in characters.
const MAX_SHOWN_CHARS: usize = 40;

/// Why a tool cannot be registered: what, where, why, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the tool {tool} cannot be registered: {place} {why}; {fix}")]
pub struct RegistrationError {
    /// Which tool, with its source.
    pub tool: String,
    /// Which part of its definition.
    pub place: Place,
    /// What is wrong with it.
    pub why: String,
    /// How to put it right.
    pub fix: String,
}

/// A part of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The tool's name.
    Name,
    /// The name of its server.
    Server,
    /// What it says about itself.
    Description,
    /// The schema of its arguments.
    InputSchema,
    /// The schema of its structured result.
    OutputSchema,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Place::Name => "its name",
            Place::Server => "the name of its server",
            Place::Description => "its description",
            Place::InputSchema => "its input schema",
            Place::OutputSchema => "its output schema",
        })
    }
}

/// Checks every part of a definition; the first that is not in order is reported.
pub(super) fn check(definition: &ToolDefinition) -> Result<(), RegistrationError> {
    let error =
        |place| move |(why, fix): Fault| RegistrationError { tool: shown_name(definition), place, why, fix };
    name(definition).map_err(error(Place::Name))?;
    server(definition).map_err(error(Place::Server))?;
    description(&definition.description).map_err(error(Place::Description))?;
    schema(&definition.input_schema, Root::Object).map_err(error(Place::InputSchema))?;
    // Only whether it compiles: it is compiled again when it is called.
    Tool::compile(definition).map_err(|cause| error(Place::InputSchema)(not_compiled(&cause)))?;
    let Some(output_schema) = definition.output_schema.as_deref() else { return Ok(()) };
    let compiled = Schema::compile(output_schema).map_err(|cause| not_compiled(&cause));
    compiled.and_then(|_| schema(output_schema, Root::Any)).map_err(error(Place::OutputSchema))
}

/// Why, and how to put it right.
type Fault = (String, String);

fn fault(why: impl Into<String>, fix: impl Into<String>) -> Fault {
    (why.into(), fix.into())
}

fn shown_name(definition: &ToolDefinition) -> String {
    let name: String = definition.name.chars().take(MAX_SHOWN_CHARS).collect();
    format!("{name:?} from {}", source(definition))
}

/// What is ours has a name that every API takes. A server calls its tools as it likes; what models call them is
/// made of that.
fn name(definition: &ToolDefinition) -> Result<(), Fault> {
    let name = definition.name.as_str();
    let is_of_server = definition.server.is_some();
    if name.is_empty() {
        return Err(fault("is empty", "give it one, such as \"read_file\""));
    }
    if name.len() > MAX_NAME_BYTES {
        let why = format!("has {} bytes", name.len());
        return Err(fault(why, format!("use at most {MAX_NAME_BYTES}")));
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '/');
    let is_allowed = |c: char| if is_of_server { !does_not_print(c) } else { is_plain(c) };
    match name.chars().position(|c| !is_allowed(c)) {
        Some(index) => {
            let found = name.chars().nth(index).unwrap_or_default();
            let why = format!("has {found:?} at character {}", index + 1);
            let fix = match is_of_server {
                true => "use only characters that can be seen",
                false => "use only letters and digits of English and _ . - /",
            };
            Err(fault(why, fix))
        }
        None => Ok(()),
    }
}

fn server(definition: &ToolDefinition) -> Result<(), Fault> {
    let Some(server) = definition.server.as_deref() else { return Ok(()) };
    if definition.origin == Origin::BuiltIn {
        let why = format!("is {server:?}, but a built-in tool has no server");
        return Err(fault(why, "leave the server out"));
    }
    if server.trim().is_empty() {
        return Err(fault("is empty", "name the server, or leave it out"));
    }
    if server == BUILT_IN {
        return Err(fault(format!("is {BUILT_IN:?}, which stands for our own tools"), "rename the server"));
    }
    if server.len() > MAX_NAME_BYTES || server.contains(|c: char| c == '/' || c.is_control()) {
        let why = format!("is {:?}", server.chars().take(MAX_SHOWN_CHARS).collect::<String>());
        let fix = format!("use at most {MAX_NAME_BYTES} bytes, without slashes and control characters");
        return Err(fault(why, fix));
    }
    Ok(())
}

fn description(text: &str) -> Result<(), Fault> {
    if text.chars().any(char::is_alphabetic) {
        return Ok(());
    }
    let why = if text.trim().is_empty() { "is empty" } else { "has no word in it" };
    Err(fault(why, "say in a sentence what the tool does"))
}

/// What a schema may describe at its root: arguments are always named values, but since the protocol of
/// July 2026 a result may be any JSON.
#[derive(PartialEq, Eq)]
enum Root {
    Object,
    Any,
}

/// The root must be what every reader of a tool's schema relies on. What lies deeper is left to the
/// compiler, which leaves unjudged what it cannot understand: many servers write sloppy schemas, and
/// their tools work.
fn schema(text: &str, described: Root) -> Result<(), Fault> {
    const SMALLEST: &str = "send a JSON Schema; the smallest is {\"type\":\"object\"}";
    if text.trim().is_empty() {
        return Err(fault("is missing", SMALLEST));
    }
    let value: Value =
        serde_json::from_str(text).map_err(|error| fault(format!("is not JSON: {error}"), SMALLEST))?;
    let Value::Object(root) = value else {
        return Err(fault(format!("is {}, not an object", a_kind(&value)), SMALLEST));
    };
    let is_object = |kind: &Value| kind == "object";
    match root.get("type") {
        None => {}
        Some(kind) if is_object(kind) => {}
        Some(Value::Array(kinds)) if kinds.iter().any(is_object) => {}
        Some(_) if described == Root::Any => {}
        Some(other) => {
            let why = format!("says at /type that it is {}", short(other));
            return Err(fault(why, "write \"type\": \"object\": a tool takes named values"));
        }
    }
    if let Some(properties) = root.get("properties").filter(|value| !value.is_object()) {
        let why = format!("has {} at /properties", a_kind(properties));
        return Err(fault(why, "write an object with one schema for each name"));
    }
    let are_names = |value: &Value| value.as_array().is_some_and(|names| names.iter().all(Value::is_string));
    if let Some(required) = root.get("required").filter(|value| !are_names(value)) {
        let why = format!("has {} at /required", short(required));
        return Err(fault(why, "write a list of names"));
    }
    Ok(())
}

/// Which schema it is, is said by the place.
fn not_compiled(cause: &SchemaError) -> Fault {
    fault(cause.reason(), "send a JSON Schema of at most 1 MiB")
}

fn a_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= MAX_SHOWN_CHARS { text } else { a_kind(value).to_owned() }
}
