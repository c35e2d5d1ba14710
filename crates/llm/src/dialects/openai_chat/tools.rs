//! Tools of Chat, and whether they may be called.

use toolwright_jsonrpc::{Json, ObjectWriter, raw};

use crate::dialects::fields::{Fields, Path, decoded};
use crate::dialects::namespace::NAMESPACE;
use crate::dialects::offer::{flag, note_server_tools, offered};
use crate::dialects::strict::{Rules, write_strict};
use crate::form::{Members, Request, Tool, ToolChoice};
use crate::{Dialect, Failure, Notes};

/// The schema of a tool without arguments.
const NO_ARGUMENTS: &str = r#"{"type":"object","properties":{}}"#;

/// Reads `tools`. One that is no function is carried.
pub(super) fn read_tools(items: Vec<&str>, path: Path<'_>, request: &mut Request) -> Result<(), Failure> {
    for (at, item) in items.into_iter().enumerate() {
        let path = path.item(at);
        let mut fields = Fields::read(item, path)?;
        match fields.take("function") {
            Some(function) => {
                let function = Fields::read(function, path.member("function"))?;
                fields.take("type");
                let tool = read_function(function, fields.rest())?;
                request.tools.push(tool);
            }
            None => request.server_tools.extend(Json::parse(item).ok()),
        }
    }
    Ok(())
}

/// Reads `functions`, which is what tools were before.
pub(super) fn read_functions(items: Vec<&str>, path: Path<'_>, request: &mut Request) -> Result<(), Failure> {
    for (at, item) in items.into_iter().enumerate() {
        request.tools.push(read_function(Fields::read(item, path.item(at))?, Vec::new())?);
    }
    Ok(())
}

fn read_function(mut fields: Fields<'_, '_>, beside: Members) -> Result<Tool, Failure> {
    let name = fields.needed_text("name")?;
    let description = fields.text("description")?;
    let schema = fields.take("parameters").and_then(|schema| Json::parse(schema).ok());
    let strict = fields.flag("strict")?;
    let mut extra = beside;
    extra.extend(fields.rest());
    Ok(Tool { name, description, schema, strict, extra })
}

/// Reads `tool_choice`, or `function_call` of before. A choice of another kind is carried.
pub(super) fn read_choice(key: &str, value: &str, request: &mut Request) {
    request.choice = choice(value);
    if request.choice.is_none() {
        request.extra.extend(Json::parse(value).ok().map(|raw| (key.to_owned(), raw)));
    }
}

fn choice(value: &str) -> Option<ToolChoice> {
    if let Some(word) = decoded(value) {
        return match word.as_str() {
            "auto" => Some(ToolChoice::Auto),
            "none" => Some(ToolChoice::None),
            "required" | "any" => Some(ToolChoice::Required),
            _ => None,
        };
    }
    let fields = Fields::lenient(value);
    let name_in = |value: &str| Fields::lenient(value).peek("name").and_then(decoded);
    if let Some(allowed) = fields.peek("allowed_tools") {
        let allowed = Fields::lenient(allowed);
        let tools = raw::items(allowed.peek("tools")?).ok()?;
        let name =
            |tool: &&str| Fields::lenient(tool).peek("function").and_then(name_in).or_else(|| name_in(tool));
        return Some(ToolChoice::Allowed {
            is_required: allowed.peek("mode") == Some(r#""required""#),
            names: tools.iter().filter_map(name).collect(),
        });
    }
    let name = fields.peek("function").and_then(name_in).or_else(|| name_in(value))?;
    Some(ToolChoice::Tool(name))
}

/// Writes the tools.
pub(super) fn write_tools(request: &Request, notes: &mut Notes) -> Vec<Json> {
    let is_same = request.dialect == Some(Dialect::OpenAiChat);
    let is_openai = is_same || request.dialect == Some(Dialect::OpenAiResponses);
    let mut tools: Vec<Json> = offered(request)
        .map(|tool| {
            let mut function = ObjectWriter::default();
            function.text("name", &tool.name);
            if let Some(description) = &tool.description {
                function.text("description", description);
            }
            match &tool.schema {
                Some(schema) => function.value("parameters", schema),
                None => function
                    .value("parameters", &Json::parse(NO_ARGUMENTS).unwrap_or_else(|_| Json::empty_object())),
            }
            write_strict(tool, is_openai, Rules::OpenAi, &mut function, notes);
            let mut out = ObjectWriter::default();
            out.text("type", "function");
            out.value("function", &function.finish());
            for (key, value) in &tool.extra {
                match key.as_str() {
                    _ if is_same => out.value(key, value),
                    // Told once for all of the request; the kind says nothing that is not known.
                    "cache_control" | "type" | NAMESPACE => {}
                    _ => notes
                        .add("tool_member_not_sent", format!("{key} of the tool {} was left out", tool.name)),
                }
            }
            out.finish()
        })
        .collect();
    if is_same {
        tools.extend(request.server_tools.iter().cloned());
    } else {
        note_server_tools(request, notes);
    }
    tools
}

/// Writes whether tools may be called, and several at once. Nothing without tools.
pub(super) fn write_choice(request: &Request, out: &mut ObjectWriter, notes: &mut Notes) {
    match &request.choice {
        None => {}
        Some(ToolChoice::Auto | ToolChoice::Allowed { is_required: false, .. }) => {
            out.text("tool_choice", "auto")
        }
        Some(ToolChoice::Required | ToolChoice::Allowed { is_required: true, .. }) => {
            out.text("tool_choice", "required");
        }
        Some(ToolChoice::None) => out.text("tool_choice", "none"),
        Some(ToolChoice::Tool(name)) if request.tools.iter().any(|tool| tool.name == *name) => {
            let mut function = ObjectWriter::default();
            function.text("name", name);
            let mut choice = ObjectWriter::default();
            choice.text("type", "function");
            choice.value("function", &function.finish());
            out.value("tool_choice", &choice.finish());
        }
        Some(ToolChoice::Tool(name)) => {
            notes.add("tool_choice_dropped", format!("the tool {name} has to be called, but it is not sent"));
        }
    }
    if let Some(is_parallel) = request.parallel_calls {
        out.value("parallel_tool_calls", &flag(is_parallel));
    }
}
